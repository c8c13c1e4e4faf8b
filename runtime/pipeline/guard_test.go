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
		var wouldTimeOut int
		r := pipeline.NewRegistry(pipeline.Settings{Hooks: &observe.Hooks{
			Reject: func(_ context.Context, e observe.Reject) {
				if e.Shadow {
					rejects = append(rejects, e.Reason)
				}
			},
			AttemptEnd: func(_ context.Context, e observe.AttemptEnd) {
				if e.WouldTimeOut {
					wouldTimeOut++
				}
			},
		}})
		c := oneTry()
		c.Breaker.Mode, c.Breaker.FailureThreshold = policy.Shadow, 1
		c.Timeout.Mode = policy.Shadow
		c.Bulkhead = &policy.Bulkhead{Mode: policy.Shadow, MaxConcurrent: 1}
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
	})
}

func TestBulkhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := base()
		c.Bulkhead = &policy.Bulkhead{MaxConcurrent: 1, Queue: 1, Timeout: time.Second}
		p := make1(c)
		begin := time.Now()
		results := make(chan pipeline.Outcome, 3)
		slow := serve(after(2*time.Second, status(200)))
		go func() { results <- p.Do(t.Context(), replayable(), slow) }()
		synctest.Wait()
		go func() { results <- p.Do(t.Context(), replayable(), serve(status(200))) }()
		synctest.Wait()
		o := p.Do(t.Context(), replayable(), serve(status(200)))
		f := wantFault(t, o, fault.Error{Kind: fault.BulkheadFull, Effect: fault.Safe})
		if !errors.Is(f, fault.ErrBulkheadFull) || time.Since(begin) != 0 {
			t.Errorf("%v after %v", f, time.Since(begin))
		}
		o = <-results // the one in the queue
		wantFault(t, o, fault.Error{Kind: fault.BulkheadFull, Effect: fault.Safe})
		if time.Since(begin) != time.Second || o.Waited != time.Second {
			t.Errorf("waited %v, %v", o.Waited, time.Since(begin))
		}
		if o := <-results; o.Fault != nil {
			t.Error(o.Fault)
		}
		// The queue's wait spends the total and ends at D - floor.
		c.Bulkhead.Timeout = time.Minute
		c.Timeout.Total = time.Second
		p = make1(c)
		hold := serve(after(time.Hour, status(200)))
		go func() {
			call := replayable()
			call.Options.Within = time.Hour
			call.Options.PerTry = time.Hour
			_ = p.Do(t.Context(), call, hold)
		}()
		synctest.Wait()
		begin = time.Now()
		wantFault(t, p.Do(t.Context(), replayable(), serve(status(200))), fault.Error{Kind: fault.BulkheadFull, Effect: fault.Safe})
		if time.Since(begin) != 995*ms {
			t.Errorf("waited %v, want total less floor", time.Since(begin))
		}
		c.Bulkhead.OnFull, c.Bulkhead.Queue = policy.OnFullDiscard, 0
		p = make1(c)
		go func() { results <- p.Do(t.Context(), replayable(), serve(after(ms, status(200)))) }()
		synctest.Wait()
		f = wantFault(t, p.Do(t.Context(), replayable(), serve(status(200))), fault.Error{Kind: fault.Discarded, Effect: fault.Safe})
		if !errors.Is(f, fault.ErrDiscarded) {
			t.Error(f)
		}
		<-results
	})
}

func TestSlotIsGivenBackDuringBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := base()
		c.Bulkhead = &policy.Bulkhead{MaxConcurrent: 1, Queue: 1, Timeout: 100 * ms}
		p := make1(c)
		done := make(chan pipeline.Outcome)
		go func() { done <- p.Do(t.Context(), replayable(), serve(status(503), status(200))) }()
		synctest.Wait()
		if o := p.Do(t.Context(), replayable(), serve(after(400*ms, status(200)))); o.Fault != nil || o.Waited != 0 {
			t.Errorf("the slot is not free: %+v", o)
		}
		if o := <-done; o.Fault != nil {
			t.Error(o.Fault)
		}
		// It may be gone when the wait is over.
		go func() { done <- p.Do(t.Context(), replayable(), serve(status(503))) }()
		synctest.Wait()
		_ = p.Do(t.Context(), replayable(), serve(after(5*time.Second, status(200))))
		o := <-done
		wantFault(t, o, fault.Error{Kind: fault.Status, Stop: fault.StopBulkhead, Attempts: 1, Status: 503, Effect: fault.Safe})
	})
}

