// Package fallback answers a call that has failed in another way: by a second server,
// another operation, a stored answer, a fixed one.
//
// A [Chain] holds the ways as rungs in their order; each is tried when the one before
// it has failed. [Chain.Do] is for any function, [Transport] for HTTP, and
// [Chain.Rescue] for callers that make the call themselves.
package fallback

import (
	"context"
	"errors"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Rung is one way to answer.
type Rung[T any] struct {
	// Name is told in the [Answer] and with the events.
	Name string
	// Local says that the rung needs no time to speak of: the call keeps none for it,
	// and it runs when all time is spent.
	Local bool
	// Repeats says that the rung carries out the call's effect once more. It is then
	// skipped when a write may have taken effect already, unless WhenUnknown is set.
	Repeats     bool
	WhenUnknown bool
	// Timeout bounds the rung. Zero is the chain's Reserve for a rung that is not
	// local, and no bound of its own for one that is.
	Timeout time.Duration
	// Run answers. The cause is why the call failed. It has to obey the context.
	Run func(ctx context.Context, cause error) (T, error)
}

// Chain is what answers in place of a call. It is not changed after its first use and
// is safe for concurrent use then. The zero value never answers.
type Chain[T any] struct {
	// Name is told with the events.
	Name string
	// Mode: a shadow tells that a rung would have answered, and leaves the failure.
	Mode  policy.Mode
	Rungs []Rung[T]
	// After and Statuses are the failures that the rungs are for. Where both are empty
	// and When is nil, all failures are. Answers 4xx other than 408, 425 and 429 and the
	// caller's own cancellation never are.
	After    policy.FailureSet
	Statuses policy.Statuses
	// When decides about errors that are no *fault.Error. Nil goes by After for the
	// end of a deadline, and takes all others for failures of the connection.
	When func(error) bool
	// Effect is that of the call. The zero value, a write, is the careful one.
	Effect policy.Effect
	// Reserve is the time that the call leaves for each rung that is not local.
	Reserve time.Duration
	// Judge makes a failure of a result, such as a response 503, that came without an
	// error. Nil takes none for one.
	Judge func(T) error
	// Discard frees the result of the call when a rung has answered. Nil frees nothing.
	Discard func(T)
	// OnEvent is told about each rung that was tried or skipped.
	OnEvent func(ctx context.Context, e Event)
}

// Event is what became of one rung.
type Event struct {
	Name string // of the chain
	Rung string
	What What
	// Cause is the failure of the call, Err that of the rung.
	Cause, Err error
}

// What is the kind of an event.
type What uint8

// Kinds of events.
const (
	// Answered: the rung gave the result.
	Answered What = iota
	// Failed: it failed as well.
	Failed
	// Skipped: it must not run, or has no time left.
	Skipped
	// Shadowed: it would have run.
	Shadowed
)

// String is a short name for logs and metrics.
func (w What) String() string {
	names := [...]string{Answered: "answered", Failed: "failed", Skipped: "skipped", Shadowed: "shadowed"}
	if int(w) < len(names) {
		return names[w]
	}
	return "unknown"
}

// Answer says who answered.
type Answer struct {
	// Rung is the name of the rung; empty is the call itself.
	Rung string
	// Index is its place, from 0 on; -1 is the call itself.
	Index int
	// Cause is why the call failed, where a rung answered.
	Cause error
	// Failures are the errors of the rungs that failed too, in their order.
	Failures []error
}

// errNoTime says that a rung had no time left.
var errNoTime = errors.New("no time is left")

// Admits reports whether a failure is one that the rungs are for.
func (c *Chain[T]) Admits(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	all := c.After == 0 && c.Statuses.IsZero() && c.When == nil
	f, ok := errors.AsType[*fault.Error](err)
	switch {
	case ok && refused4xx(f):
		return false
	case all:
		return true
	case ok:
		return c.admitsFault(f)
	case c.When != nil:
		return c.When(err)
	case errors.Is(err, context.DeadlineExceeded):
		return c.After.Has(policy.AfterTimeout)
	}
	return c.After.Has(policy.AfterConnect)
}

// refused4xx reports whether the server found fault with the request, which no other
// way of sending it mends. 408, 425 and 429 speak of the server's state.
func refused4xx(f *fault.Error) bool {
	switch f.Status {
	case 408, 425, 429:
		return false
	}
	return f.Kind == fault.Status && f.Status/100 == 4
}

func (c *Chain[T]) admitsFault(f *fault.Error) bool {
	switch f.Kind {
	case fault.Timeout:
		return c.After.Has(policy.AfterTimeout)
	case fault.Transport:
		return c.After.Has(policy.AfterConnect)
	case fault.BreakerOpen:
		return c.After.Has(policy.AfterBreakerOpen)
	case fault.BulkheadFull, fault.Discarded:
		return c.After.Has(policy.AfterBulkheadFull)
	case fault.RateLimited:
		return c.After.Has(policy.AfterRateLimited)
	case fault.Status:
		return c.Statuses.Has(f.Status)
	default:
		return false
	}
}

// Reserved is the time that the call leaves for its rungs, of what is left for all:
// the sum of the reserves, but at most half of it, for a caller with little time wants
// the call rather than its substitute.
func (c *Chain[T]) Reserved(left time.Duration) time.Duration {
	if c == nil || c.Mode == policy.Shadow {
		return 0
	}
	var sum time.Duration
	for i := range c.Rungs {
		if !c.Rungs[i].Local {
			sum += c.bound(&c.Rungs[i])
		}
	}
	return min(sum, max(0, left)/2)
}

// bound is the time of a rung; zero is no bound of its own.
func (c *Chain[T]) bound(r *Rung[T]) time.Duration {
	if r.Timeout > 0 || r.Local {
		return max(0, r.Timeout)
	}
	return max(0, c.Reserve)
}

// tell reports what became of a rung.
func (c *Chain[T]) tell(ctx context.Context, r *Rung[T], what What, cause, err error) {
	if c.OnEvent != nil {
		c.OnEvent(ctx, Event{Name: c.Name, Rung: r.Name, What: what, Cause: cause, Err: err})
	}
}
