package pipeline

import (
	"context"
	"time"

	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// leastInFlight is the least wait for a request in flight: Retry-After may say
// zero, and the same question asked without a pause is no better than a loop.
const leastInFlight = 100 * time.Millisecond

// noRetry stands in where the policy has none, to read hints by.
var noRetry policy.Retry

// step is what follows a try.
type step struct {
	again   bool
	wait    time.Duration
	reason  observe.Reason
	attempt int // the number of the next try
	// shrink makes the request of the next try smaller; nil leaves it.
	shrink func()
}

// decide says whether there is another try and after which wait. The gates stand
// in the order of their cost; the budget, which is spent by asking, is the last.
func (r *run) decide(ctx context.Context, c *Call, t Tryer, now time.Time) step {
	if r.succeeded() {
		return step{}
	}
	if err := ctx.Err(); err != nil {
		r.stop = ended(err).stop
		return step{}
	}
	if r.verdict.Do == retry.InFlight && !c.Options.NoRetry && r.p.policy.Retry.Mode == policy.Enforce {
		return r.waitInFlight(c, now)
	}
	p := r.p.policy.Retry
	next := step{attempt: r.tries + 1}
	if r.stop = r.inadmissible(c); r.stop != fault.StopNone {
		if r.stop == fault.StopAttempts || r.stop == fault.StopServer {
			retry.SignalOf(ctx).Set() // what was retried here is not worth it above
		}
		return step{}
	}
	if r.verdict.Do == retry.Shrink {
		if next.shrink = shrinkOf(t, p.Shrink); next.shrink == nil {
			r.stop = fault.StopFinal
			return step{}
		}
	}
	next.wait, next.reason, r.stop = r.nextWait(p, r.tries, now)
	if r.stop != fault.StopNone {
		return step{}
	}
	if r.tripped() {
		r.stop = fault.StopBreaker
		return step{}
	}
	if p.Mode == policy.Shadow {
		r.reject(ctx, observe.Retry, true, now.Add(next.wait))
		r.stop = fault.StopOff
		return step{}
	}
	if r.p.budget != nil && !r.p.budget.Take(now) {
		r.reject(ctx, observe.Budget, false, time.Time{})
		retry.SignalOf(ctx).Set()
		r.stop = fault.StopBudget
		return step{}
	}
	next.again = true
	return next
}

// inadmissible is why the try may not be followed by another one, apart from
// time and budget.
func (r *run) inadmissible(c *Call) fault.Stop {
	p := r.p.policy.Retry
	v := &r.verdict
	switch {
	case p == nil || c.Options.NoRetry:
		return fault.StopOff
	case v.Do == retry.Stop && v.Rule == "":
		return fault.StopServer
	case v.Do != retry.Retry && v.Do != retry.Shrink:
		return fault.StopFinal
	case r.breaker.permit.Probe():
		return fault.StopProbe
	case r.maxTries == 1:
		return fault.StopOff
	case r.tries >= r.maxTries:
		return fault.StopAttempts
	case !retry.Repeatable(p, r.p.policy.Effect, r.keyed(c), r.last.Class.Unsent && r.last.Err != nil, v.Refused):
		return fault.StopEffect
	case !c.Replayable:
		return fault.StopBody
	}
	return fault.StopNone
}

// nextWait is the wait before the next try: the server's hint with jitter on
// top, else a rule's, else the backoff; or why it is not begun. The jitter on a
// hint is cut where only it would not fit any more.
func (r *run) nextWait(p *policy.Retry, n int, now time.Time) (time.Duration, observe.Reason, fault.Stop) {
	random := r.p.registry.settings.Random()
	end, floor, reserve := r.end(), r.p.timeout.Floor, r.p.reserve
	hint, hinted := r.hint(now)
	if !hinted && r.verdict.Wait > 0 {
		hint, hinted = r.verdict.Wait, true
	} else if hinted && hint > p.MaxRetryAfter {
		return 0, observe.Hint, fault.StopHint
	}
	if !hinted && r.verdict.Do == retry.Shrink {
		return 0, observe.Shrink, fault.StopNone
	}
	if !hinted {
		r.before = retry.Delay(p, n, r.before, random)
		if !deadline.Fits(now, end, r.before, floor, reserve) {
			return 0, observe.Backoff, fault.StopDeadline
		}
		return r.before, observe.Backoff, fault.StopNone
	}
	if !deadline.Fits(now, end, hint, floor, reserve) {
		return 0, observe.Hint, fault.StopDeadline
	}
	wait := retry.HintDelay(p, n, hint, random)
	if !end.IsZero() {
		wait = max(hint, min(wait, end.Sub(now)-floor-reserve))
	}
	return wait, observe.Hint, fault.StopNone
}

// waitInFlight asks again with the same key after the wait that the server asks
// for. It counts as no try and pays no budget: the request was not repeated, its
// answer was not there yet.
func (r *run) waitInFlight(c *Call, now time.Time) step {
	if !c.Replayable {
		r.stop = fault.StopBody
		return step{}
	}
	wait, _, stop := r.nextWait(r.p.policy.Retry, r.inFlight+1, now)
	if stop != fault.StopNone {
		r.stop = stop
		return step{}
	}
	wait = max(wait, leastInFlight)
	if !deadline.Fits(now, r.end(), wait, r.p.timeout.Floor, r.p.reserve) {
		r.stop = fault.StopDeadline
		return step{}
	}
	r.inFlight++
	r.same = true
	return step{again: true, wait: wait, reason: observe.InFlight, attempt: r.tries}
}

// hint is the server's wish for the wait, if it has told any.
func (r *run) hint(now time.Time) (time.Duration, bool) {
	if r.last.Header == nil || r.last.Status == 0 {
		return 0, false
	}
	p := r.p.policy.Retry
	if p == nil {
		p = &noRetry
	}
	return retry.HintOf(p, retry.Observation{Status: r.last.Status, Header: r.last.Header, Body: r.last.Body}, now)
}

// succeeded reports whether the last try is a success.
func (r *run) succeeded() bool {
	switch {
	case r.last.Err != nil:
		return false
	case r.verdict.Do == retry.Success:
		return true
	case r.verdict.Do != retry.Final:
		return false
	}
	return r.last.Status < 400
}
