// Package httpretry makes HTTP requests again that failed: package retry as an
// http.RoundTripper. It stands apart so that a client over another transport does not
// carry net/http.
package httpretry

import (
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/holdfast-go/holdfast/runtime/internal/httpbody"
	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
	"github.com/holdfast-go/holdfast/runtime/retry/neterr"
)

// AttemptHeader carries the number of a try, from 1 on, so that a server can tell a repeat
// from a first try.
const AttemptHeader = "X-Request-Attempt"

// leastInFlight is the least wait before asking again for the outcome of a request that is
// still running: Retry-After may say zero.
const leastInFlight = 100 * time.Millisecond

// Transport is an http.RoundTripper that makes a request again as its policy says. The
// zero value makes one try. It is safe for concurrent use.
//
// Repeated is only what may be: a request whose method reads or is idempotent, one with an
// Idempotency-Key, one that provably was not sent, and one that was refused with 429; and
// of these, one whose body can be had anew by GetBody. Nothing is buffered. The last
// response, or the last error, is returned as it is, and so is a response that asks for a
// wait longer than MaxRetryAfter or than the context lasts. When the context ends a wait,
// that is the error, with the last one of a try joined to it.
//
// Rules that look into a response's body match nothing here, for the body is the caller's,
// and none makes the request smaller.
type Transport struct {
	// Base makes the tries; nil is http.DefaultTransport.
	Base http.RoundTripper
	// Policy says what is repeated, how often and when; nil repeats nothing.
	Policy *policy.Retry
	// Budget bounds the repeats of all requests that share it; nil is no bound.
	Budget *retry.Budget
	// Random gives numbers from [0, 1) for the jitter, from any goroutine; nil is
	// math/rand/v2.
	Random func() float64
}

// RoundTrip is that of http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	if t.Policy == nil {
		return base.RoundTrip(r)
	}
	if t.Budget != nil {
		t.Budget.First(time.Now())
	}
	var before time.Duration
	for n := 1; ; n++ {
		try, err := httpbody.Copy(r.Context(), r, n)
		if err != nil {
			return nil, err
		}
		try.Header.Set(AttemptHeader, strconv.Itoa(n))
		h, err := base.RoundTrip(try)
		if h != nil {
			h.Request = r
		}
		wait, again := t.next(r, n, h, err, &before)
		if !again {
			return h, err
		}
		httpbody.Drain(h)
		if ended := sleep.For(r.Context(), wait); ended != nil {
			return nil, errors.Join(ended, err)
		}
	}
}

// next says whether there is another try and after which wait. The budget, which is spent
// by asking, comes last.
func (t *Transport) next(r *http.Request, n int, h *http.Response, err error, before *time.Duration) (time.Duration, bool) {
	o := observe(r, h, err)
	v := retry.Judge(t.Policy, o)
	switch {
	case v.Do != retry.Retry && v.Do != retry.InFlight,
		n >= t.Policy.MaxAttempts, t.Policy.Mode == policy.Shadow, r.Context().Err() != nil,
		!httpbody.Replayable(r),
		!retry.Repeatable(t.Policy, policy.EffectOf(r.Method), o.Keyed, err != nil && o.Class.Unsent, v.Refused):
		return 0, false
	}
	now, left := time.Now(), time.Duration(math.MaxInt64)
	if end, ok := r.Context().Deadline(); ok {
		left = end.Sub(now)
	}
	wait, ok := t.wait(o, v, n, now, before)
	if !ok || wait >= left {
		return 0, false
	}
	return wait, t.Budget == nil || t.Budget.Take(now)
}

// wait is the wait before the next try: what the server asks for, else what a rule says,
// else the backoff. It is false for a server that asks for too much.
func (t *Transport) wait(o retry.Observation, v retry.Verdict, n int, now time.Time, before *time.Duration) (time.Duration, bool) {
	random := rand.Float64
	if t.Random != nil {
		random = t.Random
	}
	hint, hinted := retry.HintOf(t.Policy, o, now)
	switch {
	case hinted && hint > t.Policy.MaxRetryAfter:
		return 0, false
	case !hinted && v.Wait > 0:
		hint, hinted = v.Wait, true
	}
	var wait time.Duration
	if hinted {
		wait = retry.HintDelay(t.Policy, n, hint, random())
	} else {
		*before = retry.Delay(t.Policy, n, *before, random())
		wait = *before
	}
	if v.Do == retry.InFlight {
		wait = max(wait, leastInFlight)
	}
	return wait, true
}

// observe is what a try has told.
func observe(r *http.Request, h *http.Response, err error) retry.Observation {
	o := retry.Observation{Keyed: r.Header.Get("Idempotency-Key") != ""}
	switch {
	case err != nil:
		o.Class = neterr.Classify(err)
	case h != nil:
		o.Status, o.Header = h.StatusCode, h.Header
	}
	return o
}
