package policy

import "strings"

// clientMore checks the primitives that only a client has, and the cache.
func (c *checker) clientMore(p *Client) {
	if h := p.Hedge; h != nil {
		c.hedge(h, p)
	}
	if f := p.Fallback; f != nil {
		c.fallback(f)
	}
	c.cache(p.Cache)
	c.concurrency(p.Concurrency)
	if s := p.Stream; s != nil {
		c.stream(s)
	}
}

// serverMore checks the primitives that only a server has, and the cache.
func (c *checker) serverMore(p *Server) {
	c.cache(p.Cache)
	c.concurrency(p.Concurrency)
	if l := p.Lock; l != nil {
		c.atLeast("lock.keys", len(l.Keys), 1)
		c.positive("lock.ttl", l.TTL)
		c.notNegative("lock.heartbeat", l.Heartbeat)
		c.notNegative("lock.wait", l.Wait)
		if l.Heartbeat >= l.TTL && l.Heartbeat > 0 {
			c.failf("lock.heartbeat", "%v is not under ttl %v", l.Heartbeat, l.TTL)
		}
	}
	if s := p.Shed; s != nil {
		c.positive("shed.target", s.Target)
		c.atLeast("shed.maxInflight", s.MaxInflight, 0)
	}
}

func (c *checker) hedge(h *Hedge, p *Client) {
	// The negated form also catches NaN.
	if !(h.Quantile >= 0 && h.Quantile < 1) {
		c.failf("hedge.delay", "the quantile %v is not between 0 and 1", h.Quantile)
	}
	if (h.Delay > 0) == (h.Quantile > 0) || h.Delay < 0 {
		c.failf("hedge.delay", "exactly one of a time and a quantile is needed")
	}
	c.atLeast("hedge.max", h.Max, 0)
	if p.Effect != Read {
		c.failf("hedge", "only a read may be sent twice, not a call whose effect is %s", p.Effect)
	}
	if p.Idempotency != nil {
		c.failf("hedge", "a call with an idempotency key may not be sent twice at once")
	}
}

func (c *checker) fallback(f *Fallback) {
	c.notNegative("fallback.reserve", f.Reserve)
	for i := range f.Rungs {
		r := &f.Rungs[i]
		const field = "fallback.rungs"
		c.notNegative(field+".timeout", r.Timeout)
		c.notNegative(field+".maxStale", r.MaxStale)
		c.fraction(field+".similarity", r.Similarity)
		if r.Status != 0 && (r.Status < 100 || r.Status > 599) {
			c.failf(field+".status", "%d is not within 100 to 599", r.Status)
		}
		switch r.Kind {
		case RungServer, RungOperation, RungHandler, RungQueue:
			if r.Name == "" {
				c.failf(field, "a rung %s needs a name", r.Kind)
			}
		case RungNone:
			c.failf(field, "a rung does not say what it is")
		}
	}
}

func (c *checker) cache(k *Cache) {
	if k == nil {
		return
	}
	c.notNegative("cache.maxAge", k.MaxAge)
	c.notNegativeOrNone("cache.sharedMaxAge", k.SharedMaxAge)
	c.notNegativeOrNone("cache.cdnMaxAge", k.CDNMaxAge)
	c.notNegative("cache.staleWhileRevalidate", k.StaleWhileRevalidate)
	c.notNegative("cache.staleIfError", k.StaleIfError)
	if k.MaxBytes < 0 {
		c.failf("cache.maxBytes", "%d is negative", k.MaxBytes)
	}
}

func (c *checker) concurrency(k *Concurrency) {
	if k != nil && k.Conflict != 0 && k.Conflict != 409 && k.Conflict != 412 {
		c.failf("concurrency.conflict", "%d is neither 412 nor 409", k.Conflict)
	}
}

func (c *checker) stream(s *Stream) {
	c.notNegative("stream.first", s.First)
	if s.Error != "" && s.Error[0] != '/' {
		c.failf("stream.error.pointer", "%q is no JSON pointer into an item", s.Error)
	}
	r := s.Resume
	if r == nil {
		return
	}
	switch r.Param.Source {
	case FromPath, FromQuery, FromHeader, FromBody:
	default:
		c.failf("stream.resume.param", "no value can be put at %q", r.Param)
	}
	switch {
	case r.ByEventID() && !(r.Param.Source == FromHeader && strings.EqualFold(r.Param.Name, LastEventID)):
		c.failf("stream.resume.from", "only %s has a position without it", LastEventID)
	case !r.ByEventID() && r.From.Source != FromResponseBody:
		c.failf("stream.resume.from", "%q is no place in an item", r.From)
	}
}

// rate checks a rate that is needed, and that a call can be paid from it.
func (c *checker) rate(field string, r Rate, cost int) {
	c.atLeast(field+".limit", r.Limit, 1)
	c.positive(field+".per", r.Per)
	most, name := r.Limit, "limit"
	if r.Algorithm == TokenBucket {
		c.atLeast(field+".burst", r.Burst, 1)
		most, name = r.Burst, "burst"
	}
	if cost > most {
		c.failf(field+".cost", "%d is above %s %d and could never be paid", cost, name, most)
	}
}

// plan checks a plan; a tier without a limit is unlimited.
func (c *checker) plan(field string, p *Plan) {
	if p.From.IsZero() {
		c.failf(field+".from", "it is needed")
	}
	all := append([]PlanTier{{Plan: "else", Rate: p.Else}}, p.Tiers...)
	for _, t := range all {
		if t.Rate != (Rate{}) {
			c.rate(field+"."+t.Plan, t.Rate, 0)
		}
	}
}
