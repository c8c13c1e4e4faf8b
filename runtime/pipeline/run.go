package pipeline

import (
	"context"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/breaker"
	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// refusal is why a call, or a further try, was not admitted. The zero value
// admits it.
type refusal struct {
	kind    fault.Kind
	stop    fault.Stop
	err     error
	retryAt time.Time
	breaker string // the name of the one that is open
}

func (f refusal) refused() bool { return f.kind != fault.Other }

// breakerUse is a call's use of its breaker.
type breakerUse struct {
	breaker *breaker.Breaker
	permit  breaker.Permit
	taken   bool // there is a permit to settle
}

// settle gives the call's one result to the breaker.
func (u *breakerUse) settle(result breaker.Result, now time.Time) {
	if u.taken {
		u.taken = false
		u.breaker.Done(u.permit, result, now)
	}
}

// upload is the clock of a streamed upload, which a transport's goroutine moves.
type upload struct {
	mu      sync.Mutex
	pending bool
	from    time.Time // when the last byte was sent; zero before
	until   time.Time // the end of the try; zero for none
}

// Do makes a call: it tries until the outcome is final or nothing more is
// admissible. It returns when the outcome is known, at the latest at the call's
// deadline if the Tryer obeys the context; the caller's cancellation ends every
// wait at once. With an Open Result, [Call.Finish] has to follow.
func (p *Pipeline) Do(ctx context.Context, c *Call, t Tryer) Outcome {
	r := &c.run
	r.prepare(ctx, p, c, time.Now())
	open := false
	defer func() {
		// After a panic of the Tryer the breaker learns nothing, but nothing is
		// kept either.
		r.breaker.settle(breaker.Ignored, r.begin)
		r.forget()
		if !open {
			r.finish()
		}
	}()
	no := r.enter(ctx, c)
	now := r.begin
	for !no.refused() {
		var granted time.Duration
		if granted, no = r.startTry(ctx, c); no.refused() {
			break
		}
		now = r.try(ctx, c, t, granted)
		next := r.decide(ctx, c, t, now)
		if !next.again {
			break
		}
		if no = r.pause(ctx, t, next); !no.refused() && next.shrink != nil {
			next.shrink()
		}
	}
	o := r.outcome(ctx, c, no, now)
	r.breaker.settle(r.result(ctx), now)
	open = o.Result.Open && !o.Discarded
	if open {
		r.keepOpen()
	}
	if p.hooks.Replay != nil {
		r.reportReplay(ctx, o)
	}
	if p.hooks.CallEnd != nil {
		r.reportEnd(ctx, o)
	}
	return o
}

// prepare fixes the bounds of the call.
func (r *run) prepare(ctx context.Context, p *Pipeline, c *Call, now time.Time) {
	r.p, r.begin, r.started, r.lookup = p, now, now, c.Lookup
	r.attempt, r.maxTries = p.timeout.Attempt, p.maxTries
	if o := &c.Options; *o != (Options{}) {
		if o.PerTry > 0 {
			r.attempt = o.PerTry
		}
		if p.policy.Retry != nil && o.Tries > 0 {
			r.maxTries = min(o.Tries, 10)
		}
		if o.NoRetry {
			r.maxTries = 1
		}
	}
	total := r.total(&c.Options)
	if p.adaptive != nil && c.Options.PerTry <= 0 {
		r.attempt = r.learntAttempt(now)
	}
	r.wouldAttempt = r.attempt
	if p.timeout.Mode == policy.Shadow && c.Options.Within <= 0 {
		total = policy.None
	}
	if p.timeout.Mode == policy.Shadow && c.Options.PerTry <= 0 {
		r.attempt = 0
	}
	began := now
	if !c.Began.IsZero() && c.Began.Before(now) {
		began = c.Began
	}
	caller, _ := ctx.Deadline()
	r.callerEnd = deadline.End(began, caller, policy.None, p.timeout.Share)
	r.totalEnd = deadline.End(began, time.Time{}, total, 1)
	r.reserve(now, c)
}

// total is the total timeout of this call.
func (r *run) total(o *Options) time.Duration {
	if o.Within > 0 {
		r.written = true
		return o.Within
	}
	t := &r.p.timeout
	if t.Total != policy.Computed {
		r.written = t.Total > 0
		return t.Total
	}
	var reserves []time.Duration
	if !o.NoFallback {
		reserves = r.p.policy.Fallback.Reserves()
	}
	if r.p.policy.Retry == nil || r.maxTries == 1 {
		return policy.Timeout{Attempt: r.attempt}.ComputedTotal(nil, reserves...)
	}
	plan := *r.p.policy.Retry
	plan.MaxAttempts = r.maxTries
	return policy.Timeout{Attempt: r.attempt}.ComputedTotal(&plan, reserves...)
}

// end is D, the moment by which the call is over, without the time of its fallback;
// zero for none.
func (r *run) end() time.Time {
	end := r.fullEnd()
	if r.reserved > 0 {
		end = end.Add(-r.reserved)
	}
	return end
}

// fullEnd is the moment by which the call is over with its fallback; zero for none.
func (r *run) fullEnd() time.Time { return earlier(r.callerEnd, r.totalEnd) }

// reserve leaves time to the remote rungs of a fallback: all of their reserves, unless the
// call would have nothing, or the caller has less time than the policy plans with. Then it
// is at most half, for such a caller wants the call rather than its substitute.
func (r *run) reserve(now time.Time, c *Call) {
	f := r.p.policy.Fallback
	end := r.fullEnd()
	if f == nil || f.Mode == policy.Shadow || c.Options.NoFallback || end.IsZero() {
		return
	}
	var sum time.Duration
	for _, d := range f.Reserves() {
		sum += d
	}
	left := max(0, end.Sub(now))
	if r.reserved = sum; sum >= left || !end.Equal(r.totalEnd) {
		r.reserved = min(sum, left/2)
	}
}

// Bound is the moment by which the tries of a call have to be over that began at
// [Call.Began], and the one by which its fallback has to be; zero for none.
func (p *Pipeline) Bound(ctx context.Context, c *Call) (tries, all time.Time) {
	var r run
	r.prepare(ctx, p, c, time.Now())
	return r.end(), r.fullEnd()
}

// earlier is the first of two moments, of which a zero one is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// startTry admits one try: its tokens are taken and its time is granted.
func (r *run) startTry(ctx context.Context, c *Call) (time.Duration, refusal) {
	if err := ctx.Err(); err != nil {
		return 0, ended(err)
	}
	now := r.started
	if no := r.takeTokens(ctx, c, &now); no.refused() {
		return 0, no
	}
	r.started = now
	granted, ok := r.grant(now)
	if !ok {
		r.release(now)
		return 0, refusal{kind: fault.Timeout, stop: fault.StopDeadline, err: context.DeadlineExceeded}
	}
	if reserve := r.p.wouldReserve; reserve > 0 {
		if _, ok := deadline.Try(now, r.end(), r.attempt, r.p.timeout.Floor, reserve); !ok {
			r.reject(ctx, observe.Deadline, true, time.Time{})
		}
	}
	return granted, refusal{}
}

// try makes one try and returns the time after it.
func (r *run) try(ctx context.Context, c *Call, t Tryer, granted time.Duration) time.Time {
	if !r.same {
		r.tries++
	}
	r.same = false
	bound := r.bound(c, granted)
	if begin := r.p.hooks.AttemptContext; begin != nil {
		ctx = begin(ctx, r.attemptStart(c, granted))
	}
	if r.context == nil {
		r.first.Init(ctx, bound)
		r.setContext(&r.first, c.Upload)
	} else {
		r.setContext(deadline.New(ctx, bound), c.Upload)
	}
	a := Attempt{Number: r.tries, Timeout: granted, call: c, context: r.context}
	if r.p.send {
		a.Budget, a.SendDeadline = deadline.Budget(granted, r.p.reserve)
	}
	if start := r.p.hooks.AttemptStart; start != nil {
		start(ctx, r.attemptStart(c, granted))
	}
	r.last = t.Try(r.context, a) //nolint:contextcheck // It is made from ctx above.
	now := time.Now()
	r.afterTry(c, granted)
	r.took = r.until(now).Sub(r.started)
	r.afterHeader(now)
	r.learn(ctx, c, now)
	if end := r.p.hooks.AttemptEnd; end != nil {
		took := r.took
		end(ctx, observe.AttemptEnd{
			Op: r.p.op, Number: r.tries, Duration: took, Status: r.last.Status, Err: r.last.Err,
			WouldTimeOut: r.p.timeout.Mode == policy.Shadow && r.wouldAttempt > 0 && took > r.wouldAttempt,
		})
	}
	return now
}

// bound is when a try has to be over.
func (r *run) bound(c *Call, granted time.Duration) time.Time {
	var at time.Time
	switch {
	case c.Upload && r.written:
		at = r.end()
	case c.Upload:
		at = r.callerEnd
	case granted > 0:
		at = r.started.Add(granted)
	}
	return earlier(at, r.holdEnd())
}

// holdEnd is when the slot has to be free again; zero for no such bound.
func (r *run) holdEnd() time.Time {
	if b := r.p.policy.Bulkhead; b != nil && b.Hold > 0 && b.Mode == policy.Enforce && r.slot.Held() {
		return r.slotAt.Add(b.Hold)
	}
	return time.Time{}
}

// afterTry notes what the try has told.
func (r *run) afterTry(c *Call, granted time.Duration) {
	r.kept = true
	r.granted = granted
	r.afterUpload()
	last := &r.last
	if last.Err != nil && last.Class.Set == 0 && last.Kind == fault.Other && r.context.Expired() {
		last.Class.Set = policy.TimeoutErrors
	}
	r.verdict = judge(r.p.policy.Retry, *last, c.Key != "")
	r.addEffect()
	r.settle(time.Now())
}

// pause waits before the next try. The response is let go first, so that its
// connection serves the next try, and the slot, so that it serves others.
func (r *run) pause(ctx context.Context, t Tryer, next step) refusal {
	if hook := r.p.hooks.Wait; hook != nil {
		hook(ctx, observe.Wait{
			Op: r.p.op, Attempt: next.attempt, Reason: next.reason, For: next.wait,
			Status: r.last.Status, Err: r.last.Err,
		})
	}
	t.Discard(r.last)
	r.kept = false
	r.context.Cancel()
	r.dropSlot()
	begin := time.Now()
	err := sleep.For(ctx, next.wait)
	now := time.Now()
	r.waited += now.Sub(begin)
	if err != nil {
		return ended(err)
	}
	if r.tripped() {
		return r.breakerOpen(ctx, false)
	}
	no, now := r.takeSlot(ctx, now)
	r.started = now
	return no
}

// tripped reports whether the breaker has opened since the call was admitted.
func (r *run) tripped() bool {
	b := r.breaker.breaker
	return b != nil && r.p.policy.Breaker.Mode == policy.Enforce && b.State() != observe.Closed
}

func (r *run) reject(ctx context.Context, reason observe.Reason, shadow bool, retryAt time.Time) {
	if hook := r.p.hooks.Reject; hook != nil {
		hook(ctx, observe.Reject{Op: r.p.op, Name: r.instance(reason), Reason: reason, Shadow: shadow, RetryAt: retryAt})
	}
}

// instance is the name of what refuses for a reason, which its own events have too.
func (r *run) instance(reason observe.Reason) string {
	switch {
	case reason == observe.Breaker && r.breaker.breaker != nil:
		return r.breakerName()
	case reason == observe.Bulkhead:
		return partition{dependency: r.p.name, scope: r.p.policy.Bulkhead.Name}.String()
	}
	return r.p.name
}

// judge classifies a result; without a policy everything is final.
func judge(p *policy.Retry, last Result, keyed bool) retry.Verdict {
	if p == nil || last.Kind != fault.Other {
		return retry.Verdict{Refused: last.Status == 429}
	}
	v := retry.Judge(p, retry.Observation{
		Status: statusOf(last), Class: last.Class, Header: last.Header, Body: last.Body, Keyed: keyed,
	})
	if last.Event && v.Rule == "" {
		v.Do = retry.Retry
		if retry.Declined(last.Header) {
			v.Do = retry.Stop
		}
	}
	if v.Do == retry.Shrink && p.Shrink == nil {
		v.Do = retry.Stop // there is no way to make the request smaller
	}
	return v
}

// statusOf is the status of a response that was read; one that broke off is a
// transport fault.
func statusOf(last Result) int {
	if last.Err != nil && !last.Event {
		return 0
	}
	return last.Status
}
