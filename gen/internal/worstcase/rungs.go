package worstcase

import (
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Reserves is the time that is kept for each rung of the fallback that is asked
// over the wire, in the order of the rungs. None of them is a rung without time.
func Reserves(c *policy.Client) []time.Duration { return c.Fallback.Reserves() }

// Hedges is the number of further requests that each try may be accompanied by: the
// nth of them is sent after n delays, if the try still runs then. Only a read
// without an idempotency key has any.
func Hedges(c *policy.Client) int {
	h := c.Hedge
	if h == nil || h.Mode == policy.Shadow || c.Effect != policy.Read || Keyed(c) {
		return 0
	}
	most := max(1, h.Max)
	attempt := newPlan(c, false).attempt
	if h.Quantile > 0 || h.Delay <= 0 || attempt <= 0 {
		return most
	}
	return int(min(time.Duration(most), (attempt-1)/h.Delay))
}

// Rung is one rung of the fallback after a call that hangs.
type Rung struct {
	Kind policy.RungKind
	// Name is that of the server, operation, handler or queue.
	Name string
	// Start and End are the longest that it takes when it hangs as well, from the
	// start of the call; equal for what answers from here.
	Start, End time.Duration
	// Skipped says that it is not asked, for the write may have taken effect.
	Skipped bool
}

// Rungs are the rungs after a call that hangs, each of them hanging in turn; nil
// where a call that hangs leads to none.
func Rungs(c *policy.Client, line Timeline) []Rung {
	f := c.Fallback
	if f == nil || f.Mode == policy.Shadow || !f.After.Has(policy.AfterTimeout) || line.Stop == StopNever {
		return nil
	}
	now, total, reserves := line.End, Total(c), f.Reserves()
	var out []Rung
	for i := range f.Rungs {
		r := &f.Rungs[i]
		rung := Rung{Kind: r.Kind, Name: r.Name, Start: now, End: now}
		bound := r.Timeout
		if r.Kind.Remote() {
			bound, reserves = reserves[0], reserves[1:]
		}
		switch {
		case !c.Effect.Repeatable() && r.Kind.Repeats() && !r.WhenUnknown:
			rung.Skipped = true
		case !r.Kind.Remote():
			now = add(now, bound)
		case total >= 0 && (bound <= 0 || now > total-bound):
			now = max(now, total) // what is left of the call, and no more
		default:
			now = add(now, bound)
		}
		if !rung.Skipped {
			rung.End = now
		}
		out = append(out, rung)
	}
	return out
}
