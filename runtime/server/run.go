package server

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
)

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
	return x.limit(stageBody) && x.precondition() && x.claimKey() && x.lock()
}

// run calls the method and answers with what it returns.
func (x *exchange) run(j worker, t *task) {
	t.h, t.endpoint, t.ctx, t.held, t.claim = x.h, x.endpoint, x.call, x.held, x.claim
	t.once = x.streamed != nil || x.held.lease != nil
	if x.end.IsZero() {
		t.inline(j)
		x.conclude(j, t)
		return
	}
	left := time.Until(x.end)
	if left <= 0 { // reading the body has used it up
		x.finishClaim(&failedResponse)
		x.expired()
		return
	}
	if x.bare() {
		x.watched(j, t, left)
		return
	}
	t.done = x.done
	if b := x.streamed; b != nil && !b.ended.Load() {
		b.clock = &uploadClock{ctx: x.call, start: time.Now(), span: left}
		t.clock = b.clock
		x.call.Reset(time.Time{})
	}
	go t.work(j)
	x.wait(t, left)
	if t.state.Load() == finished {
		x.conclude(j, t)
		return
	}
	x.keep = true
	if x.streamed != nil {
		x.streamed.detach(x.control())
		x.hangUp()
	}
	x.expired()
}

// wait waits until the method has returned or its time is over.
func (x *exchange) wait(t *task, left time.Duration) {
	if x.timer == nil {
		x.timer = time.NewTimer(left)
	} else {
		x.timer.Reset(left)
	}
	defer x.timer.Stop()
	for {
		select {
		case <-t.done:
			return
		case <-x.timer.C:
		}
		left := t.expire()
		if left <= 0 {
			break
		}
		x.timer.Reset(left)
	}
	if t.state.Load() != abandoned {
		<-t.done // it has returned in the last moment
	}
}

// overrun reports a method that a bound in shadow mode would have ended, or would not
// have let begin.
func (x *exchange) overrun() {
	if !x.wouldEnd.IsZero() && !time.Now().Before(x.wouldEnd) {
		x.wouldEnd = time.Time{} // once
		x.rejected(x.op(), observe.Deadline, true, time.Time{})
	}
}

// expired answers for a method that has used up its time.
func (x *exchange) expired() {
	x.overrun()
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
	x.overrun()
	lost := x.lockLost()
	if !x.claim.InTransaction() { // others may go on after the commit only
		x.held.unlock()
	}
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
		if lost && errors.Is(t.err, context.Canceled) {
			t.err = errLockLost
		}
		x.respond(t.err)
		return
	}
	w.write(j)
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
	case x.claim.InTransaction() && x.undone(err):
		return
	}
	if own, ok := errors.AsType[Responder](err); ok {
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
	p := x.problemOf(err)
	x.h.failed(x.call, x.op(), p.Status, err)
	x.finishClaim(&Response{status: p.Status})
	x.problem(p)
}

// problemOf is problemOf with what depends on the policy.
func (x *exchange) problemOf(err error) *fault.Problem {
	switch {
	case errors.Is(err, ErrVersionConflict):
		x.rejected(x.op(), observe.Precondition, false, time.Time{})
		return x.versionConflict()
	case errors.Is(err, errLockLost):
		x.retryAfter(time.Second)
		return problem(http.StatusServiceUnavailable, "the lock was lost before the operation had ended")
	}
	return problemOf(err)
}

// answer sends the response, or 500 in its place when it cannot be sent.
func (x *exchange) answer() {
	w := &x.response
	w.finish()
	if w.err != nil {
		err := w.err
		w.closeReader()
		x.cause = err
		x.finishClaim(&failedResponse)
		x.h.failed(x.call, x.op(), http.StatusInternalServerError, err)
		x.problem(problem(http.StatusInternalServerError, ""))
		return
	}
	if !x.settled(w) {
		return
	}
	x.send(w)
}
