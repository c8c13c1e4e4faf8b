package fallback

import (
	"context"
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/httpbody"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Header names the rung that answered on a response of [Transport]. The call's own
// answers do not have it.
const Header = "X-Fallback-Rung"

// Transport is an http.RoundTripper that answers by a rung where its base fails. It is
// safe for concurrent use.
type Transport struct {
	// Base makes the call; nil is http.DefaultTransport.
	Base http.RoundTripper
	// Rungs answer. They get the request in its first form, with a body that can be
	// read again if the request has one; one that cannot be had anew skips the rungs
	// that Repeat.
	Rungs []Rung[*http.Response]
	// After, Statuses, Reserve and Mode are those of the [Chain]. Where After and
	// Statuses are empty all faults of the connection, 429 and 5xx count.
	After    policy.FailureSet
	Statuses policy.Statuses
	Reserve  time.Duration
	Mode     policy.Mode
	// Total bounds the whole call; zero leaves it to the request's context.
	Total time.Duration
	// OnEvent is told about each rung that was tried or skipped.
	OnEvent func(ctx context.Context, e Event)
}

// requestKey finds the request in the context of a rung.
type requestKey struct{}

// RequestOf is the request that a rung of a [Transport] answers, with the rung's
// context and a body of its own; nil elsewhere, and where the body cannot be had anew.
func RequestOf(ctx context.Context) *http.Request {
	r, _ := ctx.Value(requestKey{}).(*http.Request)
	if r == nil {
		return nil
	}
	again := r.Clone(ctx)
	if r.Body != nil && r.Body != http.NoBody {
		if r.GetBody == nil {
			return nil
		}
		body, err := r.GetBody()
		if err != nil {
			return nil
		}
		again.Body = body
	}
	return again
}

// RoundTrip is that of http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	if len(t.Rungs) == 0 {
		return base.RoundTrip(r)
	}
	c := t.chain(r)
	ctx := context.WithValue(r.Context(), requestKey{}, r)
	result := c.Run(ctx, t.Total, func(ctx context.Context) (*http.Response, error) {
		return base.RoundTrip(r.WithContext(ctx))
	})
	h := result.Value
	if result.Err != nil || h == nil {
		result.Cancel()
		return nil, result.Err
	}
	httpbody.Hold(h, result.Cancel)
	h.Request = r
	if result.Index >= 0 {
		if h.Header = h.Header.Clone(); h.Header == nil {
			h.Header = http.Header{}
		}
		h.Header.Set(Header, result.Rung)
	}
	return h, nil
}

// chain is that of one request, for the effect is the method's.
func (t *Transport) chain(r *http.Request) *Chain[*http.Response] {
	c := &Chain[*http.Response]{
		Name: r.Method, Mode: t.Mode, Rungs: t.Rungs, After: t.After, Statuses: t.Statuses,
		Effect: policy.EffectOf(r.Method), Reserve: t.Reserve, OnEvent: t.OnEvent, Discard: httpbody.Close,
	}
	c.Judge = func(h *http.Response) error {
		if h == nil || h.StatusCode < 500 && h.StatusCode != http.StatusTooManyRequests {
			return nil
		}
		f := &fault.Error{Op: r.Method, Kind: fault.Status, Attempts: 1, Status: h.StatusCode}
		if h.StatusCode == http.StatusTooManyRequests {
			f.Effect = fault.Safe
		}
		return f
	}
	return c
}
