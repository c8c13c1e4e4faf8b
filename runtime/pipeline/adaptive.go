package pipeline

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/latency"
)

// adaptive is what an operation has learnt about its tries. It outlives changes of the
// policy.
func (r *Registry) adaptive(op string) *deadline.Adaptive {
	a, ok := r.learnt.Load(op)
	if !ok {
		a, _ = r.learnt.LoadOrStore(op, new(deadline.Adaptive))
	}
	return a.(*deadline.Adaptive)
}

// learntAttempt is what a try of this call may take, for a policy that follows what is
// observed. Where the bound has to be known ahead, as for a total that is computed, the
// written attempt counts.
func (r *run) learntAttempt(now time.Time) time.Duration {
	return r.p.adaptive.Attempt(now, &r.p.timeout, r.p.reserve)
}

// seen is what the tries of an operation have taken, for snapshots. It takes some 2 KB.
type seen struct {
	answered latency.Histogram
	expired  atomic.Uint64 // tries that a bound of their own has cut off
}

// seen outlives changes of the policy.
func (r *Registry) seen(op string) *seen {
	s, ok := r.tries.Load(op)
	if !ok {
		s, _ = r.tries.LoadOrStore(op, new(seen))
	}
	return s.(*seen)
}

// learn notes how long a try has taken. Failures of the server and refusals come faster
// than the work that was asked for, and teach nothing about it; nor does a try that was
// cut short by the end of the call or by a bound of the caller's.
func (r *run) learn(ctx context.Context, c *Call, now time.Time) {
	a, last := r.p.adaptive, &r.last
	switch {
	case c.Options.PerTry > 0 && last.Err != nil:
	case last.Err == nil:
		if last.Status >= http.StatusInternalServerError || last.Status == http.StatusTooManyRequests {
			return
		}
		r.p.seen.answered.Record(now, r.took)
		if a != nil {
			a.Answered(now, r.took)
		}
	case last.Kind == fault.Other && r.timedOut() && !errors.Is(ctx.Err(), context.Canceled):
		if r.attempt <= 0 || r.granted < r.attempt {
			return
		}
		r.p.seen.expired.Add(1)
		if a != nil {
			a.Expired(now, r.granted)
		}
	}
}
