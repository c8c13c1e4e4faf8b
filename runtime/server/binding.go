package server

import (
	"context"
	"errors"
	"reflect"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/runtime/bulkhead"
	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/idempotency"
)

// binding is an operation with its method.
type binding[Req, Res any] struct {
	op   *Operation[Req, Res]
	f    func(context.Context, Req) (Res, error)
	kind reflect.Kind
}

// kindOf is the kind of a result, as far as it can be nil.
func kindOf[Res any]() reflect.Kind { return reflect.TypeFor[Res]().Kind() }

// isNil reports whether a result is nil: a nil pointer or function, or an
// interface that holds none or a nil pointer. Nil slices and maps are empty ones.
func (b *binding[Req, Res]) isNil(res Res) bool {
	switch b.kind {
	case reflect.Pointer, reflect.Func:
		return reflect.ValueOf(res).IsNil()
	case reflect.Interface:
		v := reflect.ValueOf(res)
		return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
	}
	return false
}

// job is one call of a method. It belongs to the goroutine that runs the method,
// until that is done.
type job[Req, Res any] struct {
	task
	b   *binding[Req, Res]
	req Req
	res Res
}

// serve decodes a request and has its method called.
func (b *binding[Req, Res]) serve(x *exchange) {
	j := &job[Req, Res]{b: b}
	if b.op.Decode != nil {
		b.op.Decode(&j.req, &x.request)
	}
	if b.op.Validate != nil && x.request.refusal == nil {
		x.request.checker.Reset("", "")
		x.request.checker.Travel(check.InRequest)
		b.op.Validate(&j.req, &x.request.checker)
		x.request.noteChecks()
	}
	if x.ready() {
		x.run(j, &j.task)
	}
}

// call runs the method.
func (j *job[Req, Res]) call(ctx context.Context) (err error) {
	j.res, err = j.b.f(ctx, j.req)
	return err
}

// encode writes the result.
func (j *job[Req, Res]) encode(w *Response) {
	switch {
	case !j.b.op.Nullable && j.b.isNil(j.res):
		w.fail(errNilResult)
	case j.b.op.Encode == nil:
		w.Empty(204)
	default:
		j.b.op.Encode(w, j.res)
		if w.status == 0 {
			w.fail(errors.New("the result has no form in the document"))
		}
	}
}

// worker is a job without its types.
type worker interface {
	call(ctx context.Context) error
	encode(w *Response)
}

// task is what is known of a method that runs.
type task struct {
	h        *handler
	endpoint *endpoint
	ctx      *callContext
	slot     bulkhead.Slot
	claim    *idempotency.Claim

	state    atomic.Uint32
	clock    *uploadClock
	done     chan struct{} // gets one message, from whoever changes the state
	returned bool
	err      error
	panicked any
	stack    []byte
}

// The states of a task.
const (
	running uint32 = iota
	finished
	abandoned // nobody waits for it any more
)

// errExit: a method that ended its goroutine.
var errExit = errors.New("the method called runtime.Goexit")

// work runs the method in a goroutine of its own.
func (t *task) work(j worker) {
	defer t.settle(j)
	t.err = j.call(t.ctx)
	t.returned = true
}

// settle ends the goroutine of a method, whatever has ended the method.
func (t *task) settle(j worker) {
	t.caught(recover())
	if t.state.CompareAndSwap(running, finished) {
		t.done <- struct{}{}
		return
	}
	t.late(j)
}

// expire is called when the time of the method is over.
func (t *task) expire() {
	if t.clock != nil {
		end := t.clock.end()
		if left := time.Until(end); left > 0 {
			time.AfterFunc(left, t.expire)
			return
		}
		t.ctx.Reset(end)
	}
	// The method is told before the caller is, who ends the request's context and
	// with that this one, for another reason.
	t.ctx.Expire()
	if t.state.CompareAndSwap(running, abandoned) {
		t.done <- struct{}{}
	}
}

// caught notes how a method ended that did not return.
func (t *task) caught(v any) {
	switch {
	case v != nil:
		t.panicked, t.stack = v, debug.Stack()
	case !t.returned:
		t.err = errExit
	}
}

// inline runs the method in the goroutine of the request.
func (t *task) inline(j worker) {
	defer func() { t.caught(recover()) }()
	t.err = j.call(t.ctx)
	t.returned = true
}

// late ends a method that was answered for before it returned: the slot and the key
// were its own until now. A result that came too late for its caller is kept for
// the caller's next try.
func (t *task) late(j worker) {
	defer t.slot.Release()
	defer t.ctx.Cancel()
	defer func() {
		if v := recover(); v != nil { // in encode
			t.h.panicked(t.ctx, t.endpoint.spec.ID, v, debug.Stack())
			t.finishClaim(&failedResponse)
		}
	}()
	var w Response
	switch {
	case t.panicked != nil:
		t.h.panicked(t.ctx, t.endpoint.spec.ID, t.panicked, t.stack)
		w.status = 500
	case t.err != nil:
		w.status = 500
	default:
		j.encode(&w)
		if w.finish(); w.err != nil {
			w.status = 500
		}
		w.closeReader()
	}
	t.finishClaim(&w)
}
