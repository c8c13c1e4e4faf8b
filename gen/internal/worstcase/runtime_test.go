package worstcase_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/gen/internal/worstcase"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

const ms = time.Millisecond

// bubble hides the test's Deadline, which may not be asked for in a bubble.
type bubble struct{ rapid.TB }

// dependency fails every try in one way and notes when each came and went.
type dependency struct {
	begin time.Time
	fails worstcase.Failure
	seen  []worstcase.Attempt
}

// ages is when a hang without any bound is broken off: no policy here is so long.
const ages = 1000 * time.Hour

var errFails = errors.New("fails")

func (d *dependency) Try(ctx context.Context, a pipeline.Attempt) pipeline.Result {
	at := worstcase.Attempt{Number: a.Number, Start: time.Since(d.begin), Granted: a.Timeout}
	r := pipeline.Result{Status: d.fails.Status, Class: d.fails.Class}
	if d.fails.Status == 0 {
		r.Err = errFails
	}
	if d.fails.Hangs {
		select {
		case <-ctx.Done():
			r.Err = ctx.Err()
		case <-time.After(ages):
		}
	}
	at.End = time.Since(d.begin)
	d.seen = append(d.seen, at)
	return r
}

func (d *dependency) Discard(pipeline.Result) {}

// played is what the runtime made of a call.
type played struct {
	Attempts []worstcase.Attempt
	End      time.Duration
	Counts   bool
}

// play makes one call through the runtime's pipeline in fake time.
func play(t *testing.T, c policy.Client, keyed bool, f worstcase.Failure, random func() float64) played {
	t.Helper()
	r := pipeline.NewRegistry(pipeline.Settings{Random: random})
	if c.Breaker == nil {
		// One failure opens it, which is how Counts is seen.
		c.Breaker = &policy.Breaker{Window: policy.Window{Count: 1}, FailureThreshold: 1, Recovery: time.Hour}
	}
	p := r.Pipeline(&policy.Spec{ID: "op", Dependency: "dep", Client: c})
	d := &dependency{begin: time.Now(), fails: f}
	call := &pipeline.Call{Replayable: true}
	if keyed {
		call.Key = "k"
	}
	_ = p.Do(t.Context(), call, d)
	out := played{Attempts: d.seen, End: time.Since(d.begin)}
	for _, state := range r.Breakers() {
		out.Counts = state.State == observe.Open
	}
	return out
}

// expected is the same from the computation.
func expected(line worstcase.Timeline) played {
	out := played{End: line.End, Counts: line.Counts}
	for _, a := range line.Attempts {
		a.Wait, a.Cut = 0, worstcase.CutNone
		out.Attempts = append(out.Attempts, a)
	}
	return out
}

func longest() float64 { return math.Nextafter(1, 0) }

func shortest() float64 { return 0 }

var ways = []worstcase.Failure{worstcase.Hang, worstcase.Unavailable, worstcase.TooMany, worstcase.Unreachable}

// compare plays each way to fail at both ends of the jitter.
func compare(t *testing.T, c policy.Client, keyed bool, fail func(format string, args ...any)) {
	t.Helper()
	for _, f := range ways {
		for jitter, random := range map[worstcase.Jitter]func() float64{worstcase.Longest: longest, worstcase.Shortest: shortest} {
			line := worstcase.Play(&c, keyed, f, jitter)
			if line.Stop == worstcase.StopNever {
				continue // the runtime would hang as well
			}
			want := play(t, c, keyed, f, random)
			if diff := cmp.Diff(want, expected(line)); diff != "" {
				fail("%s, keyed %v, jitter %v (-runtime +computed):\n%s", f.Name, keyed, jitter, diff)
			}
		}
	}
}

// userFacing is the retry of the built-in policy, by the language's section 7.
func userFacing() *policy.Retry {
	return &policy.Retry{
		MaxAttempts: 2, BaseDelay: 500 * ms, MaxDelay: 2 * time.Second,
		Statuses: policy.StatusSet(408, 425, 429, 500, 502, 503, 504), Errors: policy.AllErrors, MaxRetryAfter: time.Minute,
	}
}

