package redisstore

import (
	"strings"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/ratelimit"
)

// maxRefusals bounds the refusals that are remembered, all of which are looked through when
// something is given back.
const maxRefusals = 2048

// refusals remembers decisions that cannot come out otherwise before a moment: others only
// take more meanwhile. What another process gives back is not seen until then, which makes
// a limit at most stricter.
type refusals struct {
	mu  sync.Mutex
	all map[string]refusal
}

type refusal struct {
	at, until time.Time
	states    []ratelimit.State
}

func newRefusals() *refusals { return &refusals{all: map[string]refusal{}} }

// none says that there are none at the moment, so that a decision need not be named.
func (r *refusals) none() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.all) == 0
}

// find gives a decision its refusal, if there is one.
func (r *refusals) find(now time.Time, what string, demands []ratelimit.Demand) (wait time.Duration, refused bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	old, is := r.all[what]
	if !is {
		return 0, false
	}
	if !now.Before(old.until) {
		delete(r.all, what)
		return 0, false
	}
	past := now.Sub(old.at)
	for i := range demands {
		s := old.states[i]
		if s.Wait != ratelimit.Never {
			s.Wait = max(0, s.Wait-past)
		}
		s.Reset = max(0, s.Reset-past)
		demands[i].State = s
	}
	return old.until.Sub(now), true
}

// add remembers a refusal. Where there is no room, one of those that are held goes.
func (r *refusals) add(now time.Time, what string, wait time.Duration, demands []ratelimit.Demand) {
	states := make([]ratelimit.State, len(demands))
	for i := range demands {
		states[i] = demands[i].State
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) >= maxRefusals {
		for key := range r.all {
			delete(r.all, key)
			break
		}
	}
	r.all[what] = refusal{at: now, until: now.Add(wait), states: states}
}

// forget drops the refusals in which a bucket has a part, because it was given something
// back.
func (r *refusals) forget(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for what := range r.all {
		if strings.Contains(what, key) {
			delete(r.all, what)
		}
	}
}
