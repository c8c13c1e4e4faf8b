package hedge

import (
	"context"
	"net/http"

	"github.com/holdfast-go/holdfast/runtime/internal/httpbody"
)

// Transport is an http.RoundTripper that hedges requests which read: GET, HEAD,
// OPTIONS, TRACE and QUERY without an idempotency key, whose body, if any, can be had
// anew, unless they ask for another protocol. All others go straight through. It is safe for concurrent use.
//
// A response below 500 other than 408, 425 and 429 wins. The body of the one that lost
// is closed.
type Transport struct {
	// Base makes the tries; nil is http.DefaultTransport.
	Base http.RoundTripper
	// Hedger is when another try is made; nil hedges nothing.
	Hedger *Hedger
	// Wins, when it is set, says which responses end the race.
	Wins func(*http.Response, error) bool
}

// RoundTrip is that of http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	if t.Hedger == nil || !Admits(r) {
		return base.RoundTrip(r)
	}
	wins := t.Wins
	if wins == nil {
		wins = answered
	}
	result := Race(r.Context(), t.Hedger, Tries[*http.Response]{
		Try: func(ctx context.Context, number int) (*http.Response, error) {
			again := r.Clone(ctx)
			if number > 1 && r.Body != nil && r.Body != http.NoBody {
				body, err := r.GetBody()
				if err != nil {
					return nil, err
				}
				again.Body = body
			}
			return base.RoundTrip(again)
		},
		Wins:    wins,
		Discard: func(h *http.Response, _ error) { httpbody.Close(h) },
	})
	httpbody.Hold(result.Value, result.Cancel)
	if result.Value != nil {
		result.Value.Request = r
	}
	return result.Value, result.Err
}

// Admits reports whether a request may be hedged.
func Admits(r *http.Request) bool {
	switch r.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, "QUERY":
	default:
		return false
	}
	if r.Body != nil && r.Body != http.NoBody && r.GetBody == nil {
		return false
	}
	return len(r.Header["Idempotency-Key"]) == 0 && len(r.Header["Upgrade"]) == 0
}

// answered reports whether a response is one that would not be retried.
func answered(h *http.Response, err error) bool {
	if err != nil || h == nil {
		return false
	}
	switch h.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return h.StatusCode < http.StatusInternalServerError
}
