package retry_test

import (
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

func TestSetPolicyOfABudget(t *testing.T) {
	begin := time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)
	b := retry.NewBudget(policy.Budget{Ratio: 0.1, Window: 10 * time.Second}, begin)
	for range 10 {
		b.First(begin)
	}
	take := func() (n int) {
		for b.Take(begin) {
			n++
		}
		return n
	}
	if n := take(); n != 1 {
		t.Fatalf("%d retries for ten first tries at 0.1", n)
	}
	b.SetPolicy(policy.Budget{Ratio: 0.5, Window: 10 * time.Second}, begin)
	if n := take(); n != 4 {
		t.Errorf("%d more retries at 0.5, want 4: the window's tries and the retry paid count on", n)
	}
	b.SetPolicy(policy.Budget{Ratio: 0.5, Window: 20 * time.Second}, begin)
	if n := take(); n != 0 {
		t.Errorf("%d retries in a window of another length, want 0: it begins anew", n)
	}
	b.First(begin)
	b.First(begin)
	if n := take(); n != 1 {
		t.Errorf("%d retries for two first tries at 0.5", n)
	}
	// Tokens that were not there before do not come with the change.
	b.SetPolicy(policy.Budget{MinPerSecond: 10, Window: 20 * time.Second}, begin)
	if n := take(); n != 0 {
		t.Errorf("%d retries of a bucket that was empty", n)
	}
	if !b.Take(begin.Add(100*time.Millisecond)) || b.Take(begin.Add(100*time.Millisecond)) {
		t.Error("a tenth of a second at ten a second is one retry")
	}
	if got := b.Policy().MinPerSecond; got != 10 {
		t.Errorf("policy %v", got)
	}
}

func TestSetPolicyOfABudgetInUse(t *testing.T) {
	b := retry.NewBudget(policy.Budget{Ratio: 0.2, MinPerSecond: 10, Window: 10 * time.Second}, time.Now())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 500 {
				b.First(time.Now())
				b.Take(time.Now())
			}
		})
	}
	for i := range 100 {
		b.SetPolicy(policy.Budget{Ratio: 0.2, MinPerSecond: 10, Window: time.Duration(1+i%3) * time.Second}, time.Now())
	}
	wg.Wait()
}
