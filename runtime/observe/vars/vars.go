// Package vars counts the events of clients and servers in expvar, and shows their states
// beside the counts, for /debug/vars.
//
// The counters are those that the table of package observe's README names; none is there
// before its first event. There is a bounded number of them, for no name comes from a
// request.
package vars

import (
	"context"
	"errors"
	"expvar"
	"net/http"
	"sync"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/observe/snapshot"
)

// Vars are counters and states. It is safe for concurrent use; [New] makes one.
type Vars struct {
	counts expvar.Map

	mu      sync.Mutex
	sources []named
}

// named is a source under the name of its states.
type named struct {
	name   string
	source snapshot.Source
}

// New makes counters that are not published.
func New() *Vars {
	v := new(Vars)
	v.counts.Init()
	return v
}

// Publish is New under a name of expvar. Like [expvar.Publish] it panics where the name is
// taken, so that a program does it once.
func Publish(name string) *Vars {
	v := New()
	expvar.Publish(name, v.Map())
	return v
}

// Map is the counters, with the member "states" for the present states of the sources.
// They are read when it is shown, without the buckets of latencies.
func (v *Vars) Map() *expvar.Map {
	out := new(expvar.Map).Init()
	out.Set("counts", &v.counts)
	out.Set("states", expvar.Func(v.states))
	return out
}

// Count is one of the counters; zero before its first event.
func (v *Vars) Count(name string) int64 {
	if n, ok := v.counts.Get(name).(*expvar.Int); ok {
		return n.Value()
	}
	return 0
}

// Show adds a client's Core, or what server.Source makes of a handler, to the states.
func (v *Vars) Show(name string, s snapshot.Source) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sources = append(v.sources, named{name, s})
}

func (v *Vars) states() any {
	v.mu.Lock()
	sources := append([]named(nil), v.sources...)
	v.mu.Unlock()
	out := make(map[string]snapshot.Snapshot, len(sources))
	for _, s := range sources {
		out[s.name] = s.source.Snapshot().WithoutBuckets()
	}
	return out
}

// Hooks count, for client.Observe and server.Observe. Several clients and servers may
// share them.
func (v *Vars) Hooks() *observe.Hooks {
	return &observe.Hooks{
		AttemptEnd: v.attempt, Wait: v.wait, Reject: v.reject, Queued: v.queued, Hedge: v.hedge, Cache: v.cache,
		Fallback: v.fallback, BreakerChange: v.breaker, Replay: v.replay, StoreFail: v.store, CallEnd: v.call, PolicyReload: v.reload,
	}
}

// add counts one.
func (v *Vars) add(name string) { v.counts.Add(name, 1) }

func (v *Vars) attempt(_ context.Context, e observe.AttemptEnd) {
	v.add("attempts")
	if e.Number > 1 {
		v.add("attempts.again")
	}
	if e.Err != nil || e.Status >= http.StatusInternalServerError {
		v.add("attempts.failed")
	}
}

func (v *Vars) wait(_ context.Context, e observe.Wait) { v.add("waits." + e.Reason.String()) }

func (v *Vars) reject(_ context.Context, e observe.Reject) {
	name := "rejects." + e.Reason.String()
	if e.Shadow {
		name = "shadow." + name
	}
	v.add(name)
}

func (v *Vars) queued(_ context.Context, e observe.Queued) {
	if e.Admitted {
		v.add("queued.admitted")
	} else {
		v.add("queued.given-up")
	}
}

func (v *Vars) hedge(_ context.Context, e observe.Hedge) { v.add("hedges." + e.What) }

func (v *Vars) cache(_ context.Context, e observe.Cache) {
	switch {
	case e.Err != nil:
		v.add("cache.failed")
	case e.Hit:
		v.add("cache.hits")
	case e.Shadow:
		v.add("shadow.cache.hits")
	default:
		v.add("cache.misses")
	}
}

func (v *Vars) fallback(_ context.Context, e observe.Fallback) { v.add("fallbacks." + e.What) }

func (v *Vars) breaker(e observe.BreakerChange) {
	name := "breakers." + e.To.String()
	if e.Shadow {
		name = "shadow." + name
	}
	v.add(name)
}

func (v *Vars) replay(context.Context, observe.Replay) { v.add("replays") }

func (v *Vars) store(_ context.Context, e observe.StoreFail) { v.add("stores." + e.What) }

func (v *Vars) call(_ context.Context, e observe.CallEnd) {
	v.add("calls")
	switch {
	case errors.Is(e.Err, context.Canceled):
		v.add("calls.canceled")
	case e.Err != nil || e.Status >= http.StatusInternalServerError:
		v.add("calls.failed")
	}
}

func (v *Vars) reload(e observe.PolicyReload) {
	if e.Err != nil {
		v.add("policies.refused")
	} else {
		v.add("policies.reloaded")
	}
}
