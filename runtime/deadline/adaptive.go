package deadline

import (
	"math"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/latency"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// LeastSamples is the number of observed tries from which on [Adaptive] goes by them.
const LeastSamples = 100

const (
	// tail is the quantile that a try is to live to see.
	tail = 0.999
	// longer is what a try that was cut off counts as, in times of what it had: how long it
	// would have taken is not known, and counted as what it had, the quantile could never
	// rise above the bound that it made.
	longer = 2
	// refresh is how long a quantile that was read stays in force, for reading one takes
	// longer than a call's share of the bookkeeping may.
	refresh = 100 * time.Millisecond
)

// Adaptive learns how long a try may take from the tries before it: the 99.9th
// percentile of what is observed, with the policy's headroom, between its floor and its
// ceiling. The zero value has observed nothing and is ready for use; it must not be
// copied after that. It takes some 2 KB, and is safe for concurrent use. What is observed
// fades with [latency.DefaultHalfLife].
type Adaptive struct {
	seen latency.Histogram

	mu   sync.Mutex
	read time.Time     // when the quantile was read; zero is never
	last time.Duration // the quantile; zero is not known
}

// Attempt is what a try may take: the policy's attempt until [LeastSamples] are known.
// Zero, for a policy without attempt and ceiling, is no bound before that. The reserve is
// what is taken off the try's time before it is sent on as a deadline; it is added, for
// the server is to have what it has been seen to need. The result may lag behind what is
// observed by a tenth of a second.
func (a *Adaptive) Attempt(now time.Time, t *policy.Timeout, reserve time.Duration) time.Duration {
	observed := a.observed(now)
	if observed == 0 {
		return t.Attempt
	}
	// A quantile is a bucket's middle: counted from its upper end, a dependency that
	// always takes the same time is never cut off.
	wanted := float64(observed)*(1+latency.MaxError)*max(1, t.Headroom) + float64(reserve)
	d := time.Duration(math.MaxInt64)
	if wanted < math.MaxInt64 {
		d = time.Duration(wanted)
	}
	ceiling := t.Ceiling
	if ceiling <= 0 {
		ceiling = t.Attempt
	}
	if ceiling > 0 {
		d = min(d, ceiling)
	}
	return max(d, t.Floor+reserve)
}

// observed is the quantile; zero where it is not known.
func (a *Adaptive) observed(now time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if age := now.Sub(a.read); !a.read.IsZero() && age >= 0 && age < refresh {
		return a.last
	}
	a.read = now
	a.last, _ = a.seen.Quantile(now, tail, LeastSamples)
	return a.last
}

// Answered notes a try that was answered, and how long that took.
func (a *Adaptive) Answered(now time.Time, took time.Duration) { a.seen.Record(now, took) }

// Expired notes a try that was cut off by a bound of its own. It counts as twice that
// long, so that a bound which has become too short for a dependency grows until it fits.
func (a *Adaptive) Expired(now time.Time, bound time.Duration) {
	if bound > math.MaxInt64/longer {
		bound = math.MaxInt64 / longer
	}
	a.seen.Record(now, longer*bound)
}
