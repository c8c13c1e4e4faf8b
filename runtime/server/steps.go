package server

import (
	"net/http"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/bulkhead"
	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// withinLimits refuses what is too large to be looked at.
func (x *exchange) withinLimits() bool {
	if n := x.h.urlLimit; n > 0 && len(x.r.URL.Path)+len(x.r.URL.RawQuery) > n {
		x.problem(problem(http.StatusRequestURITooLong, "the address is longer than this server takes"))
		return false
	}
	if x.h.headerLimit <= 0 {
		return true
	}
	lines := 0
	for _, values := range x.r.Header {
		lines += len(values)
	}
	if lines > x.h.headerLimit {
		x.problem(problem(http.StatusRequestHeaderFieldsTooLarge, "the request has more header fields than this server takes"))
		return false
	}
	return true
}

// find looks up the route.
func (x *exchange) find() bool {
	path := x.r.URL.EscapedPath()
	if base := x.h.base; base != "" {
		rest, ok := strings.CutPrefix(path, base)
		if !ok {
			rest = ""
		}
		path = rest
	}
	m := &x.request.match
	x.h.router.Find(m, x.r.Method, path, x.r.URL.RawQuery)
	switch {
	case m.Found():
		x.endpoint = x.h.live.Current().endpoints[m.Route]
		x.r.Pattern = x.endpoint.pattern // for what stands around the handler
		return true
	case m.Allow == "":
		x.problem(problem(http.StatusNotFound, "there is nothing at this path"))
		return false
	}
	x.w.Header().Set("Allow", m.Allow)
	if x.r.Method == http.MethodOptions {
		x.begin(http.StatusNoContent)
		return false
	}
	x.problem(problem(http.StatusMethodNotAllowed, "the path has "+m.Allow))
	return false
}

// bound works out until when the method may run.
func (x *exchange) bound() bool {
	p := &x.endpoint.spec.Server
	if d := p.Deadline; d != nil && d.Trust {
		if left, ok := deadline.Received(x.headerLine); ok {
			switch {
			case d.Mode == policy.Shadow:
				x.wouldEndAt(x.start.Add(left))
			case left <= 0:
				x.cause = errDeadline
				x.rejected(x.op(), observe.Deadline, false, time.Time{})
				x.problem(problem(http.StatusGatewayTimeout, "the caller's deadline has passed"))
				return false
			default:
				x.end, x.ofCaller = x.start.Add(left), true
			}
		}
	}
	if t := p.Timeout; t != nil && t.Handler > 0 {
		if end := x.start.Add(t.Handler); t.Mode == policy.Shadow {
			x.wouldEndAt(end)
		} else {
			x.boundBy(end)
		}
	}
	return true
}

// wouldEndAt notes a bound in shadow mode.
func (x *exchange) wouldEndAt(end time.Time) {
	if x.wouldEnd.IsZero() || end.Before(x.wouldEnd) {
		x.wouldEnd = end
	}
}

// headerLine is the first line of a header, whose name has the form of the keys.
func (x *exchange) headerLine(name string) string {
	if lines := x.r.Header[name]; len(lines) > 0 {
		return lines[0]
	}
	return ""
}

// boundBy moves the bound to an earlier moment.
func (x *exchange) boundBy(end time.Time) {
	if x.end.IsZero() || end.Before(x.end) {
		x.end, x.ofCaller = end, false
	}
}

// enter takes a slot of the bulkhead.
func (x *exchange) enter() bool {
	b := x.endpoint.bulkhead
	if b == nil {
		return true
	}
	p := x.endpoint.spec.Server.Bulkhead
	slot, ok := b.Try()
	if ok && x.endpoint.shedder != nil {
		x.endpoint.shedder.Observe(x.start, 0)
	}
	if !ok && p.Mode == policy.Shadow {
		x.rejected(x.endpoint.name, observe.Bulkhead, true, time.Time{})
		return true
	}
	if !ok {
		var err error
		if slot, err = x.queue(b, p); err != nil {
			if x.cause = err; x.r.Context().Err() != nil {
				return false // nobody waits for an answer
			}
			x.rejected(x.endpoint.name, observe.Bulkhead, false, time.Time{})
			x.retryAfter(time.Second)
			x.problem(problem(http.StatusServiceUnavailable, "the server is busy"))
			return false
		}
	}
	x.held.slot = slot
	if p.Hold > 0 && p.Mode == policy.Enforce {
		x.boundBy(time.Now().Add(p.Hold))
		x.call.Reset(x.end)
	}
	return true
}

// queue waits for a slot.
func (x *exchange) queue(b *bulkhead.Bulkhead, p *policy.Bulkhead) (bulkhead.Slot, error) {
	now := time.Now()
	until := x.end
	if p.Timeout >= 0 {
		if end := now.Add(p.Timeout); until.IsZero() || end.Before(until) {
			until = end
		}
	}
	slot, err := b.AcquireUntil(x.r.Context(), now, until)
	waited := time.Since(now)
	if x.endpoint.shedder != nil {
		x.endpoint.shedder.Observe(now.Add(waited), waited)
	}
	x.queued(x.endpoint.name, waited, slot.Outside(), err)
	return slot, err
}

// queued tells the hooks of a wait in a queue. Who was refused at once has not waited.
func (x *exchange) queued(name string, waited time.Duration, outside bool, err error) {
	if x.h.hooks.Queued != nil && (waited > 0 || err == nil) {
		x.h.hooks.Queued(x.call, observe.Queued{Op: x.op(), Name: name, For: waited, Outside: outside, Admitted: err == nil})
	}
}

// rejected tells the hooks of a refusal.
func (x *exchange) rejected(name string, reason observe.Reason, shadow bool, retryAt time.Time) {
	if x.h.hooks.Reject != nil {
		x.h.hooks.Reject(x.call, observe.Reject{Op: x.op(), Name: name, Reason: reason, Shadow: shadow, RetryAt: retryAt})
	}
}

// storeFailed tells of a store that could not be asked.
func (x *exchange) storeFailed(what string, err error) {
	if x.h.hooks.StoreFail != nil {
		x.h.hooks.StoreFail(x.call, observe.StoreFail{Op: x.op(), What: what, Err: err})
	}
}

// acceptable refuses a request that takes none of the types that the operation
// has.
func (x *exchange) acceptable() bool {
	produces := x.endpoint.produces
	lines := x.r.Header["Accept"]
	if len(produces) == 0 || len(lines) == 0 || preferred(lines, produces) >= 0 {
		return true
	}
	x.problem(problem(http.StatusNotAcceptable, "available: "+strings.Join(produces, ", ")))
	return false
}
