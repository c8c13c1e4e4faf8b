package breaker_test

import (
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/breaker"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"pgregory.net/rapid"
)

// event is one call in the oracle, which keeps them all.
type event struct {
	part   int64
	failed bool
}

// sum counts the events that keep holds for.
func sum(list []event, keep func(i int, e event) bool) (calls, failures int) {
	for i, e := range list {
		if !keep(i, e) {
			continue
		}
		calls++
		if e.failed {
			failures++
		}
	}
	return calls, failures
}

// oracle decides from the whole list whether a breaker has to be open.
func oracle(p policy.Breaker, list []event) bool {
	lastCalls := func(i int, _ event) bool { return i >= len(list)-p.Window.Count }
	current := list[len(list)-1].part
	lastTime := func(_ int, e event) bool { return e.part > current-10 }
	keep := lastTime
	if p.Window.Count > 0 {
		keep = lastCalls
	}
	calls, failures := sum(list, keep)
	if p.FailureRate > 0 {
		return calls >= p.MinCalls && float64(failures) >= p.FailureRate*float64(calls)
	}
	if failures < p.FailureThreshold {
		return false
	}
	if p.Window.Count > 0 && p.MinTime > 0 {
		calls, failures = sum(list, lastTime)
		return failures*p.Window.Count >= p.FailureThreshold*calls
	}
	return true
}

func TestWindowAgainstList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := policy.Breaker{Recovery: time.Hour}
		part := time.Second
		if rapid.Bool().Draw(t, "by count") {
			p.Window.Count = rapid.IntRange(1, 130).Draw(t, "count")
			if rapid.Bool().Draw(t, "with minTime") {
				p.MinTime = 10 * part
			}
		} else {
			p.Window.Time = 10 * part
		}
		most := 40
		if p.Window.Count > 0 {
			most = p.Window.Count
		}
		if rapid.Bool().Draw(t, "by rate") {
			p.FailureRate = rapid.SampledFrom([]float64{0.1, 0.25, 0.5, 1}).Draw(t, "rate")
			p.MinCalls = rapid.IntRange(1, most).Draw(t, "minCalls")
		} else {
			p.FailureThreshold = rapid.IntRange(1, most).Draw(t, "threshold")
		}
		b := breaker.New(p, breaker.Options{})
		var list []event
		now := start
		rare := rapid.IntRange(1, 6).Draw(t, "a failure in")
		for i := range rapid.IntRange(1, 400).Draw(t, "calls") {
			// The first call is the zero of the parts' numbers.
			if i > 0 {
				now = now.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 0, 1, 250, 999, 1000, 5000, 30000}).Draw(t, "ms")) * time.Millisecond)
			}
			failed := rapid.IntRange(1, rare).Draw(t, "kind") == 1
			permit, ok := b.Allow(now, time.Time{})
			if !ok {
				t.Fatal("refused while closed")
			}
			result := breaker.Success
			if failed {
				result = breaker.Failure
			}
			b.Done(permit, result, now)
			list = append(list, event{int64(now.Sub(start) / part), failed})
			want := oracle(p, list)
			if got := b.State() == observe.Open; got != want {
				t.Fatalf("%+v, call %d: open %v, want %v", p, i+1, got, want)
			}
			if want {
				return
			}
		}
	})
}
