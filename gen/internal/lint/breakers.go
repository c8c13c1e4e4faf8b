package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

var breakerChecks = []func(*view){
	breakerOff, bulkheadOff, flaky, slowCall, wideScope, fineKey, shortRecovery, longQueue, callerRuns, aboveLimit, healthShed,
}

// breakerOff leaves a bare try alone: there everything but the timeout is off, and
// that was said in one word.
func breakerOff(v *view) {
	c := &v.v.Client
	if c.Breaker != nil || c.Retry == nil && c.Bulkhead == nil || !v.written(client, "breaker") {
		return
	}
	v.mend(v.found("breaker-off", v.at(client, "breaker"), "the breaker is off"), client, "breaker", true)
}

func bulkheadOff(v *view) {
	c := &v.v.Client
	if c.Bulkhead != nil || c.Retry == nil && c.Breaker == nil || !v.written(client, "bulkhead") {
		return
	}
	v.mend(v.found("bulkhead-off", v.at(client, "bulkhead"), "the bulkhead is off"), client, "bulkhead", true)
}

func flaky(v *view) {
	if !v.v.Flaky {
		return
	}
	var missing []string
	if v.v.Client.Breaker == nil {
		missing = append(missing, "breaker")
	}
	if v.v.Client.Fallback == nil {
		missing = append(missing, "fallback")
	}
	if len(missing) > 0 {
		v.found("flaky-unprotected", v.here(), "known to be flaky, and without "+strings.Join(missing, " and "))
	}
}

func slowCall(v *view) {
	b, t := v.v.Client.Breaker, v.v.Client.Timeout
	if b == nil || t == nil || t.Attempt <= 0 || b.SlowCall <= t.Attempt || v.v.Variant != "" || !v.literal(client, "breaker.slowCall") {
		return
	}
	g := v.found("breaker-slow-above-attempt", v.at(client, "breaker.slowCall"),
		fmt.Sprintf("breaker.slowCall %s is above timeout.attempt %s", spanText(b.SlowCall), spanText(t.Attempt)))
	v.mendHere(g, client, "breaker.slowCall", spanText(t.Attempt))
}

func wideScope(v *view) {
	b := v.v.Client.Breaker
	if !v.v.Flaky || b == nil || b.Scope != policy.ScopeDependency || len(b.Key) > 0 {
		return
	}
	shared := slices.ContainsFunc(v.views, func(w *view) bool {
		return w.op != v.op && !w.v.Flaky && w.v.Dependency == v.v.Dependency && w.callback() == v.callback()
	})
	if !shared {
		return
	}
	g := v.found("breaker-scope-wide", v.at(client, "breaker.scope"),
		"a flaky operation shares the breaker of "+v.v.Dependency+" with others")
	v.mendHere(g, client, "breaker.scope", "operation")
}

func fineKey(v *view) {
	b := v.v.Client.Breaker
	if b == nil {
		return
	}
	for _, e := range b.Key {
		if !v.unbounded(e) {
			continue
		}
		g := v.found("breaker-scope-fine", v.at(client, "breaker.key"), "a breaker for each "+e.String())
		v.mend(g, client, "breaker.scope", "dependency")
		return
	}
}

// unbounded reports whether an expression has as many values as there are things or
// callers.
func (v *view) unbounded(e policy.Expr) bool {
	switch e.Source {
	case policy.FromPath:
		return !slices.ContainsFunc(v.op.Params, func(p *ir.Param) bool {
			return p.In == "path" && p.Name == e.Name && p.Use != nil && p.Use.Type != nil && p.Use.Type.Kind == ir.KindEnum
		})
	case policy.FromPrincipal, policy.FromIP, policy.FromURL, policy.FromRequest:
		return true
	}
	return false
}

// manyOperations is from where on one instance each is too many.
const manyOperations = 5

// fineBreakers finds scope: operation written for many at once.
func fineBreakers(r *run) {
	byPos := map[place][]*view{}
	var order []place
	for _, v := range r.views {
		b := v.v.Client.Breaker
		if !v.base() || b == nil || b.Scope != policy.ScopeOperation || !v.written(client, "breaker.scope") {
			continue
		}
		key := place{v.v.Dependency, v.at(client, "breaker.scope").pos}
		if byPos[key] == nil {
			order = append(order, key)
		}
		byPos[key] = append(byPos[key], v)
	}
	for _, key := range order {
		views := byPos[key]
		if len(views) < manyOperations {
			continue
		}
		for _, v := range views {
			g := v.found("breaker-scope-fine", v.at(client, "breaker.scope"), fmt.Sprintf("%d operations of one dependency have a breaker each", len(views)))
			v.mend(g, client, "breaker.scope", "dependency")
		}
	}
}

// leastRecovery is what even a quick service needs to come back.
const leastRecovery = 5 * time.Second

func shortRecovery(v *view) {
	b, t := v.v.Client.Breaker, v.v.Client.Timeout
	if b == nil || t == nil || b.Recovery >= min(t.Attempt, leastRecovery) || !v.written(client, "breaker.recovery") {
		return
	}
	g := v.found("breaker-recovery-short", v.at(client, "breaker.recovery"),
		fmt.Sprintf("breaker.recovery %s is shorter than timeout.attempt %s", spanText(b.Recovery), spanText(t.Attempt)))
	v.mendHere(g, client, "breaker.recovery", "30s")
}

