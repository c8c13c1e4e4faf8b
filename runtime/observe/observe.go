// Package observe holds the events of a call, for logs, metrics and traces.
//
// An event is a plain struct and a hook a plain function: nothing is allocated
// and no clock is read for a hook that is nil. Hooks run on the goroutine of the
// call and never under a lock, so that they may use the client that they watch;
// a slow hook makes its call slow. One [Hooks] may serve any number of clients
// and must then be safe for concurrent use.
package observe

import (
	"context"
	"time"
)

// Hooks are the functions to call. The zero value watches nothing. They are set
// before the first call and not changed after.
type Hooks struct {
	// AttemptContext makes the context of a try, right before AttemptStart: for spans, and
	// for values that a transport looks for. What it returns has to be derived from what it
	// is given, or be that; AttemptStart, the request and AttemptEnd have it.
	AttemptContext func(context.Context, AttemptStart) context.Context
	// AttemptStart comes right before a try is sent.
	AttemptStart func(context.Context, AttemptStart)
	// AttemptEnd comes when its response, or the header of a stream, is there.
	AttemptEnd func(context.Context, AttemptEnd)
	// Wait comes before a wait of known length.
	Wait func(context.Context, Wait)
	// Reject comes when a call or a further try is refused locally. In shadow
	// mode it only would have been.
	Reject func(context.Context, Reject)
	// Queued comes when a wait in a bulkhead's queue has ended.
	Queued func(context.Context, Queued)
	// Hedge comes with what becomes of the requests that a late answer is asked for by. It
	// may run on other goroutines than the call's, several at a time.
	Hedge func(context.Context, Hedge)
	// Cache comes with what the cache did for one request, and when it has failed. It may
	// run on goroutines of the cache as well.
	Cache func(context.Context, Cache)
	// Fallback comes with what became of a rung.
	Fallback func(context.Context, Fallback)
	// BreakerChange comes after a breaker has changed its state, in the order
	// of the changes.
	BreakerChange func(BreakerChange)
	// Replay comes when the answer is the stored result of an earlier request with the
	// same idempotency key: to a client that gets it, and to a server that gives it.
	Replay func(context.Context, Replay)
	// StoreFail comes when what instances share cannot be asked.
	StoreFail func(context.Context, StoreFail)
	// CallEnd comes when the outcome of a call is known. One with an error is where a
	// client has given up: a [*fault.Error] says why there was no further try.
	CallEnd func(context.Context, CallEnd)
	// PolicyReload comes when a policy file was read again: once for each change.
	PolicyReload func(PolicyReload)
}

// AttemptStart is the begin of a try.
type AttemptStart struct {
	Op string
	// Number counts from 1.
	Number int
	// Timeout is what the try has; zero is no bound.
	Timeout time.Duration
	// Method and Path are those of the operation, the path as the document writes it.
	Method, Path string
	// Host is whom the try goes to, with the port where the address has one; it may be
	// empty.
	Host string
}

// AttemptEnd is the end of a try.
type AttemptEnd struct {
	Op       string
	Number   int
	Duration time.Duration
	// Status is zero where there is no response.
	Status int
	Err    error
	// WouldTimeOut says that a timeout in shadow mode would have ended it.
	WouldTimeOut bool
}

// Reason is why a call waits or is refused.
type Reason uint8

// Reasons.
const (
	Backoff   Reason = iota // the wait before a further try
	Hint                    // the same, as the server asks
	InFlight                // an earlier request with the same key is still running
	RateLimit               // a token of the client's own limit
	Breaker
	Bulkhead
	Budget
	Deadline     // the time that is left is too little
	Retry        // a retry in shadow mode
	Idempotency  // a key that is in use or another request's; in shadow mode one that is missing as well
	Shed         // a server that is overloaded
	Lock         // somebody else holds it
	Precondition // a version that is missing or out of date
	Shrink       // the next try is for less
	Resume       // the wait before a broken stream goes on; in shadow mode it would have
	FirstItem    // a stream without an item in time, in shadow mode
)

