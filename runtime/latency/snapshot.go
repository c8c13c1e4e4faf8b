package latency

import (
	"time"

	"github.com/holdfast-go/holdfast/runtime/internal/show"
)

// Snapshot is what a [Histogram] holds at one moment. As JSON it has the members that the
// tags name, and durations as text that [time.ParseDuration] reads:
//
//	{"samples":2,"recorded":2,"p50":"10.24ms",…,"buckets":[{"upTo":"10.48576ms","count":2}]}
//
// The buckets are enough to compute any quantile: a sample of a bucket is less than its
// UpTo, and at least 16/17 of it, or 1.024 µs less where UpTo is 16.384 µs or below.
type Snapshot struct {
	// Samples is the number of samples, of which older ones weigh less: the sum of all
	// buckets, which a quantile is of.
	Samples float64 `json:"samples"`
	// Recorded is the number of samples ever recorded, all counted in full.
	Recorded uint64 `json:"recorded"`
	// The quantiles, within [MaxError]; zero, and not in the JSON, without samples.
	P50  time.Duration `json:"p50,omitempty"`
	P90  time.Duration `json:"p90,omitempty"`
	P95  time.Duration `json:"p95,omitempty"`
	P99  time.Duration `json:"p99,omitempty"`
	P999 time.Duration `json:"p999,omitempty"`
	// Buckets are those with samples, the shortest durations first. There are at most 448.
	Buckets []Bucket `json:"buckets,omitempty"`
}

// Bucket is the number of samples that took less than UpTo and are in no bucket before.
type Bucket struct {
	// UpTo is the bucket's end. Samples of [Max] and more are in the last one, whose end
	// is Max.
	UpTo time.Duration `json:"upTo"`
	// Count is in samples; older ones weigh less, so that it need not be whole.
	Count float64 `json:"count"`
}

// Snapshot is what the histogram holds.
func (h *Histogram) Snapshot(now time.Time) Snapshot {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.age(now)
	s := Snapshot{Samples: float64(h.weight) / one, Recorded: h.total}
	if h.weight == 0 {
		return s
	}
	s.P50, s.P90, s.P95 = h.quantile(0.5), h.quantile(0.9), h.quantile(0.95)
	s.P99, s.P999 = h.quantile(0.99), h.quantile(0.999)
	for i, n := range &h.counts {
		if n > 0 {
			s.Buckets = append(s.Buckets, Bucket{UpTo: endOf(i), Count: float64(n) / one})
		}
	}
	return s
}

// String is the snapshot as JSON.
func (s Snapshot) String() string { return string(show.JSON(s)) }

// MarshalJSON is the snapshot in the form that the type's comment describes.
func (s Snapshot) MarshalJSON() ([]byte, error) { return show.JSON(s), nil }

// endOf is the end of a bucket.
func endOf(i int) time.Duration {
	if i < parts {
		return time.Duration(i+1) << unitBits
	}
	octave := i/parts - 1
	return time.Duration(parts+i%parts+1) << (octave + unitBits)
}
