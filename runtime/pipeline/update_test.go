package pipeline_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// breakerOf is a breaker of a scope, or of a key.
func breakerOf(scope policy.Scope, keyed bool) *policy.Breaker {
	b := &policy.Breaker{Scope: scope, Window: policy.Window{Count: 10}, FailureThreshold: 3, Recovery: 30 * time.Second, Probes: 1}
	if keyed {
		b.Key = []policy.Expr{{Source: policy.FromQuery, Name: "tenant"}}
	}
	return b
}

// tenant is the value of every key.
type tenant string

func (t tenant) Lookup(policy.Expr) (policy.Value, bool) { return policy.Value{Text: string(t)}, true }

// An update reaches the breakers of all servers, hosts and keys, those that are made
// after it by a call of the old policy included, and nobody else's.
func TestUpdateReachesEveryBreaker(t *testing.T) {
	for name, b := range map[string]*policy.Breaker{
		"dependency": breakerOf(policy.ScopeDependency, false), "host": breakerOf(policy.ScopeHost, false),
		"operation": breakerOf(policy.ScopeOperation, false), "key": breakerOf(policy.ScopeDependency, true),
	} {
		synctest.Test(t, func(t *testing.T) {
			r := pipeline.NewRegistry(pipeline.Settings{Random: func() float64 { return 0 }})
			spec := func(id string, b policy.Breaker) *policy.Spec {
				c := base()
				c.Retry, c.Breaker = nil, &b
				return &policy.Spec{ID: id, Dependency: "petstore", Client: c}
			}
			before := spec("getPet", *b)
			p := r.Pipeline(before)
			fail := func(p *pipeline.Pipeline, where string) *fault.Error {
				return p.Do(t.Context(), &pipeline.Call{Server: where, Host: where, Lookup: tenant(where)}, serve(status(500))).Fault
			}
			other := breakerOf(policy.ScopeDependency, false)
			other.FailureThreshold = 9
			stranger := r.Pipeline(&policy.Spec{ID: "other", Dependency: "elsewhere", Client: policy.Client{Breaker: other}})
			for range 2 {
				fail(p, "a")
				fail(stranger, "a")
			}
			changed := *b
			changed.FailureThreshold, changed.Recovery = 2, time.Second
			r.Update(spec("getPet", changed))
			// The failures before the change count: this one is the third of two.
			if f := fail(p, "a"); f.Kind != fault.Status {
				t.Fatalf("%s: %v", name, f)
			}
			if f := fail(p, "a"); f.Kind != fault.BreakerOpen || f.RetryIn != time.Second {
				t.Errorf("%s: %v, again in %v; want an open breaker with the new recovery", name, f, f.RetryIn)
			}
			if name != "operation" {
				fail(p, "late")
				fail(p, "late")
				if f := fail(p, "late"); f.Kind != fault.BreakerOpen {
					t.Errorf("%s: %v; want a breaker made after the change to have the new threshold", name, f)
				}
			}
			if f := fail(stranger, "a"); f.Kind != fault.Status {
				t.Errorf("%s: %v for another dependency", name, f)
			}
		})
	}
}

// Buckets, slots and budgets go by the new numbers at once, also for a call of the old
// policy.
func TestUpdateReachesWhatCallsShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := pipeline.NewRegistry(pipeline.Settings{})
		spec := func(limit, slots int, budget float64) *policy.Spec {
			c := base()
			c.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Limit: limit, Per: time.Hour, Burst: limit, Cost: 1}}}
			c.Bulkhead = &policy.Bulkhead{MaxConcurrent: slots}
			c.Retry.Budget = &policy.Budget{MinPerSecond: budget, Window: 10 * time.Second}
			return &policy.Spec{ID: "getPet", Dependency: "petstore", Client: c}
		}
		p := r.Pipeline(spec(3, 1, 1))
		if o := p.Do(t.Context(), replayable(), serve(status(503))); o.Attempts != 2 || o.Fault.Stop != fault.StopBudget {
			t.Fatalf("%d tries, %v: want one retry, from the budget's one token", o.Attempts, o.Fault.Stop)
		}
		r.Update(spec(4, 1, 5))
		if o := p.Do(t.Context(), replayable(), serve(status(204))); o.Fault != nil {
			t.Fatal(o.Fault)
		}
		if o := p.Do(t.Context(), replayable(), serve(status(204))); o.Fault != nil {
			t.Errorf("%v: the fourth token is new", o.Fault)
		}
		o := p.Do(t.Context(), replayable(), serve(status(204)))
		if o.Fault == nil || o.Fault.Kind != fault.RateLimited {
			t.Errorf("%v: want all tokens of the larger bucket to be used up", o.Fault)
		}
	})
}
