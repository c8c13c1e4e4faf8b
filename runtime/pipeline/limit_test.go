package pipeline_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

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
