package ratelimit

import (
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/httpbody"
	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
)

// Transport is an http.RoundTripper that keeps requests below a rate. The zero value
// limits nothing. It is safe for concurrent use.
//
// A request whose tokens do not come in time is not sent: its error is a [fault.Error] of
// the kind RateLimited that says when they come, or the context's when that ends the wait.
type Transport struct {
	// Base sends the requests; nil is http.DefaultTransport.
	Base http.RoundTripper
	// Limiter has the buckets; nil limits nothing.
	Limiter *Limiter
	// Key is the bucket of a request; nil is one bucket for all.
	Key func(r *http.Request) string
	// Cost is the number of tokens of a request, zero or less for none; nil is 1.
	Cost func(r *http.Request) int
	// MaxWait bounds the wait for the tokens beside the context's deadline. Zero waits
	// for none, [Never] as long as the context lasts.
	MaxWait time.Duration
}

// RoundTrip is that of http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	if t.Limiter == nil {
		return base.RoundTrip(r)
	}
	if err := t.wait(r); err != nil {
		httpbody.Refuse(r)
		return nil, err
	}
	return base.RoundTrip(r)
}

// wait takes the tokens of a request and waits for them.
func (t *Transport) wait(r *http.Request) error {
	ctx := r.Context()
	if err := ctx.Err(); err != nil {
		return err
	}
	key, n := "", 1
	if t.Key != nil {
		key = t.Key(r)
	}
	if t.Cost != nil {
		n = t.Cost(r)
	}
	now := time.Now()
	longest := max(0, t.MaxWait)
	if deadline, ok := ctx.Deadline(); ok {
		longest = min(longest, max(0, deadline.Sub(now)))
	}
	reserved, ok := t.Limiter.Reserve(now, key, n, longest)
	if !ok {
		f := &fault.Error{Op: r.Method, Kind: fault.RateLimited, Effect: fault.Safe}
		if reserved.Wait != Never {
			f.RetryAt = now.Add(reserved.Wait)
		}
		return f
	}
	if err := sleep.For(ctx, reserved.Wait); err != nil {
		reserved.Cancel(time.Now())
		return err
	}
	return nil
}
