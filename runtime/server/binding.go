package server

import (
	"context"
	"errors"
	"reflect"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/idempotency"
)

// binding is an operation with its method. It knows nothing of the type of the
// request, for what is generic over both types is compiled for each operation.
type binding[Res any] struct {
	op     *Operation[Res]
	create func() (j *job[Res], req any)
	f      func(ctx context.Context, req any) (Res, error)
	kind   reflect.Kind
}

// serve answers a request.
func (b *binding[Res]) serve(x *exchange) {
	j, req := b.create()
	j.b, j.task.req = b, req
	x.perform(j, &j.task, b.op.Decode, b.op.Validate)
}

// job is one call of a method. It belongs to the goroutine that runs the method,
// until that is done. The task is no embedded field: a job has no use for its methods.
type job[Res any] struct {
	task task
	b    *binding[Res]
	res  Res
}

// holder is a job with its request, in one allocation.
type holder[Req, Res any] struct {
	job job[Res]
	req Req
}

func (j *job[Res]) call(ctx context.Context) (err error) {
	j.res, err = j.b.f(ctx, j.task.req)
	return err
}

func (j *job[Res]) encode(w *Response) {
	op := j.b.op
	if !op.Nullable && canBeNil(j.b.kind) && isNil(j.res) {
		w.fail(errNilResult)
		return
	}
	if op.Encode == nil {
		w.Empty(204)
		return
	}
	op.Encode(w, j.res)
}

// canBeNil tells of which kinds a result can be nil. Nil slices and maps are empty
// ones.
func canBeNil(k reflect.Kind) bool {
	return k == reflect.Pointer || k == reflect.Func || k == reflect.Interface
}

// isNil reports whether a result is nil: a nil pointer or function, or an
// interface that holds none or a nil pointer.
func isNil(res any) bool {
	switch v := reflect.ValueOf(res); v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Func:
		return v.IsNil()
	}
	return false
}

// worker is a job without its types.
type worker interface {
	// call runs the method.
	call(ctx context.Context) error
	// encode writes the result.
	encode(w *Response)
}

// perform decodes a request and has its method called.
func (x *exchange) perform(j worker, t *task, decode func(any, *Request), validate func(any, *check.Checker)) {
	r := &x.request
	if decode != nil {
		decode(t.req, r)
	}
	if validate != nil && r.refusal == nil {
		r.checker.Reset("", "")
		r.checker.Travel(check.InRequest)
		r.checker.Hold(r.body.held)
		validate(t.req, &r.checker)
		r.noteChecks()
	}
	if x.ready() {
		x.run(j, t)
	}
}

// write writes the result of a job.
func (w *Response) write(j worker) {
	j.encode(w)
	if w.err == nil && w.status == 0 {
		w.fail(errors.New("the result has no form in the document"))
	}
}

// task is what is known of a method that runs.
type task struct {
	req      any // a pointer
	h        *handler
	endpoint *endpoint
	ctx      *callContext
	held     held
	claim    *idempotency.Claim

	state    atomic.Uint32
	clock    *uploadClock
	done     chan struct{} // gets one message when the method returns in time
	returned bool
	once     bool // the method cannot be called again
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
	t.err = t.call(j)
	t.returned = true
}

// call runs the method: once more in another transaction where the database wants that to
// be repeated, for its own had no effect. The method has to be given the same once more, so
// a body that it has read as a stream and a lock that went with the first transaction rule
// that out; the caller is asked to come again then.
func (t *task) call(j worker) error {
	for n := 0; ; n++ {
		err := j.call(t.context())
		if err == nil || t.once || !t.claim.Again(t.ctx, n, err) {
			return err
		}
	}
}

// context is what the method gets: it ends with the lock as well.
func (t *task) context() context.Context {
	if t.held.lease != nil && !t.held.watched {
		return t.held.lease.Context()
	}
	return t.ctx
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

// expire gives the method up, for its time is over: unless it has returned after all,
// or an upload has moved the end; then the result is the time that is left.
func (t *task) expire() time.Duration {
	if t.clock != nil {
		end := t.clock.end()
		if left := time.Until(end); left > 0 {
			return left
		}
		t.ctx.Reset(end)
	}
	// The method is told before the caller is, who ends the request's context and
	// with that this one, for another reason.
	t.ctx.Expire()
	t.state.CompareAndSwap(running, abandoned)
	return 0
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
	t.err = t.call(j)
	t.returned = true
}

// late ends a method that was answered for before it returned: what it held and the key
// were its own until now. A result that came too late for its caller is kept for
// the caller's next try.
func (t *task) late(j worker) {
	defer t.held.release()
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
	if t.claim.InTransaction() {
		w.status = 503 // its caller was told that it did not finish, and so it did not
	}
	t.finishClaim(&w)
}