func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := base()
		c.Retry = nil
		c.Bulkhead = &policy.Bulkhead{MaxConcurrent: 1, Hold: 3 * time.Second}
		s := serve(after(time.Hour, status(200)))
		wantFault(t, run(t.Context(), c, replayable(), s), fault.Error{Kind: fault.Timeout, Stop: fault.StopOff, Attempts: 1, Effect: fault.Safe})
		if got := time.Since(s.begin); got != 3*time.Second {
			t.Errorf("held for %v", got)
		}
	})
}

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := base()
		c.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{
			{Limit: 1, Per: time.Second, Burst: 1, Wait: policy.None, Refund: policy.StatusSet(304)},
		}}
		p := make1(c)
		s := serve(status(503), status(200))
		// A token a try: the second one waits for its own after the backoff.
		if o := p.Do(t.Context(), replayable(), s); o.Fault != nil || o.Waited != time.Second {
			t.Errorf("%+v", o)
		}
		wantTimes(t, s, 0, time.Second)
		// The wait does not fit: refused at once, nothing is spent.
		call := replayable()
		call.Options.Within = 1004 * ms
		begin := time.Now()
		f := wantFault(t, p.Do(t.Context(), call, serve(status(200))), fault.Error{Kind: fault.RateLimited, Effect: fault.Safe})
		if !errors.Is(f, fault.ErrRateLimited) || time.Since(begin) != 0 || !f.RetryAt.Equal(begin.Add(time.Second)) {
			t.Errorf("%v after %v, RetryAt %v", f, time.Since(begin), f.RetryAt)
		}
		s = serve(status(304))
		_ = p.Do(t.Context(), replayable(), s)
		wantTimes(t, s, time.Second)
		if o := p.Do(t.Context(), replayable(), serve(status(200))); o.Waited != 0 {
			t.Errorf("the 304 was not refunded: waited %v", o.Waited)
		}
		// The caller's cancellation gives the token back.
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*ms, cancel)
		wantFault(t, p.Do(ctx, replayable(), serve(status(200))), fault.Error{Kind: fault.Canceled, Effect: fault.Safe})
		if o := p.Do(t.Context(), replayable(), serve(status(200))); o.Waited != 900*ms {
			t.Errorf("waited %v, want 900ms", o.Waited)
		}
	})
}

func TestRateLimitKeysAndCosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := policy.Expr{Source: policy.FromBody, Name: "/model"}
		tokens := policy.Expr{Source: policy.FromBody, Name: "/tokens"}
		c := base()
		c.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{
			{Name: "tokens", Limit: 10, Per: time.Hour, Burst: 10, Key: []policy.Expr{model}, CostFrom: tokens},
		}}
		r := registry()
		p := r.Pipeline(&policy.Spec{ID: "getPet", Dependency: "petstore", Client: c})
		q := r.Pipeline(&policy.Spec{ID: "other", Dependency: "petstore", Client: c})
		call := func(m, n string) *pipeline.Call { return &pipeline.Call{Lookup: values{model: m, tokens: n}} }
		if o := p.Do(t.Context(), call("a", "7"), ok{}); o.Fault != nil {
			t.Error(o.Fault)
		}
		if o := q.Do(t.Context(), call("a", "4"), ok{}); !errors.Is(o.Fault, fault.ErrRateLimited) {
			t.Error("a named bucket is one for the dependency")
		}
		if o := p.Do(t.Context(), call("b", "10"), ok{}); o.Fault != nil {
			t.Error(o.Fault)
		}
		if o := p.Do(t.Context(), call("a", "3"), ok{}); o.Fault != nil {
			t.Error(o.Fault)
		}
	})
}

// opened answers with a body that is yet to be read.
func opened(then *context.Context) answer {
	return func(ctx context.Context, _ pipeline.Attempt) pipeline.Result {
		*then = ctx //nolint:fatcontext // The test looks at it from outside.
		return pipeline.Result{Status: 200, Open: true}
	}
}

