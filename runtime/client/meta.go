package client

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Meta is what there is to know about a call beside its result. [Into] asks for
// it; it is filled in on success and on error alike.
type Meta struct {
	// Status of the last response; zero without one. Of a rung that answered it is the
	// rung's, kept and static answers included; a handler and an empty answer have none
	// and leave the service's, which tells why they were asked.
	Status int
	// Header of the last response. It belongs to the caller.
	Header http.Header
	// Tries is the number of tries made. What net/http sends again by itself
	// counts as one: a GET, or a request with an Idempotency-Key header, whose
	// reused connection ended before the first byte of the answer. It sends none
	// again whose effect is a write and that has no key.
	Tries int
	// Waited is the time spent waiting: queue, backoff, tokens.
	Waited time.Duration
	// Rung is the rung of the fallback that answered; empty is the operation
	// itself.
	Rung string
	// Key is the idempotency key that was sent; empty for none.
	Key string
	// Replayed says that the server gave the stored result of an earlier request
	// with the same key.
	Replayed bool
	// Cache is the response's Cache-Status (RFC 9211) as it came.
	Cache string
	// RequestID is the id that the server gave the request.
	RequestID string
	// Limits are the rate limits that the response tells of.
	Limits []Limit
}

// Limit is what a server says about a rate limit.
type Limit struct {
	// Name of the limit; empty where the server gives none.
	Name string
	// Remaining is what is left; Reset is when there will be more, zero where
	// that is not told.
	Remaining int64
	Reset     time.Duration
}

// fill takes what a response tells.
func (m *Meta) fill(status int, h http.Header) {
	m.Status, m.Header = status, h
	m.Replayed = strings.EqualFold(h.Get("Idempotent-Replayed"), "true")
	m.Cache = strings.Join(h.Values("Cache-Status"), ", ")
	for _, name := range requestIDs {
		if m.RequestID = h.Get(name); m.RequestID != "" {
			break
		}
	}
	m.Limits = limitsOf(h)
}

// requestIDs are the headers that servers name a request in, the usual first.
var requestIDs = [...]string{"X-Request-Id", "Request-Id", "X-Correlation-Id", "X-Amzn-Requestid", "X-Amz-Request-Id"}

// maxLimits bounds what is read of a RateLimit header.
const maxLimits = 16

// limitsOf reads RateLimit in the form of the IETF draft, else the older
// headers that many services send.
func limitsOf(h http.Header) []Limit {
	var limits []Limit
	for _, line := range h.Values("Ratelimit") {
		for _, item := range splitQuoted(line, ',') {
			if l, ok := parseLimit(item); ok && len(limits) < maxLimits {
				limits = append(limits, l)
			}
		}
	}
	if limits != nil {
		return limits
	}
	for _, prefix := range [...]string{"Ratelimit-", "X-Ratelimit-"} {
		n, err := strconv.ParseInt(h.Get(prefix+"Remaining"), 10, 64)
		if err != nil || n < 0 {
			continue
		}
		// The reset is seconds from now, or a moment, which is told by its size.
		reset, _ := strconv.ParseInt(h.Get(prefix+"Reset"), 10, 64)
		if reset > 1e9 {
			reset -= time.Now().Unix()
		}
		if reset < 0 || reset > maxReset {
			reset = 0
		}
		return []Limit{{Remaining: n, Reset: time.Duration(reset) * time.Second}}
	}
	return nil
}

// maxReset is a year in seconds; what is longer is a mistake.
const maxReset = 366 * 24 * 3600

// parseLimit reads one item such as "burst";r=0;t=5.
func parseLimit(item string) (Limit, bool) {
	var l Limit
	found := false
	for i, field := range splitQuoted(item, ';') {
		field = strings.TrimSpace(field)
		if i == 0 {
			l.Name = strings.Trim(field, `"`)
			continue
		}
		name, value, _ := strings.Cut(field, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 {
			continue
		}
		switch name {
		case "r":
			l.Remaining, found = n, true
		case "t":
			if n <= maxReset {
				l.Reset = time.Duration(n) * time.Second
			}
		}
	}
	return l, found
}

// splitQuoted splits at a separator that is not inside a quoted string.
func splitQuoted(s string, sep byte) []string {
	var out []string
	quoted := false
	start := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == sep && !quoted:
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}
