package pipeline

import (
	"context"
	"math"
	"strconv"
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

// charge fills in what the try costs and how long it may wait.
func (r *run) charge(c *Call, now time.Time, shadow bool) {
	if r.charges == nil {
		r.charges = make([]ratelimit.Charge, len(r.p.limiters))
	}
	left := time.Duration(math.MaxInt64)
	if end := r.end(); !end.IsZero() {
		left = max(0, end.Sub(now)-r.p.timeout.Floor-r.p.reserve)
	}
	for i, l := range r.p.limiters {
		b := &r.p.policy.RateLimit.Buckets[i]
		wait := left
		if b.Wait >= 0 {
			wait = min(wait, b.Wait)
		}
		if shadow {
			wait = 0
		}
		r.charges[i] = ratelimit.Charge{Limiter: l, Key: keyOf(b.Key, c.Lookup), N: costOf(b, c.Lookup), MaxWait: wait}
	}
}

// costOf is what a try takes from a bucket.
func costOf(b *policy.Bucket, lookup policy.Lookup) int {
	if !b.CostFrom.IsZero() && lookup != nil {
		if v, ok := lookup.Lookup(b.CostFrom); ok {
			if n, err := strconv.Atoi(v.Plain()); err == nil && n >= 0 {
				return n
			}
		}
	}
	return max(1, b.Cost)
}

// refund gives tokens back where the policy has it for the response's status.
func (r *run) refund() {
	for i := range r.charges {
		if r.p.policy.RateLimit.Buckets[i].Refund.Has(statusOf(r.last)) {
			ratelimit.Refund(time.Now(), r.charges[i:i+1])
		}
	}
}
