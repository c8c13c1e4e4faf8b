package fallback

import (
	"context"
	"errors"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Result is how a call ended.
type Result[T any] struct {
	Answer

	// Value and Err are those of the rung that answered, else those of the call.
	Value T
	Err   error
	// Cancel ends the context that the value was made under, when it has been used. It
	// may be called more than once.
	Cancel context.CancelFunc
}

// Do makes a call and answers by a rung when it fails. The call gets the total, or what
// is left of the caller's deadline where that is less, without what the rungs need; a
// total of zero or less is no bound.
func (c *Chain[T]) Do(ctx context.Context, total time.Duration, call func(context.Context) (T, error)) (T, Answer, error) {
	r := c.Run(ctx, total, call)
	r.Cancel()
	return r.Value, r.Answer, r.Err
}

// Run is [Chain.Do] for results whose context has to stay alive, such as a response
// with its body.
func (c *Chain[T]) Run(ctx context.Context, total time.Duration, call func(context.Context) (T, error)) Result[T] {
	now := time.Now()
	end, bounded := ctx.Deadline()
	if at := now.Add(total); total > 0 && (!bounded || at.Before(end)) {
		end, bounded = at, true
	}
	if !bounded {
		end = time.Time{}
	}
	inner, cancel := until(ctx, end, c.Reserved(end.Sub(now)))
	done := false
	defer func() {
		if !done {
			cancel() // after a panic
		}
	}()
	v, err := call(inner)
	done = true
	cause := err
	if cause == nil && c.Judge != nil {
		cause = c.Judge(v)
	}
	own := Result[T]{Value: v, Err: err, Answer: Answer{Index: -1}, Cancel: cancel}
	if cause == nil || !c.Admits(cause) {
		return own
	}
	other := c.Rescue(ctx, end, cause)
	if other.Index < 0 {
		own.Failures = other.Failures
		return own
	}
	cancel()
	if c.Discard != nil && err == nil {
		c.Discard(v)
	}
	return other
}

// Rescue tries the rungs in their order for a call that has failed; the end is when the
// call has to be over, zero for no bound. When none answers, Index is -1 and Err is the
// cause. Whether the failure is one for the rungs is the caller's to ask with
// [Chain.Admits].
func (c *Chain[T]) Rescue(ctx context.Context, end time.Time, cause error) Result[T] {
	out := Result[T]{Answer: Answer{Index: -1}, Err: cause, Cancel: func() {}}
	for i := range c.Rungs {
		r := &c.Rungs[i]
		if errors.Is(ctx.Err(), context.Canceled) {
			return out
		}
		if r.Repeats && !r.WhenUnknown && c.mayHaveTakenEffect(cause) {
			c.tell(ctx, r, Skipped, cause, nil)
			continue
		}
		if c.Mode == policy.Shadow {
			c.tell(ctx, r, Shadowed, cause, nil)
			return out
		}
		inner, cancel, ok := c.context(ctx, r, end)
		if !ok {
			c.tell(ctx, r, Skipped, cause, errNoTime)
			continue
		}
		v, err := guard(inner, cancel, r.Run, cause)
		if err == nil {
			c.tell(ctx, r, Answered, cause, nil)
			out.Value, out.Err, out.Cancel = v, nil, cancel
			out.Rung, out.Index, out.Cause = r.Name, i, cause
			return out
		}
		cancel()
		c.tell(ctx, r, Failed, cause, err)
		out.Failures = append(out.Failures, err)
	}
	return out
}

// guard cancels the context when the rung panics.
func guard[T any](ctx context.Context, cancel context.CancelFunc, run func(context.Context, error) (T, error), cause error) (T, error) {
	done := false
	defer func() {
		if !done {
			cancel()
		}
	}()
	v, err := run(ctx, cause)
	done = true
	return v, err
}

// mayHaveTakenEffect reports whether the call was a write that is not known to have
// done nothing.
func (c *Chain[T]) mayHaveTakenEffect(cause error) bool {
	if c.Effect.Repeatable() {
		return false
	}
	f, ok := errors.AsType[*fault.Error](cause)
	return !ok || f.Effect != fault.Safe
}

// context is that of a rung: what is left of the call, and no more than the rung's own
// time. A local rung runs even when nothing is left.
func (c *Chain[T]) context(ctx context.Context, r *Rung[T], end time.Time) (context.Context, context.CancelFunc, bool) {
	bound := c.bound(r)
	now := time.Now()
	if r.Local {
		if ctx.Err() != nil {
			ctx = context.WithoutCancel(ctx)
		}
		end = time.Time{}
	} else if ctx.Err() != nil || !end.IsZero() && !now.Before(end) {
		return nil, nil, false
	}
	if at := now.Add(bound); bound > 0 && (end.IsZero() || at.Before(end)) {
		end = at
	}
	inner, cancel := until(ctx, end, 0)
	return inner, cancel, true
}

// until is a context that ends some time before a moment, of which a zero one is never.
func until(ctx context.Context, end time.Time, reserve time.Duration) (context.Context, context.CancelFunc) {
	if end.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-reserve))
}
