package server

import (
	"io"
	"net"
	"net/http"
	"time"
)

// A method that has a bound runs in the goroutine of its request where a timer's
// function can give the answer in its place: where the ResponseWriter is that of
// net/http for HTTP/1. The timer then writes the answer, takes the connection from
// net/http, which would leave the client waiting until the handler has returned, and
// closes it. So the client has its answer at the bound, a server that shuts down does not
// wait for the method, and no request pays for a goroutine that only few need.
//
// The method and the timer's function agree by the state of the task who of them answers.
// The one who comes second touches neither the exchange nor the ResponseWriter; and the
// handler does not return before the function has, for net/http ends the answer then.

// connection is what the ResponseWriter of net/http can do for HTTP/1. Those that
// programs put around it have an Unwrap method where they do as much.
type connection interface {
	http.ResponseWriter
	http.Hijacker
	FlushError() error
	SetReadDeadline(at time.Time) error
	SetWriteDeadline(at time.Time) error
	EnableFullDuplex() error
}

// bare reports whether the timer can answer. Not for a body that is still being read,
// since net/http reads it from the same buffer that it gives up with the connection; not
// through another ResponseWriter, which may hold an answer back until the handler returns;
// and not by a function of the program, which need not say how long its answer is.
func (x *exchange) bare() bool {
	r := x.r
	if r.ProtoMajor != 1 || x.streamed != nil || x.h.render != nil {
		return false
	}
	if r.Body != nil && r.Body != http.NoBody && !x.request.body.whole {
		return false
	}
	if _, ok := x.w.(connection); !ok {
		return false
	}
	_, wraps := x.w.(interface{ Unwrap() http.ResponseWriter })
	return !wraps
}

// watched runs the method and answers, unless the alarm has done so.
func (x *exchange) watched(j worker, t *task, left time.Duration) {
	x.task = t
	if x.alarm == nil {
		x.alarm = time.AfterFunc(left, x.ring)
	} else {
		x.alarm.Reset(left)
	}
	defer x.back(j, t)
	t.err = t.call(j)
	t.returned = true
}

// back goes on after the method, whatever has ended it.
func (x *exchange) back(j worker, t *task) {
	t.caught(recover())
	first := t.state.CompareAndSwap(running, finished)
	if !x.alarm.Stop() {
		<-x.done // ring has begun, and this exchange may be another request's soon
	}
	if !first {
		x.keep, x.reported = true, true
		t.late(j)
		return
	}
	x.conclude(j, t)
	if t.err == errExit { //nolint:errorlint // Nobody wraps it.
		_ = x.flush() // net/http does not end the answer of a goroutine that exits
	}
}

// ring is the function of the alarm: the method's time is over.
func (x *exchange) ring() {
	if conn := x.takeOver(); conn != nil {
		closeGently(conn)
	}
}

// takeOver answers in the method's place and takes the connection from net/http. It is
// nil when the method was faster.
func (x *exchange) takeOver() (conn net.Conn) {
	defer func() { x.done <- struct{}{} }()
	if t := x.task; t.expire() > 0 || t.state.Load() != abandoned {
		return nil
	}
	defer func() {
		if c, _, err := x.w.(http.Hijacker).Hijack(); err == nil { //nolint:forcetypeassert // See bare.
			conn = c
		}
	}()
	x.contained(func() {
		x.w.Header()["Connection"] = []string{"close"}
		x.expired()
	})
	x.contained(func() { _ = x.flush() })
	x.contained(x.report)
	return nil
}

// contained runs what may call a program's functions. In the goroutine of a timer a panic
// of theirs would end the program; in that of a request net/http catches it.
func (x *exchange) contained(f func()) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		defer func() { _ = recover() }() // OnPanic is a function of the program's as well
		x.notePanic(v)
	}()
	f()
}

// What is done for an answer that is under way when its connection is closed.
const (
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 256 << 10
)

// closeGently closes a connection after an answer. Were it closed at once with something
// unread, a request that was sent ahead, the client would be told to forget the answer.
func closeGently(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	if conn.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.CopyN(io.Discard, conn, lingerBytes)
	}
}
