package policy

import "time"

// Fallback is what answers when a call has failed: the rungs in their order,
// each when the one before it failed as well.
type Fallback struct {
	Mode  Mode
	Rungs []Rung
	// After and Statuses are what the rungs are for: kinds of failures, and
	// statuses of a last response. Other 4xx answers and the caller's own
	// cancellation never lead to a rung.
	After    FailureSet
	Statuses Statuses
	// Reserve is the time that the call itself leaves for each remote rung
	// without a timeout of its own.
	Reserve time.Duration
}

// Reserves are the times that the call leaves for its remote rungs, in their
// order; see [Timeout.ComputedTotal].
func (f *Fallback) Reserves() []time.Duration {
	if f == nil || f.Mode == Shadow {
		return nil
	}
	var out []time.Duration
	for i := range f.Rungs {
		if r := &f.Rungs[i]; r.Kind.Remote() {
			out = append(out, r.bound(f.Reserve))
		}
	}
	return out
}

// Rung is one way out. It is one try of a copy of the request, with no fallback
// of its own.
type Rung struct {
	Kind RungKind
	// Name is that of the server, the operation (its id), the handler or the
	// queue.
	Name string
	// With is what a rung of an operation changes in the copy of the request.
	With []Assignment
	// MaxStale is how old an answer from the cache may be past its freshness.
	MaxStale time.Duration
	// Similarity, above 0 and up to 1, is how near a question must come for its
	// answer to be taken.
	Similarity float64
	// Status and Body are a static answer's; Body is one JSON value as text, or
	// empty for an answer without a body. A zero Status is 200.
	Status int
	Body   string
	// Timeout bounds the rung; zero is the fallback's Reserve for a remote rung
	// and no bound of its own for a local one.
	Timeout time.Duration
	// WhenUnknown tries a remote rung also when a write may have taken effect.
	WhenUnknown bool
}

// bound is the time of a remote rung.
func (r *Rung) bound(reserve time.Duration) time.Duration {
	if r.Timeout > 0 {
		return r.Timeout
	}
	return reserve
}

// RungKind is what a rung asks.
type RungKind uint8

// Kinds of rungs. There is no zero rung: a Rung says what it is.
const (
	RungNone          RungKind = iota
	RungServer                 // the same request at another server
	RungOperation              // another operation, or this one with another request
	RungCache                  // an answer that is past its freshness
	RungSemanticCache          // the answer to a similar question
	RungHandler                // a function given to the client's constructor
	RungStatic                 // a fixed answer
	RungEmpty                  // the zero value of the result
	RungQueue                  // the outbox sends it later; the call is ErrQueued
)

// String is the word of the language.
func (k RungKind) String() string {
	return word(k, "none", "server", "operation", "cache", "semanticCache", "handler", "static", "empty", "queue")
}

// Remote reports whether a rung takes time that the call has to leave for it. A
// handler counts as remote: what it does is not known.
func (k RungKind) Remote() bool {
	return k == RungServer || k == RungOperation || k == RungHandler || k == RungSemanticCache
}

// Repeats reports whether a rung carries out the call's effect once more, so that
// it must not run when a write may already have taken effect.
func (k RungKind) Repeats() bool { return k == RungServer || k == RungOperation || k == RungQueue }

// Assignment puts a value at a place of a request: the JSON value Value, or what
// From names where that is set.
type Assignment struct {
	To    Expr
	Value string
	From  Expr
}

// FailureSet is a set of ways in which a call fails without an answer that counts.
type FailureSet uint8

// The ways.
const (
	AfterTimeout      FailureSet = 1 << iota // a try or the call ran out of time
	AfterConnect                             // the server was not reached, or the connection broke
	AfterBreakerOpen                         // the breaker refused it
	AfterBulkheadFull                        // the bulkhead refused or discarded it
	AfterRateLimited                         // the client's own rate limit refused it
)

// Has reports whether all of other is in the set.
func (s FailureSet) Has(other FailureSet) bool { return s&other == other && other != 0 }

// failureWords are the words of the language, in the order of the bits.
var failureWords = [...]string{"timeout", "connect", "breaker-open", "bulkhead-full", "rate-limited"}

// String lists the words of the language.
func (s FailureSet) String() string { return bitWords(uint8(s), failureWords[:]) }
