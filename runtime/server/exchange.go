package server

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/bulkhead"
	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/idempotency"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
)

// maxPooled is the largest buffer, in bytes, that is kept for the next request.
const maxPooled = 64 << 10

// exchange is one request with its answer. It is pooled; what a method may hold on
// to is not part of it.
type exchange struct {
	h        *handler
	w        http.ResponseWriter
	r        *http.Request
	endpoint *endpoint
	call     *callContext
	conn     *http.ResponseController

	start    time.Time
	end      time.Time // the bound on the method; zero is none
	ofCaller bool      // it is the caller's deadline

	request  Request
	response Response

	streamed *bodyReader // the body, when the method has it

	slot    bulkhead.Slot
	charges []ratelimit.Charge
	claim   *idempotency.Claim

	status int   // of the answer, once it is certain
	wrote  bool  // the answer has begun
	cause  error // of the answer, for hooks
	keep   bool  // a method that was left running may still use parts of it
}

var exchanges = sync.Pool{New: func() any { return new(exchange) }}

// ServeHTTP answers a request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := exchanges.Get().(*exchange)
	x.h, x.w, x.r = h, w, r
	x.start = time.Now()
	x.request.http, x.request.body.x = r, x
	x.response.strict = h.strict
	defer x.finish()
	x.serve()
}

// serve takes the steps that need no types, in the order of the package's
// comment.
func (x *exchange) serve() {
	x.call = &callContext{request: x.r}
	x.call.Init(x.r.Context(), time.Time{})
	x.identify()
	if !x.withinLimits() || !x.find() {
		return
	}
	x.call.spec = x.endpoint.spec
	x.request.route = x.endpoint.route
	if !x.bound() {
		return
	}
	x.call.Reset(x.end)
	if !x.limit(stageEarly) || !x.enter() || !x.authorize() || !x.limit(stagePrincipal) || !x.acceptable() {
		return
	}
	x.endpoint.serve(x)
}

// finish ends the exchange, whatever has ended serve.
func (x *exchange) finish() {
	v := recover()
	if v != nil && v != http.ErrAbortHandler { //nolint:errorlint // Panics are compared as net/http does.
		x.h.panicked(x.context(), x.op(), v, debug.Stack())
		x.cause = errPanic
		if !x.wrote {
			x.recovered()
		} else {
			v = http.ErrAbortHandler
		}
	}
	x.release()
	x.report()
	abort := v == http.ErrAbortHandler //nolint:errorlint // As above.
	if !x.keep {
		x.reset()
		exchanges.Put(x)
	}
	if abort {
		panic(http.ErrAbortHandler)
	}
}

// errPanic stands for a panic in events.
var errPanic = errors.New("the method panicked")

// recovered answers 500 after a panic. The function that renders problems may
// be what has panicked.
func (x *exchange) recovered() {
	defer func() {
		if recover() != nil {
			x.wrote = true
		}
	}()
	x.problem(problem(http.StatusInternalServerError, ""))
}

// release gives back what the request has held.
func (x *exchange) release() {
	if x.keep {
		return // the method's goroutine does
	}
	x.drain()
	x.slot.Release()
	if x.claim != nil {
		// Only a panic leaves it open here, and then nothing was done for certain.
		_ = x.claim.Finish(x.context(), failedResult)
	}
	if x.call != nil {
		x.call.Cancel()
	}
}

// reset makes the exchange ready for another request.
func (x *exchange) reset() {
	response, wrong := x.response, x.request.wrong
	response.reset()
	data := x.request.body.data
	if cap(data) > maxPooled {
		data = nil
	}
	clear(wrong)
	clear(x.charges)
	charges := x.charges[:0]
	*x = exchange{response: response, charges: charges}
	x.request.wrong = wrong[:0]
	x.request.body.data = data[:0]
}

// context is that of the call, once there is one.
func (x *exchange) context() context.Context {
	if x.call != nil {
		return x.call
	}
	return x.r.Context()
}

// op is the operation's ID, once it is known.
func (x *exchange) op() string {
	if x.endpoint != nil {
		return x.endpoint.spec.ID
	}
	return ""
}

// report tells the hooks how the request ended.
func (x *exchange) report() {
	if x.h.hooks.CallEnd == nil || x.endpoint == nil {
		return
	}
	x.h.hooks.CallEnd(x.context(), observe.CallEnd{
		Op: x.op(), Attempts: 1, Duration: time.Since(x.start), Status: x.status, Err: x.cause,
	})
}

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
		x.endpoint = x.h.endpoints[m.Route]
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
		if left, ok := deadline.Received(x.r.Header.Get); ok {
			if left <= 0 {
				x.cause = errDeadline
				x.problem(problem(http.StatusGatewayTimeout, "the caller's deadline has passed"))
				return false
			}
			x.end, x.ofCaller = x.start.Add(left), true
		}
	}
	if t := p.Timeout; t != nil && t.Mode == policy.Enforce && t.Handler > 0 {
		x.boundBy(x.start.Add(t.Handler))
	}
	return true
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
	x.slot = slot
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
	if x.h.hooks.Queued == nil {
		return slot, err
	}
	// One that was refused at once has not waited.
	if waited := time.Since(now); waited > 0 || err == nil {
		x.h.hooks.Queued(x.call, observe.Queued{
			Op: x.op(), Name: x.endpoint.name, For: waited, Outside: slot.Outside(), Admitted: err == nil,
		})
	}
	return slot, err
}

