package policyfile

import (
	"slices"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

func setServerTimeout(t *policy.ServerTimeout, n *Node) {
	setSpan(n, "server", &t.Handler)
	setSpan(n, "idle", &t.Idle)
}

func setIdempotency(i *policy.Idempotency, n *Node) {
	setSpan(n, "ttl", &i.TTL)
	setSpan(n, "lease", &i.Lease)
	if v := n.Get("maxBody"); v != nil {
		i.MaxBody, _ = sizeOf(v)
	}
	setWord(n, "onStoreError", policy.OnStoreError.String, &i.OnStoreError)
}

func setCache(c *policy.Cache, n *Node) {
	setSpan(n, "maxAge", &c.MaxAge)
	setSpan(n, "sharedMaxAge", &c.SharedMaxAge)
	setSpan(n, "cdnMaxAge", &c.CDNMaxAge)
	setSpan(n, "staleWhileRevalidate", &c.StaleWhileRevalidate)
	setSpan(n, "staleIfError", &c.StaleIfError)
	if v := n.Get("maxBytes"); v != nil {
		c.MaxBytes, _ = sizeOf(v)
	}
}

func setBulkhead(b *policy.Bulkhead, n *Node) {
	setInt(n, "maxConcurrent", &b.MaxConcurrent)
	setInt(n, "queue", &b.Queue)
	setSpan(n, "timeout", &b.Timeout)
	setSpanOr(n, "hold", "none", 0, &b.Hold)
	setWord(n, "onFull", policy.OnFull.String, &b.OnFull)
	setFlag(n, "adaptive", &b.Adaptive)
}

func (a *applier) setRateLimit(r *policy.RateLimit, n *Node) {
	r.Buckets = slices.Clone(r.Buckets)
	if list := n.Get("buckets"); list != nil {
		a.setBuckets(r, list)
		return
	}
	if len(n.Members) == 0 || len(r.Buckets) == 0 {
		return
	}
	if len(r.Buckets) == 1 && r.Buckets[0].Name == "" {
		a.setBucket(&r.Buckets[0], n, a.pointer)
		return
	}
	for i := range n.Members {
		m := &n.Members[i]
		if e := entryOf(limitFields, m.Name); e != nil && a.layer.own {
			a.addf(m.Line, m.Column, below(a.pointer, m.Name), "the operation's limits have names: write buckets")
		}
	}
}

func (a *applier) setBuckets(r *policy.RateLimit, list *Node) {
	names := make([]string, 0, len(r.Buckets))
	for i := range r.Buckets {
		names = append(names, r.Buckets[i].Name)
	}
	pointer := below(a.pointer, "buckets")
	for i := range list.Members {
		m := &list.Members[i]
		at := slices.Index(names, m.Name)
		switch {
		case free(m.Name):
		case at >= 0 && m.Name != "":
			a.setBucket(&r.Buckets[at], m.Value, below(pointer, m.Name))
		case a.layer.own:
			a.addf(m.Line, m.Column, below(pointer, m.Name), "the operation has no such bucket%s", didYouMean(m.Name, names))
		}
	}
}

func (a *applier) setBucket(b *policy.Bucket, n *Node, pointer string) {
	if b.Plan != nil {
		for _, name := range [...]string{"limit", "per", "burst"} {
			if v := n.Get(name); v != nil && a.layer.own {
				a.addf(v.Line, v.Column, below(pointer, name), "the plan of the caller decides it")
			}
		}
	} else {
		setInt(n, "limit", &b.Limit)
		setSpan(n, "per", &b.Per)
		switch {
		case b.Algorithm != policy.TokenBucket: // windows save nothing
		case n.Get("limit") != nil && n.Get("burst") == nil:
			b.Burst = b.Limit
		default:
			setInt(n, "burst", &b.Burst)
		}
	}
	if b.CostFrom.IsZero() {
		setInt(n, "cost", &b.Cost)
	} else if v := n.Get("cost"); v != nil && a.layer.own {
		a.addf(v.Line, v.Column, below(pointer, "cost"), "the cost of a call is taken from %s", b.CostFrom)
	}
	setStatuses(n, "refund", &b.Refund)
	setSpan(n, "wait", &b.Wait)
	setWord(n, "onStoreError", policy.LimitStoreError.String, &b.OnStoreError)
}

func setLock(l *policy.Lock, n *Node) {
	if v := n.Get("expected"); v != nil {
		d, _ := spanOf(v)
		l.TTL, l.Heartbeat = policy.LockTimes(d)
	}
	setSpan(n, "ttl", &l.TTL)
	setSpan(n, "heartbeat", &l.Heartbeat)
	setSpan(n, "wait", &l.Wait)
}

func setShed(s *policy.Shed, n *Node) {
	setSpan(n, "target", &s.Target)
	setInt(n, "maxInflight", &s.MaxInflight)
	setFlag(n, "adaptive", &s.Adaptive)
}
