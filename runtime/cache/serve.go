package cache

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// serve is the response from an entry.
func (x *Exchange) serve(e *Entry, s Status) *http.Response {
	now := time.Now()
	life, _ := e.lifetime(x.rules, x.c.options.Shared)
	age := e.age(now)
	s.TTL, s.HasTTL = life-age, true
	if x.r.Body != nil && !x.bodyUsed {
		_ = x.r.Body.Close() // a RoundTripper has to
	}
	h := &http.Response{
		StatusCode: e.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: e.Header.Clone(), Request: x.r,
	}
	h.Header["Age"] = []string{strconv.FormatInt(int64(age/time.Second), 10)}
	s.tell(h.Header, x.c.options.Name)
	body := e.Body
	switch {
	case e.Status == http.StatusOK && !x.background && notModified(x.r.Header, e):
		h.StatusCode, body = http.StatusNotModified, nil
		for _, name := range [...]string{"Content-Length", "Content-Encoding", "Content-Range", "Content-Md5"} {
			delete(h.Header, name)
		}
	case e.Status == http.StatusOK && x.r.Method != http.MethodHead && !x.background:
		body = x.cut(h, e)
	}
	h.Status = strconv.Itoa(h.StatusCode) + " " + http.StatusText(h.StatusCode)
	h.ContentLength = int64(len(body))
	h.Body = http.NoBody
	if len(body) > 0 && x.r.Method != http.MethodHead {
		h.Body = io.NopCloser(bytes.NewReader(body))
	}
	x.told(s)
	return h
}

// Stale answers a request from an entry that is stale by no more than the given time,
// without asking the origin: the last resort of a call that has failed. It is false where
// nothing is stored, and where the response forbids that. A nil Use wants nothing.
func (c *Cache) Stale(r *http.Request, rules *Rules, use *Use, by time.Duration) (*http.Response, bool) {
	if rules == nil {
		rules = DefaultRules()
	}
	if rules.Off || !stores(r.Method, rules) {
		return nil, false
	}
	x := &Exchange{c: c, r: r, rules: rules, use: use, kind: reading}
	var err error
	if x.key, err = keyOf(r, use, rules); err != nil {
		return nil, false
	}
	e, _ := x.lookup()
	if e == nil {
		return nil, false
	}
	life, _ := e.lifetime(rules, c.options.Shared)
	over := e.age(time.Now()) - life
	if over > by || over > 0 && e.mustRevalidate(c.options.Shared) {
		return nil, false
	}
	return x.serve(e, Status{Hit: true, Detail: "fallback"}), true
}

// refuse is the answer to only-if-cached where nothing is stored.
func (x *Exchange) refuse() *http.Response {
	s := Status{Detail: "only-if-cached"}
	h := &http.Response{
		StatusCode: http.StatusGatewayTimeout, Status: "504 " + http.StatusText(http.StatusGatewayTimeout),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: x.r,
	}
	if x.r.Body != nil {
		_ = x.r.Body.Close() // a RoundTripper has to
	}
	s.tell(h.Header, x.c.options.Name)
	x.told(s)
	return h
}

// notModified reports whether the caller has what the entry holds. If-None-Match comes
// before If-Modified-Since (RFC 9110 section 13.2.2).
func notModified(r http.Header, e *Entry) bool {
	if lines := r["If-None-Match"]; lines != nil {
		own := weak(one(e.Header, "Etag"))
		for _, line := range lines {
			for rest := line; rest != ""; {
				var tag string
				tag, rest = nextTag(rest)
				if tag == "*" || tag != "" && weak(tag) == own {
					return true
				}
			}
		}
		return false
	}
	since, ok := parseDate(one(r, "If-Modified-Since"))
	if !ok {
		return false
	}
	changed, ok := parseDate(one(e.Header, "Last-Modified"))
	if !ok {
		changed = e.date // RFC 9111 section 4.3.2
	}
	return !changed.After(since)
}

// nextTag cuts one entity tag off a list. A comma inside quotes is part of it.
func nextTag(s string) (tag, rest string) {
	s = strings.TrimLeft(s, " \t,")
	quoted := false
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ',' && !quoted:
			return strings.TrimRight(s[:i], " \t"), s[i+1:]
		}
	}
	return strings.TrimRight(s, " \t"), ""
}

// cut takes the range of a request out of an entry. Several ranges, and what cannot be
// read, are answered with all of it, as RFC 9110 section 14.2 allows.
func (x *Exchange) cut(h *http.Response, e *Entry) []byte {
	lines := x.r.Header["Range"]
	if len(lines) != 1 || !sameRange(x.r.Header, e) {
		return e.Body
	}
	size := int64(len(e.Body))
	from, to, ok, inside := parseRange(lines[0], size)
	switch {
	case !ok:
		return e.Body
	case !inside:
		h.StatusCode = http.StatusRequestedRangeNotSatisfiable
		h.Header["Content-Range"] = []string{"bytes */" + strconv.FormatInt(size, 10)}
		delete(h.Header, "Content-Length")
		return nil
	}
	h.StatusCode = http.StatusPartialContent
	h.Header["Content-Range"] = []string{
		"bytes " + strconv.FormatInt(from, 10) + "-" + strconv.FormatInt(to, 10) + "/" + strconv.FormatInt(size, 10),
	}
	h.Header["Content-Length"] = []string{strconv.FormatInt(to-from+1, 10)}
	return e.Body[from : to+1]
}

// sameRange reports whether If-Range, if there is one, names the entry strongly.
func sameRange(r http.Header, e *Entry) bool {
	if r["If-Range"] == nil {
		return true
	}
	want := one(r, "If-Range")
	etag, modified := e.validators()
	return want != "" && (want == etag && etag[0] == '"' || want == modified)
}

// parseRange reads one range of bytes within a size; inside is false for one that has no
// byte in it.
func parseRange(s string, size int64) (from, to int64, ok, inside bool) {
	s, ok = strings.CutPrefix(strings.ToLower(s), "bytes=")
	first, last, dash := strings.Cut(strings.Trim(s, " \t"), "-")
	if !ok || !dash || first == "" && last == "" {
		return 0, 0, false, false
	}
	a, aok := number(first)
	b, bok := number(last)
	switch {
	case first != "" && !aok || last != "" && !bok:
		return 0, 0, false, false
	case first == "":
		return max(0, size-b), size - 1, true, b > 0 && size > 0
	case last == "":
		b = size - 1
	case b < a:
		return 0, 0, false, false
	}
	return a, min(b, size-1), true, a < size
}

// number reads digits only.
func number(s string) (int64, bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}