// String is a short name for logs and metrics.
func (r Reason) String() string {
	names := [...]string{
		Backoff: "backoff", Hint: "hint", InFlight: "in-flight", RateLimit: "rate-limit", Breaker: "breaker",
		Bulkhead: "bulkhead", Budget: "budget", Deadline: "deadline", Retry: "retry",
		Idempotency: "idempotency", Shed: "shed", Lock: "lock", Precondition: "precondition", Shrink: "shrink",
		Resume: "resume", FirstItem: "first-item",
	}
	if int(r) < len(names) {
		return names[r]
	}
	return "unknown"
}

// Wait is a wait of known length.
type Wait struct {
	Op string
	// Attempt is the number of the try that comes after it.
	Attempt int
	Reason  Reason
	For     time.Duration
	// Status and Err are those of the try before, where there was one.
	Status int
	Err    error
}

// Reject is a local refusal.
type Reject struct {
	Op string
	// Name is the partition: the dependency, or the name of the instance.
	Name   string
	Reason Reason
	// Shadow says that the call went on.
	Shadow bool
	// RetryAt is when a repeat makes sense, where that is known.
	RetryAt time.Time
}

// Queued is a wait in a bulkhead's queue.
type Queued struct {
	Op   string
	Name string
	For  time.Duration
	// Outside says that the call runs outside the slots (caller-runs).
	Outside bool
	// Admitted is false for a wait in vain.
	Admitted bool
}

// Hedge is what became of one of the requests of a hedged try.
type Hedge struct {
	Op string
	// What is "started", "refused" (nobody pays for it), "shadowed" (it would have been
	// made), "won" (it gave the answer in place of the first) or "lost" (it was overtaken).
	What string
	// Number is that of the request within the try; 1 is the first.
	Number int
	// After is the time since the try began.
	After time.Duration
}

// Cache is what the cache of a client did for one request.
type Cache struct {
	Op string
	// Hit says that what is stored answered without a request.
	Hit bool
	// Forward is why there was a request, in the words of RFC 9211: "uri-miss",
	// "vary-miss", "stale", "request", "bypass", "method"; empty for a hit.
	Forward string
	// Stored says that the answer is being stored.
	Stored bool
	// Collapsed says that another call's request brought the answer.
	Collapsed bool
	// Detail is "stale-while-revalidate", "stale-if-error", "fallback" or "only-if-cached".
	Detail string
	// Shadow says that what is stored would have answered.
	Shadow bool
	// Err is why the store, or a refresh behind a caller's back, has failed.
	Err error
}

// Replay is a stored result that was given again.
type Replay struct {
	Op     string
	Status int
}

// StoreFail is a store that could not be asked.
type StoreFail struct {
	Op string
	// What it keeps: "rate-limit", "idempotency" or "lock".
	What string
	Err  error
}

// Fallback is what became of one rung of a call that has failed.
type Fallback struct {
	Op string
	// Rung is its kind, and whom it asks: "static", "server:eu".
	Rung string
	// What is "answered", "failed", "skipped" (it must not run, or has no time left) or
	// "shadowed" (it would have run).
	What string
	// Cause is the failure of the call, Err that of the rung.
	Cause, Err error
}

// BreakerState is the state of a breaker.
type BreakerState uint8

// States of a breaker.
const (
	Closed BreakerState = iota
	Open
	HalfOpen
)

// String is a short name for logs and metrics.
func (s BreakerState) String() string {
	switch s {
	case Closed:
		return "closed"
	case Open:
		return "open"
	case HalfOpen:
		return "half-open"
	}
	return "unknown"
}

// BreakerChange is a change of a breaker's state.
type BreakerChange struct {
	Name string
	// Group is the name without the value of a key, for logs and metrics: that value is a
	// request's, and there may be thousands. Without a key it is the name.
	Group    string
	From, To BreakerState
	At       time.Time
	// Until is when an open breaker lets a probe through; zero otherwise.
	Until time.Time
	// Shadow says that the breaker only watches: calls go on whatever its state.
	Shadow bool
	// Shared says that another instance has told, see client.ShareBreakers.
	Shared bool
}

// CallEnd is the end of a call.
type CallEnd struct {
	Op       string
	Attempts int
	Duration time.Duration
	Waited   time.Duration
	Status   int
	// Err is nil for a success.
	Err error
}

// PolicyReload is a policy file that has changed.
type PolicyReload struct {
	File string
	At   time.Time
	// Err is nil when the file is now in force; otherwise what is wrong with it, and
	// the last good one stays in force.
	Err error
}
