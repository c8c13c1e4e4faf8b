package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdfast-go/holdfast/runtime/breaker"
	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// outcome puts together how the call ended. A refusal after a try was made does
// not hide what the try has told, unless the caller is gone.
func (r *run) outcome(ctx context.Context, c *Call, no refusal, now time.Time) Outcome {
	o := Outcome{
		Result: r.last, Attempts: r.tries, Waited: r.waited, Discarded: r.tries > 0 && !r.kept,
		Verdict: r.verdict, End: r.fullEnd(),
	}
	if r.tries > 0 && !no.refused() && r.succeeded() {
		return o
	}
	f := &fault.Error{
		Op: r.p.op, Attempts: r.tries, Status: r.last.Status, Key: c.Key, Waited: r.waited,
		Effect: r.effect, Stop: r.stop, RetryAt: no.retryAt,
	}
	if no.refused() {
		f.Stop = no.stop
	}
	switch {
	case r.tries == 0 || no.refused() && ctx.Err() != nil:
		f.Kind, f.Err = no.kind, no.err
		if no.kind == fault.BreakerOpen {
			f.Breaker, f.RetryIn = no.breaker, untilOf(no.retryAt, now)
		}
		if r.tries == 0 {
			f.Effect, f.Stop = fault.Safe, fault.StopNone
		}
	case r.last.Err != nil:
		f.Kind, f.Err = r.kindOf(ctx)
	default:
		f.Kind = fault.Status
	}
	if hint, ok := r.hint(now); ok && f.RetryAt.IsZero() {
		f.RetryAt = now.Add(hint)
	}
	o.Fault = f
	return o
}

// untilOf is the time from now to a moment that may be unknown or over.
func untilOf(at, now time.Time) time.Duration {
	if at.IsZero() {
		return 0
	}
	return max(0, at.Sub(now))
}

// kindOf classifies the error of the last try.
func (r *run) kindOf(ctx context.Context) (fault.Kind, error) {
	err := r.last.Err
	switch {
	case r.last.Kind != fault.Other:
		return r.last.Kind, err
	case r.last.Event:
		return fault.Status, err
	case errors.Is(ctx.Err(), context.Canceled):
		return fault.Canceled, also(err, context.Canceled)
	case ctx.Err() != nil || r.timedOut():
		return fault.Timeout, also(err, context.DeadlineExceeded)
	case r.last.Class.Set.Has(policy.TimeoutErrors) || r.last.Class.Set.Has(policy.TLSErrors):
		return fault.Timeout, err
	}
	return fault.Transport, err
}

// also makes errors.Is find the sentinel where a transport has wrapped the end
// of the context in an error of its own.
func also(err, sentinel error) error {
	if errors.Is(err, sentinel) {
		return err
	}
	return fmt.Errorf("%w: %w", sentinel, err)
}

// timedOut reports whether the last try was ended by its own time.
func (r *run) timedOut() bool { return r.context != nil && r.context.Expired() }

// addEffect adds what the last try may have done to what the tries before it
// may have done: unknown stays unknown, so that the 404 to a repeated DELETE or
// the 412 to a repeated If-Match is not taken for a proof.
func (r *run) addEffect() {
	effect := r.tryEffect()
	switch {
	case effect == fault.Unsafe || r.effect == fault.Unsafe:
		r.effect = fault.Unsafe
	case r.tries > 1 && r.effect == fault.Unknown:
	case r.inFlight > 0 && r.effect == fault.Unknown:
	default:
		r.effect = effect
	}
}

// tryEffect says whether the last try may have taken effect.
func (r *run) tryEffect() fault.Effect {
	last := &r.last
	switch {
	case r.p.policy.Effect == policy.Read || last.Kind == fault.Request:
		return fault.Safe
	case last.Status == 0:
		if last.Class.Unsent {
			return fault.Safe
		}
		return fault.Unknown
	case last.Event && !r.verdict.Refused:
		return fault.Unknown
	case last.Status < 400 && !last.Event:
		return fault.Unsafe
	case r.verdict.Refused:
		return fault.Safe
	case last.Status >= 500 || last.Status == 408 || r.verdict.Do == retry.InFlight:
		return fault.Unknown
	}
	return fault.Safe
}

// result is what the call was to the breaker: its last try, if there was one.
func (r *run) result(ctx context.Context) breaker.Result {
	last := &r.last
	status := statusOf(*last)
	switch {
	case r.tries == 0, last.Kind == fault.Request, errors.Is(ctx.Err(), context.Canceled) && !r.succeeded():
		return breaker.Ignored
	case r.verdict.Do == retry.Success:
		return r.unlessSlow(breaker.Success)
	case last.Kind == fault.Response:
		status = last.Status
	case last.Event:
		return r.ofEvent()
	case last.Err != nil:
		// A try that was cut short by the call's own end proves nothing, unless
		// it had a fair time.
		if (ctx.Err() != nil || r.timedOut()) && r.granted > 0 && r.granted < r.fair() {
			return breaker.Ignored
		}
		return breaker.Failure
	}
	switch {
	case status >= 500, status == 408:
		return breaker.Failure
	case status == 429, r.verdict.Do == retry.InFlight:
		return breaker.Ignored
	}
	return r.unlessSlow(breaker.Success)
}

