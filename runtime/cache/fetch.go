package cache

import (
	"net/http"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// roundTrip asks the origin through a transport.
func (x *Exchange) roundTrip(next http.RoundTripper) (*http.Response, error) {
	// The others must not wait for ever, also when the transport panics.
	defer x.End()
	for {
		r := x.r
		if x.Asks() {
			r = x.r.Clone(x.r.Context())
			x.Ask(r.Header)
		}
		requested := time.Now()
		h, err := x.send(next, r)
		if x.unavailable(h, err) {
			if stale, ok := x.Rescue(); ok {
				if h != nil {
					discard(h)
				}
				return stale, nil
			}
		}
		if err != nil {
			return nil, err
		}
		if h, again := x.Receive(h, requested); !again {
			h.Request = x.r // not the one with our conditions
			return h, nil
		}
	}
}

// Asks reports whether requests have to carry the conditions of what is stored.
func (x *Exchange) Asks() bool {
	if x.entry == nil || x.own || x.kind != reading || x.r.Method == http.MethodHead || x.rules.Mode == policy.Shadow {
		return false
	}
	etag, modified := x.entry.validators()
	return etag != "" || modified != ""
}

// Ask writes these conditions into a request's header.
func (x *Exchange) Ask(h http.Header) {
	if !x.Asks() {
		return
	}
	x.asks = true
	etag, modified := x.entry.validators()
	if etag != "" {
		h["If-None-Match"] = []string{etag}
	}
	if modified != "" {
		h["If-Modified-Since"] = []string{modified}
	}
}

// Receive takes a response from the origin, to a request that was sent at the given
// time, and gives the one to use: the same, whose body is stored as it is read, or what
// is stored in place of a 304. The response must be used or closed. Where again is set
// there is none: the origin has confirmed something else than what is stored, and the
// request has to be made once more, without the conditions.
func (x *Exchange) Receive(h *http.Response, requested time.Time) (use *http.Response, again bool) {
	received := time.Now()
	x.tidy(h)
	switch x.kind {
	case passing:
		x.passed(h)
		return h, false
	case writing:
		x.written(h)
		return h, false
	case reading:
	}
	if x.r.Header["Range"] != nil {
		x.passed(h)
		return h, false
	}
	e, s := x.entry, Status{Forward: x.why, ForwardStatus: h.StatusCode}
	elsewhere := x.elsewhere
	x.elsewhere = false
	if h.StatusCode == http.StatusNotModified && e != nil && (x.asks || x.own) {
		if !elsewhere && confirms(h.Header, e) {
			return x.confirmed(h, e, s, requested, received), false
		}
		if x.asks {
			discard(h)
			x.remove(e)
			x.entry, x.asks = nil, false
			return nil, true
		}
	}
	if elsewhere {
		x.passed(h)
		return h, false
	}
	if x.r.Method == http.MethodHead {
		return x.headed(h, e, s, requested, received), false
	}
	return x.record(h, e, s, requested, received), false
}

// Elsewhere says that the response which comes next is that of another address, because a
// redirect was followed. It is used as it is: how long the redirect itself holds is not
// known any more, so that nothing is stored under the address of the request.
func (x *Exchange) Elsewhere() { x.elsewhere = true }

// tidy gives a response what the rest takes for granted.
func (x *Exchange) tidy(h *http.Response) {
	if h.Body == nil {
		h.Body = http.NoBody
	}
	if h.Header == nil {
		h.Header = http.Header{}
	}
}

// Rescue is the stale answer to a call that has failed, where the response that is stored
// allows that (RFC 5861 section 4).
func (x *Exchange) Rescue() (*http.Response, bool) {
	if x.kind != reading || x.r.Header["Range"] != nil {
		return nil, false
	}
	if x.flight != nil {
		x.flight.failed = true
	}
	e := x.entry
	if e == nil || x.rules.Mode == policy.Shadow || !e.servesError(time.Now(), &x.control, x.rules, x.c.options.Shared) {
		return nil, false
	}
	return x.serve(e, Status{Forward: x.why, Detail: "stale-if-error"}), true
}

// unavailable reports whether the origin could not answer, in the sense of RFC 5861
// section 4. The caller's end is no fault of the origin.
func (x *Exchange) unavailable(h *http.Response, err error) bool {
	if err != nil {
		return x.r.Context().Err() == nil
	}
	switch h.StatusCode {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// confirms reports whether a 304 speaks of the entry (RFC 9111 section 4.3.4).
func confirms(h http.Header, e *Entry) bool {
	etag, modified := e.validators()
	if got := one(h, "Etag"); got != "" && etag != "" {
		return weak(got) == weak(etag)
	}
	if got := one(h, "Last-Modified"); got != "" && modified != "" && etag == "" {
		return got == modified
	}
	return true
}

// weak is an entity tag without the mark of a weak one.
func weak(etag string) string { return strings.TrimPrefix(etag, "W/") }

// confirmed takes over what a 304 says.
func (x *Exchange) confirmed(h *http.Response, e *Entry, s Status, requested, received time.Time) *http.Response {
	again := e.freshened(h.Header, requested, received, x.c.options.Shared)
	switch {
	case again.control.NoStore:
		x.remove(e)
	case !x.control.NoStore:
		s.Stored = x.put(again)
	}
	if !x.asks { // the caller has asked itself
		s.tell(h.Header, x.c.options.Name)
		x.told(s)
		return h
	}
	discard(h)
	return x.serve(again, s)
}

// headed takes over what the response to a HEAD says about the entry (RFC 9111 section
// 4.3.5).
func (x *Exchange) headed(h *http.Response, e *Entry, s Status, requested, received time.Time) *http.Response {
	if e != nil && h.StatusCode == http.StatusOK && e.Status == http.StatusOK {
		if sameRepresentation(h.Header, e) {
			x.put(e.freshened(h.Header, requested, received, x.c.options.Shared))
		} else {
			x.remove(e)
		}
	}
	s.tell(h.Header, x.c.options.Name)
	x.told(s)
	return h
}

// sameRepresentation reports whether a header does not speak of another representation
// than the entry's.
func sameRepresentation(h http.Header, e *Entry) bool {
	for _, name := range [...]string{"Etag", "Last-Modified", "Content-Length"} {
		if got := one(h, name); got != "" && e.Header[name] != nil && got != one(e.Header, name) {
			return false
		}
	}
	return true
}
