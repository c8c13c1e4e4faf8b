package pipeline_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// spanKey is that of a value which a hook puts into the context of a try.
type spanKey struct{}

// Each try has a context of its own, which its request and its end have and the call does
// not; where nobody makes one it is the call's.
func TestAttemptContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		note := func(what string, ctx context.Context) { seen = append(seen, fmt.Sprint(what, ctx.Value(spanKey{}))) }
		hooks := &observe.Hooks{
			AttemptContext: func(ctx context.Context, e observe.AttemptStart) context.Context {
				if e.Method != http.MethodGet || e.Path != "/pets/{id}" || e.Host != "pets.test:80" || e.Op != "getPet" || e.Timeout != 10*time.Second {
					t.Errorf("%+v", e)
				}
				note("make ", ctx)
				return context.WithValue(ctx, spanKey{}, e.Number)
			},
			AttemptStart: func(ctx context.Context, _ observe.AttemptStart) { note("start ", ctx) },
			AttemptEnd:   func(ctx context.Context, _ observe.AttemptEnd) { note("end ", ctx) },
			Wait:         func(ctx context.Context, _ observe.Wait) { note("wait ", ctx) },
			CallEnd:      func(ctx context.Context, _ observe.CallEnd) { note("call ", ctx) },
		}
		p := pipeline.NewRegistry(pipeline.Settings{Hooks: hooks}).
			Pipeline(&policy.Spec{ID: "getPet", Method: "GET", Path: "/pets/{id}", Client: base()})
		s := serve(status(503), status(200))
		s.answers[1] = func(ctx context.Context, a pipeline.Attempt) pipeline.Result {
			note("try ", ctx)
			return status(200)(ctx, a)
		}
		call := replayable()
		call.Host = "pets.test:80"
		p.Do(t.Context(), call, s)
		want := []string{
			"make <nil>", "start 1", "end 1", "wait <nil>", "make <nil>", "start 2", "try 2", "end 2", "call <nil>",
		}
		if !slices.Equal(seen, want) {
			t.Errorf("got %q, want %q", seen, want)
		}
	})
}

// A stored result that a server gives again is told, and not that of a failure.
func TestReplayIsTold(t *testing.T) {
	var got []observe.Replay
	p := pipeline.NewRegistry(pipeline.Settings{Hooks: &observe.Hooks{
		Replay: func(_ context.Context, e observe.Replay) { got = append(got, e) },
	}}).Pipeline(&policy.Spec{ID: "pay", Client: base()})
	p.Do(t.Context(), replayable(), serve(status(201, "Idempotent-Replayed", "true")))
	p.Do(t.Context(), replayable(), serve(status(201)))
	p.Do(t.Context(), replayable(), serve(status(404, "Idempotent-Replayed", "true")))
	if want := []observe.Replay{{Op: "pay", Status: 201}}; !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A breaker by key has a name for logs that does not tell the key.
func TestBreakerGroup(t *testing.T) {
	var got []observe.BreakerChange
	r := pipeline.NewRegistry(pipeline.Settings{Hooks: &observe.Hooks{BreakerChange: func(e observe.BreakerChange) { got = append(got, e) }}})
	for _, keyed := range []bool{false, true} {
		c := base()
		c.Retry, c.Breaker = nil, breakerOf(policy.ScopeDependency, keyed)
		c.Breaker.FailureThreshold = 1
		p := r.Pipeline(&policy.Spec{ID: "getPet", Dependency: "petstore", Client: c})
		p.Do(t.Context(), &pipeline.Call{Lookup: tenant("acme")}, serve(status(503)))
	}
	if len(got) != 2 || got[0].Group != "petstore" || got[0].Name != "petstore" || got[1].Group != "petstore/key" || got[1].Name != "petstore/key/acme" {
		t.Errorf("%+v", got)
	}
}

// all are hooks of which each does nothing.
func all() *observe.Hooks {
	return &observe.Hooks{
		AttemptContext: func(ctx context.Context, _ observe.AttemptStart) context.Context { return ctx },
		AttemptStart:   func(context.Context, observe.AttemptStart) {},
		AttemptEnd:     func(context.Context, observe.AttemptEnd) {},
		Wait:           func(context.Context, observe.Wait) {},
		Reject:         func(context.Context, observe.Reject) {},
		Queued:         func(context.Context, observe.Queued) {},
		Hedge:          func(context.Context, observe.Hedge) {},
		Cache:          func(context.Context, observe.Cache) {},
		Fallback:       func(context.Context, observe.Fallback) {},
		BreakerChange:  func(observe.BreakerChange) {},
		Replay:         func(context.Context, observe.Replay) {},
		StoreFail:      func(context.Context, observe.StoreFail) {},
		CallEnd:        func(context.Context, observe.CallEnd) {},
		PolicyReload:   func(observe.PolicyReload) {},
	}
}

// watched is a pipeline of everything that a call passes, with some hooks.
func watched(h *observe.Hooks) *pipeline.Pipeline {
	c := base()
	c.Breaker = &policy.Breaker{Window: policy.Window{Count: 10}, FailureThreshold: 5, Recovery: 30 * time.Second}
	c.Bulkhead = &policy.Bulkhead{MaxConcurrent: 8, Queue: 8, Timeout: time.Second}
	return pipeline.NewRegistry(pipeline.Settings{Hooks: h}).Pipeline(&policy.Spec{ID: "getPet", Dependency: "petstore", Client: c})
}

// Events are plain values: hooks cost no allocation of their own, and none are no less.
func TestHooksAllocateNothing(t *testing.T) {
	for name, h := range map[string]*observe.Hooks{"nobody": nil, "nothing set": {}, "all set": all()} {
		p := watched(h)
		if n := testing.AllocsPerRun(200, func() { p.Do(context.Background(), &pipeline.Call{Replayable: true}, ok{}) }); n > 1 {
			t.Errorf("%s: %v allocations, want 1: the call itself", name, n)
		}
	}
}

// What listening costs, beside nobody.
func BenchmarkHooks(b *testing.B) {
	for _, c := range []struct {
		name  string
		hooks *observe.Hooks
	}{{"nobody", nil}, {"all", all()}} {
		b.Run(c.name, func(b *testing.B) {
			p := watched(c.hooks)
			b.ReportAllocs()
			for b.Loop() {
				p.Do(b.Context(), &pipeline.Call{Replayable: true}, ok{})
			}
		})
	}
}
