package breaker_test

import (
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/breaker"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

func TestStats(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, window := range map[string]policy.Window{"count": {Count: 10}, "time": {Time: 10 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			b := breaker.New(policy.Breaker{Window: window, FailureThreshold: 2, Recovery: time.Second, Probes: 2},
				breaker.Options{Random: func() float64 { return 0 }})
			call := func(at time.Time, r breaker.Result) {
				p, ok := b.Allow(at, time.Time{})
				if !ok {
					t.Fatal("refused")
				}
				b.Done(p, r, at)
			}
			check := func(want breaker.Stats) {
				t.Helper()
				if got := b.Stats(); got != want {
					t.Errorf("got %+v, want %+v", got, want)
				}
			}
			check(breaker.Stats{})
			call(now, breaker.Success)
			call(now, breaker.Failure)
			check(breaker.Stats{Calls: 2, Failures: 1})
			call(now, breaker.Failure)
			check(breaker.Stats{State: observe.Open, RetryAt: now.Add(time.Second)})
			later := now.Add(time.Second)
			call(later, breaker.Success)
			if _, ok := b.Allow(later, later.Add(time.Minute)); !ok {
				t.Fatal("no probe")
			}
			check(breaker.Stats{State: observe.HalfOpen, RetryAt: later.Add(time.Minute), Probes: 1, Succeeded: 1})
		})
	}
}
