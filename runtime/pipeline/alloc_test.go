package pipeline_test

import (
	"context"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// tryer that does nothing, for counting.
type ok struct{}

func (ok) Try(context.Context, pipeline.Attempt) pipeline.Result { return pipeline.Result{Status: 200} }
func (ok) Discard(pipeline.Result)                               {}

func TestAllocations(t *testing.T) {
	c := base()
	c.Deadline = &policy.Deadline{Propagate: true, Reserve: 20 * ms}
	c.Breaker = &policy.Breaker{Window: policy.Window{Count: 10}, FailureThreshold: 5, Recovery: 30 * time.Second, SlowCall: 10 * time.Second}
	c.Bulkhead = &policy.Bulkhead{MaxConcurrent: 8, Queue: 8, Timeout: time.Second}
	p := make1(c)
	ctx := t.Context()
	if n := testing.AllocsPerRun(200, func() {
		call := &pipeline.Call{Replayable: true}
		if o := p.Do(ctx, call, ok{}); o.Fault != nil {
			t.Error(o.Fault)
		}
	}); n > 1 {
		t.Errorf("%v allocations, want 1: the call itself", n)
	}
}

func BenchmarkDo(b *testing.B) {
	c := base()
	c.Deadline = &policy.Deadline{Propagate: true, Reserve: 20 * ms}
	c.Breaker = &policy.Breaker{Window: policy.Window{Count: 10}, FailureThreshold: 5, Recovery: 30 * time.Second, SlowCall: 10 * time.Second, MinTime: time.Second}
	c.Bulkhead = &policy.Bulkhead{MaxConcurrent: 8, Queue: 8, Timeout: time.Second}
	p := make1(c)
	b.ReportAllocs()
	for b.Loop() {
		_ = p.Do(b.Context(), &pipeline.Call{Replayable: true}, ok{})
	}
}