// rejected tells the hooks of a refusal.
func (x *exchange) rejected(name string, reason observe.Reason, shadow bool, retryAt time.Time) {
	if x.h.hooks.Reject != nil {
		x.h.hooks.Reject(x.call, observe.Reject{Op: x.op(), Name: name, Reason: reason, Shadow: shadow, RetryAt: retryAt})
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

// ready reports whether the method may be called: the request is as it has to be,
// and it is the first of its key. Otherwise it has answered.
func (x *exchange) ready() bool {
	s := &x.request
	if s.refusal != nil {
		x.problem(s.refusal)
		return false
	}
	if len(s.wrong) > 0 {
		x.problem(invalid(s.wrong))
		return false
	}
	return x.limit(stageBody) && x.claimKey()
}

// run calls the method and answers with what it returns.
func (x *exchange) run(j worker, t *task) {
	t.h, t.endpoint, t.ctx, t.slot, t.claim = x.h, x.endpoint, x.call, x.slot, x.claim
	if x.end.IsZero() {
		t.inline(j)
		x.conclude(j, t)
		return
	}
	t.done = make(chan struct{}, 1)
	go t.work(j)
	timer := time.AfterFunc(time.Until(x.end), t.expire)
	<-t.done
	timer.Stop()
	if t.state.Load() == finished {
		x.conclude(j, t)
		return
	}
	x.keep = true
	if x.streamed != nil {
		x.streamed.detach(x.control())
		x.w.Header()["Connection"] = []string{"close"}
	}
	x.expired()
}

// expired answers for a method that has used up its time.
func (x *exchange) expired() {
	if x.ofCaller {
		x.cause = errDeadline
		x.problem(problem(http.StatusGatewayTimeout, "the caller's deadline has passed"))
	} else {
		x.cause = errTimeout
		x.retryAfter(time.Second)
		x.problem(problem(http.StatusServiceUnavailable, "the operation did not finish in time"))
	}
	x.h.failed(x.call, x.op(), x.status, x.cause)
}

// conclude answers with what the method returned.
func (x *exchange) conclude(j worker, t *task) {
	w := &x.response
	if t.panicked != nil {
		if t.panicked == http.ErrAbortHandler { //nolint:errorlint // As net/http does.
			panic(http.ErrAbortHandler)
		}
		x.h.panicked(x.call, x.op(), t.panicked, t.stack)
		x.cause = errPanic
		x.finishClaim(&failedResponse)
		x.problem(problem(http.StatusInternalServerError, ""))
		return
	}
	if t.err != nil {
		x.respond(t.err)
		return
	}
	j.encode(w)
	x.answer()
}

// respond answers with an error of the method's.
func (x *exchange) respond(err error) {
	w := &x.response
	x.cause = err
	switch {
	case x.r.Context().Err() != nil && errors.Is(err, context.Canceled):
		// Nobody waits for the answer; it is for the events.
		x.finishClaim(&failedResponse)
		x.problem(problem(http.StatusServiceUnavailable, "the caller has gone"))
		return
	case errors.Is(err, context.DeadlineExceeded) && x.call.Err() != nil:
		x.finishClaim(&failedResponse)
		x.expired()
		return
	}
	var own Responder
	if errors.As(err, &own) {
		own.Respond(w)
		if w.status == 0 {
			w.fail(errors.New("the error wrote no response"))
		}
		if w.err == nil && w.status >= http.StatusInternalServerError {
			x.h.failed(x.call, x.op(), w.status, err)
		}
		x.answer()
		return
	}
	p := problemOf(err)
	x.h.failed(x.call, x.op(), p.Status, err)
	x.finishClaim(&Response{status: p.Status})
	x.problem(p)
}

// answer sends the response, or 500 in its place when it cannot be sent.
func (x *exchange) answer() {
	w := &x.response
	if w.err != nil {
		err := w.err
		w.closeReader()
		x.cause = err
		x.finishClaim(&failedResponse)
		x.h.failed(x.call, x.op(), http.StatusInternalServerError, err)
		x.problem(problem(http.StatusInternalServerError, ""))
		return
	}
	x.finishClaim(w)
	x.send(w)
}

// panicked tells OnPanic.
func (h *handler) panicked(ctx context.Context, op string, v any, stack []byte) {
	if h.onPanic != nil {
		h.onPanic(ctx, op, v, stack)
	}
}

// failed tells OnError.
func (h *handler) failed(ctx context.Context, op string, status int, err error) {
	if h.onError != nil {
		h.onError(ctx, op, status, err)
	}
}
