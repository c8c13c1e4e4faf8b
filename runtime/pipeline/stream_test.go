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
	"github.com/holdfast-go/holdfast/runtime/retry"
)

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

// A try that waits for a stream's first item has its own time only up to the header; a
// computed total stands still meanwhile, and a written one does not.
func TestHeaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits := func(ctx context.Context, a pipeline.Attempt) pipeline.Result {
			time.Sleep(500 * ms)
			a.Headed()
			select {
			case <-ctx.Done():
				return pipeline.Result{Err: ctx.Err(), Class: retry.Class{Set: policy.TimeoutErrors}}
			case <-time.After(time.Minute):
				return pipeline.Result{Err: context.Canceled, Class: retry.Class{Set: policy.TimeoutErrors}}
			}
		}
		c := base()
		c.Timeout.Attempt = time.Second // a total of 4.5s
		s := serve(waits, waits, opened(new(context.Context)))
		call := replayable()
		if o := run(t.Context(), c, call, s); o.Fault != nil || o.Attempts != 3 {
			t.Errorf("%+v", o)
		}
		call.Finish()
		wantTimes(t, s, 0, 61*time.Second, 122500*ms)
		c.Timeout.Total = 10 * time.Second
		s = serve(waits)
		call = replayable()
		begin := time.Now()
		o := run(t.Context(), c, call, s)
		if o.Attempts != 1 || time.Since(begin) != 10*time.Second || call.WrittenEnd() != begin.Add(10*time.Second) {
			t.Errorf("%+v after %v, end %v", o, time.Since(begin), call.WrittenEnd())
		}
		if end := replayable().WrittenEnd(); !end.IsZero() {
			t.Error(end)
		}
		pipeline.Attempt{}.Headed() // does nothing
	})
}

// What a stream's try takes is the time to its header: what comes after is no slowness of the
// server's, nor time that an adaptive timeout would have to allow.
func TestHeadedIsNotSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := base()
		c.Breaker = &policy.Breaker{Window: policy.Window{Count: 1}, FailureThreshold: 1, SlowCall: time.Second, Recovery: time.Minute}
		p := make1(c)
		for _, headed := range []bool{true, false} {
			call := replayable()
			o := p.Do(t.Context(), call, serve(func(_ context.Context, a pipeline.Attempt) pipeline.Result {
				if headed {
					a.Headed()
				}
				time.Sleep(5 * time.Second)
				return pipeline.Result{Status: 200, Open: true}
			}))
			call.Finish()
			if o.Fault != nil {
				t.Fatal(o.Fault)
			}
			o = p.Do(t.Context(), replayable(), serve(status(200)))
			if open := o.Fault != nil; open == headed {
				t.Errorf("headed %v: the breaker is open: %v", headed, open)
			}
		}
	})
}

// Watch ends a try when it fires, and does nothing before there is one.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call := replayable()
		if w := call.Watch(time.Second); w != nil {
			t.Error(w)
		}
		o := run(t.Context(), base(), call, serve(func(ctx context.Context, _ pipeline.Attempt) pipeline.Result {
			w := call.Watch(3 * time.Second)
			w.Begin()
			<-ctx.Done()
			if !w.Fired() {
				t.Error("the try ended of itself")
			}
			return pipeline.Result{Err: ctx.Err(), Kind: fault.Response}
		}))
		if o.Attempts != 1 || o.Fault.Kind != fault.Response {
			t.Errorf("%+v", o)
		}
	})
}
