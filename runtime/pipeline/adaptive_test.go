package pipeline_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// adaptive is a policy of one try that follows what is observed.
func adaptive() policy.Client {
	c := base()
	c.Retry = nil
	c.Timeout = &policy.Timeout{Attempt: 10 * time.Second, Total: time.Minute, Floor: 5 * ms, Share: 1, Adaptive: true, Ceiling: 20 * time.Second, Headroom: 1.2}
	return c
}

// learn makes calls that each take d, and lets what they show come into force.
func learn(t *testing.T, p *pipeline.Pipeline, n int, then answer, d time.Duration) {
	t.Helper()
	s := serve(after(d, then))
	for range n {
		p.Do(t.Context(), replayable(), s)
	}
	time.Sleep(time.Second)
}

// given is the time that the next try gets.
func given(t *testing.T, p *pipeline.Pipeline, o pipeline.Options) time.Duration {
	t.Helper()
	s := serve(status(200))
	p.Do(t.Context(), &pipeline.Call{Options: o}, s)
	return s.attempts[0].Timeout
}

// A try gets 1.2 times what 99.9 % of the tries have taken, within the error of the
// histogram, and no more than that.
func TestAdaptiveTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := make1(adaptive())
		if got := given(t, p, pipeline.Options{}); got != 10*time.Second {
			t.Errorf("at first %v, want as written", got)
		}
		learn(t, p, 100, status(200), 100*ms)
		if got := given(t, p, pipeline.Options{}); got < 120*ms || got > 128*ms {
			t.Errorf("learnt %v, want 120 ms and up to 6 %% more", got)
		}
		if got := given(t, p, pipeline.Options{PerTry: time.Second}); got != time.Second {
			t.Errorf("%v, want what the caller says", got)
		}
		begin := time.Now()
		o := p.Do(t.Context(), replayable(), serve(after(time.Second, status(200))))
		if took := time.Since(begin); o.Fault == nil || o.Fault.Kind != fault.Timeout || took > 128*ms {
			t.Errorf("a slow try ended after %v with %+v", took, o.Fault)
		}
	})
}

// What fails fast says nothing about how long the work takes.
func TestAdaptiveLearnsFromAnswers(t *testing.T) {
	for name, then := range map[string]answer{"failures": status(503), "refusals": status(429)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := make1(adaptive())
				learn(t, p, 200, then, ms)
				if got := given(t, p, pipeline.Options{}); got != 10*time.Second {
					t.Errorf("learnt %v, want as written", got)
				}
			})
		})
	}
}

// A dependency that has become slower gets more time again, up to the ceiling.
func TestAdaptiveGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := make1(adaptive())
		learn(t, p, 200, status(200), 100*ms)
		for range 10 {
			learn(t, p, 1, status(200), time.Hour)
		}
		if got := given(t, p, pipeline.Options{}); got != 20*time.Second {
			t.Errorf("%v, want the ceiling", got)
		}
	})
}

// A try that the end of the call cuts short teaches nothing.
func TestAdaptiveIgnoresShortCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := make1(adaptive())
		learn(t, p, 200, status(200), 100*ms)
		before := given(t, p, pipeline.Options{})
		s := serve(after(time.Hour, status(200)))
		for range 20 {
			p.Do(t.Context(), &pipeline.Call{Options: pipeline.Options{Within: 10 * ms}}, s)
			p.Do(t.Context(), &pipeline.Call{Options: pipeline.Options{PerTry: 10 * ms}}, s)
		}
		time.Sleep(time.Second)
		if got := given(t, p, pipeline.Options{}); got != before {
			t.Errorf("%v, was %v", got, before)
		}
	})
}

// In shadow mode nothing is cut, and what would have been is told.
func TestAdaptiveShadow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := adaptive()
		c.Timeout.Mode = policy.Shadow
		p, told := observed(c)
		learn(t, p, 200, status(200), 100*ms)
		o := p.Do(t.Context(), replayable(), serve(after(time.Second, status(200))))
		if o.Fault != nil || !*told {
			t.Errorf("fault %v, told %v; want a success that would have been cut off", o.Fault, *told)
		}
	})
}

// observed is a pipeline that notes whether its last try would have been cut off.
func observed(c policy.Client) (*pipeline.Pipeline, *bool) {
	told := new(bool)
	r := pipeline.NewRegistry(pipeline.Settings{Hooks: &observe.Hooks{
		AttemptEnd: func(_ context.Context, e observe.AttemptEnd) { *told = e.WouldTimeOut },
	}})
	return r.Pipeline(&policy.Spec{ID: "getPet", Dependency: "petstore", Client: c}), told
}
