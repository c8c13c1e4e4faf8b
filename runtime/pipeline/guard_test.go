package pipeline_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// values is a request as a table.
type values map[policy.Expr]string

func (v values) Lookup(e policy.Expr) (policy.Value, bool) {
	text, ok := v[e]
	return policy.Value{Text: text}, ok
}

// oneTry is base without retries, behind a breaker that three failures open.
func oneTry() policy.Client {
	c := base()
	c.Retry.MaxAttempts = 1
	c.Breaker = &policy.Breaker{Window: policy.Window{Count: 10}, FailureThreshold: 3, Recovery: 30 * time.Second, Probes: 1}
	return c
}

func registry() *pipeline.Registry {
	return pipeline.NewRegistry(pipeline.Settings{Random: func() float64 { return 0 }})
}

func state(t *testing.T, r *pipeline.Registry, name string) observe.BreakerState {
	t.Helper()
	for _, b := range r.Breakers() {
		if b.Name == name {
			return b.State
		}
	}
	t.Fatalf("no breaker %q in %+v", name, r.Breakers())
	return 0
}

func TestBreakerFailsFast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry()
		p := r.Pipeline(&policy.Spec{ID: "getPet", Dependency: "petstore", Client: oneTry()})
		for range 3 {
			_ = p.Do(t.Context(), replayable(), serve(status(503)))
		}
		s := serve(status(200))
		f := wantFault(t, p.Do(t.Context(), replayable(), s), fault.Error{Kind: fault.BreakerOpen, Effect: fault.Safe})
		if !errors.Is(f, fault.ErrBreakerOpen) || !f.RetryAt.Equal(time.Now().Add(30*time.Second)) || len(s.at) != 0 {
			t.Errorf("%v, RetryAt %v, %d sent", f, f.RetryAt, len(s.at))
		}
		if got, want := f.Error(), `getPet: breaker open: "petstore", next try in 30s (0 tries)`; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		time.Sleep(30 * time.Second)
		if o := p.Do(t.Context(), replayable(), s); o.Fault != nil || state(t, r, "petstore") != observe.Closed {
			t.Errorf("the probe: %v, %v", o.Fault, state(t, r, "petstore"))
		}
	})
}

// What counts as the dependency's failure, and what does not.
func TestBreakerResults(t *testing.T) {
	cancelled := func(ctx context.Context, _ pipeline.Attempt) pipeline.Result {
		return pipeline.Result{Err: context.Canceled}
	}
	tests := []struct {
		name    string
		call    pipeline.Options
		answer  answer
		within  time.Duration // of the caller's deadline; zero for none
		cancel  bool
		opens   bool
		success bool
	}{
		{name: "500", answer: status(500), opens: true},
		{name: "501", answer: status(501), opens: true},
		{name: "408", answer: status(408), opens: true},
		{name: "404", answer: status(404), success: true},
		{name: "429", answer: status(429)},
		{name: "200", answer: status(200), success: true},
		{name: "a transport fault", answer: broken(retry.Class{}), opens: true},
		{name: "an unknown host", answer: broken(retry.Class{Unsent: true}), opens: true},
		{name: "an attempt timeout", answer: after(time.Hour, status(200)), opens: true},
		{name: "a slow call", answer: after(9*time.Second, status(200)), opens: true},
		{name: "a call that is not slow", answer: after(8*time.Second, status(200)), success: true},
		{name: "the caller's short deadline", answer: after(time.Hour, status(200)), within: 999 * ms},
		{name: "the caller's fair deadline", answer: after(time.Hour, status(200)), within: time.Second, opens: true},
		{name: "a short total", call: pipeline.Options{Within: 999 * ms}, answer: after(time.Hour, status(200))},
		{name: "a short try that the caller wanted", call: pipeline.Options{PerTry: 100 * ms}, answer: after(time.Hour, status(200)), opens: true},
		{name: "a cancellation", answer: cancelled, cancel: true},
		{name: "a request that cannot be made", answer: func(context.Context, pipeline.Attempt) pipeline.Result {
			return pipeline.Result{Err: errors.New("x"), Kind: fault.Request}
		}},
		{name: "an answer that cannot be understood", answer: func(context.Context, pipeline.Attempt) pipeline.Result {
			return pipeline.Result{Status: 200, Err: errors.New("x"), Kind: fault.Response}
		}, success: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := registry()
				c := oneTry()
				c.Breaker.FailureThreshold, c.Breaker.SlowCall = 1, 8*time.Second
				p := r.Pipeline(&policy.Spec{ID: "getPet", Dependency: "petstore", Client: c})
				do := func() {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if tt.within > 0 {
						ctx, cancel = context.WithTimeout(ctx, tt.within)
						defer cancel()
					}
					call := replayable()
					call.Options = tt.call
					_ = p.Do(ctx, call, serve(func(inner context.Context, a pipeline.Attempt) pipeline.Result {
						if tt.cancel {
							cancel()
						}
						return tt.answer(inner, a)
					}))
				}
				do()
				if got := state(t, r, "petstore") == observe.Open; got != tt.opens {
					t.Fatalf("opened: %v, want %v", got, tt.opens)
				}
				if tt.opens {
					return
				}
				// A success closes a half-open breaker, what is ignored does not.
				_ = p.Do(t.Context(), replayable(), serve(status(500)))
				time.Sleep(30 * time.Second)
				do()
				if got := state(t, r, "petstore") == observe.Closed; got != tt.success {
					t.Errorf("closed by it: %v, want %v", got, tt.success)
				}
			})
		})
	}
}

