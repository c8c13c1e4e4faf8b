package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

func TestRetriesUntilSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(status(503), broken(retry.Class{Set: policy.EOFErrors}), status(200))
		o := run(t.Context(), base(), replayable(), s)
		if o.Fault != nil || o.Result.Status != 200 || o.Attempts != 3 || o.Waited != 1500*ms || o.Discarded {
			t.Errorf("%+v", o)
		}
		wantTimes(t, s, 0, 500*ms, 1500*ms)
		if !slices.Equal(s.numbers(), []int{1, 2, 3}) || s.discards != 2 {
			t.Errorf("numbers %v, %d discarded", s.numbers(), s.discards)
		}
	})
}

func TestAllTriesUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(status(503))
		o := run(t.Context(), base(), replayable(), s)
		f := wantFault(t, o, fault.Error{Kind: fault.Status, Stop: fault.StopAttempts, Attempts: 3, Status: 503, Effect: fault.Safe})
		if f.Error() != "getPet: status 503 (3 tries, given up: all tries are used)" {
			t.Errorf("%v", f)
		}
		if o.Discarded || s.discards != 2 {
			t.Error("the last response must stay readable")
		}
		// Attempts off by one: one is one, and zero is one.
		for _, n := range []int{0, 1} {
			c := base()
			c.Retry.MaxAttempts = n
			s := serve(status(503))
			wantFault(t, run(t.Context(), c, replayable(), s), fault.Error{Kind: fault.Status, Stop: fault.StopOff, Attempts: 1, Status: 503, Effect: fault.Safe})
		}
	})
}

// The gates of a repeat, and what is said about each.
func TestGates(t *testing.T) {
	write := func(c *policy.Client) { c.Effect = policy.Write }
	tests := []struct {
		name   string
		change func(*policy.Client)
		call   *pipeline.Call
		answer answer
		want   fault.Error
	}{
		{"a bare POST", write, &pipeline.Call{Replayable: true}, status(503),
			fault.Error{Kind: fault.Status, Stop: fault.StopEffect, Attempts: 1, Status: 503, Effect: fault.Unknown}},
		{"a POST with a key", write, &pipeline.Call{Replayable: true, Key: "k"}, status(503),
			fault.Error{Kind: fault.Status, Stop: fault.StopAttempts, Attempts: 3, Status: 503, Effect: fault.Unknown}},
		{"a POST that never left", write, &pipeline.Call{Replayable: true}, broken(retry.Class{Set: policy.ConnectErrors, Unsent: true}),
			fault.Error{Kind: fault.Transport, Stop: fault.StopAttempts, Attempts: 3, Effect: fault.Safe}},
		{"a POST that broke off", write, &pipeline.Call{Replayable: true}, broken(retry.Class{Set: policy.ResetErrors}),
			fault.Error{Kind: fault.Transport, Stop: fault.StopEffect, Attempts: 1, Effect: fault.Unknown}},
		{"a POST that was refused", write, &pipeline.Call{Replayable: true}, status(429),
			fault.Error{Kind: fault.Status, Stop: fault.StopAttempts, Attempts: 3, Status: 429, Effect: fault.Safe}},
		{"safety always", func(c *policy.Client) { write(c); c.Retry.Safety = policy.SafetyAlways }, &pipeline.Call{Replayable: true}, status(503),
			fault.Error{Kind: fault.Status, Stop: fault.StopAttempts, Attempts: 3, Status: 503, Effect: fault.Unknown}},
		{"a body that is gone", func(c *policy.Client) { c.Effect = policy.Idempotent }, &pipeline.Call{}, status(503),
			fault.Error{Kind: fault.Status, Stop: fault.StopBody, Attempts: 1, Status: 503, Effect: fault.Unknown}},
		{"a final status", nil, &pipeline.Call{Replayable: true}, status(404),
			fault.Error{Kind: fault.Status, Stop: fault.StopFinal, Attempts: 1, Status: 404, Effect: fault.Safe}},
		{"an unknown host", nil, &pipeline.Call{Replayable: true}, broken(retry.Class{Unsent: true}),
			fault.Error{Kind: fault.Transport, Stop: fault.StopFinal, Attempts: 1, Effect: fault.Safe}},
		{"the server asks not to", nil, &pipeline.Call{Replayable: true}, status(503, "X-Should-Retry", "false"),
			fault.Error{Kind: fault.Status, Stop: fault.StopServer, Attempts: 1, Status: 503, Effect: fault.Safe}},
		{"no retry policy", func(c *policy.Client) { c.Retry = nil }, &pipeline.Call{Replayable: true}, status(503),
			fault.Error{Kind: fault.Status, Stop: fault.StopOff, Attempts: 1, Status: 503, Effect: fault.Safe}},
		{"retry off for this call", nil, &pipeline.Call{Replayable: true, Options: pipeline.Options{NoRetry: true}}, status(503),
			fault.Error{Kind: fault.Status, Stop: fault.StopOff, Attempts: 1, Status: 503, Effect: fault.Safe}},
		{"other tries for this call", nil, &pipeline.Call{Replayable: true, Options: pipeline.Options{Tries: 2}}, status(503),
			fault.Error{Kind: fault.Status, Stop: fault.StopAttempts, Attempts: 2, Status: 503, Effect: fault.Safe}},
		{"a request that cannot be made", nil, &pipeline.Call{Replayable: true},
			func(context.Context, pipeline.Attempt) pipeline.Result {
				return pipeline.Result{Err: errors.New("no value"), Kind: fault.Request}
			}, fault.Error{Kind: fault.Request, Stop: fault.StopFinal, Attempts: 1, Effect: fault.Safe}},
		{"an answer that cannot be read", write, &pipeline.Call{Replayable: true},
			func(context.Context, pipeline.Attempt) pipeline.Result {
				return pipeline.Result{Status: 201, Err: errors.New("too large"), Kind: fault.Response}
			}, fault.Error{Kind: fault.Response, Stop: fault.StopFinal, Attempts: 1, Status: 201, Effect: fault.Unsafe}},
		{"an empty budget", func(c *policy.Client) { c.Retry.Budget = &policy.Budget{Window: 10 * time.Second} }, &pipeline.Call{Replayable: true}, status(503),
			fault.Error{Kind: fault.Status, Stop: fault.StopBudget, Attempts: 1, Status: 503, Effect: fault.Safe}},
		{"a stopping rule", func(c *policy.Client) {
			c.Retry.Rules = []policy.RetryRule{{Name: "r", Statuses: policy.StatusSet(503), Do: policy.DoStop}}
		}, &pipeline.Call{Replayable: true}, status(503),
			fault.Error{Kind: fault.Status, Stop: fault.StopFinal, Attempts: 1, Status: 503, Effect: fault.Safe}},
		{"a shadow of retry", func(c *policy.Client) { c.Retry.Mode = policy.Shadow }, &pipeline.Call{Replayable: true}, status(503),
			fault.Error{Kind: fault.Status, Stop: fault.StopOff, Attempts: 1, Status: 503, Effect: fault.Safe}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := base()
				if tt.change != nil {
					tt.change(&c)
				}
				s := serve(tt.answer)
				wantFault(t, run(t.Context(), c, tt.call, s), tt.want)
				if len(s.at) != tt.want.Attempts {
					t.Errorf("%d tries were sent", len(s.at))
				}
			})
		})
	}
}

