package breaker

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/httpbody"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Transport is an http.RoundTripper that sends requests under a breaker. What counts is
// the time and the status of the response's header; a body that is read afterwards counts
// for nothing. The zero value refuses nothing. It is safe for concurrent use.
//
// A request that an open breaker refuses is not sent: its error is a [fault.Error] of the
// kind BreakerOpen.
type Transport struct {
	// Base sends the requests; nil is http.DefaultTransport.
	Base http.RoundTripper
	// Breaker is asked before each request; nil refuses none.
	Breaker *Breaker
	// Judge says what a response or an error was; nil is [ResultOf].
	Judge func(r *http.Request, h *http.Response, err error) Result
}

// RoundTrip is that of http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	if t.Breaker == nil {
		return base.RoundTrip(r)
	}
	b := t.Breaker
	begin := time.Now()
	deadline, _ := r.Context().Deadline()
	settings := b.Policy()
	permit, ok := b.Allow(begin, deadline)
	if !ok && settings.Mode == policy.Enforce {
		httpbody.Refuse(r)
		return nil, b.refusal(begin)
	}
	result := Failure
	defer func() { b.Done(permit, result, time.Now()) }()
	h, err := base.RoundTrip(r)
	judge := t.Judge
	if judge == nil {
		judge = ResultOf
	}
	result = judge(r, h, err)
	if result == Success && settings.SlowCall > 0 && time.Since(begin) > settings.SlowCall {
		result = Failure
	}
	return h, err
}

// ResultOf is what a response or an error says about the server: 5xx and 408 are
// failures, and so are errors, but not those of a caller who gave up or of a policy that
// did not send the request. 429 says nothing, for the server is well enough to count.
func ResultOf(r *http.Request, h *http.Response, err error) Result {
	switch {
	case err != nil && (errors.Is(r.Context().Err(), context.Canceled) || isLocal(err)):
		return Ignored
	case err != nil || h == nil:
		return Failure
	case h.StatusCode == http.StatusTooManyRequests:
		return Ignored
	case h.StatusCode >= http.StatusInternalServerError || h.StatusCode == http.StatusRequestTimeout:
		return Failure
	}
	return Success
}

// local are the errors of requests that were not sent.
var local = [...]error{
	fault.ErrRequest, fault.ErrBreakerOpen, fault.ErrBulkheadFull, fault.ErrDiscarded, fault.ErrRateLimited,
}

func isLocal(err error) bool {
	for _, target := range local {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// refusal is the error of a call that the breaker does not let through.
func (b *Breaker) refusal(now time.Time) error {
	f := &fault.Error{Op: b.options.Name, Kind: fault.BreakerOpen, Effect: fault.Safe, RetryAt: b.RetryAt()}
	if !f.RetryAt.IsZero() {
		f.RetryIn = max(0, f.RetryAt.Sub(now))
	}
	return f
}