// The loop stands inside the breaker: one outcome a call, and it stops when the
// breaker opens meanwhile.
func TestRetryInsideBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry()
		c := base()
		c.Breaker = oneTry().Breaker
		p := r.Pipeline(&policy.Spec{ID: "getPet", Dependency: "petstore", Client: c})
		for range 2 {
			_ = p.Do(t.Context(), replayable(), serve(status(503))) // three tries each
		}
		if state(t, r, "petstore") != observe.Closed {
			t.Fatal("the breaker counts tries")
		}
		// The third failing call opens it while another one waits for its retry.
		waiting := serve(status(503))
		done := make(chan pipeline.Outcome)
		go func() { done <- p.Do(t.Context(), replayable(), waiting) }()
		synctest.Wait()
		_ = p.Do(t.Context(), &pipeline.Call{}, serve(status(503)))
		o := <-done
		wantFault(t, o, fault.Error{Kind: fault.Status, Stop: fault.StopBreaker, Attempts: 1, Status: 503, Effect: fault.Safe})
		if !o.Discarded {
			t.Error("the response was let go before the wait")
		}
		// A probe makes one try.
		time.Sleep(30 * time.Second)
		o = p.Do(t.Context(), replayable(), serve(status(503)))
		wantFault(t, o, fault.Error{Kind: fault.Status, Stop: fault.StopProbe, Attempts: 1, Status: 503, Effect: fault.Safe})
	})
}

func TestBreakerPartitions(t *testing.T) {
	model := policy.Expr{Source: policy.FromBody, Name: "/model"}
	tests := []struct {
		name       string
		scope      policy.Scope
		key        []policy.Expr
		first      *pipeline.Call
		others     []*pipeline.Call
		otherOp    bool // another operation is apart, too
		breakerFor string
	}{
		{"dependency", policy.ScopeDependency, nil, &pipeline.Call{Host: "a"}, nil, false, "petstore"},
		{"server", policy.ScopeDependency, nil, &pipeline.Call{Server: "eu"}, []*pipeline.Call{{Server: "us"}, {}}, false, "petstore/eu"},
		{"host", policy.ScopeHost, nil, &pipeline.Call{Host: "a"}, []*pipeline.Call{{Host: "b"}}, false, "petstore/a"},
		{"operation", policy.ScopeOperation, nil, &pipeline.Call{}, nil, true, "petstore/getPet"},
		{"key", policy.ScopeDependency, []policy.Expr{model}, &pipeline.Call{Lookup: values{model: "large"}},
			[]*pipeline.Call{{Lookup: values{model: "small"}}, {Lookup: values{}}}, false, "petstore/key/large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := registry()
			c := oneTry()
			c.Breaker.Scope, c.Breaker.Key = tt.scope, tt.key
			p := r.Pipeline(&policy.Spec{ID: "getPet", Dependency: "petstore", Client: c})
			again := func(call *pipeline.Call) *pipeline.Call {
				return &pipeline.Call{Server: call.Server, Host: call.Host, Lookup: call.Lookup}
			}
			for range 3 {
				_ = p.Do(t.Context(), again(tt.first), serve(status(503)))
			}
			if state(t, r, tt.breakerFor) != observe.Open {
				t.Fatal("not open")
			}
			if o := p.Do(t.Context(), again(tt.first), serve(status(200))); o.Fault == nil {
				t.Error("let through")
			}
			for _, call := range tt.others {
				if o := p.Do(t.Context(), again(call), serve(status(200))); o.Fault != nil {
					t.Errorf("another partition: %v", o.Fault)
				}
			}
			q := r.Pipeline(&policy.Spec{ID: "other", Dependency: "petstore", Client: c})
			if o := q.Do(t.Context(), again(tt.first), serve(status(200))); (o.Fault == nil) != tt.otherOp {
				t.Errorf("another operation: %v", o.Fault)
			}
		})
	}
}

