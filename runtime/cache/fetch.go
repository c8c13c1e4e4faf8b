package cache

import (
	"net/http"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// fetch asks the origin, about the entry where there is one.
func (x *exchange) fetch(e *Entry, why Forward) (*http.Response, error) {
	handed := false
	defer func() {
		if !handed {
			x.land() // a flight must end, also when the transport panics
		}
	}()
	own, _ := conditional(x.r.Header)
	if x.r.Header["Range"] != nil {
		handed = true
		return x.pass(why)
	}
	r, asks := x.r, false
	if e != nil && !own && x.r.Method != http.MethodHead && x.rules.Mode != policy.Shadow {
		r, asks = x.asking(e)
	}
	at := x.c.begin(x.key)
	defer func() {
		if !handed {
			x.c.end(at)
		}
	}()
	requested := time.Now()
	h, err := x.send(r)
	received := time.Now()
	s := Status{Forward: why}
	if h != nil {
		s.ForwardStatus = h.StatusCode
	}
	if x.unavailable(h, err) {
		if e != nil && e.servesError(received, &x.control, x.rules, x.c.options.Shared) && x.rules.Mode != policy.Shadow {
			if h != nil {
				discard(h)
			}
			x.failedFlight()
			s.Detail = "stale-if-error"
			return x.serve(e, s), nil
		}
		x.failedFlight()
	}
	if err != nil {
		if x.flight != nil && x.r.Context().Err() != nil {
			x.flight.left = true
		}
		return nil, err
	}
	if h.StatusCode == http.StatusNotModified && e != nil && (asks || own) {
		if confirms(h.Header, e) {
			return x.confirmed(h, e, s, requested, received, at, asks), nil
		}
		if asks {
			// It confirms something that is not stored here.
			discard(h)
			x.remove(e)
			x.c.end(at)
			handed = true
			return x.fetch(nil, why)
		}
	}
	if x.r.Method == http.MethodHead {
		return x.headed(h, e, s, requested, received, at), nil
	}
	handed = true
	return x.record(h, e, s, requested, received, at), nil
}

// asking is the request with the conditions of an entry.
func (x *exchange) asking(e *Entry) (r *http.Request, asks bool) {
	etag, modified := e.validators()
	if etag == "" && modified == "" {
		return x.r, false
	}
	r = x.r.Clone(x.r.Context())
	if etag != "" {
		r.Header["If-None-Match"] = []string{etag}
	}
	if modified != "" {
		r.Header["If-Modified-Since"] = []string{modified}
	}
	return r, true
}

// unavailable reports whether the origin could not answer, in the sense of RFC 5861
// section 4. The caller's end is no fault of the origin.
func (x *exchange) unavailable(h *http.Response, err error) bool {
	if err != nil {
		return x.r.Context().Err() == nil
	}
	switch h.StatusCode {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// failedFlight notes that the origin could not answer, for those who wait.
func (x *exchange) failedFlight() {
	if x.flight != nil {
		x.flight.failed = true
	}
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
func (x *exchange) confirmed(h *http.Response, e *Entry, s Status, requested, received time.Time, at *pending, asks bool) *http.Response {
	again := e.freshened(h.Header, requested, received, x.c.options.Shared)
	switch {
	case again.control.NoStore:
		x.remove(e)
	case !x.control.NoStore:
		s.Stored = x.put(again, at)
	}
	if !asks { // the caller has asked itself
		s.tell(h.Header, x.c.options.Name)
		x.told(s)
		return h
	}
	discard(h)
	return x.serve(again, s)
}

// headed takes over what the response to a HEAD says about the entry (RFC 9111 section
// 4.3.5).
func (x *exchange) headed(h *http.Response, e *Entry, s Status, requested, received time.Time, at *pending) *http.Response {
	if e != nil && h.StatusCode == http.StatusOK && e.Status == http.StatusOK {
		if sameRepresentation(h.Header, e) {
			x.put(e.freshened(h.Header, requested, received, x.c.options.Shared), at)
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
