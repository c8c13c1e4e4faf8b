package hedge

import (
	"context"
	"io"
	"net/http"
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
		Discard: CloseBody,
	})
	if result.Err != nil || result.Value == nil || result.Value.Body == nil {
		result.Cancel()
		return result.Value, result.Err
	}
	result.Value.Body = &body{result.Value.Body, result.Cancel}
	result.Value.Request = r
	return result.Value, nil
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

// CloseBody closes the body of a response that is not used, if there is one.
func CloseBody(h *http.Response, _ error) {
	if h != nil && h.Body != nil {
		_ = h.Body.Close() // nobody reads it
	}
}

// body frees the context of its try with its end.
type body struct {
	io.ReadCloser

	cancel context.CancelFunc
}

// Read passes on what there is.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.cancel()
	}
	return n, err
}

// Close ends the reading.
func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.cancel()
	return err
}
