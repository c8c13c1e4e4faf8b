// Package pipeline fixes the order in which the primitives stand around a call:
//
//	deadline and total timeout -> breaker check (open: fail fast) -> bulkhead
//	-> breaker permit -> retry loop with budget (the bulkhead's slot is given
//	back while it waits) -> the client's own rate limit (a token a try)
//	-> hedge -> attempt timeout -> transport
//
// The cache stands outside of that, and the fallback between: the client asks the
// cache first, and the rungs when a call has failed, for which the pipeline leaves
// time. The hedge is the client's to carry out ([Attempt.Hedger], [Attempt.PayHedge]),
// for only it can make two requests of one.
//
// It knows no transport: a [Tryer] makes one try and says what came of it; [Transport] is
// one for any http.RoundTripper. The breakers, bulkheads, budgets and buckets live in a
// [Registry], one a client.
package pipeline

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/runtime/bulkhead"
	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// Call is one call. The fields up to Options are set by the client before
// [Pipeline.Do]; the rest is the pipeline's. A Call is used once and not copied
// or pooled: the context of a try, which a transport may hold on to, is a part
// of it.
type Call struct {
	// Server and Host complete the partition of breakers. Server is the name
	// of the server that was chosen, empty for the only one.
	Server string
	Host   string
	// Key is the idempotency key that the request carries; empty for none.
	Key string
	// Replayable says that the body, if any, can be sent again.
	Replayable bool
	// Upload says that the body is streamed from a reader: the clocks of the
	// try and of a computed total start when [Attempt.Uploaded] is called.
	Upload bool
	// Lookup gives the values of the request, for the keys of breakers and
	// buckets; nil where the policy has none.
	Lookup  policy.Lookup
	Options Options
	// Began is when the call began, where that was before [Pipeline.Do], whose time it
	// takes then; zero is with Do.
	Began time.Time

	run run
}

// Options are what the caller wants for this one call. The zero value leaves all
// to the policy.
type Options struct {
	// Within replaces the total timeout, the body of a stream included; zero
	// leaves it.
	Within time.Duration
	// PerTry replaces the attempt timeout; zero leaves it.
	PerTry time.Duration
	// Tries replaces maxAttempts, up to 10; zero leaves it. It does nothing
	// where the policy has no retry.
	Tries int
	// NoRetry makes it one try.
	NoRetry bool
	// NoFallback leaves no time to a fallback.
	NoFallback bool
}

// Result is what came of one try.
type Result struct {
	// Status is that of the response; zero where there was none.
	Status int
	// Err is why there was no response, or why it could not be read.
	Err error
	// Class is what is known about Err.
	Class retry.Class
	// Kind, where it is not Other, says that Err is not the transport's doing:
	// Request for what could not be sent, Response for what could not be
	// understood. Such a failure is not repeated.
	Kind fault.Kind
	// Header and Body are the response's, for hints and rules; both may be nil.
	Header retry.Header
	Body   policy.Lookup
	// Event says that Err is an error event which came in place of a stream's first
	// item. The rules see Status, Header and Body, which is that event; where none
	// decides it may be tried again.
	Event bool
	// Open says that the body is yet to be read: the context stays alive and
	// the slot taken until [Call.Finish].
	Open bool
}

// Tryer makes the tries of a call. One goroutine uses it at a time.
type Tryer interface {
	// Try sends the request once. The context ends with the try's time.
	Try(ctx context.Context, a Attempt) Result
	// Discard frees the response of a try that is to be followed by another
	// one. It may be the last response after all, when that other one cannot be
	// made; a client that wants to show its body then keeps a part of it.
	Discard(r Result)
}

// Attempt is one try, as the Tryer sees it.
type Attempt struct {
	// Number counts from 1; a repeat of a try that waited for a request in
	// flight has the same number.
	Number int
	// Timeout is what the try has; zero is no bound.
	Timeout time.Duration
	// Budget is what to send as the deadline, valid where SendDeadline is set.
	Budget       time.Duration
	SendDeadline bool

	call    *Call
	context *deadline.Context
}

