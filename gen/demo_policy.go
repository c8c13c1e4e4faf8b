package gen

import (
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// The longest times of a demo. The booking service keeps below all of them.
const (
	demoAttempt  = 400 * time.Millisecond
	demoTotal    = 5 * time.Second
	demoBase     = 60 * time.Millisecond
	demoDelay    = 300 * time.Millisecond
	demoRecovery = time.Second
)

// hasten cuts the times of all policies to what somebody who looks on has patience for,
// and reports whether it changed any. Policies may share their parts, so changed ones are
// copies.
func hasten(api *ir.API) bool {
	changed := false
	clients, _ := policiesOf(api)
	for _, c := range clients {
		before := *c
		if t := c.Timeout; t != nil {
			short := *t
			cut(&short.Attempt, demoAttempt)
			if short.Total > 0 {
				cut(&short.Total, demoTotal)
			}
			if short != *t && short.Total == policy.Computed {
				short.Total = demoTotal // computed from a short attempt it would have no room for a Retry-After
			}
			if short != *t {
				c.Timeout = &short
			}
		}
		c.Retry = shortRetry(c.Retry)
		c.Breaker = shortBreaker(c.Breaker)
		changed = changed || c.Timeout != before.Timeout || c.Retry != before.Retry || c.Breaker != before.Breaker
	}
	return changed
}

// policiesOf are those of all operations, their variants and profiles. Variants may share
// a server's policy, and get one each.
func policiesOf(api *ir.API) (clients []*policy.Client, servers []*policy.Server) {
	variants := func(list []policy.Variant) {
		for i := range list {
			clients = append(clients, &list[i].Client)
			if list[i].Server != nil {
				own := *list[i].Server
				list[i].Server = &own
				servers = append(servers, &own)
			}
		}
	}
	for _, op := range api.Operations {
		p := &op.Policy
		clients, servers = append(clients, &p.Client), append(servers, &p.Server)
		variants(p.Variants)
		for i := range p.Profiles {
			f := &p.Profiles[i]
			clients, servers = append(clients, &f.Client), append(servers, &f.Server)
			variants(f.Variants)
		}
	}
	return clients, servers
}

func shortRetry(r *policy.Retry) *policy.Retry {
	if r == nil || r.BaseDelay <= demoBase && r.MaxDelay <= demoDelay {
		return r
	}
	short := *r
	cut(&short.BaseDelay, demoBase)
	cut(&short.MaxDelay, demoDelay)
	return &short
}

func shortBreaker(b *policy.Breaker) *policy.Breaker {
	if b == nil || b.Recovery <= demoRecovery {
		return b
	}
	short := *b
	cut(&short.Recovery, demoRecovery)
	cut(&short.MaxRecovery, 2*demoRecovery)
	return &short
}

// cut shortens a time that is longer than most.
func cut(d *time.Duration, most time.Duration) {
	if *d > most {
		*d = most
	}
}