func timeout(attempt, total time.Duration) *policy.Timeout {
	return &policy.Timeout{Attempt: attempt, Total: total, Floor: 5 * ms, Share: 1}
}

// tables are policies whose numbers are worked out by hand, from the formulas of
// the language: T = min(A, D - now), a wait begun only if now + wait + floor +
// reserve <= D, total = N*A + sum of min(maxDelay, baseDelay*2^(n-1)).
var tables = []struct {
	name   string
	client policy.Client
	keyed  bool
	// of a call that hangs, with the longest jitter
	tries   int
	end     time.Duration
	limit   time.Duration
	hanging time.Duration
	// of a call that fails at once
	requests int
}{
	{
		name:   "the built-in policy",
		client: policy.Client{Effect: policy.Read, Timeout: timeout(10*time.Second, 0), Retry: userFacing()},
		// 10 + 0.5 + 10
		tries: 2, end: 20500*ms - 1, limit: 20500 * ms, hanging: 20500*ms - 1, requests: 2,
	},
	{
		name:   "a write without a key is sent once",
		client: policy.Client{Timeout: timeout(10*time.Second, 0), Retry: userFacing()},
		tries:  1, end: 10 * time.Second, limit: 20500 * ms, hanging: 10 * time.Second,
		requests: 2, // 429 says that nothing was done
	},
	{
		name:   "a write with a key",
		client: policy.Client{Timeout: timeout(2*time.Second, 9*time.Second), Retry: userFacing(), Idempotency: &policy.Idempotency{Header: "Idempotency-Key"}},
		keyed:  true, tries: 2, end: 4500*ms - 1, limit: 9 * time.Second, hanging: 4500*ms - 1, requests: 2,
	},
	{
		name:   "a total that cuts the last try",
		client: policy.Client{Effect: policy.Read, Timeout: timeout(3*time.Second, 5*time.Second), Retry: userFacing()},
		// 3 + 0.5, then 1.5 of 3
		tries: 2, end: 5 * time.Second, limit: 5 * time.Second, hanging: 5 * time.Second, requests: 2,
	},
	{
		name: "a longest wait that does not fit, and a shorter one that does",
		client: policy.Client{Effect: policy.Read, Timeout: timeout(3*time.Second, 8*time.Second), Retry: &policy.Retry{
			MaxAttempts: 3, BaseDelay: time.Second, MaxDelay: 2 * time.Second, Statuses: policy.StatusSet(503), Errors: policy.AllErrors,
		}},
		// 3 + 1 + 3 = 7 and 2 more are 9; without jitter 3 + 3 + 2 of 3
		tries: 2, end: 7*time.Second - 1, limit: 8 * time.Second, hanging: 8 * time.Second, requests: 3,
	},
	{
		name:   "no retry",
		client: policy.Client{Effect: policy.Read, Timeout: timeout(10*time.Second, 0)},
		tries:  1, end: 10 * time.Second, limit: 10 * time.Second, hanging: 10 * time.Second, requests: 1,
	},
	{
		name: "a deadline's reserve counts for every try",
		client: policy.Client{
			Effect: policy.Read, Timeout: timeout(time.Second, 1520*ms), Deadline: &policy.Deadline{Propagate: true, Reserve: 20 * ms},
			Retry: &policy.Retry{MaxAttempts: 2, BaseDelay: 500 * ms, MaxDelay: 500 * ms, Jitter: policy.JitterNone, Errors: policy.AllErrors, Statuses: policy.StatusSet(503)},
		},
		// 1 + 0.5 leaves 20ms, and 25 are needed
		tries: 1, end: time.Second, limit: 1520 * ms, hanging: time.Second, requests: 2,
	},
	{
		name: "a bulkhead's hold is shorter than the try",
		client: policy.Client{
			Effect: policy.Read, Timeout: timeout(10*time.Second, 0), Retry: userFacing(),
			Bulkhead: &policy.Bulkhead{MaxConcurrent: 1, Hold: 4 * time.Second},
		},
		tries: 2, end: 8500*ms - 1, limit: 20500 * ms, hanging: 8500*ms - 1, requests: 2,
	},
	{
		name:   "nothing bounds it",
		client: policy.Client{Effect: policy.Read},
		tries:  1, limit: policy.None, hanging: policy.None, requests: 1,
	},
	{
		name: "no total, and parts that end",
		client: policy.Client{
			Effect: policy.Read, Timeout: timeout(time.Second, policy.None), Retry: userFacing(),
			Bulkhead: &policy.Bulkhead{MaxConcurrent: 1, Queue: 1, Timeout: 3 * time.Second},
		},
		// two tries of 1 after a queue of 3 each, between them a hint of 60 and 0.5
		tries: 2, end: 2500*ms - 1, limit: 68500 * ms, hanging: 2500*ms - 1, requests: 2,
	},
	{
		name: "a shadow retry and a shadow timeout",
		client: policy.Client{Effect: policy.Read, Timeout: &policy.Timeout{Mode: policy.Shadow, Attempt: time.Second, Floor: ms, Share: 1}, Retry: &policy.Retry{
			Mode: policy.Shadow, MaxAttempts: 3, Statuses: policy.StatusSet(503), Errors: policy.AllErrors,
		}},
		tries: 1, limit: policy.None, hanging: policy.None, requests: 1,
	},
}