// The 404 to a repeated DELETE proves nothing: the first one may have worked.
func TestRepeatedDeleteIsOfUnknownEffect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := base()
		c.Effect = policy.Idempotent
		o := run(t.Context(), c, replayable(), serve(broken(retry.Class{Set: policy.ResetErrors}), status(404)))
		wantFault(t, o, fault.Error{Kind: fault.Status, Stop: fault.StopFinal, Attempts: 2, Status: 404, Effect: fault.Unknown})
		o = run(t.Context(), c, replayable(), serve(broken(retry.Class{Set: policy.ConnectErrors, Unsent: true}), status(412)))
		wantFault(t, o, fault.Error{Kind: fault.Status, Stop: fault.StopFinal, Attempts: 2, Status: 412, Effect: fault.Safe})
	})
}

func TestRuleMakesSuccess(t *testing.T) {
	c := base()
	c.Retry.Rules = []policy.RetryRule{{Statuses: policy.StatusSet(404), Do: policy.DoSuccess}}
	if o := run(t.Context(), c, replayable(), serve(status(404))); o.Fault != nil || o.Result.Status != 404 {
		t.Errorf("%+v", o)
	}
}

func TestAttemptTimeoutDoesNotEndTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := base()
		c.Timeout.Attempt = time.Second
		s := serve(after(time.Hour, status(200)), after(200*ms, status(200)))
		o := run(t.Context(), c, replayable(), s)
		if o.Fault != nil || o.Attempts != 2 {
			t.Errorf("%+v, %v", o, o.Fault)
		}
		wantTimes(t, s, 0, 1500*ms)

		s = serve(after(time.Hour, status(200)))
		f := wantFault(t, run(t.Context(), c, replayable(), s), fault.Error{Kind: fault.Timeout, Stop: fault.StopAttempts, Attempts: 3, Effect: fault.Safe})
		if !errors.Is(f, context.DeadlineExceeded) || !errors.Is(f, fault.ErrTimeout) {
			t.Errorf("%v", f)
		}
		// 3 tries of 1 s, waits of 500 ms and 1 s: the computed total, exactly.
		if got := time.Since(s.begin); got != 4500*ms {
			t.Errorf("took %v", got)
		}
	})
}

func TestTotalIsNeverExceeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := base()
		c.Timeout.Attempt, c.Timeout.Total = time.Second, 1800*ms
		s := serve(after(time.Hour, status(200)))
		wantFault(t, run(t.Context(), c, replayable(), s), fault.Error{Kind: fault.Timeout, Stop: fault.StopDeadline, Attempts: 2, Effect: fault.Safe})
		// The second try gets the 300 ms that are left.
		if got := time.Since(s.begin); got != 1800*ms || s.attempts[1].Timeout != 300*ms {
			t.Errorf("took %v, second try %v", got, s.attempts[1].Timeout)
		}
		// A wait that leaves less than floor is not begun.
		c.Timeout.Total = 1504 * ms
		s = serve(after(time.Hour, status(200)))
		wantFault(t, run(t.Context(), c, replayable(), s), fault.Error{Kind: fault.Timeout, Stop: fault.StopDeadline, Attempts: 1, Effect: fault.Safe})
		if got := time.Since(s.begin); got != time.Second {
			t.Errorf("took %v", got)
		}
		c.Timeout.Total = 1505 * ms
		s = serve(after(time.Hour, status(200)))
		if o := run(t.Context(), c, replayable(), s); o.Attempts != 2 || time.Since(s.begin) != 1505*ms {
			t.Errorf("exactly floor is left: %d tries, took %v", o.Attempts, time.Since(s.begin))
		}
	})
}

func TestOptionsOfACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := base()
		call := replayable()
		call.Options = pipeline.Options{Within: 3 * time.Second, PerTry: time.Second, Tries: 2}
		s := serve(after(time.Hour, status(200)))
		wantFault(t, run(t.Context(), c, call, s), fault.Error{Kind: fault.Timeout, Stop: fault.StopAttempts, Attempts: 2, Effect: fault.Safe})
		if got := time.Since(s.begin); got != 2500*ms {
			t.Errorf("took %v", got)
		}
		// The computed total follows the options: 2 x 1 s and one wait.
		call = replayable()
		call.Options = pipeline.Options{PerTry: time.Second, Tries: 2}
		s = serve(status(503), after(time.Hour, status(200)))
		_ = run(t.Context(), c, call, s)
		if got := time.Since(s.begin); got != 1500*ms || s.attempts[1].Timeout != time.Second {
			t.Errorf("took %v", got)
		}
		// Tries cannot turn on what the policy has off.
		c.Retry = nil
		call = replayable()
		call.Options = pipeline.Options{Tries: 5}
		if o := run(t.Context(), c, call, serve(status(503))); o.Attempts != 1 {
			t.Errorf("%d tries", o.Attempts)
		}
	})
}

func TestCallersDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		c := base()
		c.Deadline = &policy.Deadline{Propagate: true, Reserve: 20 * ms}
		s := serve(after(time.Hour, status(200)))
		f := wantFault(t, run(ctx, c, replayable(), s), fault.Error{Kind: fault.Timeout, Stop: fault.StopDeadline, Attempts: 1, Effect: fault.Safe})
		if !errors.Is(f, context.DeadlineExceeded) || time.Since(s.begin) != 2*time.Second {
			t.Errorf("%v after %v", f, time.Since(s.begin))
		}
		if a := s.attempts[0]; a.Timeout != 2*time.Second || !a.SendDeadline || a.Budget != 1980*ms {
			t.Errorf("%+v", a)
		}
		// Over before it began: nothing is sent.
		s = serve(status(200))
		wantFault(t, run(ctx, c, replayable(), s), fault.Error{Kind: fault.Timeout, Effect: fault.Safe})
		// So it is with less than floor and reserve.
		short, cancel2 := context.WithTimeout(t.Context(), 25*ms-1)
		defer cancel2()
		wantFault(t, run(short, c, replayable(), s), fault.Error{Kind: fault.Timeout, Effect: fault.Safe})
		if len(s.at) != 0 {
			t.Error("something was sent")
		}
		// Half a share of 4 s.
		half, cancel3 := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel3()
		c.Timeout.Share = 0.5
		s = serve(after(time.Hour, status(200)))
		_ = run(half, c, replayable(), s)
		if time.Since(s.begin) != 2*time.Second {
			t.Errorf("took %v of its share of 2 s", time.Since(s.begin))
		}
	})
}