// Uploaded is called when the last byte of a streamed upload has been sent: the
// try's time begins. It may be called from any goroutine while Try runs, and
// does nothing after the first time or for other calls.
func (a Attempt) Uploaded() {
	if a.call != nil {
		a.call.run.uploaded(a.context)
	}
}

// Headed is called when the header of a stream has come whose first item the Tryer waits
// for: the bound of the try ends there and that of the stream begins. A computed total
// stands still until Try returns. It belongs to the goroutine of Try, and does nothing
// for the zero Attempt.
func (a Attempt) Headed() {
	if a.call != nil {
		a.call.run.headed(time.Now())
	}
}

// Outcome is how a call ended.
type Outcome struct {
	// Result is that of the last try; the zero Result where none was made.
	Result Result
	// Fault is nil for a success. For a failure status its Err is the client's
	// to set.
	Fault *fault.Error
	// Attempts is the number of tries made.
	Attempts int
	// Waited is the time spent waiting: queue, backoff, tokens.
	Waited time.Duration
	// Discarded says that the Result was given to Discard.
	Discarded bool
	// Verdict is what the policy made of the Result; the zero Verdict where no try was
	// made.
	Verdict retry.Verdict
	// End is when the call has to be over with its fallback; zero is never.
	End time.Time
}

// Finish ends a call whose Result was Open, when its body has been read or
// closed: the context is cancelled and the slot given back. It may be called
// more than once and from any goroutine.
func (c *Call) Finish() { c.run.finish() }

// Idle watches over the silence of a streamed body and cancels the try when it
// lasts too long; nil, whose methods do nothing, where the policy has no such
// bound. It belongs to the last try that was begun.
func (c *Call) Idle() *deadline.Idle {
	r := &c.run
	if r.context == nil || r.p == nil || r.p.timeout.Mode != policy.Enforce || r.p.timeout.Idle <= 0 {
		return nil // for which nothing is allocated
	}
	return deadline.NewIdle(r.p.timeout.Idle, r.context.Cancel)
}

// WrittenEnd is when a written total ends the call with its body; zero for none.
func (c *Call) WrittenEnd() time.Time {
	if !c.run.written {
		return time.Time{}
	}
	return c.run.totalEnd
}

// Watch is [Call.Idle] with a limit of the caller's, zero or less for none.
func (c *Call) Watch(limit time.Duration) *deadline.Idle {
	if c.run.context == nil {
		return nil
	}
	return deadline.NewIdle(limit, c.run.context.Cancel)
}

// run is the state of one call.
type run struct {
	p       *Pipeline
	begin   time.Time
	started time.Time // of the current try
	// callerEnd and totalEnd bound the call; zero is no bound.
	callerEnd, totalEnd time.Time
	// reserved is the time before the end that is the fallback's.
	reserved time.Duration
	// written says that the total covers a stream's body, too.
	written bool
	attempt time.Duration
	// wouldAttempt is attempt as it would be where shadow mode has none.
	wouldAttempt time.Duration
	maxTries     int

	breaker breakerUse
	slot    bulkhead.Slot
	slotAt  time.Time
	charges []ratelimit.Charge
	costs   []owed        // of those, what no bucket holds
	lookup  policy.Lookup // the call's

	first   deadline.Context // the first try's
	context *deadline.Context
	upload  upload
	over    atomic.Bool
	header  time.Time // when that of a stream came whose item the try waits for

	tries    int
	inFlight int           // waits for a request with the same key
	same     bool          // the next try is such a one, with the same number
	granted  time.Duration // of the last try
	took     time.Duration // the last try
	before   time.Duration // the last backoff
	waited   time.Duration
	last     Result
	verdict  retry.Verdict // about last
	kept     bool          // last has not been discarded
	effect   fault.Effect  // of all tries
	stop     fault.Stop
}
