package server

import (
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/bulkhead"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"github.com/holdfast-go/holdfast/runtime/shed"
)

// shared makes what several endpoints have in common, by name. It stays as long as
// the handler does, so that bulkheads and limiters keep their state when a policy
// file changes their settings.
type shared struct {
	h *handler

	mu        sync.Mutex    // held while an edition is made, and by snapshots
	shedder   *shed.Shedder // one for all that may be refused
	bulkheads map[string]*bulkhead.Bulkhead
	limiters  map[string]*ratelimit.Limiter // by partition and name
	// settled are those that the present edition has settled: the first endpoint
	// that names one decides.
	settled map[any]bool
}

func newShared(h *handler) *shared {
	return &shared{h: h, bulkheads: map[string]*bulkhead.Bulkhead{}, limiters: map[string]*ratelimit.Limiter{}}
}

// edition makes all endpoints anew.
func (s *shared) edition(policyOf func(*policy.Spec) *policy.Spec) []*endpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settled = map[any]bool{}
	endpoints := make([]*endpoint, 0, len(s.h.mounted))
	for _, e := range s.h.mounted {
		endpoints = append(endpoints, e.under(policyOf(e.spec), s))
	}
	return endpoints
}

func (s *shared) equip(e *endpoint) {
	p := &e.spec.Server
	dependency := e.spec.Dependency
	if dependency == "" {
		dependency = s.h.api.Dependency
	}
	if p.Shed != nil {
		e.shedder = s.shed(p.Shed)
	}
	if p.Bulkhead != nil {
		e.name = p.Bulkhead.Name
		if e.name == "" {
			e.name = dependency
		}
		e.bulkhead = s.bulkhead(e.name, p.Bulkhead)
	}
	if p.RateLimit != nil {
		e.limits = s.limits(e.spec, dependency, len(e.security) > 0)
	}
	e.reply = replyOf(e.spec, e.produces)
	if p.Idempotency != nil {
		e.idempotency = s.guard(e)
	}
}

func (s *shared) shed(p *policy.Shed) *shed.Shedder {
	switch {
	case s.shedder == nil:
		s.shedder = shed.New(*p, shed.SchedulerDelay())
	case !s.settled[s.shedder] && s.shedder.Policy() != *p:
		s.shedder.SetPolicy(*p)
	}
	s.settled[s.shedder] = true
	return s.shedder
}

func (s *shared) bulkhead(name string, p *policy.Bulkhead) *bulkhead.Bulkhead {
	b := s.bulkheads[name]
	switch {
	case b == nil:
		b = bulkhead.New(*p)
		s.bulkheads[name] = b
	case !s.settled[b] && b.Policy() != *p:
		b.SetPolicy(*p)
	}
	s.settled[b] = true
	return b
}

func (s *shared) limiter(name string, r policy.Rate) *ratelimit.Limiter {
	p := policy.Bucket{Algorithm: r.Algorithm, Limit: r.Limit, Per: r.Per, Burst: r.Burst}
	l := s.limiters[name]
	if l == nil {
		l = ratelimit.New(p, 0)
		s.limiters[name] = l
	} else if old := l.Policy(); !s.settled[l] && old.Rate() != r {
		l.SetPolicy(p, time.Now())
	}
	s.settled[l] = true
	return l
}
