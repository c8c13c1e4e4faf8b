package pipeline

import (
	"time"

	"github.com/holdfast-go/holdfast/runtime/bulkhead"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// Update makes the breakers, bulkheads, budgets and buckets of an operation go by its
// settings from now on. They keep their state, and those that are not there yet will
// be made so. Calls that are under way keep the settings that are theirs alone, such as
// timeouts and tries: those are in their [Pipeline]. It may be called at any time; that
// operations agree about what they share is the caller's to see to.
func (r *Registry) Update(s *policy.Spec) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, name := &s.Client, nameOf(s)
	if c.Breaker != nil {
		r.updateBreakers(breakerKind(s.ID, name, c.Breaker), *c.Breaker)
	}
	if b := c.Bulkhead; b != nil {
		at := partition{dependency: name, scope: b.Name}
		if found := r.bulkheads[at]; found == nil {
			r.bulkheads[at] = bulkhead.New(*b)
		} else if sharedSlots(found.Policy()) != sharedSlots(*b) {
			found.SetPolicy(*b)
		}
	}
	if c.RateLimit != nil {
		for i := range c.RateLimit.Buckets {
			r.updateLimiter(bucketOf(s.ID, name, &c.RateLimit.Buckets[i]), c.RateLimit.Buckets[i])
		}
	}
	if c.Retry != nil && c.Retry.Budget != nil {
		if found := r.budgets[name]; found == nil {
			r.budgets[name] = retry.NewBudget(*c.Retry.Budget, time.Now())
		} else if found.Policy() != *c.Retry.Budget {
			found.SetPolicy(*c.Retry.Budget, time.Now())
		}
	}
}

// breakerKind is what the breakers of a policy have in common.
func breakerKind(op, dependency string, b *policy.Breaker) partition {
	switch {
	case len(b.Key) > 0:
		return partition{dependency: dependency, scope: "key"}
	case b.Scope == policy.ScopeOperation:
		return partition{dependency: dependency, scope: b.Scope.String(), key: op}
	}
	return partition{dependency: dependency, scope: b.Scope.String()}
}

// updateBreakers changes all breakers of a kind. The lock is held.
func (r *Registry) updateBreakers(kind partition, b policy.Breaker) {
	b.Key, b.SlowCall = nil, 0 // which a pipeline looks at, and which may differ
	r.settled[kind] = b
	for _, m := range []map[partition]placed{r.breakers, r.keyed} {
		for _, found := range m {
			if found.kind == kind {
				found.SetPolicy(b)
			}
		}
	}
}

// sharedSlots are the settings of a bulkhead that are not a call's own.
func sharedSlots(b policy.Bulkhead) policy.Bulkhead {
	b.MaxConcurrent = max(1, b.MaxConcurrent)
	b.Timeout, b.Hold, b.Mode, b.Name = 0, 0, 0, ""
	return b
}

// updateLimiter changes a bucket. The lock is held.
func (r *Registry) updateLimiter(at partition, b policy.Bucket) {
	found := r.limiters[at]
	if found == nil {
		r.limiters[at] = ratelimit.New(b, r.settings.MaxKeys)
		return
	}
	if old := found.Policy(); old.Rate() != b.Rate() {
		found.SetPolicy(b, time.Now())
	}
}