// ofEvent is what an error event was to the breaker: like a failure status, it is one of
// the server's unless a rule finds fault with the request, and none where nothing was done.
func (r *run) ofEvent() breaker.Result {
	v := &r.verdict
	switch {
	case v.Refused:
		return breaker.Ignored
	case v.Rule != "" && v.Do != retry.Retry:
		return r.unlessSlow(breaker.Success)
	}
	return breaker.Failure
}

// fair is the time that a try must have had for its timeout to count.
func (r *run) fair() time.Duration {
	if r.attempt > 0 {
		return min(r.attempt, time.Second)
	}
	return time.Second
}

// unlessSlow makes a slow try a failure.
func (r *run) unlessSlow(result breaker.Result) breaker.Result {
	if b := r.p.policy.Breaker; b != nil && b.SlowCall > 0 && r.took > b.SlowCall {
		return breaker.Failure
	}
	return result
}

// setContext makes a context that of the current try.
func (r *run) setContext(c *deadline.Context, uploading bool) {
	r.upload.mu.Lock()
	defer r.upload.mu.Unlock()
	r.context = c
	r.upload.pending = uploading
	r.upload.from, r.upload.until = time.Time{}, time.Time{}
}

// uploaded starts the time of the try.
func (r *run) uploaded(c *deadline.Context) {
	r.upload.mu.Lock()
	defer r.upload.mu.Unlock()
	if !r.upload.pending || c != r.context {
		return
	}
	r.upload.pending = false
	now := time.Now()
	r.upload.from = now
	end := r.end()
	if !r.written && !r.totalEnd.IsZero() {
		// The computed total has stood still while the body was sent.
		end = earlier(r.callerEnd, r.totalEnd.Add(now.Sub(r.started)))
	}
	if t, _ := deadline.Try(now, end, r.attempt, 0, 0); t > 0 {
		end = now.Add(t)
	}
	r.upload.until = earlier(end, r.holdEnd())
	c.Reset(r.upload.until)
}

// afterUpload takes over what uploaded has found.
func (r *run) afterUpload() {
	r.upload.mu.Lock()
	defer r.upload.mu.Unlock()
	r.upload.pending = false
	if r.upload.from.IsZero() {
		return
	}
	if !r.written && !r.totalEnd.IsZero() {
		r.totalEnd = r.totalEnd.Add(r.upload.from.Sub(r.started))
	}
	r.started = r.upload.from
	if !r.upload.until.IsZero() {
		r.granted = r.upload.until.Sub(r.started)
	}
}

// headed notes that a stream has begun whose first item the try waits for. What is
// reserved for a fallback is still needed.
func (r *run) headed(now time.Time) {
	r.header = now
	end := r.callerEnd
	if r.written {
		end = r.end()
	}
	r.context.Reset(earlier(end, r.holdEnd()))
}

// afterHeader lets a computed total stand still while the try has waited for an item.
func (r *run) afterHeader(now time.Time) {
	if !r.header.IsZero() && !r.written && !r.totalEnd.IsZero() {
		r.totalEnd = r.totalEnd.Add(now.Sub(r.header))
	}
	r.header = time.Time{}
}

// until is the end of what a try is measured by: the header of a stream, whose items come
// when they come.
func (r *run) until(now time.Time) time.Time {
	if !r.header.IsZero() && r.last.Err == nil {
		return r.header
	}
	return now
}

// keepOpen turns the bound on the try into the bound on its stream: a written
// total covers the body, a computed one ends here.
func (r *run) keepOpen() {
	end := r.callerEnd
	if r.written {
		end = r.fullEnd()
	}
	r.context.Reset(earlier(end, r.holdEnd()))
}

// finish frees what the call holds, once.
func (r *run) finish() {
	if r.over.CompareAndSwap(false, true) {
		if r.context != nil {
			r.context.Cancel()
		}
		r.slot.Release()
	}
}

func (r *run) reportEnd(ctx context.Context, o Outcome) {
	end := observe.CallEnd{
		Op: r.p.op, Attempts: o.Attempts, Duration: time.Since(r.begin), Waited: o.Waited, Status: o.Result.Status,
	}
	if o.Fault != nil {
		end.Err = o.Fault
	}
	r.p.hooks.CallEnd(ctx, end)
}
