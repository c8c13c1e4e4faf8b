package latency_test

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/runtime/latency"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestSize(t *testing.T) {
	if size := unsafe.Sizeof(latency.Histogram{}); size >= 2048 {
		t.Errorf("%d bytes, which should be below 2 KB", size)
	}
}

// The quantile of the histogram is that of the sorted samples, within the error that
// is documented.
func TestQuantileError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Int64Range(0, int64(latency.Max)-1), 1, 400).Draw(t, "samples")
		if rapid.Bool().Draw(t, "short") {
			for i := range samples {
				samples[i] %= int64(time.Second)
			}
		}
		var h latency.Histogram
		for _, d := range samples {
			h.Record(start, time.Duration(d))
		}
		slices.Sort(samples)
		share := rapid.SampledFrom([]float64{0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1}).Draw(t, "share")
		rank := max(1, int(math.Ceil(share*float64(len(samples)))))
		want := float64(samples[rank-1])
		got, ok := h.Quantile(start, share, 1)
		allowed := max(want*latency.MaxError, 520)
		if !ok || math.Abs(float64(got)-want) > allowed+1 {
			t.Errorf("share %v of %d: got %v, want %v", share, len(samples), got, time.Duration(want))
		}
	})
}

func TestLeast(t *testing.T) {
	var h latency.Histogram
	if _, ok := h.Quantile(start, 0.95, 0); ok {
		t.Error("a quantile of nothing")
	}
	for range 99 {
		h.Record(start, time.Millisecond)
	}
	if _, ok := h.Quantile(start, 0.95, 100); ok {
		t.Error("99 samples are not 100")
	}
	h.Record(start, time.Millisecond)
	if _, ok := h.Quantile(start, 0.95, 100); !ok {
		t.Error("100 samples are 100")
	}
}

func TestExtremes(t *testing.T) {
	var h latency.Histogram
	h.Record(start, -time.Second)
	if d, _ := h.Quantile(start, 1, 1); d > time.Microsecond {
		t.Errorf("a negative duration counts as %v", d)
	}
	h.Record(start, math.MaxInt64)
	d, _ := h.Quantile(start, 1, 1)
	if e := math.Abs(float64(d-latency.Max)) / float64(latency.Max); e > latency.MaxError {
		t.Errorf("the longest duration counts as %v", d)
	}
	for _, share := range []float64{-1, 2, math.Inf(1)} {
		if _, ok := h.Quantile(start, share, 1); !ok {
			t.Errorf("share %v has no quantile", share)
		}
	}
	if _, ok := h.Quantile(start, math.NaN(), 1); ok {
		t.Error("NaN has a quantile")
	}
}

// Old samples give way: after a dependency has become slow the quantile follows.
func TestDecay(t *testing.T) {
	h := latency.Histogram{HalfLife: time.Minute}
	for range 1000 {
		h.Record(start, 10*time.Millisecond)
	}
	later := start.Add(time.Minute)
	if n := h.Count(later); n != 500 {
		t.Errorf("after one half-life %v samples count, want 500", n)
	}
	later = start.Add(4 * time.Minute) // 62.5 old ones are left
	for range 100 {
		h.Record(later, time.Second)
	}
	if d, _ := h.Quantile(later, 0.5, 1); d < 900*time.Millisecond {
		t.Errorf("the median stays at %v", d)
	}
	// A step back of the clock ages nothing.
	before := h.Count(later)
	if n := h.Count(start); n != before {
		t.Errorf("a step back changed the count from %v to %v", before, n)
	}
	if n := h.Count(start.Add(1000 * time.Hour)); n != 0 {
		t.Errorf("%v samples are left after all that time", n)
	}
	h.Record(later, time.Second)
	h.Reset()
	if n := h.Count(later); n != 0 {
		t.Errorf("%v samples are left after Reset", n)
	}
}

func TestConcurrent(t *testing.T) {
	var h latency.Histogram
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 1000 {
				h.Record(start, time.Duration(i)*time.Microsecond)
				h.Quantile(start, 0.9, 1)
			}
		})
	}
	wg.Wait()
	if n := h.Count(start); n != 8000 {
		t.Errorf("%v samples, want 8000", n)
	}
}

// Quantiles are within about 3 % of what was recorded.
func ExampleHistogram() {
	var h latency.Histogram
	now := time.Now()
	for ms := 1; ms <= 100; ms++ {
		h.Record(now, time.Duration(ms)*time.Millisecond)
	}
	p95, ok := h.Quantile(now, 0.95, 100)
	fmt.Println(ok, p95.Round(5*time.Millisecond))
	// Output: true 95ms
}