func TestTables(t *testing.T) {
	for _, tt := range tables {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				compare(t, tt.client, tt.keyed, t.Errorf)
			})
			line := worstcase.Play(&tt.client, tt.keyed, worstcase.Hang, worstcase.Longest)
			if len(line.Attempts) != tt.tries || line.Stop != worstcase.StopNever && line.End != tt.end {
				t.Errorf("%d tries until %v, want %d until %v", len(line.Attempts), line.End, tt.tries, tt.end)
			}
			bound := worstcase.BoundOf(&tt.client, tt.keyed)
			if bound.Limit != tt.limit || bound.Hanging != tt.hanging {
				t.Errorf("limit %v, hanging %v; want %v, %v", bound.Limit, bound.Hanging, tt.limit, tt.hanging)
			}
			if (bound.Limit == policy.None) != (bound.Why != "") {
				t.Errorf("limit %v because of %q", bound.Limit, bound.Why)
			}
			if load := worstcase.LoadOf(&tt.client); load.Requests != tt.requests {
				t.Errorf("%d requests, want %d", load.Requests, tt.requests)
			}
		})
	}
}

// anyPolicy is any policy that bears on the tries of one call.
func anyPolicy(t *rapid.T) policy.Client {
	span := func(name string, list ...int) time.Duration {
		return time.Duration(rapid.SampledFrom(list).Draw(t, name)) * ms
	}
	c := policy.Client{Effect: policy.Effect(rapid.IntRange(0, 2).Draw(t, "effect"))}
	if rapid.IntRange(0, 9).Draw(t, "has timeout") > 0 {
		c.Timeout = &policy.Timeout{
			Mode: policy.Mode(rapid.IntRange(0, 9).Draw(t, "timeout mode") / 9), Attempt: span("attempt", 0, 1, 50, 999, 1000, 3000),
			Floor: span("floor", 0, 5, 100), Share: 1,
		}
		c.Timeout.Total = rapid.SampledFrom([]time.Duration{policy.Computed, policy.None, 5 * ms, 1500 * ms, 4 * time.Second, 9 * time.Second}).Draw(t, "total")
	}
	if rapid.Bool().Draw(t, "deadline") {
		c.Deadline = &policy.Deadline{Mode: policy.Mode(rapid.IntRange(0, 3).Draw(t, "deadline mode") / 3), Propagate: rapid.Bool().Draw(t, "propagate"), Reserve: span("reserve", 0, 20, 500)}
	}
	if rapid.IntRange(0, 4).Draw(t, "has retry") > 0 {
		base := span("base", 0, 1, 100, 500, 2000)
		c.Retry = &policy.Retry{
			Mode: policy.Mode(rapid.IntRange(0, 9).Draw(t, "retry mode") / 9), MaxAttempts: rapid.IntRange(0, 6).Draw(t, "tries"),
			BaseDelay: base, MaxDelay: base + span("more", 0, 1, 1000, 60000), Jitter: policy.Jitter(rapid.IntRange(0, 3).Draw(t, "jitter")),
			Statuses: policy.StatusSet(503), Errors: policy.ErrorSet(rapid.IntRange(0, 63).Draw(t, "errors")), Safety: policy.Safety(rapid.IntRange(0, 1).Draw(t, "safety")),
			PlanRetryAfter: rapid.Bool().Draw(t, "plan"), MaxRetryAfter: span("hint", 0, 2000),
		}
		if rapid.Bool().Draw(t, "429 too") {
			c.Retry.Statuses = policy.StatusSet(503, 429)
		}
		if rapid.Bool().Draw(t, "rule") {
			c.Retry.Rules = []policy.RetryRule{{
				Name: "r", Statuses: policy.StatusSet(rapid.SampledFrom([]int{429, 503}).Draw(t, "rule status")),
				Do: policy.Action(rapid.IntRange(0, 3).Draw(t, "do")), Wait: span("rule wait", 0, 700, 5000), Refused: rapid.Bool().Draw(t, "refused"),
			}}
		}
	}
	if rapid.Bool().Draw(t, "bulkhead") {
		c.Bulkhead = &policy.Bulkhead{MaxConcurrent: 1, Queue: 1, Timeout: time.Second, Hold: span("hold", 0, 20, 1200)}
	}
	return c
}

