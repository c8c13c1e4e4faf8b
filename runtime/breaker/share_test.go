package breaker_test

import (
	"slices"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/breaker"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// What others tell opens a closed breaker, no longer than its own policy does, and then it
// probes as one that has opened by itself.
func TestOpenUntil(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var got []observe.BreakerChange
	made := func(longest time.Duration) *breaker.Breaker {
		got = nil
		return breaker.New(policy.Breaker{Window: policy.Window{Count: 4}, FailureThreshold: 1, Recovery: 10 * time.Second, MaxRecovery: longest, Probes: 1},
			breaker.Options{Name: "pets", OnChange: func(e observe.BreakerChange) { got = append(got, e) }, Random: func() float64 { return 0 }})
	}
	for _, c := range []struct{ says, longest, want time.Duration }{
		{5 * time.Second, 0, 5 * time.Second},
		{time.Hour, 0, 11 * time.Second},
		{time.Hour, time.Minute, 66 * time.Second},
	} {
		b := made(c.longest)
		b.OpenUntil(now, now.Add(c.says))
		want := []observe.BreakerChange{{Name: "pets", Group: "pets", To: observe.Open, At: now, Until: now.Add(c.want), Shared: true}}
		if !slices.Equal(got, want) || b.Ready(now.Add(c.want-1)) || !b.Ready(now.Add(c.want)) {
			t.Errorf("for %v: %+v, want %+v", c.says, got, want)
		}
	}
	b := made(0)
	b.OpenUntil(now, now)
	b.OpenUntil(now, now.Add(-time.Second))
	if b.State() != observe.Closed || got != nil {
		t.Errorf("what is over opens it: %+v", got)
	}
	b.OpenUntil(now, now.Add(5*time.Second))
	b.OpenUntil(now, now.Add(10*time.Second))
	p, ok := b.Allow(now.Add(5*time.Second), time.Time{})
	if !ok {
		t.Fatal("an open one was told once more, and stayed open longer")
	}
	b.OpenUntil(now.Add(5*time.Second), now.Add(time.Minute))
	if b.State() != observe.HalfOpen {
		t.Error("a probe under way was cut off")
	}
	b.Done(p, breaker.Failure, now.Add(5*time.Second))
	if last := got[len(got)-1]; last.To != observe.Open || last.Shared || !last.Until.Equal(now.Add(15*time.Second)) {
		t.Errorf("after a probe of its own: %+v", last)
	}
}
