package worstcase

import (
	"math"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// Load is what a call costs a dependency that fails every request.
type Load struct {
	// Tries is the largest number of tries of a call, and By the failure that
	// leads to it. Unkeyed is the same for a call without an idempotency key where
	// the key is the caller's choice; zero where that makes no difference.
	Tries   int
	By      Failure
	Unkeyed int
	// Hedges is the number of further requests beside each try.
	Hedges int
	// Requests is what one call sends at most, budget aside: Tries x (1 + Hedges).
	// Rungs of a fallback go elsewhere and are counted in Rungs.
	Requests int
	Rungs    int
	// Ratio and Floor are the budget's: of all the further requests of a
	// dependency, Ratio for each call and Floor in a second are paid. Ratio is
	// negative where no budget is.
	Ratio, Floor float64
}

// LoadOf computes it for a call that carries an idempotency key where the policy
// has one.
func LoadOf(c *policy.Client) Load {
	keyed := Keyed(c)
	l := Load{Ratio: -1, Hedges: Hedges(c), Rungs: len(Reserves(c))}
	l.Tries, l.By = mostTries(c, keyed)
	if keyed && c.Idempotency.Key == policy.KeyCaller && !c.Idempotency.Required {
		if n, _ := mostTries(c, false); n < l.Tries {
			l.Unkeyed = n
		}
	}
	l.Requests = l.Tries * (1 + l.Hedges)
	if r := c.Retry; r != nil && r.Budget != nil {
		l.Ratio, l.Floor = r.Budget.Ratio, r.Budget.MinPerSecond
	}
	return l
}

// Factor is the number of requests for each call when a dependency gets so many
// calls a second and fails all of them, in the long run and before the breaker
// opens: the budget pays Ratio further requests for each call, and Floor more in a
// second. A rate of +Inf leaves the floor out of account.
func (l Load) Factor(perSecond float64) float64 {
	most := float64(l.Requests)
	if l.Ratio < 0 || most <= 1 {
		return most
	}
	paid := l.Ratio
	if perSecond <= 0 {
		return most
	}
	if !math.IsInf(perSecond, 1) {
		paid += l.Floor / perSecond
	}
	return min(most, 1+paid)
}

// Keyed reports whether a call of the policy can carry an idempotency key.
func Keyed(c *policy.Client) bool {
	return c.Idempotency != nil && c.Idempotency.Mode == policy.Enforce
}

// mostTries is the largest number of tries over all failures that reach the
// dependency, with the shortest waits; of equal ones the first.
func mostTries(c *policy.Client, keyed bool) (int, Failure) {
	most, by := 0, Failure{}
	for _, f := range failures(c.Retry) {
		if n := len(Play(c, keyed, f, Shortest).Attempts); n > most {
			most, by = n, f
		}
	}
	return most, by
}

// failures are those that a policy may tell apart: the general ones first, then
// each status and each class of errors that it repeats, and what its rules name.
func failures(r *policy.Retry) []Failure {
	list := []Failure{Unavailable, Hang}
	if r == nil {
		return list
	}
	for code := 100; code <= 599; code++ {
		if r.Statuses.Has(code) && code != 503 && code != 429 {
			list = append(list, ofStatus(code))
		}
	}
	list = append(list, Failure{Name: "reset", Class: retry.Class{Set: policy.ResetErrors}},
		Failure{Name: "eof", Class: retry.Class{Set: policy.EOFErrors}}, TooMany)
	for _, rule := range r.Rules {
		for _, span := range rule.Statuses.Spans() {
			list = append(list, ofStatus(span.Low))
		}
	}
	return list
}

func ofStatus(code int) Failure {
	const digits = "0123456789"
	return Failure{Name: string([]byte{digits[code/100], digits[code/10%10], digits[code%10]}), Status: code}
}

// Breaker is how a breaker reacts to a dependency that fails every call.
type Breaker struct {
	// Opens is the number of failing calls, one after another and close enough
	// together to be in one window, that open it; zero where it never opens.
	Opens int
	// Within is how close together they have to be; zero where that is no matter.
	Within time.Duration
	// OpenMin and OpenMax are how long it then refuses all calls; each failed
	// probe makes it longer, up to LongestOpen.
	OpenMin, OpenMax, LongestOpen time.Duration
	// Probes is the number of calls that try it after that, and of successes that
	// close it.
	Probes int
	// BlindToHangs says that calls which hang are no failures to it: the last try
	// of each is cut too short by the end of the call to prove anything.
	BlindToHangs bool
	// Shadow says that it only reports.
	Shadow bool
}

// BreakerOf computes it; nil where the policy has none.
func BreakerOf(c *policy.Client) *Breaker {
	b := c.Breaker
	if b == nil {
		return nil
	}
	out := &Breaker{Opens: max(1, b.FailureThreshold), Within: b.Window.Time, Probes: max(1, b.Probes), Shadow: b.Mode == policy.Shadow}
	if b.FailureRate > 0 {
		out.Opens = max(1, b.MinCalls)
	}
	if b.Window.Count > 0 && out.Opens > b.Window.Count {
		out.Opens = 0 // the window never holds as many
	}
	out.OpenMin, out.OpenMax = b.Recovery, withJitter(b.Recovery)
	out.LongestOpen = out.OpenMax
	if b.Backoff > 1 {
		out.LongestOpen = withJitter(max(b.Recovery, b.MaxRecovery))
	}
	hang := Play(c, Keyed(c), Hang, Longest)
	out.BlindToHangs = !hang.Counts && hang.Stop != StopNoAttempt
	return out
}

// withJitter is an open time with the 10 % that the breaker adds at most.
func withJitter(d time.Duration) time.Duration { return add(d, d/10) }

// OpenFor is how long the breaker refuses after its nth opening in a row, n from 1
// on, without the jitter of up to 10 %.
func OpenFor(b *policy.Breaker, n int) time.Duration {
	limit := max(b.Recovery, b.MaxRecovery)
	open := b.Recovery
	for i := 1; i < n && open < limit; i++ {
		if next := float64(open) * max(1, b.Backoff); next < float64(limit) {
			if time.Duration(next) == open {
				return open // it does not grow
			}
			open = time.Duration(next)
		} else {
			open = limit
		}
	}
	return open
}