func TestCancellationIsImmediate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, d := range []time.Duration{100 * ms, 700 * ms} { // during a try, during a wait
			ctx, cancel := context.WithCancel(t.Context())
			s := serve(after(500*ms, status(503)))
			time.AfterFunc(d, cancel)
			f := wantFault(t, run(ctx, base(), replayable(), s), fault.Error{
				Kind: fault.Canceled, Stop: fault.StopCanceled, Attempts: 1, Effect: fault.Safe, Status: map[bool]int{true: 503}[d > 500*ms],
			})
			if !errors.Is(f, context.Canceled) || time.Since(s.begin) != d {
				t.Errorf("%v after %v, want %v", f, time.Since(s.begin), d)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s := serve(status(200))
		wantFault(t, run(ctx, base(), replayable(), s), fault.Error{Kind: fault.Canceled, Effect: fault.Safe})
		if len(s.at) != 0 {
			t.Error("sent for a caller who had gone")
		}
	})
}

// The budget is the dependency's: the retries of one operation leave less to
// another one.
func TestBudgetIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var signal retry.Signal
		ctx := retry.WithSignal(t.Context(), &signal)
		r := pipeline.NewRegistry(pipeline.Settings{})
		c := base()
		c.Retry.Budget = &policy.Budget{MinPerSecond: 1, Window: 10 * time.Second}
		c.Retry.BaseDelay = 0
		a := r.Pipeline(&policy.Spec{ID: "getPet", Dependency: "petstore", Client: c})
		b := r.Pipeline(&policy.Spec{ID: "getPet", Dependency: "petstore", Client: c})
		other := r.Pipeline(&policy.Spec{ID: "getPet", Dependency: "other", Client: c})
		if o := a.Do(ctx, replayable(), serve(status(503), status(200))); o.Attempts != 2 || signal.Exhausted() {
			t.Errorf("%+v", o)
		}
		o := b.Do(ctx, replayable(), serve(status(503)))
		wantFault(t, o, fault.Error{Kind: fault.Status, Stop: fault.StopBudget, Attempts: 1, Status: 503, Effect: fault.Safe})
		if !signal.Exhausted() {
			t.Error("the layer above is not told")
		}
		if o := other.Do(ctx, replayable(), serve(status(503), status(200))); o.Attempts != 2 {
			t.Errorf("another dependency: %+v", o)
		}
	})
}

func TestHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string
		note := func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
		hooks := &observe.Hooks{
			AttemptStart: func(_ context.Context, e observe.AttemptStart) { note("start %d %v", e.Number, e.Timeout) },
			AttemptEnd:   func(_ context.Context, e observe.AttemptEnd) { note("end %d %d %v", e.Number, e.Status, e.Duration) },
			Wait:         func(_ context.Context, e observe.Wait) { note("wait %v %v before %d", e.Reason, e.For, e.Attempt) },
			CallEnd: func(_ context.Context, e observe.CallEnd) {
				note("call %d tries %v %v %v", e.Attempts, e.Duration, e.Waited, e.Err)
			},
		}
		p := pipeline.NewRegistry(pipeline.Settings{Hooks: hooks}).Pipeline(&policy.Spec{ID: "getPet", Client: base()})
		_ = p.Do(t.Context(), replayable(), serve(after(100*ms, status(503)), status(200)))
		want := []string{
			"start 1 10s", "end 1 503 100ms", "wait backoff 500ms before 2", "start 2 10s", "end 2 200 0s",
			"call 2 tries 600ms 500ms <nil>",
		}
		if !slices.Equal(log, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(log, "\n"), strings.Join(want, "\n"))
		}
	})
}

func TestPanicKeepsNothing(t *testing.T) {
	c := base()
	c.Bulkhead = &policy.Bulkhead{MaxConcurrent: 1}
	p := make1(c)
	func() {
		defer func() { _ = recover() }()
		_ = p.Do(t.Context(), replayable(), serve(func(context.Context, pipeline.Attempt) pipeline.Result { panic("x") }))
	}()
	if o := p.Do(t.Context(), replayable(), serve(status(200))); o.Fault != nil {
		t.Errorf("the slot is lost: %v", o.Fault)
	}
}

// A transport is two methods; here is one that fails once.
func Example() {
	registry := pipeline.NewRegistry(pipeline.Settings{})
	getPet := registry.Pipeline(&policy.Spec{
		ID: "getPet", Dependency: "petstore",
		Client: policy.Client{
			Effect:  policy.Read,
			Timeout: &policy.Timeout{Attempt: time.Second},
			Retry:   &policy.Retry{MaxAttempts: 2, Statuses: policy.StatusSet(503), BaseDelay: ms, MaxDelay: ms},
		},
	})
	o := getPet.Do(context.Background(), &pipeline.Call{Replayable: true}, serve(status(503), status(200)))
	fmt.Println(o.Result.Status, o.Attempts, o.Fault == nil)
	// Output: 200 2 true
}
