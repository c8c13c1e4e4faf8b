package pipeline_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
	"pgregory.net/rapid"
)

// bubble hides the test's Deadline, which may not be asked for in a bubble.
type bubble struct{ rapid.TB }

// anyAnswer is any response after any time, or any fault.
func anyAnswer(t *rapid.T) answer {
	d := time.Duration(rapid.SampledFrom([]int{0, 1, 50, 999, 1000, 1001, 5000}).Draw(t, "takes")) * ms
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return after(d, status(200))
	case 1:
		hint := rapid.SampledFrom([]string{"", "0", "1", "3600", "-1", "x"}).Draw(t, "hint")
		code := rapid.SampledFrom([]int{404, 408, 409, 429, 500, 503}).Draw(t, "status")
		return after(d, status(code, "Retry-After", hint))
	case 2:
		return after(d, broken(retry.Class{Set: policy.ResetErrors}))
	case 3:
		return after(d, broken(retry.Class{Set: policy.ConnectErrors, Unsent: true}))
	case 4:
		return after(d, broken(retry.Class{}))
	}
	return after(time.Hour, status(200))
}

// anyPolicy is any policy of all primitives.
func anyPolicy(t *rapid.T) policy.Client {
	span := func(name string) time.Duration {
		return time.Duration(rapid.SampledFrom([]int{1, 50, 1000, 3000}).Draw(t, name)) * ms
	}
	c := base()
	c.Effect = policy.Effect(rapid.IntRange(0, 2).Draw(t, "effect"))
	c.Timeout.Attempt, c.Timeout.Floor = span("attempt"), time.Duration(rapid.IntRange(0, 10).Draw(t, "floor"))*ms
	c.Timeout.Total = rapid.SampledFrom([]time.Duration{policy.Computed, policy.None, span("total")}).Draw(t, "which total")
	c.Retry.MaxAttempts = rapid.IntRange(0, 4).Draw(t, "tries")
	c.Retry.Jitter = policy.Jitter(rapid.IntRange(0, 3).Draw(t, "jitter"))
	if rapid.Bool().Draw(t, "deadline") {
		c.Deadline = &policy.Deadline{Propagate: true, Reserve: 20 * ms}
	}
	if rapid.Bool().Draw(t, "bulkhead") {
		c.Bulkhead = &policy.Bulkhead{MaxConcurrent: 1, Queue: 1, Timeout: span("queue")}
	}
	if rapid.Bool().Draw(t, "breaker") {
		c.Breaker = oneTry().Breaker
		c.Breaker.FailureThreshold = rapid.IntRange(1, 3).Draw(t, "threshold")
	}
	if rapid.Bool().Draw(t, "rate limit") {
		c.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 1, Per: time.Second, Burst: 2, Wait: policy.None}}}
	}
	return c
}

// Whatever the policy and whatever the server does: the call ends within its
// total and its caller's deadline, makes no try too many, numbers them in order,
// frees what it does not return, and says how it ended.
func TestAnyCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(bubble{t}, func(rt *rapid.T) {
			c := anyPolicy(rt)
			p := make1(c)
			for range rapid.IntRange(1, 4).Draw(rt, "calls") {
				answers := make([]answer, rapid.IntRange(1, 5).Draw(rt, "answers"))
				for i := range answers {
					answers[i] = anyAnswer(rt)
				}
				within := time.Duration(rapid.SampledFrom([]int{1, 30, 700, 60000}).Draw(rt, "within")) * ms
				checkCall(t.Context(), rt, c, p, serve(answers...), within)
			}
		})
	})
}

func checkCall(ctx context.Context, t *rapid.T, c policy.Client, p *pipeline.Pipeline, s *server, within time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	keyed := rapid.Bool().Draw(t, "keyed")
	call := &pipeline.Call{Replayable: true}
	if keyed {
		call.Key = "k"
	}
	begin := time.Now()
	o := p.Do(ctx, call, s)
	took := time.Since(begin)
	if total := c.Timeout.EffectiveTotal(c.Retry); took > within || total != policy.None && took > total {
		t.Fatalf("took %v of %v and a total of %v", took, within, total)
	}
	tries := max(1, c.Retry.MaxAttempts)
	last := 0
	for _, a := range s.attempts {
		if a.Number != last+1 && a.Number != max(1, last) {
			t.Fatalf("numbers %v", s.numbers())
		}
		last = a.Number
		if a.Timeout > c.Timeout.Attempt || a.Timeout < c.Timeout.Floor {
			t.Fatalf("a try of %v", a.Timeout)
		}
	}
	if o.Attempts != last || last > tries {
		t.Fatalf("%d tries, numbers %v, at most %d", o.Attempts, s.numbers(), tries)
	}
	kept := 0
	if len(s.attempts) > 0 && !o.Discarded {
		kept = 1
	}
	if s.discards+kept != len(s.attempts) {
		t.Fatalf("%d sent, %d discarded, %d returned", len(s.attempts), s.discards, kept)
	}
	if (o.Fault == nil) != (o.Result.Err == nil && o.Result.Status == 200 && !o.Discarded) {
		t.Fatalf("%+v, %v", o.Result, o.Fault)
	}
	if f := o.Fault; f != nil && (f.Kind == fault.Other || len(s.attempts) == 0 && f.Effect != fault.Safe) {
		t.Fatalf("%+v", f)
	}
	if c.Effect == policy.Write && !keyed && last > 1 && c.Retry.Safety == policy.SafetyEffect {
		// Each try but the last one was refused, or never left.
		for i, at := range s.attempts[:len(s.attempts)-1] {
			if !s.harmless[i] {
				t.Fatalf("a write was repeated after try %d", at.Number)
			}
		}
	}
	if load := p.BulkheadForTest(); load.Running != 0 || load.Waiting != 0 {
		t.Fatalf("left behind: %+v", load)
	}
}
