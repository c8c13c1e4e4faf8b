package cache

import (
	"net/http"
	"slices"
	"time"
)

// Entry is a stored response. It is not changed once it has been stored, and its body
// and header are shared: who gives it to others copies the header.
type Entry struct {
	Status int
	// Header has no fields that belong to a connection.
	Header http.Header
	Body   []byte
	// Vary are the fields of the request that chose this response, with their values
	// in normal form.
	Vary []Selector
	// Requested and Received are when the request was sent and the response's header
	// was there.
	Requested, Received time.Time

	control  Control
	targeted bool      // control is that of a targeted field
	targets  []string  // that control was chosen by
	date     time.Time // of the origin
	initial  time.Duration
}

// Selector is a field of the request that chose a response.
type Selector struct{ Name, Value string }

// prepare works out what freshness asks of an entry again and again, for a cache with
// these targets.
func (e *Entry) prepare(targets []string) *Entry {
	e.targets = targets
	e.control, e.targeted = controlOf(e.Header, targets)
	e.date = e.Received
	if at, ok := parseDate(one(e.Header, "Date")); ok {
		e.date = at
	}
	e.initial = initialAge(e)
	return e
}

// under is the entry as a cache with these targets sees it: who stored it may have had
// others, and a store outside of the process knows of none.
func (e *Entry) under(targets []string) *Entry {
	if slices.Equal(e.targets, targets) {
		return e
	}
	own := *e
	return own.prepare(targets)
}

// entryOverhead is about what an entry takes beside its texts.
const entryOverhead = 512

// Size is about the memory that an entry takes, in bytes.
func (e *Entry) Size() int64 {
	n := int64(entryOverhead) + int64(len(e.Body))
	for name, values := range e.Header {
		n += int64(len(name)) + 48
		for _, v := range values {
			n += int64(len(v)) + 16
		}
	}
	for _, s := range e.Vary {
		n += int64(len(s.Name)+len(s.Value)) + 32
	}
	return n
}

// variant tells the entries of one key apart.
func (e *Entry) variant() string { return joinSelectors(e.Vary) }

func joinSelectors(list []Selector) string {
	if len(list) == 0 {
		return ""
	}
	var b []byte
	for _, s := range list {
		b = append(append(append(append(b, s.Name...), ':'), s.Value...), '\n')
	}
	return string(b)
}

// hopByHop are the fields of a connection, which are not stored (RFC 9111 section 3.1).
var hopByHop = [...]string{
	"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
	"Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// storedHeader is what of a response's header may be stored.
func storedHeader(h http.Header, c *Control, shared bool) http.Header {
	out := h.Clone()
	for _, line := range h["Connection"] {
		for _, name := range fieldNames(line) {
			out.Del(name)
		}
	}
	for _, name := range hopByHop {
		delete(out, name)
	}
	for _, name := range c.NoCacheFields {
		out.Del(name) // may not be used again without asking
	}
	if shared {
		for _, name := range c.PrivateFields {
			out.Del(name)
		}
	}
	return out
}

// unchanged are the fields that a 304 does not update: they describe the stored body
// (RFC 9111 section 3.2).
var unchanged = map[string]bool{
	"Content-Encoding": true, "Content-Length": true, "Content-Md5": true, "Content-Range": true, "Etag": true,
}

// freshened is the entry with the header of a response that confirms it.
func (e *Entry) freshened(h http.Header, requested, received time.Time, shared bool) *Entry {
	c, _ := controlOf(h, e.targets)
	header := e.Header.Clone()
	// A 304 without an Age comes from the origin itself.
	delete(header, "Age")
	for name, values := range storedHeader(h, &c, shared) {
		if !unchanged[name] {
			header[name] = values
		}
	}
	if _, is := h["Date"]; !is {
		header["Date"] = []string{received.UTC().Format(http.TimeFormat)}
	}
	again := &Entry{
		Status: e.Status, Header: header, Body: e.Body, Vary: e.Vary, Requested: requested, Received: received,
	}
	return again.prepare(e.targets)
}