// A timeout that is meant for the header must not cut the body.
func TestStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := base()
		c.Timeout.Attempt, c.Timeout.Idle = time.Second, 5*time.Second
		c.Bulkhead = &policy.Bulkhead{MaxConcurrent: 1}
		p := make1(c)
		var ctx context.Context
		call := replayable()
		o := p.Do(t.Context(), call, serve(status(503), opened(&ctx)))
		if o.Fault != nil || !o.Result.Open {
			t.Fatalf("%+v", o)
		}
		time.Sleep(time.Hour)
		if ctx.Err() != nil {
			t.Fatalf("cut after the header: %v", ctx.Err())
		}
		if o := p.Do(t.Context(), replayable(), serve(status(200))); !errors.Is(o.Fault, fault.ErrBulkheadFull) {
			t.Error("the slot is free while the stream is read")
		}
		call.Finish()
		call.Finish()
		if !errors.Is(ctx.Err(), context.Canceled) {
			t.Error("the context lives on after Finish")
		}
		if o := p.Do(t.Context(), replayable(), serve(status(200))); o.Fault != nil {
			t.Errorf("the slot is not free after Finish: %v", o.Fault)
		}

		// Silence ends it.
		call = replayable()
		_ = p.Do(t.Context(), call, serve(opened(&ctx)))
		idle := call.Idle()
		begin := time.Now()
		idle.Begin()
		<-ctx.Done()
		if time.Since(begin) != 5*time.Second || !idle.Fired() {
			t.Errorf("silent for %v", time.Since(begin))
		}
		call.Finish()

		// A written total covers the body, and so does the caller's deadline.
		for _, within := range []bool{true, false} {
			call = replayable()
			parent := t.Context()
			if within {
				call.Options.Within = 10 * time.Second
			} else {
				bounded, cancel := context.WithTimeout(parent, 10*time.Second)
				defer cancel()
				parent = bounded
			}
			begin = time.Now()
			_ = p.Do(parent, call, serve(opened(&ctx)))
			<-ctx.Done()
			if time.Since(begin) != 10*time.Second || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				t.Errorf("ended after %v: %v", time.Since(begin), ctx.Err())
			}
			call.Finish()
		}
	})
}

// The clocks of a streamed upload begin with its last byte.
func TestUpload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := base()
		c.Timeout.Attempt = time.Second
		upload := func(sending, answering time.Duration) answer {
			return func(ctx context.Context, a pipeline.Attempt) pipeline.Result {
				time.Sleep(sending)
				if ctx.Err() != nil {
					t.Error("cut while sending")
				}
				a.Uploaded()
				a.Uploaded()
				return after(answering, status(200))(ctx, a)
			}
		}
		call := func() *pipeline.Call { return &pipeline.Call{Replayable: true, Upload: true} }
		s := serve(upload(time.Hour, 900*ms))
		if o := run(t.Context(), c, call(), s); o.Fault != nil {
			t.Errorf("%v", o.Fault)
		}
		// Too late after the last byte; the second one gets its whole time, as
		// the computed total has stood still.
		s = serve(upload(time.Hour, time.Hour), upload(time.Minute, 900*ms))
		if o := run(t.Context(), c, call(), s); o.Fault != nil || o.Attempts != 2 {
			t.Errorf("%+v, %v", o, o.Fault)
		}
		wantTimes(t, s, 0, time.Hour+1500*ms)
		// The caller's deadline does not stand still.
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		s = serve(func(ctx context.Context, _ pipeline.Attempt) pipeline.Result {
			<-ctx.Done()
			return pipeline.Result{Err: ctx.Err(), Class: retry.Class{Set: policy.TimeoutErrors}}
		})
		wantFault(t, run(ctx, c, call(), s), fault.Error{Kind: fault.Timeout, Stop: fault.StopDeadline, Attempts: 1, Effect: fault.Safe})
		if time.Since(s.begin) != time.Minute {
			t.Errorf("took %v", time.Since(s.begin))
		}
		// A call of an earlier try changes nothing.
		var old pipeline.Attempt
		s = serve(func(_ context.Context, a pipeline.Attempt) pipeline.Result {
			old = a
			return pipeline.Result{Status: 503}
		}, func(ctx context.Context, a pipeline.Attempt) pipeline.Result {
			old.Uploaded()
			time.Sleep(time.Minute)
			a.Uploaded()
			return pipeline.Result{Status: 200, Err: ctx.Err()}
		})
		if o := run(t.Context(), c, call(), s); o.Fault != nil {
			t.Errorf("%v", o.Fault)
		}
	})
}
