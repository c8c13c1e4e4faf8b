package deadline_test

import (
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/latency"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"pgregory.net/rapid"
)

// observe gives as many tries of the same time.
func observe(a *deadline.Adaptive, now time.Time, n int, took time.Duration) {
	for range n {
		a.Answered(now, took)
	}
}

// within reports whether d is the value or up to twice the histogram's error above it.
func within(d, value time.Duration) bool {
	return d >= value && float64(d) <= float64(value)*(1+latency.MaxError)*(1+latency.MaxError)
}

func TestAdaptiveAttempt(t *testing.T) {
	written := policy.Timeout{Attempt: time.Second, Floor: 5 * time.Millisecond, Ceiling: 2 * time.Second, Headroom: 1.2}
	tests := map[string]struct {
		samples int
		took    time.Duration
		change  func(*policy.Timeout)
		reserve time.Duration
		want    time.Duration
		exact   bool
	}{
		"as written until enough is known":  {99, 100 * time.Millisecond, nil, 0, time.Second, true},
		"the quantile with headroom":        {100, 100 * time.Millisecond, nil, 0, 120 * time.Millisecond, false},
		"no headroom":                       {100, 100 * time.Millisecond, func(p *policy.Timeout) { p.Headroom = 0 }, 0, 100 * time.Millisecond, false},
		"the reserve is on top":             {100, 100 * time.Millisecond, nil, 20 * time.Millisecond, 140 * time.Millisecond, false},
		"the ceiling":                       {100, 3 * time.Second, nil, 20 * time.Millisecond, 2 * time.Second, true},
		"without a ceiling the attempt":     {100, 3 * time.Second, func(p *policy.Timeout) { p.Ceiling = 0 }, 0, time.Second, true},
		"the floor":                         {100, time.Millisecond, nil, 0, 5 * time.Millisecond, true},
		"the floor leaves room to send":     {100, time.Microsecond, nil, 20 * time.Millisecond, 25 * time.Millisecond, true},
		"no bound of its own, not yet":      {99, time.Second, func(p *policy.Timeout) { p.Attempt, p.Ceiling = 0, 0 }, 0, 0, true},
		"no bound of its own, then learned": {100, 10 * time.Second, func(p *policy.Timeout) { p.Attempt, p.Ceiling = 0, 0 }, 0, 12 * time.Second, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var a deadline.Adaptive
			now, p := time.Unix(1e9, 0), written
			if tt.change != nil {
				tt.change(&p)
			}
			observe(&a, now, tt.samples, tt.took)
			got := a.Attempt(now, &p, tt.reserve)
			if ok := got == tt.want; tt.exact && !ok || !tt.exact && !within(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

// One slow try in a hundred is more than the 99.9th percentile leaves out, one in two
// thousand is less.
func TestAdaptiveTail(t *testing.T) {
	p := policy.Timeout{Attempt: time.Minute}
	now := time.Unix(1e9, 0)
	var often, seldom deadline.Adaptive
	observe(&often, now, 99, 100*time.Millisecond)
	observe(&often, now, 1, time.Second)
	observe(&seldom, now, 1999, 100*time.Millisecond)
	observe(&seldom, now, 1, time.Second)
	if got := often.Attempt(now, &p, 0); !within(got, time.Second) {
		t.Errorf("%v, want a second", got)
	}
	if got := seldom.Attempt(now, &p, 0); !within(got, 100*time.Millisecond) {
		t.Errorf("%v, want 100 ms", got)
	}
}

// A dependency that becomes slower than what was learnt cuts every try off. The bound
// doubles until it fits again, and falls back when the dependency has been fast for long.
func TestAdaptiveFollows(t *testing.T) {
	var a deadline.Adaptive
	p := policy.Timeout{Attempt: 10 * time.Second, Floor: time.Millisecond}
	now := time.Unix(1e9, 0)
	observe(&a, now, 1000, 100*time.Millisecond)
	now = now.Add(time.Second)
	tries := 0
	for ; ; tries++ {
		bound := a.Attempt(now, &p, 0)
		if bound >= 2*time.Second {
			break
		}
		if tries == 20 {
			t.Fatalf("after %d tries that were cut off, the bound is %v", tries, bound)
		}
		a.Expired(now, bound)
		now = now.Add(time.Second)
	}
	if tries > 10 { // 100 ms doubles five times, each time once two samples are over it
		t.Errorf("%d tries were cut off on the way from 100 ms to 2 s", tries)
	}
	for range 2 * 60 {
		now = now.Add(time.Minute)
		observe(&a, now, 60, 100*time.Millisecond)
	}
	if got := a.Attempt(now.Add(time.Second), &p, 0); !within(got, 100*time.Millisecond) {
		t.Errorf("after two fast hours %v, want 100 ms", got)
	}
}

// Whatever was observed, the bound is between floor and ceiling, or as written.
func TestAdaptiveBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a deadline.Adaptive
		span := rapid.Int64Range(0, 1<<62)
		floor := rapid.Int64Range(0, int64(time.Second)).Draw(t, "floor")
		ceiling := rapid.Int64Range(floor+int64(time.Second), 1<<62).Draw(t, "ceiling")
		p := policy.Timeout{
			Attempt: time.Duration(rapid.Int64Range(floor, ceiling).Draw(t, "attempt")),
			Floor:   time.Duration(floor), Ceiling: time.Duration(ceiling), Headroom: rapid.Float64Range(1, 100).Draw(t, "headroom"),
		}
		reserve := time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "reserve"))
		now := time.Unix(1e9, 0)
		for range rapid.IntRange(0, 150).Draw(t, "tries") {
			if d := time.Duration(span.Draw(t, "took")); d%2 == 0 {
				a.Answered(now, d)
			} else {
				a.Expired(now, d)
			}
		}
		if got := a.Attempt(now, &p, reserve); got < p.Floor || got > p.Ceiling {
			t.Fatalf("%v is not within %v to %v", got, p.Floor, p.Ceiling)
		}
	})
}
