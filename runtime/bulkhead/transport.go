package bulkhead

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/httpbody"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Transport is an http.RoundTripper that sends requests in the slots of a bulkhead. A
// request holds its slot until the body of its response has been read or closed, for the
// server works until then. The zero value bounds nothing. It is safe for concurrent use.
//
// A request that gets no slot is not sent: its error is a [fault.Error] of the kind
// BulkheadFull or Discarded, or the context's.
type Transport struct {
	// Base sends the requests; nil is http.DefaultTransport.
	Base http.RoundTripper
	// Bulkhead has the slots; nil bounds nothing. The Hold of its policy bounds a request
	// with its response's body. In shadow mode requests without a slot are sent as well.
	Bulkhead *Bulkhead
}

// RoundTrip is that of http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	if t.Bulkhead == nil {
		return base.RoundTrip(r)
	}
	settings := t.Bulkhead.Policy()
	slot, err := t.Bulkhead.enterAs(r.Context(), settings.Mode)
	if err != nil {
		httpbody.Refuse(r)
		return nil, refused(r, err)
	}
	cancel := context.CancelFunc(func() {})
	if settings.Hold > 0 && settings.Mode == policy.Enforce {
		var ctx context.Context
		ctx, cancel = context.WithTimeout(r.Context(), settings.Hold)
		r = r.WithContext(ctx)
	}
	free := sync.OnceFunc(func() {
		cancel()
		slot.Release()
	})
	kept := false
	defer func() {
		if !kept {
			free()
		}
	}()
	h, err := base.RoundTrip(r)
	if err != nil || h == nil {
		return h, err
	}
	kept = true
	httpbody.Hold(h, free)
	return h, nil
}

// enterAs takes a slot, or in shadow mode one that is free.
func (b *Bulkhead) enterAs(ctx context.Context, mode policy.Mode) (Slot, error) {
	if mode == policy.Shadow {
		slot, _ := b.Try()
		return slot, nil
	}
	return b.Acquire(ctx)
}

// refused is the error of a request that gets no slot.
func refused(r *http.Request, err error) error {
	var kind fault.Kind
	switch {
	case errors.Is(err, fault.ErrBulkheadFull):
		kind = fault.BulkheadFull
	case errors.Is(err, fault.ErrDiscarded):
		kind = fault.Discarded
	default:
		return err // the context's
	}
	return &fault.Error{Op: r.Method, Kind: kind, Effect: fault.Safe}
}
