package retry_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
	"pgregory.net/rapid"
)

var start = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)

func TestBudget(t *testing.T) {
	b := retry.NewBudget(policy.Budget{Ratio: 0.2, MinPerSecond: 2, Window: 10 * time.Second}, start)
	take := func(now time.Time, want int) {
		t.Helper()
		got := 0
		for b.Take(now) {
			got++
		}
		if got != want {
			t.Errorf("%v: %d retries, want %d", now.Sub(start), got, want)
		}
	}
	take(start, 2) // the bucket is full in the beginning
	for range 24 {
		b.First(start)
	}
	take(start, 4)                             // 0.2 of 24
	take(start.Add(500*time.Millisecond), 1)   // the quota refills
	take(start.Add(10500*time.Millisecond), 2) // the bucket, full again; the first tries are forgotten
	b.First(start.Add(11 * time.Second))
	take(start.Add(11*time.Second), 1) // a fifth of one pays nothing; half a second has refilled one
}

func TestBudgetWithoutFloor(t *testing.T) {
	b := retry.NewBudget(policy.Budget{Ratio: 0.1, Window: 10 * time.Second}, start)
	if b.Take(start) {
		t.Error("a retry from nothing")
	}
	for range 30 {
		b.First(start)
	}
	got := 0
	for b.Take(start) {
		got++
	}
	if got != 3 { // 0.1*30 is 3.0000000000000004 or 2.9999…
		t.Errorf("%d, want 3", got)
	}
}

// The oracle keeps every event and counts anew each time.
func TestBudgetAgainstList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ratio := rapid.SampledFrom([]float64{0, 0.1, 0.2, 0.25, 0.5, 1, 2}).Draw(t, "ratio")
		perSecond := rapid.SampledFrom([]float64{0, 0.5, 1, 2, 8}).Draw(t, "min")
		b := retry.NewBudget(policy.Budget{Ratio: ratio, MinPerSecond: perSecond, Window: 10 * time.Second}, start)
		var firsts, paid []int64 // numbers of slices
		size := perSecond
		if perSecond > 0 {
			size = max(1, perSecond)
		}
		tokens, filled, now := size, start, start
		within := func(list []int64, e int64) (n float64) {
			for _, at := range list {
				if at > e-10 && at <= e {
					n++
				}
			}
			return n
		}
		t.Repeat(map[string]func(*rapid.T){
			"pass": func(t *rapid.T) {
				// Multiples of 1/8 s keep the oracle's sums exact.
				now = now.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "eighths")) * time.Second / 8)
			},
			"first": func(*rapid.T) {
				b.First(now)
				firsts = append(firsts, int64(now.Sub(start)/time.Second))
			},
			"take": func(t *rapid.T) {
				e := int64(now.Sub(start) / time.Second)
				want := false
				if ratio*within(firsts, e)-within(paid, e)+1e-9 >= 1 {
					want = true
					paid = append(paid, e)
				} else {
					tokens = min(size, tokens+perSecond*now.Sub(filled).Seconds())
					filled = now
					if tokens+1e-9 >= 1 {
						want = true
						tokens--
					}
				}
				if got := b.Take(now); got != want {
					t.Fatalf("Take at %v = %v, want %v", now.Sub(start), got, want)
				}
			},
		})
	})
}

// However many callers there are, the retries stay within the budget.
func TestBudgetConcurrent(t *testing.T) {
	b := retry.NewBudget(policy.Budget{Ratio: 0.2, Window: 10 * time.Second}, start)
	var taken atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				b.First(start)
				if b.Take(start) {
					taken.Add(1)
				}
			}
		})
	}
	wg.Wait()
	for b.Take(start) {
		taken.Add(1)
	}
	if taken.Load() != 1600 {
		t.Errorf("%d retries for 8000 first tries, want 1600", taken.Load())
	}
}

func TestBudgetSurvivesClockSteps(t *testing.T) {
	b := retry.NewBudget(policy.Budget{Ratio: 1, MinPerSecond: 1, Window: 10 * time.Second}, start)
	b.First(start.Add(-time.Hour))
	if !b.Take(start.Add(-2 * time.Hour)) {
		t.Error("the first try does not count")
	}
	if !b.Take(start.Add(-time.Hour)) || b.Take(start.Add(-time.Minute)) {
		t.Error("the bucket")
	}
	if !b.Take(start.Add(time.Hour)) {
		t.Error("the bucket does not refill")
	}
}

func TestSignal(t *testing.T) {
	var none *retry.Signal
	none.Set()
	if none.Exhausted() || retry.SignalOf(t.Context()) != nil {
		t.Error("a signal from nowhere")
	}
	var s retry.Signal
	retry.SignalOf(retry.WithSignal(t.Context(), &s)).Set()
	if !s.Exhausted() {
		t.Error("not set")
	}
}

// A fifth of the first tries may be repeated.
func ExampleBudget() {
	now := time.Now()
	b := retry.NewBudget(policy.Budget{Ratio: 0.2, Window: 10 * time.Second}, now)
	for range 10 {
		b.First(now)
	}
	fmt.Println(b.Take(now), b.Take(now), b.Take(now))
	// Output: true true false
}
