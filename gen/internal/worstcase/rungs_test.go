package worstcase_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/gen/internal/worstcase"
	"github.com/holdfast-go/holdfast/runtime/fallback"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// The tries get the total less the reserves of the remote rungs; a rung's timeout
// takes the place of the reserve, and local rungs take no time.
func TestRungs(t *testing.T) {
	c := policy.Client{
		Effect: policy.Read, Timeout: timeout(3*time.Second, 10*time.Second), Retry: userFacing(),
		Fallback: &policy.Fallback{After: policy.AfterTimeout, Reserve: time.Second, Rungs: []policy.Rung{
			{Kind: policy.RungServer, Name: "eu", Timeout: 2 * time.Second},
			{Kind: policy.RungOperation, Name: "getOld"},
			{Kind: policy.RungStatic},
		}},
	}
	line := worstcase.Play(&c, false, worstcase.Hang, worstcase.Longest)
	// 3 + 0.5 + 3 fit the 7 that are left of 10
	if line.End != 6500*ms-1 || len(line.Attempts) != 2 {
		t.Errorf("%d tries until %v", len(line.Attempts), line.End)
	}
	want := []worstcase.Rung{
		{Kind: policy.RungServer, Name: "eu", Start: line.End, End: line.End + 2*time.Second},
		{Kind: policy.RungOperation, Name: "getOld", Start: line.End + 2*time.Second, End: line.End + 3*time.Second},
		{Kind: policy.RungStatic, Start: line.End + 3*time.Second, End: line.End + 3*time.Second},
	}
	if diff := cmp.Diff(want, worstcase.Rungs(&c, line)); diff != "" {
		t.Error(diff)
	}
	// A computed total has the reserves on top: 3 + 0.5 + 3, and 2 + 1.
	c.Timeout.Total = policy.Computed
	if got := worstcase.BoundOf(&c, false); got.Limit != 9500*ms || got.Hanging != 6500*ms-1 {
		t.Errorf("%+v", got)
	}
	if got := worstcase.LoadOf(&c); got.Requests != 2 || got.Rungs != 2 {
		t.Errorf("%+v", got)
	}
	// A write may have taken effect: it is not carried out once more elsewhere.
	c.Effect, c.Timeout.Total = policy.Write, 10*time.Second
	rungs := worstcase.Rungs(&c, worstcase.Play(&c, false, worstcase.Hang, worstcase.Longest))
	if !rungs[0].Skipped || !rungs[1].Skipped || rungs[2].Skipped || rungs[2].Start != 3*time.Second {
		t.Errorf("%+v", rungs)
	}
	c.Fallback.After = policy.AfterBreakerOpen
	if worstcase.Rungs(&c, line) != nil {
		t.Error("a fallback for other failures only")
	}
}

// Rungs that hang take the time that the runtime's chain gives them.
func TestRungsAsTheRuntime(t *testing.T) {
	kinds := []policy.RungKind{policy.RungServer, policy.RungOperation, policy.RungHandler, policy.RungStatic, policy.RungCache, policy.RungQueue}
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(bubble{t}, func(rt *rapid.T) {
			span := func(name string, list ...int) time.Duration {
				return time.Duration(rapid.SampledFrom(list).Draw(rt, name)) * ms
			}
			c := policy.Client{
				Effect:  policy.Effect(rapid.IntRange(0, 2).Draw(rt, "effect")),
				Timeout: &policy.Timeout{Attempt: span("attempt", 50, 1000, 3000), Total: rapid.SampledFrom([]time.Duration{0, 2 * time.Second, 9 * time.Second}).Draw(rt, "total"), Share: 1},
				Retry:   userFacing(),
			}
			f := &policy.Fallback{After: policy.AfterTimeout, Reserve: span("reserve", 0, 1, 1000)}
			for range rapid.IntRange(1, 4).Draw(rt, "rungs") {
				f.Rungs = append(f.Rungs, policy.Rung{
					Kind: rapid.SampledFrom(kinds).Draw(rt, "kind"), Timeout: span("timeout", 0, 20, 2000), WhenUnknown: rapid.Bool().Draw(rt, "unknown"),
				})
			}
			c.Fallback = f
			line := worstcase.Play(&c, false, worstcase.Hang, worstcase.Longest)
			want := playRungs(t, &c, line)
			if diff := cmp.Diff(want, worstcase.Rungs(&c, line)); diff != "" {
				rt.Fatalf("(-runtime +computed):\n%s", diff)
			}
		})
	})
}

// playRungs lets the runtime's chain rescue a call that has hung; all rungs hang or
// fail.
func playRungs(t *testing.T, c *policy.Client, line worstcase.Timeline) []worstcase.Rung {
	t.Helper()
	begin := time.Now()
	failed := errors.New("fails")
	chain := fallback.Chain[int]{After: policy.AfterTimeout, Effect: c.Effect, Reserve: c.Fallback.Reserve}
	seen := make([]worstcase.Rung, len(c.Fallback.Rungs))
	for i := range c.Fallback.Rungs {
		r := &c.Fallback.Rungs[i]
		seen[i] = worstcase.Rung{Kind: r.Kind, Name: r.Name, Skipped: true}
		chain.Rungs = append(chain.Rungs, fallback.Rung[int]{
			Name: r.Kind.String(), Timeout: r.Timeout, Local: !r.Kind.Remote(), Repeats: r.Kind.Repeats(), WhenUnknown: r.WhenUnknown,
			Run: func(ctx context.Context, _ error) (int, error) {
				seen[i].Skipped, seen[i].Start = false, time.Since(begin)
				if _, bounded := ctx.Deadline(); bounded {
					<-ctx.Done()
				}
				seen[i].End = time.Since(begin)
				return 0, failed
			},
		})
	}
	if got, want := worstcase.Total(c)-chain.Reserved(worstcase.Total(c)), endOfTries(c); got != want {
		t.Fatalf("the call itself has %v, computed %v", got, want)
	}
	time.Sleep(line.End)
	cause := &fault.Error{Kind: fault.Timeout, Effect: fault.Unknown}
	_ = chain.Rescue(t.Context(), begin.Add(worstcase.Total(c)), cause)
	// One that is left out, for its effect or for want of time, starts nowhere.
	now := line.End
	for i := range seen {
		if seen[i].Skipped {
			seen[i].Start, seen[i].End = now, now
			r := &c.Fallback.Rungs[i]
			seen[i].Skipped = r.Kind.Repeats() && !r.WhenUnknown && !c.Effect.Repeatable()
		}
		now = seen[i].End
	}
	return seen
}

// endOfTries is what the tries have: a try without a bound of its own is cut there.
func endOfTries(c *policy.Client) time.Duration {
	probe := *c
	probe.Timeout = &policy.Timeout{Total: worstcase.Total(c)}
	probe.Retry = nil
	return worstcase.Play(&probe, false, worstcase.Hang, worstcase.Longest).End
}