// Keys come from requests: they must not fill the memory.
func TestKeyedBreakersAreBounded(t *testing.T) {
	r := registry()
	c := oneTry()
	key := policy.Expr{Source: policy.FromQuery, Name: "k"}
	c.Breaker.Key = []policy.Expr{key, {Source: policy.FromQuery, Name: "l"}}
	p := r.Pipeline(&policy.Spec{ID: "getPet", Dependency: "petstore", Client: c})
	for i := range 6000 {
		_ = p.Do(t.Context(), &pipeline.Call{Lookup: values{key: string(rune(0x4e00 + i))}}, ok{})
	}
	if n := len(r.Breakers()); n > 4096 {
		t.Errorf("%d breakers", n)
	}
}

func TestShadow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rejects []observe.Reason
		var names []string
		var changes []observe.BreakerChange
		var wouldTimeOut int
		r := pipeline.NewRegistry(pipeline.Settings{Hooks: &observe.Hooks{
			Reject: func(_ context.Context, e observe.Reject) {
				if e.Shadow {
					rejects, names = append(rejects, e.Reason), append(names, e.Name)
				}
			},
			BreakerChange: func(e observe.BreakerChange) { changes = append(changes, e) },
			AttemptEnd: func(_ context.Context, e observe.AttemptEnd) {
				if e.WouldTimeOut {
					wouldTimeOut++
				}
			},
		}})
		c := oneTry()
		c.Breaker.Mode, c.Breaker.FailureThreshold, c.Breaker.Scope = policy.Shadow, 1, policy.ScopeOperation
		c.Timeout.Mode = policy.Shadow
		c.Bulkhead = &policy.Bulkhead{Mode: policy.Shadow, MaxConcurrent: 1, Name: "slow"}
		c.RateLimit = &policy.RateLimit{Mode: policy.Shadow, Buckets: []policy.Bucket{{Limit: 1, Per: time.Hour, Burst: 1}}}
		p := r.Pipeline(&policy.Spec{ID: "getPet", Dependency: "petstore", Client: c})
		done := make(chan pipeline.Outcome)
		go func() { done <- p.Do(t.Context(), replayable(), serve(after(time.Minute, status(500)))) }()
		synctest.Wait()
		if o := p.Do(t.Context(), replayable(), serve(status(200))); o.Fault != nil {
			t.Errorf("a shadow refuses: %v", o.Fault)
		}
		if o := <-done; o.Result.Status != 500 || wouldTimeOut != 1 {
			t.Errorf("a shadow cuts: %+v, reported %d", o, wouldTimeOut)
		}
		if o := p.Do(t.Context(), replayable(), serve(status(200))); o.Fault != nil {
			t.Errorf("a shadow refuses: %v", o.Fault)
		}
		want := []observe.Reason{observe.Bulkhead, observe.RateLimit, observe.Breaker, observe.RateLimit}
		if !slices.Equal(rejects, want) {
			t.Errorf("reported %v, want %v", rejects, want)
		}
		if want := []string{"petstore/slow", "petstore", "petstore/getPet", "petstore"}; !slices.Equal(names, want) {
			t.Errorf("reported for %q, want %q", names, want)
		}
		if len(changes) == 0 || changes[0].Name != "petstore/getPet" || !changes[0].Shadow {
			t.Errorf("the breaker told %+v", changes)
		}
	})
}
