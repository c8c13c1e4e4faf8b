package idempotency

import (
	"errors"
	"net/http"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/httpbody"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// defaultHeader is the field of the IETF's draft.
const defaultHeader = "Idempotency-Key"

// errNoKey: a function that makes keys has made none.
var errNoKey = errors.New("the idempotency key is empty")

// Transport is an http.RoundTripper that gives requests which write a key, so that what
// stands below it can repeat them: it belongs outside of the retries, for all tries of a
// request have the same key. A request that carries a key keeps it, and one whose method
// reads or is idempotent by itself (GET, HEAD, OPTIONS, TRACE, QUERY, PUT, DELETE) gets
// none. The zero value sends a random key in Idempotency-Key. It is safe for concurrent
// use.
//
// A request whose key cannot be made is not sent: its error is a [fault.Error] of the kind
// Request.
type Transport struct {
	// Base sends the requests; nil is http.DefaultTransport.
	Base http.RoundTripper
	// Header is the field that carries the key; empty is Idempotency-Key.
	Header string
	// Quoted sends the key as a structured-field string (RFC 9651, 3.3.3).
	Quoted bool
	// Key makes the key of a request, from any goroutine; nil is [NewKey], which is new
	// with each round trip. One that is derived from the request, see [Key], is the same
	// when the program starts again.
	Key func(r *http.Request) (string, error)
}

// RoundTrip is that of http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	name := t.Header
	if name == "" {
		name = defaultHeader
	}
	if policy.EffectOf(r.Method) != policy.Write || r.Method == "" || r.Header.Get(name) != "" {
		return base.RoundTrip(r)
	}
	value, err := t.value(r)
	if err != nil {
		httpbody.Refuse(r)
		return nil, &fault.Error{Op: r.Method, Kind: fault.Request, Effect: fault.Safe, Err: err}
	}
	keyed := r.Clone(r.Context())
	if keyed.Header == nil {
		keyed.Header = http.Header{}
	}
	keyed.Header.Set(name, value)
	h, err := base.RoundTrip(keyed)
	if h != nil {
		h.Request = r
	}
	return h, err
}

// value is what the header of a request says.
func (t *Transport) value(r *http.Request) (string, error) {
	if t.Key == nil {
		return Header(NewKey(), t.Quoted)
	}
	key, err := t.Key(r)
	switch {
	case err != nil:
		return "", err
	case key == "":
		return "", errNoKey
	}
	return Header(key, t.Quoted)
}
