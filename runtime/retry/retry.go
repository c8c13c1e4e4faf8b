// Package retry decides whether and when a call is made again.
//
// Its parts are pure and take the time and the random number as arguments:
// [Delay] spreads the wait, [HintOf] reads the server's wish, [Judge] classifies
// an outcome, [Repeatable] says whether a repeat is admissible, and [Budget]
// bounds the retries of a dependency. runtime/pipeline puts them together for
// HTTP calls, runtime/retry/httpretry is the loop as an http.RoundTripper, and [Do] the
// loop for any other function.
package retry

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Delay is the wait between try n and try n+1, with n from 1 on, spread by the
// policy's jitter with a random number from [0, 1). The wait before, which only
// the decorrelated jitter looks at, is zero for n = 1.
func Delay(p *policy.Retry, n int, before time.Duration, random float64) time.Duration {
	d := p.Backoff(n)
	switch p.Jitter {
	case policy.JitterNone:
		return d
	case policy.JitterEqual:
		return d - d/2 + scale(d/2, random)
	case policy.JitterDecorrelated:
		return decorrelated(p, before, random)
	default:
		return scale(d, random)
	}
}

// decorrelated is uniform in [base, 3*before), at most maxDelay.
func decorrelated(p *policy.Retry, before time.Duration, random float64) time.Duration {
	base := p.Backoff(1)
	before = min(max(before, base), p.MaxDelay)
	width := 3*float64(before) - float64(base)
	if d := float64(base) + random*width; d < float64(p.MaxDelay) {
		return time.Duration(d)
	}
	return p.MaxDelay
}

// HintDelay is the wait before the next try where the server has given a hint.
// The hint is a floor: jitter only adds to it, up to the wait that the policy
// would have had, so that callers who were told the same moment do not come
// together.
func HintDelay(p *policy.Retry, n int, hint time.Duration, random float64) time.Duration {
	if p.Jitter == policy.JitterNone {
		return hint
	}
	spread := scale(p.Backoff(n), random)
	if hint > maxDuration-spread {
		return hint
	}
	return hint + spread
}

const maxDuration = time.Duration(1<<63 - 1)

// scale is d times a number from [0, 1), below d unless d is zero.
func scale(d time.Duration, random float64) time.Duration {
	scaled := time.Duration(float64(d) * random)
	if scaled >= d && d > 0 {
		return d - 1 // a float64 has fewer digits than the longest durations
	}
	return scaled
}

// Repeatable reports whether a repeat is admissible: the effect is read or
// idempotent, the call has an idempotency key, the try provably never left, or
// it was refused before any work.
func Repeatable(p *policy.Retry, effect policy.Effect, keyed, unsent, refused bool) bool {
	return effect.Repeatable() || keyed || unsent || refused || p.Safety == policy.SafetyAlways
}

// permanent marks an error that a further try cannot mend.
type permanent struct{ err error }

func (p *permanent) Error() string { return p.err.Error() }
func (p *permanent) Unwrap() error { return p.err }

// Permanent makes [Do] return err at once. It is nil for nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanent{err}
}

// Do calls f until it succeeds, all tries are used, it returns a [Permanent]
// error, the budget is empty, or the wait does not fit the context's deadline;
// it returns the last error of f, without the mark of Permanent. When the
// context ends while it waits, that error is joined to f's last. The attempt
// that f gets counts from 1.
//
// Only what may be repeated belongs here; Do cannot know. The budget may be nil
// and is shared by all calls of one dependency. Do is safe for concurrent use.
func Do(ctx context.Context, p *policy.Retry, budget *Budget, f func(ctx context.Context, attempt int) error) error {
	if budget != nil {
		budget.First(time.Now())
	}
	var before time.Duration
	for n := 1; ; n++ {
		err := f(ctx, n)
		if err == nil {
			return nil
		}
		if isPermanent(err) {
			return unmark(err)
		}
		if n >= p.MaxAttempts || ctx.Err() != nil || p.Mode == policy.Shadow {
			return err
		}
		before = Delay(p, n, before, rand.Float64()) //nolint:gosec // Jitter is no secret.
		if end, ok := ctx.Deadline(); ok && time.Until(end) <= before {
			return err
		}
		if budget != nil && !budget.Take(time.Now()) {
			return err
		}
		if ended := sleep.For(ctx, before); ended != nil {
			return errors.Join(ended, err)
		}
	}
}

func isPermanent(err error) bool {
	_, ok := errors.AsType[*permanent](err)
	return ok
}

// unmark takes the mark off where it is outermost; deeper down it stays, for the
// texts around it are the caller's.
func unmark(err error) error {
	if p, ok := err.(*permanent); ok { //nolint:errorlint // The outermost error alone is meant.
		return p.err
	}
	return err
}
