package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/holdfast-go/holdfast/runtime/bulkhead"
	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// enter takes the call through the breaker and the bulkhead.
func (r *run) enter(ctx context.Context, c *Call) refusal {
	if err := ctx.Err(); err != nil {
		return ended(err)
	}
	if _, ok := r.grant(r.begin); !ok {
		return refusal{kind: fault.Timeout, stop: fault.StopDeadline, err: context.DeadlineExceeded}
	}
	p, now := r.p, r.begin
	r.breaker.breaker = p.breakerOf(c)
	if b := r.breaker.breaker; b != nil && p.policy.Breaker.Mode == policy.Enforce && !b.Ready(now) {
		return r.breakerOpen(ctx, false)
	}
	no, now := r.takeSlot(ctx, now)
	if no.refused() {
		return no
	}
	if no := r.takePermit(ctx, now); no.refused() {
		return no
	}
	if p.budget != nil {
		p.budget.First(now)
	}
	r.started = now
	return refusal{}
}

// ended is the refusal by a context that has ended.
func ended(err error) refusal {
	if errors.Is(err, context.DeadlineExceeded) {
		return refusal{kind: fault.Timeout, stop: fault.StopDeadline, err: err}
	}
	return refusal{kind: fault.Canceled, stop: fault.StopCanceled, err: err}
}

// grant is T, what a try that starts now gets, or false when that is too little.
func (r *run) grant(now time.Time) (time.Duration, bool) {
	return deadline.Try(now, r.end(), r.attempt, r.p.timeout.Floor, r.p.reserve)
}

// takePermit asks the breaker. A probe's slot there is freed when the call has
// to be over.
func (r *run) takePermit(ctx context.Context, now time.Time) refusal {
	b := r.breaker.breaker
	if b == nil {
		return refusal{}
	}
	until := r.end()
	if until.IsZero() && r.attempt > 0 {
		until = now.Add(r.attempt)
	}
	if r.breaker.permit, r.breaker.taken = b.Allow(now, until); r.breaker.taken {
		return refusal{}
	}
	shadow := r.p.policy.Breaker.Mode == policy.Shadow
	no := r.breakerOpen(ctx, shadow)
	if shadow {
		return refusal{}
	}
	return no
}

func (r *run) breakerOpen(ctx context.Context, shadow bool) refusal {
	b := r.breaker.breaker
	at := b.RetryAt()
	r.reject(ctx, observe.Breaker, shadow, at)
	return refusal{kind: fault.BreakerOpen, stop: fault.StopBreaker, retryAt: at, breaker: r.breakerName()}
}

// breakerName is what an error calls the breaker. A key's value is the request's, and
// errors keep that to themselves.
func (r *run) breakerName() string {
	if len(r.p.policy.Breaker.Key) > 0 {
		return partition{dependency: r.p.name, scope: "key"}.String()
	}
	return r.breaker.breaker.Name()
}

// takeSlot waits for a slot of the bulkhead and returns the time after it.
func (r *run) takeSlot(ctx context.Context, now time.Time) (refusal, time.Time) {
	b := r.p.bulkhead
	if b == nil {
		return refusal{}, now
	}
	slot, ok := b.Try()
	if ok {
		r.slot, r.slotAt = slot, now
		return refusal{}, now
	}
	if r.p.policy.Bulkhead.Mode == policy.Shadow {
		r.reject(ctx, observe.Bulkhead, true, time.Time{})
		return refusal{}, now
	}
	until := deadline.WaitEnd(r.end(), r.p.timeout.Floor)
	if wait := r.p.policy.Bulkhead.Timeout; wait >= 0 {
		until = earlier(until, now.Add(wait))
	}
	slot, err := b.AcquireUntil(ctx, now, until)
	after := time.Now()
	r.waited += after.Sub(now)
	if queued := r.p.hooks.Queued; queued != nil {
		queued(ctx, observe.Queued{
			Op: r.p.op, Name: r.p.name, For: after.Sub(now), Outside: slot.Outside(), Admitted: err == nil,
		})
	}
	if err == nil {
		r.slot, r.slotAt = slot, after
		return refusal{}, after
	}
	if ctx.Err() != nil {
		return ended(ctx.Err()), after
	}
	r.reject(ctx, observe.Bulkhead, false, time.Time{})
	no := refusal{kind: fault.BulkheadFull, stop: fault.StopBulkhead}
	if errors.Is(err, fault.ErrDiscarded) {
		no.kind = fault.Discarded
	}
	return no, after
}

// dropSlot gives the slot back.
func (r *run) dropSlot() {
	r.slot.Release()
	r.slot = bulkhead.Slot{}
}
