package policyfile

import (
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// turnsOff reports whether a primitive's value is one of the ways to write off.
func turnsOff(n *Node) bool {
	switch n.Kind {
	case Bool, String:
		return n.Text == "false" || n.Text == "off"
	case Object:
		mode, enabled := n.Get("mode"), n.Get("enabled")
		return mode != nil && (mode.Text == "off" || mode.Text == "false") || enabled != nil && enabled.Text == "false"
	}
	return false
}

// merge lays the present node over a primitive, which is off where it is nil. One that the file
// itself has turned off comes back as it was generated.
func merge[T any](a *applier, p **T, base *T, mode func(*T) *policy.Mode, set func(*T, *Node)) {
	if turnsOff(a.node) {
		*p, a.hit = nil, true
		return
	}
	if *p == nil {
		*p = base
	}
	if *p == nil {
		return
	}
	a.hit = true
	if a.node.Kind == Bool {
		return // true: it is on
	}
	v := **p
	if m := a.node.Get("mode"); m != nil {
		*mode(&v) = wordOf(m, policy.Mode.String)
	}
	set(&v, a.node)
	*p = &v
}

// client lays a primitive over the client's side.
func (a *applier) client(name string, c, base *policy.Client) {
	switch name {
	case "timeout":
		merge(a, &c.Timeout, base.Timeout, func(t *policy.Timeout) *policy.Mode { return &t.Mode }, setTimeout)
	case "deadline":
		merge(a, &c.Deadline, base.Deadline, deadlineMode, setDeadline)
	case "idempotency":
		merge(a, &c.Idempotency, base.Idempotency, idempotencyMode, setIdempotency)
	case "cache":
		merge(a, &c.Cache, base.Cache, cacheMode, setCache)
	case "concurrency":
		merge(a, &c.Concurrency, base.Concurrency, concurrencyMode, func(*policy.Concurrency, *Node) {})
	case "retry":
		merge(a, &c.Retry, base.Retry, func(r *policy.Retry) *policy.Mode { return &r.Mode }, a.setRetry)
	case "hedge":
		merge(a, &c.Hedge, base.Hedge, func(h *policy.Hedge) *policy.Mode { return &h.Mode }, setHedge)
	case "breaker":
		merge(a, &c.Breaker, base.Breaker, func(b *policy.Breaker) *policy.Mode { return &b.Mode }, setBreaker)
	case "bulkhead":
		merge(a, &c.Bulkhead, base.Bulkhead, bulkheadMode, setBulkhead)
	case "fallback":
		merge(a, &c.Fallback, base.Fallback, func(f *policy.Fallback) *policy.Mode { return &f.Mode }, setFallback)
	case "stream":
		merge(a, &c.Stream, base.Stream, func(s *policy.Stream) *policy.Mode { return &s.Mode }, setStream)
	case "rateLimit":
		merge(a, &c.RateLimit, base.RateLimit, rateLimitMode, a.setRateLimit)
	}
}

// server lays a primitive over the server's side.
func (a *applier) server(name string, s, base *policy.Server) {
	switch name {
	case "timeout":
		merge(a, &s.Timeout, base.Timeout, func(t *policy.ServerTimeout) *policy.Mode { return &t.Mode }, setServerTimeout)
	case "deadline":
		merge(a, &s.Deadline, base.Deadline, deadlineMode, setDeadline)
	case "idempotency":
		merge(a, &s.Idempotency, base.Idempotency, idempotencyMode, setIdempotency)
	case "cache":
		merge(a, &s.Cache, base.Cache, cacheMode, setCache)
	case "concurrency":
		merge(a, &s.Concurrency, base.Concurrency, concurrencyMode, func(*policy.Concurrency, *Node) {})
	case "bulkhead":
		merge(a, &s.Bulkhead, base.Bulkhead, bulkheadMode, setBulkhead)
	case "rateLimit":
		merge(a, &s.RateLimit, base.RateLimit, rateLimitMode, a.setRateLimit)
	case "lock":
		merge(a, &s.Lock, base.Lock, func(l *policy.Lock) *policy.Mode { return &l.Mode }, setLock)
	case "shed":
		merge(a, &s.Shed, base.Shed, func(s *policy.Shed) *policy.Mode { return &s.Mode }, setShed)
	}
}

// The modes of what both sides have.

func deadlineMode(d *policy.Deadline) *policy.Mode       { return &d.Mode }
func idempotencyMode(i *policy.Idempotency) *policy.Mode { return &i.Mode }
func cacheMode(c *policy.Cache) *policy.Mode             { return &c.Mode }
func concurrencyMode(c *policy.Concurrency) *policy.Mode { return &c.Mode }
func bulkheadMode(b *policy.Bulkhead) *policy.Mode       { return &b.Mode }
func rateLimitMode(r *policy.RateLimit) *policy.Mode     { return &r.Mode }

// The setters take what is written and leave the rest. The values have been checked.

func setSpan(n *Node, name string, to *time.Duration) {
	v := n.Get(name)
	if v == nil {
		return
	}
	if d, ok := spanOf(v); ok {
		*to = d
	}
}

// setSpanOr is setSpan with a word that stands for a value of its own.
func setSpanOr(n *Node, name, word string, value time.Duration, to *time.Duration) {
	if v := n.Get(name); v != nil && v.Text == word {
		*to = value
		return
	}
	setSpan(n, name, to)
}

func setInt(n *Node, name string, to *int) {
	if v := n.Get(name); v != nil {
		*to, _ = intOf(v)
	}
}

func setFloat(n *Node, name string, to *float64) {
	if v := n.Get(name); v != nil {
		*to, _ = floatOf(v)
	}
}

func setFlag(n *Node, name string, to *bool) {
	if v := n.Get(name); v != nil {
		*to = v.Text == "true"
	}
}

func setStatuses(n *Node, name string, to *policy.Statuses) {
	if v := n.Get(name); v != nil {
		*to = statusesOf(v)
	}
}

func setWord[E ~uint8](n *Node, name string, text func(E) string, to *E) {
	if v := n.Get(name); v != nil {
		*to = wordOf(v, text)
	}
}

// wordOf is the value of an enumeration whose word stands at a node.
func wordOf[E ~uint8](n *Node, text func(E) string) E {
	for e := E(0); e < 16; e++ {
		if text(e) == n.Text {
			return e
		}
	}
	return 0
}