// Any policy: the times of each try, the end, the number of tries and what the
// breaker makes of it are those of the runtime.
func TestAnyPolicyAsTheRuntime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(bubble{t}, func(rt *rapid.T) {
			compare(t, anyPolicy(rt), rapid.Bool().Draw(rt, "keyed"), rt.Fatalf)
		})
	})
}

// Any policy and any jitter: no call is longer than its bounds and none makes more
// requests.
func TestAnyJitterIsWithinTheBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(bubble{t}, func(rt *rapid.T) {
			c := anyPolicy(rt)
			keyed := rapid.Bool().Draw(rt, "keyed")
			if keyed {
				c.Idempotency = &policy.Idempotency{Header: "Idempotency-Key", Required: true}
			}
			bound, load := worstcase.BoundOf(&c, keyed), worstcase.LoadOf(&c)
			random := func() float64 { return rapid.Float64Range(0, math.Nextafter(1, 0)).Draw(rt, "random") }
			for _, f := range ways {
				if worstcase.Play(&c, keyed, f, worstcase.Longest).Stop == worstcase.StopNever {
					continue
				}
				got := play(t, c, keyed, f, random)
				if f.Hangs && bound.Hanging >= 0 && got.End > bound.Hanging {
					rt.Fatalf("hangs until %v, computed %v", got.End, bound.Hanging)
				}
				if bound.Limit >= 0 && got.End > bound.Limit {
					rt.Fatalf("%s ends at %v, limit %v", f.Name, got.End, bound.Limit)
				}
				if f.Name != "connect" && len(got.Attempts) > load.Tries {
					rt.Fatalf("%s: %d tries, computed %d", f.Name, len(got.Attempts), load.Tries)
				}
			}
		})
	})
}

// The latest end of a hanging call is not only a bound: some jitter comes close to
// it.
func TestLatestEndIsReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := tables[4].client
		// 3s, no wait, 3s, and a wait just short enough for a try of the floor
		draws := []float64{0, 0.99}
		got := play(t, c, false, worstcase.Hang, func() float64 {
			r := draws[0]
			draws = draws[1:]
			return r
		})
		if want := worstcase.BoundOf(&c, false).Hanging; got.End != want {
			t.Errorf("ends at %v, want %v", got.End, want)
		}
	})
}