// longQueue needs the measured time of a call: the bound on a try is many times what
// most calls take.
func longQueue(v *view) {
	b := v.v.Client.Bulkhead
	call, measured := spanOf(v.fields[client]["timeout.p999"].Value)
	if b == nil || !measured || call <= 0 || b.Timeout <= 0 || b.MaxConcurrent < 1 || b.OnFull == policy.OnFullAbort {
		return
	}
	at := v.at(client, "bulkhead.queue", "bulkhead.maxConcurrent", "bulkhead.timeout")
	// In floating point: the product of the bounds of the language is out of int64.
	drain := float64(b.Queue) / float64(b.MaxConcurrent) * float64(call)
	if at.source.Level == "" || drain <= float64(b.Timeout) {
		return
	}
	g := v.found("bulkhead-queue-long", at, fmt.Sprintf("%d waiting for %d slots of %s calls take longer than bulkhead.timeout %s",
		b.Queue, b.MaxConcurrent, spanText(call), spanText(b.Timeout)))
	v.mendHere(g, client, "bulkhead.queue", int(float64(b.MaxConcurrent)*float64(b.Timeout)/float64(call)))
}

func callerRuns(v *view) {
	b := v.v.Server.Bulkhead
	if b == nil || b.OnFull != policy.OnFullCallerRuns {
		return
	}
	g := v.found("bulkhead-caller-runs-server", v.at(server, "bulkhead.onFull"), "a server's bulkhead has onFull caller-runs")
	v.mend(g, server, "bulkhead.onFull", "queue")
}

func aboveLimit(v *view) {
	b, r := v.v.Client.Bulkhead, v.v.Client.RateLimit
	if b == nil || r == nil {
		return
	}
	for i := range r.Buckets {
		l := &r.Buckets[i]
		if l.Per <= 0 || float64(b.MaxConcurrent) <= float64(l.Limit)*float64(time.Minute)/float64(l.Per) || !v.everywhere(l.Name) {
			continue
		}
		at, _ := v.within(client, "rateLimit")
		if v.written(client, "bulkhead.maxConcurrent") {
			at = v.at(client, "bulkhead.maxConcurrent")
		}
		v.found("bulkhead-above-limit", at, fmt.Sprintf("%d calls at once, and %d in %s are allowed", b.MaxConcurrent, l.Limit, spanText(l.Per)))
		return
	}
}

// everywhere reports whether all operations that share the bulkhead of this one take
// from a named bucket; an unnamed one is the operation's own, and so as good.
func (v *view) everywhere(bucket string) bool {
	if bucket == "" {
		return true
	}
	return !v.in.Alone && !slices.ContainsFunc(v.views, func(w *view) bool {
		b, r := w.v.Client.Bulkhead, w.v.Client.RateLimit
		return w.v.Dependency == v.v.Dependency && b != nil && b.Name == v.v.Client.Bulkhead.Name &&
			(r == nil || !slices.ContainsFunc(r.Buckets, func(x policy.Bucket) bool { return x.Name == bucket }))
	})
}

// lonelyBulkheads finds dependencies that are cut into a bulkhead for each operation.
func lonelyBulkheads(r *run) {
	type partition struct{ dependency, name string }
	users := map[partition][]*view{}
	lonely := map[string][]*view{}
	var order []partition
	for _, v := range r.views {
		b := v.v.Client.Bulkhead
		if !v.base() || b == nil || b.Name == "" {
			continue
		}
		p := partition{v.v.Dependency, b.Name}
		if users[p] == nil {
			order = append(order, p)
		}
		users[p] = append(users[p], v)
	}
	var dependencies []string
	for _, p := range order {
		if len(users[p]) != 1 {
			continue
		}
		if lonely[p.dependency] == nil {
			dependencies = append(dependencies, p.dependency)
		}
		lonely[p.dependency] = append(lonely[p.dependency], users[p][0])
	}
	for _, d := range dependencies {
		views := lonely[d]
		if len(views) < 3 {
			continue
		}
		g := views[0].found("bulkhead-per-operation", views[0].at(client, "bulkhead.name"),
			fmt.Sprintf("%d bulkheads of %s have one operation each", len(views), d))
		for _, v := range views[1:] {
			g.see(v.at(client, "bulkhead.name"), "another one")
		}
	}
}

func healthShed(v *view) {
	if v.v.Server.Shed == nil || !v.reads() {
		return
	}
	words := []string{"health", "healthz", "livez", "readyz", "live", "ready", "liveness", "readiness", "ping"}
	if slices.Contains(words, strings.ToLower(lastLiteral(v.op.Path))) {
		v.mendHere(v.found("health-shed", v.here(), "a health endpoint may be shed under load"), server, "shed", false)
	}
}

// lastLiteral is the last segment of a path that is no parameter.
func lastLiteral(path string) string {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for _, s := range slices.Backward(segments) {
		if !strings.Contains(s, "{") {
			return s
		}
	}
	return ""
}
