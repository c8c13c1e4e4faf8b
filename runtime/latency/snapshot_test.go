package latency_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/runtime/latency"
)

// What reads a snapshot finds the samples within the bounds that its comment gives, and
// the quantiles that the histogram tells.
func TestSnapshotHoldsTheSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Int64Range(0, int64(latency.Max)-1), 1, 200).Draw(t, "samples")
		var h latency.Histogram
		for _, d := range samples {
			h.Record(start, time.Duration(d))
		}
		s := h.Snapshot(start)
		sum := 0.0
		for i, b := range s.Buckets {
			low := b.UpTo - time.Duration(math.Ceil(float64(b.UpTo)/17))
			if b.UpTo <= 16384 {
				low = b.UpTo - 1024
			}
			n := 0
			for _, d := range samples {
				if time.Duration(d) < b.UpTo && (i == 0 || time.Duration(d) >= s.Buckets[i-1].UpTo) {
					n++
					if time.Duration(d) < low {
						t.Errorf("%d is in the bucket up to %v, which begins at %v at the lowest", d, b.UpTo, low)
					}
				}
			}
			if float64(n) != b.Count {
				t.Errorf("up to %v: %v samples, want %d", b.UpTo, b.Count, n)
			}
			sum += b.Count
		}
		if sum != s.Samples || int(s.Recorded) != len(samples) || sum != float64(len(samples)) {
			t.Errorf("buckets hold %v, samples %v, recorded %d, want %d", sum, s.Samples, s.Recorded, len(samples))
		}
		for share, got := range map[float64]time.Duration{0.5: s.P50, 0.9: s.P90, 0.95: s.P95, 0.99: s.P99, 0.999: s.P999} {
			if want, _ := h.Quantile(start, share, 0); got != want {
				t.Errorf("quantile %v: %v, want %v", share, got, want)
			}
		}
	})
}

// Samples fade, and the number of those recorded does not.
func TestSnapshotAges(t *testing.T) {
	var h latency.Histogram
	for range 4 {
		h.Record(start, time.Millisecond)
	}
	s := h.Snapshot(start.Add(latency.DefaultHalfLife))
	if s.Samples != 2 || s.Recorded != 4 || len(s.Buckets) != 1 || s.Buckets[0].Count != 2 {
		t.Errorf("%v", s)
	}
	h.Reset()
	if got, want := h.Snapshot(start).String(), `{"samples":0,"recorded":0}`; got != want {
		t.Errorf("empty: %s, want %s", got, want)
	}
	h.Record(start, 2*latency.Max)
	if b := h.Snapshot(start).Buckets; len(b) != 1 || b[0].UpTo != latency.Max {
		t.Errorf("the longest: %v, want up to %v", b, latency.Max)
	}
}

func TestSnapshotJSON(t *testing.T) {
	var h latency.Histogram
	h.Record(start, 10*time.Millisecond)
	data, err := json.Marshal(h.Snapshot(start))
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Samples  float64 `json:"samples"`
		Recorded int     `json:"recorded"`
		P999     string  `json:"p999"`
		Buckets  []struct {
			UpTo  string  `json:"upTo"`
			Count float64 `json:"count"`
		} `json:"buckets"`
	}
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	if read.Samples != 1 || read.Recorded != 1 || len(read.Buckets) != 1 || read.Buckets[0].Count != 1 {
		t.Fatalf("%s", data)
	}
	for _, text := range []string{read.P999, read.Buckets[0].UpTo} {
		if d, err := time.ParseDuration(text); err != nil || d < 10*time.Millisecond*15/16 || d > 10*time.Millisecond*17/16 {
			t.Errorf("%s: %v, %v", text, d, err)
		}
	}
}

func ExampleHistogram_Snapshot() {
	var h latency.Histogram
	h.Record(time.Now(), 10*time.Millisecond)
	s := h.Snapshot(time.Now())
	fmt.Println(s.Recorded, s.P999.Round(time.Millisecond))
	// Output: 1 10ms
}
