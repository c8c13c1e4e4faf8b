package pipeline_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

func TestHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// 429 with Retry-After: 1 is followed a second later, not by the backoff.
		s := serve(status(429, "Retry-After", "1"), status(200))
		if o := run(t.Context(), base(), replayable(), s); o.Fault != nil || o.Waited != time.Second {
			t.Errorf("%+v", o)
		}
		wantTimes(t, s, 0, time.Second)

		// An hour with two seconds left: the 429 comes back at once.
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		s = serve(status(429, "Retry-After", "3600"))
		o := run(ctx, base(), replayable(), s)
		f := wantFault(t, o, fault.Error{Kind: fault.Status, Stop: fault.StopHint, Attempts: 1, Status: 429, Effect: fault.Safe})
		if time.Since(s.begin) != 0 || !f.RetryAt.Equal(time.Now().Add(time.Hour)) || o.Discarded {
			t.Errorf("after %v, RetryAt %v, discarded %v", time.Since(s.begin), f.RetryAt, o.Discarded)
		}
		s = serve(status(429, "Retry-After", "5"))
		wantFault(t, run(ctx, base(), replayable(), s), fault.Error{Kind: fault.Status, Stop: fault.StopDeadline, Attempts: 1, Status: 429, Effect: fault.Safe})

		// Garbage is no hint.
		s = serve(status(503, "Retry-After", "-1"), status(200))
		_ = run(t.Context(), base(), replayable(), s)
		wantTimes(t, s, 0, 500*ms)

		// A hint is a floor with jitter on top of it, cut where it does not fit.
		c := base()
		c.Retry.Jitter = policy.JitterFull
		s = serve(status(503, "Retry-After", "1"), status(200))
		_ = run(t.Context(), c, replayable(), s)
		wantTimes(t, s, 0, 1250*ms)
		tight, cancel2 := context.WithTimeout(t.Context(), 1105*ms)
		defer cancel2()
		s = serve(status(503, "Retry-After", "1"), status(200))
		_ = run(tight, c, replayable(), s)
		wantTimes(t, s, 0, 1100*ms)

		// A rule's wait where the server has none.
		c = base()
		c.Retry.Rules = []policy.RetryRule{{Statuses: policy.StatusSet(503), Do: policy.DoRetry, Wait: 3 * time.Second}}
		s = serve(status(503), status(200))
		_ = run(t.Context(), c, replayable(), s)
		wantTimes(t, s, 0, 3*time.Second)
	})
}

// Our server answers 409 with Retry-After while a request with the same key is
// still running: that is waited for, and is no try.
func TestInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := base()
		c.Effect = policy.Write
		call := func() *pipeline.Call { return &pipeline.Call{Replayable: true, Key: "k"} }
		busy := status(409, "Retry-After", "1")
		s := serve(busy, busy, busy, busy, status(503), status(201))
		o := run(t.Context(), c, call(), s)
		if o.Fault != nil || o.Attempts != 2 {
			t.Errorf("%+v, %v", o, o.Fault)
		}
		wantTimes(t, s, 0, time.Second, 2*time.Second, 3*time.Second, 4*time.Second, 4500*ms)
		if !slices.Equal(s.numbers(), []int{1, 1, 1, 1, 1, 2}) {
			t.Errorf("numbers %v", s.numbers())
		}
		// Bounded by the total only.
		c.Timeout.Total = 2500 * ms
		s = serve(busy)
		wantFault(t, run(t.Context(), c, call(), s), fault.Error{Kind: fault.Status, Stop: fault.StopDeadline, Attempts: 1, Status: 409, Effect: fault.Unknown})
		wantTimes(t, s, 0, time.Second, 2*time.Second)
		// Retry-After: 0 is no loop.
		s = serve(status(409, "Retry-After", "0"), status(201))
		_ = run(t.Context(), c, call(), s)
		wantTimes(t, s, 0, 100*ms)
		// Without a key it is a conflict like any other.
		s = serve(busy)
		wantFault(t, run(t.Context(), c, replayable(), s), fault.Error{Kind: fault.Status, Stop: fault.StopFinal, Attempts: 1, Status: 409, Effect: fault.Safe})
		// And with one and without Retry-After the key is spent for good.
		s = serve(status(409))
		wantFault(t, run(t.Context(), c, call(), s), fault.Error{Kind: fault.Status, Stop: fault.StopFinal, Attempts: 1, Status: 409, Effect: fault.Safe})
	})
}
