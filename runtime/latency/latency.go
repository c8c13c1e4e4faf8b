// Package latency keeps how long calls took, in little memory and with a known
// error, so that a delay or a timeout can follow what is observed.
//
// A [Histogram] has log-linear buckets: each power of two is cut into sixteen
// equal parts. Its counts halve with time, so that a quantile follows a
// dependency that becomes slower or faster.
package latency

import (
	"math"
	"math/bits"
	"sync"
	"time"
)

const (
	// parts is the number of buckets for each power of two, and of those in the
	// linear part below.
	partBits = 4
	parts    = 1 << partBits
	// unitBits: durations are counted in units of 1024 ns, which a shift makes.
	unitBits = 10
	// octaves above the linear part; the last one ends at 2^31 units.
	octaves = 27
	buckets = parts * (octaves + 1)
	// one is a sample's weight when it is new. The eight bits below it keep the
	// rare samples of the tail alive for eight half-lives.
	one = 1 << 8
)

// MaxError is the largest relative error of a quantile for samples between 16.4 µs
// and [Max]: a bucket is at most 1/16 of its lower end wide, and its middle is told.
// Below 16.4 µs the error is at most 0.52 µs.
const MaxError = 1.0 / 32

// Max is the longest duration that is told apart, a little over 36 minutes. Longer
// ones count as Max.
const Max = time.Duration(1<<31) << unitBits

// DefaultHalfLife is the half-life of a Histogram that has none set.
const DefaultHalfLife = 5 * time.Minute

// Histogram counts durations. The zero value is empty and ready for use, with
// [DefaultHalfLife]; it must not be copied after its first use. It takes less than
// 2 KB and never more. All methods are safe for concurrent use and take the time as
// an argument; a clock that steps back ages nothing.
type Histogram struct {
	// HalfLife is the time in which the weight of a sample halves; zero is
	// [DefaultHalfLife]. It is set before the first use.
	HalfLife time.Duration

	mu     sync.Mutex
	turn   time.Time // the last halving
	weight uint64    // the sum of all counts
	total  uint64    // samples ever recorded, which do not age
	counts [buckets]uint32
}

// Record counts one duration. A negative one counts as zero.
func (h *Histogram) Record(now time.Time, d time.Duration) {
	i := bucketOf(d)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.age(now)
	if h.counts[i] > math.MaxUint32-one {
		// Halving all keeps the shares, which is what quantiles look at.
		h.halve(1)
	}
	h.counts[i] += one
	h.weight += one
	h.total++
}

// Count is the number of samples, in which older ones weigh less.
func (h *Histogram) Count(now time.Time) float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.age(now)
	return float64(h.weight) / one
}

// Quantile is the duration that the given share of the samples, from 0 to 1, does not
// exceed, within [MaxError]. It is false while the weight of the samples is below
// least, and without any sample.
func (h *Histogram) Quantile(now time.Time, share, least float64) (time.Duration, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.age(now)
	if h.weight == 0 || float64(h.weight) < least*one || math.IsNaN(share) {
		return 0, false
	}
	return h.quantile(share), true
}

// quantile is that of a histogram with samples. The lock is held.
func (h *Histogram) quantile(share float64) time.Duration {
	rank := uint64(math.Ceil(min(max(share, 0), 1) * float64(h.weight)))
	rank = max(rank, 1)
	seen := uint64(0)
	last := 0
	for i, n := range &h.counts {
		if n == 0 {
			continue
		}
		seen, last = seen+uint64(n), i
		if seen >= rank {
			break
		}
	}
	return middleOf(last)
}

// Reset forgets all samples.
func (h *Histogram) Reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts, h.weight, h.total, h.turn = [buckets]uint32{}, 0, 0, time.Time{}
}

// age halves the counts for each half-life that has passed. The lock is held.
func (h *Histogram) age(now time.Time) {
	half := h.HalfLife
	if half <= 0 {
		half = DefaultHalfLife
	}
	if h.weight == 0 || h.turn.IsZero() {
		h.turn = now
		return
	}
	passed := now.Sub(h.turn)
	if passed < half {
		return
	}
	h.turn = now.Add(-(passed % half))
	h.halve(uint(min(passed/half, 32)))
}

// halve divides all counts by 2^n. The lock is held.
func (h *Histogram) halve(n uint) {
	h.weight = 0
	for i, c := range &h.counts {
		if c == 0 {
			continue
		}
		c >>= n
		h.counts[i] = c
		h.weight += uint64(c)
	}
}

// bucketOf is the bucket of a duration.
func bucketOf(d time.Duration) int {
	if d <= 0 {
		return 0
	}
	u := uint64(d) >> unitBits
	if u < parts {
		return int(u)
	}
	octave := bits.Len64(u) - 1 - partBits
	if octave >= octaves {
		return buckets - 1
	}
	part := int(u>>uint(octave)) - parts
	return parts*(octave+1) + part
}

// middleOf is the middle of a bucket.
func middleOf(i int) time.Duration {
	if i < parts {
		return time.Duration(i)<<unitBits + 1<<(unitBits-1)
	}
	octave := i/parts - 1
	low := time.Duration(parts+i%parts) << (octave + unitBits)
	return low + 1<<(octave+unitBits-1)
}
