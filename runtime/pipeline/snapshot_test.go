package pipeline_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/observe/snapshot"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Everything that calls have used is in a snapshot, with the numbers that the calls give.
func TestSnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := base()
		c.Timeout = &policy.Timeout{Attempt: time.Second, Share: 1, Adaptive: true, Ceiling: 2 * time.Second}
		c.Retry.MaxAttempts = 2
		c.Breaker = &policy.Breaker{Scope: policy.ScopeOperation, Window: policy.Window{Count: 10}, FailureThreshold: 2, Recovery: 5 * time.Second, Probes: 1}
		c.Bulkhead = &policy.Bulkhead{MaxConcurrent: 4, Queue: 2}
		c.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 100, Per: time.Minute, Burst: 50}}}
		spec := &policy.Spec{ID: "getPet", Dependency: "petstore", Client: c}
		r := pipeline.NewRegistry(pipeline.Settings{Random: func() float64 { return 0 }})
		p := r.Pipeline(spec)
		begin := time.Now()
		p.Do(t.Context(), replayable(), serve(after(100*ms, status(200))))
		p.Do(t.Context(), replayable(), serve(after(2*time.Second, status(200))))       // two tries, both cut off
		p.Do(t.Context(), replayable(), serve(after(300*ms, status(503)), status(503))) // as quick as they are, no latencies
		opened := time.Now()
		s := r.Snapshot(opened, []*policy.Spec{spec})
		if s.Format != snapshot.Format || s.Side != snapshot.ClientSide || !s.At.Equal(opened) {
			t.Errorf("%v", s)
		}
		if want := (snapshot.Breaker{Name: "petstore/getPet", State: observe.Open, RetryAt: opened.Add(5 * time.Second)}); len(s.Breakers) != 1 || s.Breakers[0] != want {
			t.Errorf("breakers %+v, want %+v", s.Breakers, want)
		}
		if want := (snapshot.Bulkhead{Name: "petstore", Slots: 4, Max: 4, Queue: 2}); len(s.Bulkheads) != 1 || s.Bulkheads[0] != want {
			t.Errorf("bulkheads %+v, want %+v", s.Bulkheads, want)
		}
		// Three calls pay for 0.6 retries, so the two were of the floor's ten, which are
		// there again after the second that has passed.
		if want := (snapshot.Budget{Name: "petstore", Left: 10, Calls: 3}); len(s.Budgets) != 1 || s.Budgets[0] != want {
			t.Errorf("budgets %+v after %v, want %+v", s.Budgets, opened.Sub(begin), want)
		}
		if want := (snapshot.Limit{Name: "petstore/getPet", Limit: 100, Per: time.Minute, Burst: 50, Keys: 1}); len(s.Limits) != 1 || s.Limits[0] != want {
			t.Errorf("limits %+v, want %+v", s.Limits, want)
		}
		if len(s.Latencies) != 1 || s.Latencies[0].Op != "getPet" || s.Latencies[0].Expired != 2 || s.Latencies[0].Histogram.Recorded != 1 {
			t.Errorf("latencies %v", s.Latencies)
		}
		if want := (snapshot.Timeout{Op: "getPet", Attempt: time.Second, Samples: 3}); len(s.Timeouts) != 1 || s.Timeouts[0] != want {
			t.Errorf("timeouts %+v, want %+v", s.Timeouts, want)
		}
		if text := s.String(); !json.Valid([]byte(text)) || !strings.Contains(text, `"state":"open"`) || !strings.Contains(text, `"per":"1m0s"`) {
			t.Error(text)
		}
	})
}

// Of breakers by key the open ones come first, a bounded number is listed, and no key is
// in it.
func TestSnapshotOfKeys(t *testing.T) {
	c := base()
	c.Retry, c.Timeout = nil, nil
	c.Breaker = &policy.Breaker{
		Key: []policy.Expr{{Source: policy.FromPath, Name: "tenant"}}, Window: policy.Window{Count: 2}, FailureThreshold: 1, Recovery: time.Minute,
	}
	r := pipeline.NewRegistry(pipeline.Settings{})
	spec := &policy.Spec{ID: "getPet", Dependency: "petstore", Client: c}
	p := r.Pipeline(spec)
	const n = snapshot.MaxKeyed + 10
	for i := range n {
		code := 200
		if i == n-1 {
			code = 503
		}
		p.Do(t.Context(), &pipeline.Call{Lookup: tenant(fmt.Sprint("secret-", i))}, serve(status(code)))
	}
	s := r.Snapshot(time.Now(), nil)
	if len(s.Breakers) != snapshot.MaxKeyed || s.Unlisted != 10 {
		t.Fatalf("%d listed, %d not", len(s.Breakers), s.Unlisted)
	}
	hashes := map[string]bool{}
	for _, b := range s.Breakers {
		hashes[b.Key] = b.Name == "petstore/key" && len(b.Key) == 12
	}
	if s.Breakers[0].State != observe.Open || len(hashes) != snapshot.MaxKeyed || !hashes[s.Breakers[0].Key] {
		t.Errorf("%+v", s.Breakers[0])
	}
	if strings.Contains(s.String(), "secret") {
		t.Error("a key is in it")
	}
}
