package server

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/holdfast-go/holdfast/runtime/idempotency"
	"github.com/holdfast-go/holdfast/runtime/observe"
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
	wouldEnd time.Time // the bound in shadow mode; zero is none

	request  Request
	response Response

	streamed *bodyReader // the body, when the method has it

	held    held
	charges []ratelimit.Charge
	charged []charged // with each charge
	claim   *idempotency.Claim

	status int   // of the answer, once it is certain
	wrote  bool  // the answer has begun
	cause  error // of the answer, for hooks
	keep   bool  // a method that was left running may still use parts of it

	reported bool          // the alarm has told CallEnd
	task     *task         // for the alarm
	alarm    *time.Timer   // runs ring at the end of the method's time
	done     chan struct{} // gets one message when the method has returned, or ring has
	timer    *time.Timer   // of the time of a method in a goroutine of its own
}

// ServeHTTP answers a request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if (h.debug || h.health) && h.operators(w, r) {
		return
	}
	x, _ := h.exchanges.Get().(*exchange)
	if x == nil {
		x = &exchange{done: make(chan struct{}, 1)}
	}
	x.h, x.w, x.r = h, w, r
	x.start = time.Now()
	x.request.http, x.request.body.x = r, x
	x.response.strict = h.strict
	defer x.finish() //nolint:contextcheck // An exchange has its context.
	x.serve()        //nolint:contextcheck // As said.
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
	x.endpoint = x.endpoint.choose(x)
	x.call.spec = x.endpoint.spec
	x.request.route = x.endpoint.route
	if !x.bound() {
		return
	}
	x.call.Reset(x.end)
	if !x.limit(stageEarly) || !x.admit() || !x.enter() || !x.authorize() || !x.limit(stagePrincipal) || !x.acceptable() {
		return
	}
	x.response.accept = x.r.Header["Accept"]
	x.endpoint.serve(x)
}

// finish ends the exchange, whatever has ended serve.
func (x *exchange) finish() {
	v := recover()
	if v != nil && v != http.ErrAbortHandler { //nolint:errorlint // Panics are compared as net/http does.
		x.notePanic(v)
		if !x.wrote {
			x.recovered()
		} else {
			v = http.ErrAbortHandler
		}
	}
	x.release()
	x.report()
	abort := v == http.ErrAbortHandler //nolint:errorlint // As above.
	if h := x.h; !x.keep {
		x.reset()
		h.exchanges.Put(x)
	}
	if abort {
		panic(http.ErrAbortHandler)
	}
}

// notePanic tells of a panic that was caught.
func (x *exchange) notePanic(v any) {
	x.h.panicked(x.context(), x.op(), v, debug.Stack())
	x.cause = errPanic
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
	x.held.release()
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
	response.accept = nil
	data := x.request.body.data
	if cap(data) > maxPooled {
		data = nil
	}
	clear(wrong)
	clear(x.charges)
	clear(x.charged)
	query := x.request.query
	_ = query.ResetQuery("") // it has none
	*x = exchange{response: response, charges: x.charges[:0], charged: x.charged[:0], done: x.done, timer: x.timer, alarm: x.alarm}
	x.request.query = query
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
	if x.endpoint == nil || x.reported || x.h.hooks.CallEnd == nil && x.endpoint.seen == nil {
		return
	}
	took := time.Since(x.start)
	if seen := x.endpoint.seen; seen != nil && x.status < http.StatusInternalServerError && x.status != http.StatusTooManyRequests {
		seen.Record(x.start.Add(took), took)
	}
	if hook := x.h.hooks.CallEnd; hook != nil {
		hook(x.context(), observe.CallEnd{Op: x.op(), Attempts: 1, Duration: took, Status: x.status, Err: x.cause})
	}
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
