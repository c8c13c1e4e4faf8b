package ratelimit

import (
	"math"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Never is the wait for more tokens than a bucket can ever hold.
const Never = time.Duration(math.MaxInt64)

// limit is a token bucket in the form of the generic cell rate algorithm: all
// that a bucket knows is one moment, the theoretical arrival time, at which it
// is full again. Times are nanoseconds since the limiter was made. Of the other
// algorithms it has the numbers; each key has a window of its own.
type limit struct {
	algorithm policy.Algorithm
	interval  int64 // between two tokens
	depth     int64 // of the bucket: burst * interval
	most, per int64 // tokens within a time, of a window
}

// newLimit rounds the interval up to a whole nanosecond, so that the rate is
// never exceeded; at a million tokens a second that is a part in a thousand.
func newLimit(b policy.Bucket) limit {
	perToken := max(1, int64(b.Limit))
	interval := max(1, (int64(b.Per)+perToken-1)/perToken)
	burst := max(1, int64(b.Burst))
	return limit{
		algorithm: b.Algorithm, interval: interval, depth: times(burst, interval),
		most: perToken, per: min(max(1, int64(b.Per)), math.MaxInt64/8),
	}
}

// window is an empty one, nil for a token bucket, which needs none.
func (l limit) window() window {
	switch l.algorithm {
	case policy.SlidingWindow:
		return new(history)
	case policy.SlidingCounter:
		return &counter{latest: math.MinInt64}
	}
	return nil
}

// windowed reports whether each key has a window.
func (l limit) windowed() bool { return l.algorithm != policy.TokenBucket }

// times multiplies and stays far enough below the largest number that sums of
// two results and a moment do not wrap.
func times(n, interval int64) int64 {
	const most = math.MaxInt64 / 4
	if n > most/interval {
		return most
	}
	return n * interval
}

// rescale is a time that so many tokens took at one interval, at another one.
func rescale(d, from, to int64) int64 {
	const most = math.MaxInt64 / 4
	if scaled := float64(d) / float64(from) * float64(to); scaled < most {
		return int64(scaled)
	}
	return most
}

// take is the bucket's moment after n tokens were taken from it at the moment
// now, and how long one has to wait until they are there. It is false when they
// never will be.
func (l limit) take(full, now, n int64) (after int64, wait time.Duration, ok bool) {
	cost := times(n, l.interval)
	if cost > l.depth || full-now > math.MaxInt64/4 {
		// Longer ahead than a lifetime counts as never, and cannot wrap.
		return full, Never, false
	}
	after = max(full, now) + cost
	return after, time.Duration(max(0, after-now-l.depth)), true
}

// remaining is the number of whole tokens that a bucket has at the moment now.
func (l limit) remaining(full, now int64) int64 {
	return max(0, (l.depth-max(0, full-now))/l.interval)
}
