package retry_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// What is told to be left is exactly what can be taken.
func TestBudgetStats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		b := retry.NewBudget(policy.Budget{
			Ratio: rapid.SampledFrom([]float64{0, 0.1, 0.2, 1}).Draw(t, "ratio"), MinPerSecond: float64(rapid.IntRange(0, 3).Draw(t, "floor")), Window: 10 * time.Second,
		}, now)
		firsts := rapid.IntRange(0, 50).Draw(t, "firsts")
		for range firsts {
			b.First(now)
		}
		for range rapid.IntRange(0, 3).Draw(t, "taken") {
			b.Take(now)
		}
		now = now.Add(time.Duration(rapid.IntRange(0, 2000).Draw(t, "ms")) * time.Millisecond)
		s := b.Stats(now)
		if s.Firsts != float64(firsts) {
			t.Errorf("%v first tries, want %d", s.Firsts, firsts)
		}
		n := 0
		for b.Take(now) {
			n++
		}
		if float64(n) != s.Left {
			t.Errorf("%v left, and %d were taken", s.Left, n)
		}
		if left := b.Stats(now).Left; left != 0 {
			t.Errorf("%v left of nothing", left)
		}
	})
}
