package pipeline

import (
	"context"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
)

// takeTokens takes the tokens of one try from the client's own limits, waits for
// them as long as each limit allows and the call's deadline admits, and moves
// the time on by the wait.
func (r *run) takeTokens(ctx context.Context, c *Call, now *time.Time) refusal {
	if len(r.p.limiters) == 0 {
		return refusal{}
	}
	shadow := r.p.policy.RateLimit.Mode == policy.Shadow
	r.charge(c, *now, shadow)
	wait, ok := ratelimit.Take(*now, r.charges)
	if !ok {
		var retryAt time.Time
		if wait != ratelimit.Never {
			retryAt = now.Add(wait)
		}
		r.reject(ctx, observe.RateLimit, shadow, retryAt)
		if shadow {
			return refusal{}
		}
		return refusal{kind: fault.RateLimited, stop: fault.StopRateLimit, retryAt: retryAt}
	}
	r.oweRest(*now)
	if wait == 0 {
		return refusal{}
	}
	if hook := r.p.hooks.Wait; hook != nil {
		hook(ctx, observe.Wait{Op: r.p.op, Attempt: r.tries + 1, Reason: observe.RateLimit, For: wait})
	}
	begin := *now
	err := sleep.For(ctx, wait)
	*now = time.Now()
	r.waited += now.Sub(begin)
	if err != nil {
		ratelimit.Refund(*now, r.charges)
		return ended(err)
	}
	return refusal{}
}
