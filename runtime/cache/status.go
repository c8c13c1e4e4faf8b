package cache

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// StatusHeader is the field that tells what caches did (RFC 9211).
const StatusHeader = "Cache-Status"

// Forward is why a request went to the origin.
type Forward uint8

// Reasons of RFC 9211 section 2.2.
const (
	// NotForwarded: the cache answered.
	NotForwarded Forward = iota
	// Bypass: the cache was told to stay out of it.
	Bypass
	// Method: requests of this method always go on.
	Method
	// URIMiss: nothing is stored under the address.
	URIMiss
	// VaryMiss: nothing that is stored there is for this request.
	VaryMiss
	// Miss: nothing is stored that could be used.
	Miss
	// Request: something fresh is stored, but the request wants more than that.
	Request
	// Stale: what is stored has to be confirmed.
	Stale
	// Partial: what is stored does not have the range.
	Partial
)

var forwards = [...]string{
	NotForwarded: "", Bypass: "bypass", Method: "method", URIMiss: "uri-miss", VaryMiss: "vary-miss", Miss: "miss",
	Request: "request", Stale: "stale", Partial: "partial",
}

// String is the word of RFC 9211; empty for NotForwarded.
func (f Forward) String() string {
	if int(f) < len(forwards) {
		return forwards[f]
	}
	return "unknown"
}

// Status is what the cache did for one request.
type Status struct {
	// Hit says that the cache answered without asking.
	Hit     bool
	Forward Forward
	// ForwardStatus is that of the origin's response; zero where none came.
	ForwardStatus int
	// TTL is how long the response stays fresh, negative for a stale one. It is told
	// where HasTTL is set.
	TTL    time.Duration
	HasTTL bool
	// Stored says that the response is being stored.
	Stored bool
	// Collapsed says that another request fetched the answer.
	Collapsed bool
	// Detail is a word for what else there is to know, such as stale-if-error.
	Detail string
}

// text is the status as a member of the field.
func (s *Status) text(name string) string {
	b := make([]byte, 0, 64)
	b = appendName(b, name)
	if s.Hit {
		b = append(b, "; hit"...)
	}
	if s.Forward != NotForwarded {
		b = append(append(b, "; fwd="...), s.Forward.String()...)
	}
	if s.ForwardStatus != 0 {
		b = strconv.AppendInt(append(b, "; fwd-status="...), int64(s.ForwardStatus), 10)
	}
	if s.HasTTL {
		b = strconv.AppendInt(append(b, "; ttl="...), int64(s.TTL/time.Second), 10)
	}
	if s.Stored {
		b = append(b, "; stored"...)
	}
	if s.Collapsed {
		b = append(b, "; collapsed"...)
	}
	if s.Detail != "" {
		b = append(append(b, "; detail="...), s.Detail...)
	}
	return string(b)
}

// appendName writes a name as a token of structured fields, else as a string.
func appendName(b []byte, name string) []byte {
	token := name != ""
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '*'
		if !letter && (i == 0 || !isToken(name[i:i+1]) && c != ':' && c != '/') {
			token = false
		}
	}
	if token {
		return append(b, name...)
	}
	b = append(b, '"')
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c >= ' ' && c < 0x7f:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// tell adds the status to a response, behind those of the caches nearer to the origin.
func (s *Status) tell(h http.Header, name string) {
	before := strings.Join(h[StatusHeader], ", ")
	text := s.text(name)
	if before != "" {
		text = before + ", " + text
	}
	h[StatusHeader] = []string{text}
}
