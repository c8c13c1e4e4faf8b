package worstcase

import (
	"math"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// Total is the total timeout in force: the written one, the computed one, or
// [policy.None].
func Total(c *policy.Client) time.Duration {
	if c.Timeout == nil || c.Timeout.Mode == policy.Shadow {
		return policy.None
	}
	return c.Timeout.EffectiveTotal(c.Retry, Reserves(c)...)
}

// Bound is how long a call may take.
type Bound struct {
	// Limit is the time after which the call is over whatever happens: the total
	// timeout, or without one the sum of all that is bounded by itself. None is
	// no such time, and Why says what has no end.
	Limit time.Duration
	Why   string
	// Sum says that Limit is such a sum, for there is no total timeout.
	Sum bool
	// Hanging is the latest moment at which the tries of a call are over when
	// nothing is ever answered, over all jitter; None where nothing ends them.
	// Hints of the server and full queues may take a call up to its Limit.
	Hanging time.Duration
}

// BoundOf computes both for a call, keyed or not.
func BoundOf(c *policy.Client, keyed bool) Bound {
	b := Bound{Limit: Total(c), Hanging: latest(c, keyed)}
	if b.Limit < 0 {
		b.Limit, b.Why = sumOfParts(c, keyed)
		b.Sum = b.Limit >= 0
	}
	return b
}

// sumOfParts bounds a call without a total: each try, each wait, each queue at its
// longest.
func sumOfParts(c *policy.Client, keyed bool) (time.Duration, string) {
	p := newPlan(c, keyed)
	_, cut := p.hang(0, p.attempt)
	if cut == CutNever {
		return policy.None, "no timeout ends a try"
	}
	r := c.Retry
	if keyed && p.tries > 1 {
		return policy.None, "a request in flight is waited for as often as the server says so, and only a total ends that"
	}
	if l := c.RateLimit; l != nil && l.Mode == policy.Enforce {
		for _, bucket := range l.Buckets {
			if bucket.Wait == policy.None {
				return policy.None, "the wait for a token has no bound"
			}
		}
	}
	queue := time.Duration(0)
	if b := c.Bulkhead; b != nil && b.Mode == policy.Enforce && b.OnFull != policy.OnFullAbort && b.Queue > 0 {
		if queue = b.Timeout; queue == policy.None {
			return policy.None, "the wait in the bulkhead's queue has no bound"
		}
	}
	all := time.Duration(0)
	for n := 1; n <= p.tries; n++ {
		end, _ := p.hang(0, p.attempt)
		all = add(add(all, end), queue)
		all = add(all, tokenWaits(c.RateLimit))
		if n < p.tries {
			// A hint may ask for maxRetryAfter, with the backoff as jitter on top;
			// so may a rule, whose wait has no bound but itself.
			all = add(all, add(longestHint(r), r.Backoff(n)))
		}
	}
	return all, ""
}

// longestHint is the longest wait that a server, or a rule, can ask for.
func longestHint(r *policy.Retry) time.Duration {
	longest := r.MaxRetryAfter
	for _, rule := range r.Rules {
		longest = max(longest, rule.Wait)
	}
	return longest
}

// tokenWaits are the waits of one try for the client's own limits.
func tokenWaits(l *policy.RateLimit) time.Duration {
	sum := time.Duration(0)
	if l == nil || l.Mode == policy.Shadow {
		return 0
	}
	for _, b := range l.Buckets {
		sum = add(sum, b.Wait)
	}
	return sum
}

// latest is the latest end of the tries of a call that hangs, over all jitter.
//
// The moments at which try n can start are an interval, for each backoff may have
// any length in its range and all that follows grows with it: from the shortest
// waits, to the longest ones or the last moment at which a try still fits. A call
// whose longest backoff does not fit ends at once with the try before; a shorter
// one would have let it go on up to its end, and so the latest end is not that of
// the longest jitter alone.
func latest(c *policy.Client, keyed bool) time.Duration {
	p := newPlan(c, keyed)
	if granted, ok := p.grant(0); !ok {
		return 0
	} else if _, cut := p.hang(0, granted); cut == CutNever {
		return policy.None
	}
	end := time.Duration(0)
	first, last := time.Duration(0), time.Duration(0) // starts of try n
	beforeShort, beforeLong := time.Duration(0), time.Duration(0)
	v := p.judge(Hang)
	for n := 1; ; n++ {
		firstEnd, lastEnd := p.hangFrom(first), p.hangFrom(last)
		end = max(end, lastEnd)
		if p.admissible(Hang, v, n) != stopNot {
			return end
		}
		short, long := p.span(v, n, &beforeShort, &beforeLong)
		if p.total >= 0 {
			limit := p.total - p.timeout.Floor - p.reserve
			if add(firstEnd, short) > limit {
				return end
			}
			first, last = add(firstEnd, short), min(add(lastEnd, long), limit)
			continue
		}
		first, last = add(firstEnd, short), add(lastEnd, long)
	}
}

// hangFrom is the end of a try that starts then and hangs.
func (p *plan) hangFrom(start time.Duration) time.Duration {
	granted, ok := p.grant(start)
	if !ok {
		return start
	}
	end, _ := p.hang(start, granted)
	return end
}

// span is the shortest and the longest wait after try n.
func (p *plan) span(v retry.Verdict, n int, beforeShort, beforeLong *time.Duration) (short, long time.Duration) {
	r := p.client.Retry
	if v.Wait > 0 {
		return retry.HintDelay(r, n, v.Wait, Shortest.random()), retry.HintDelay(r, n, v.Wait, Longest.random())
	}
	*beforeShort = retry.Delay(r, n, *beforeShort, Shortest.random())
	*beforeLong = retry.Delay(r, n, *beforeLong, Longest.random())
	return *beforeShort, *beforeLong
}

// add adds two times that are not negative and stays at the longest one.
func add(a, b time.Duration) time.Duration {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + max(0, b)
}

func sum(list []time.Duration) time.Duration {
	all := time.Duration(0)
	for _, d := range list {
		all = add(all, d)
	}
	return all
}
