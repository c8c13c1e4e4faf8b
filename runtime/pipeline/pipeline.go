package pipeline

import (
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/runtime/breaker"
	"github.com/holdfast-go/holdfast/runtime/bulkhead"
	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/hedge"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// Pipeline makes the calls of one operation. It is safe for concurrent use.
type Pipeline struct {
	registry *Registry
	hooks    *observe.Hooks
	op       string
	method   string // of the operation, as its path
	path     string
	name     string // of the dependency, or of the operation without one
	policy   policy.Client

	timeout policy.Timeout // the zero value where it is off
	reserve time.Duration  // zero where no deadline is sent
	send    bool           // a deadline
	// wouldReserve is the reserve of a deadline in shadow mode.
	wouldReserve time.Duration
	maxTries     int
	bulkhead     *bulkhead.Bulkhead
	budget       *retry.Budget
	limiters     []*ratelimit.Limiter
	serverNames  []atomic.Pointer[string] // the server's names for the same, as last told
	hedger       *hedge.Hedger
	adaptive     *deadline.Adaptive // nil where the attempt is as written
	seen         *seen
	// lastBreaker saves the look-up: nearly all calls of an operation go to one
	// server of one host.
	lastBreaker atomic.Pointer[knownBreaker]
}

// knownBreaker is a breaker and what it was found by.
type knownBreaker struct {
	at      partition
	breaker *breaker.Breaker
}

// Pipeline is that of an operation. The Spec must not be changed any more.
func (r *Registry) Pipeline(s *policy.Spec) *Pipeline {
	c := s.Client
	p := &Pipeline{
		registry: r, hooks: r.settings.Hooks, op: s.ID, method: s.Method, path: s.Path, name: nameOf(s), policy: c, maxTries: 1,
		seen: r.seen(s.ID),
	}
	if c.Timeout != nil {
		p.timeout = *c.Timeout
		if p.timeout.Adaptive {
			p.adaptive = r.adaptive(p.op)
		}
	} else {
		p.timeout.Total = policy.None
	}
	if d := c.Deadline; d != nil && d.Propagate {
		if d.Mode == policy.Shadow {
			p.wouldReserve = d.Reserve
		} else {
			p.send, p.reserve = true, d.Reserve
		}
	}
	if c.Retry != nil {
		p.maxTries = max(1, c.Retry.MaxAttempts)
		if c.Retry.Budget != nil {
			p.budget = r.budget(p.name, c.Retry.Budget)
		}
	}
	if c.Hedge != nil {
		p.hedger = r.hedger(p.op, c.Hedge)
	}
	if c.Bulkhead != nil {
		p.bulkhead = r.bulkhead(partition{dependency: p.name, scope: c.Bulkhead.Name}, c.Bulkhead)
	}
	if c.RateLimit != nil {
		p.serverNames = make([]atomic.Pointer[string], len(c.RateLimit.Buckets))
		for i := range c.RateLimit.Buckets {
			p.limiters = append(p.limiters, r.limiter(bucketOf(p.op, p.name, &c.RateLimit.Buckets[i]), &c.RateLimit.Buckets[i]))
		}
	}
	return p
}

// nameOf is that of the dependency, or of the operation without one.
func nameOf(s *policy.Spec) string {
	if s.Dependency == "" {
		return s.ID
	}
	return s.Dependency
}

// bucketOf is the partition of a bucket: a named one is the dependency's, one
// without a name the operation's.
func bucketOf(op, dependency string, b *policy.Bucket) partition {
	if b.Name != "" {
		return partition{dependency: dependency, scope: b.Name}
	}
	return partition{dependency: dependency, key: op}
}

// breakerOf finds the breaker of a call; nil where the policy has none.
func (p *Pipeline) breakerOf(c *Call) *breaker.Breaker {
	b := p.policy.Breaker
	if b == nil {
		return nil
	}
	at := partition{dependency: p.name}
	switch {
	case len(b.Key) > 0:
		at.scope, at.key = "key", keyOf(b.Key, c.Lookup)
		if at.key == "" {
			// Calls without the value share one breaker, apart from all keys.
			at.scope = "no key"
		}
	case b.Scope == policy.ScopeHost:
		at.scope = c.Host
	case b.Scope == policy.ScopeOperation:
		at.scope = p.op
	default:
		at.scope = c.Server
	}
	if known := p.lastBreaker.Load(); known != nil && known.at == at {
		return known.breaker
	}
	found := p.registry.breaker(at, breakerKind(p.op, p.name, b), b)
	p.lastBreaker.Store(&knownBreaker{at, found})
	return found
}
