package deadline

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/httpbody"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Transport is an http.RoundTripper that bounds requests in time and tells the server how
// much of it there is. The zero value has no bounds of its own and tells nothing. It is
// safe for concurrent use.
//
// A bound on the header does not cut a response's body that takes longer; Idle and Total
// are for that. What one of its bounds has ended is a [fault.Error] of the kind Timeout, or
// [context.DeadlineExceeded] from reading the body; what the caller's context has ended is
// as the base gives it.
type Transport struct {
	// Base sends the requests; nil is http.DefaultTransport.
	Base http.RoundTripper
	// Header bounds the time to the response's header; zero is no bound.
	Header time.Duration
	// Total bounds the time to the end of the response's body; zero is no bound.
	Total time.Duration
	// Idle bounds each wait for a piece of the response's body; zero is no bound.
	Idle time.Duration
	// Send tells the server the time that is left to the header, if that is bounded, by
	// the header As, less the Reserve that the answer needs for its way. A request to
	// which the Reserve leaves nothing is not sent.
	Send    bool
	As      policy.DeadlineHeader
	Reserve time.Duration
}

// RoundTrip is that of http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	now := time.Now()
	caller, _ := r.Context().Deadline()
	own := time.Time{}
	if t.Total > 0 {
		own = now.Add(t.Total)
	}
	reserve := time.Duration(0)
	if t.Send {
		reserve = t.Reserve
	}
	left, ok := Try(now, earlier(own, caller), max(0, t.Header), 1, reserve)
	if err := r.Context().Err(); err != nil {
		httpbody.Refuse(r)
		return nil, err
	}
	if !ok {
		httpbody.Refuse(r)
		return nil, &fault.Error{Op: r.Method, Kind: fault.Timeout, Effect: fault.Safe, Err: context.DeadlineExceeded}
	}
	at := time.Time{}
	if left > 0 {
		at = now.Add(left)
	}
	if !caller.IsZero() && !at.Before(caller) {
		at = time.Time{} // that is the caller's to tell
	}
	ctx := New(r.Context(), at)
	kept := false
	defer func() {
		if !kept {
			ctx.Cancel()
		}
	}()
	h, err := base.RoundTrip(t.request(ctx, r, left, reserve)) //nolint:contextcheck // It is made from the request's above.
	if err != nil || h == nil {
		return h, t.failure(r, ctx, err)
	}
	h.Request = r
	if !ctx.Reset(own) {
		httpbody.Close(h) // it came in the moment in which its time was over
		return nil, t.failure(r, ctx, ctx.Err())
	}
	kept = true
	t.watch(h, ctx)
	return h, nil
}

// earlier is the first of two moments, of which a zero one is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// request is what the base sends.
func (t *Transport) request(ctx *Context, r *http.Request, left, reserve time.Duration) *http.Request {
	budget, ok := Budget(left, reserve)
	if !t.Send || !ok {
		return r.WithContext(ctx)
	}
	told := r.Clone(ctx)
	if told.Header == nil {
		told.Header = http.Header{}
	}
	told.Header[Name(t.As)] = []string{string(Append(nil, t.As, budget))}
	return told
}

// failure is the error of a request that the base has not answered.
func (t *Transport) failure(r *http.Request, ctx *Context, err error) error {
	if !ctx.Expired() || r.Context().Err() != nil {
		return err
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(context.DeadlineExceeded, err)
	}
	effect := fault.Unknown
	if policy.EffectOf(r.Method) == policy.Read || r.Method == "" {
		effect = fault.Safe
	}
	return &fault.Error{Op: r.Method, Kind: fault.Timeout, Attempts: 1, Effect: effect, Err: err}
}

// watch bounds the silences of a body, and ends the context with it.
func (t *Transport) watch(h *http.Response, ctx *Context) {
	if idle := NewIdle(t.Idle, ctx.Cancel); idle != nil && h.Body != nil && h.StatusCode != http.StatusSwitchingProtocols {
		h.Body = &watched{h.Body, idle}
	}
	httpbody.Hold(h, ctx.Cancel)
}

// watched is a body whose silences are bounded.
type watched struct {
	io.ReadCloser

	idle *Idle
}

// Read passes on what there is.
func (w *watched) Read(p []byte) (int, error) {
	w.idle.Begin()
	n, err := w.ReadCloser.Read(p)
	w.idle.End()
	if err != nil && !errors.Is(err, io.EOF) && w.idle.Fired() {
		err = errors.Join(context.DeadlineExceeded, err)
	}
	return n, err
}

// Close ends the reading.
func (w *watched) Close() error {
	w.idle.Stop()
	return w.ReadCloser.Close()
}
