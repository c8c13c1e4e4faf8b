package policy

import (
	"math"
	"strings"
	"time"
)

// Retry repeats a call.
type Retry struct {
	Mode Mode
	// MaxAttempts is the number of tries in all, the first included. Zero and
	// one are a single try.
	MaxAttempts int
	// BaseDelay and MaxDelay span the wait before try n+1:
	// min(MaxDelay, BaseDelay*2^(n-1)), spread by Jitter. Zero is no wait.
	BaseDelay time.Duration
	MaxDelay  time.Duration
	Jitter    Jitter
	// Statuses are repeated unless they are in Never, which always holds 400,
	// 401, 403, 404 and 422 as well.
	Statuses Statuses
	Never    Statuses
	// Errors are the transport errors that are repeated; zero is none.
	Errors ErrorSet
	// Rules are looked at first and see every response.
	Rules []RetryRule
	// Hints are the server's own ways to say when to come back, beyond the
	// built-in Retry-After, retry-after-ms and RateLimit.
	Hints []RetryHint
	// MaxRetryAfter: a longer hint ends the call at once, with the response.
	// Zero follows no hint that asks for a wait.
	MaxRetryAfter time.Duration
	// PlanRetryAfter counts MaxRetryAfter in a computed total.
	PlanRetryAfter bool
	// Budget bounds the retries of a dependency; nil is no bound.
	Budget *Budget
	// Shrink makes the request smaller where a rule says so; nil stops there.
	Shrink *Shrink
	Safety Safety
}

// Shrink makes a request smaller: of the array at the JSON pointer of its body,
// the oldest elements go until Factor of them is left, but the first KeepFirst
// stay. The smaller request has a derived key of its own.
type Shrink struct {
	Pointer string
	// Factor, above 0 and under 1, is the part that is left.
	Factor    float64
	KeepFirst int
}

// Backoff is the unspread wait between try n and try n+1, with n from 1 on:
// min(MaxDelay, BaseDelay*2^(n-1)), saturating.
func (r *Retry) Backoff(n int) time.Duration {
	if r == nil || n < 1 || r.BaseDelay <= 0 {
		return 0
	}
	shift := uint(n - 1)
	if shift >= 62 || r.BaseDelay > math.MaxInt64>>shift {
		return r.MaxDelay
	}
	return min(r.MaxDelay, r.BaseDelay<<shift)
}

// AlwaysNever are the statuses that no policy repeats, short of a rule: the
// request is at fault, and stays so.
func AlwaysNever() Statuses { return StatusSet(400, 401, 403, 404, 422) }

// Jitter spreads waits so that callers do not come back together.
type Jitter uint8

// Ways to spread a wait d.
const (
	JitterFull         Jitter = iota // uniform in [0, d)
	JitterEqual                      // d/2 plus uniform in [0, d/2)
	JitterDecorrelated               // uniform in [base, 3 x the wait before), at most maxDelay
	JitterNone                       // d itself
)

// String is the word of the language.
func (j Jitter) String() string { return word(j, "full", "equal", "decorrelated", "none") }

// Safety says what makes a repeat admissible.
type Safety uint8

// Safeties. The zero value goes by the effect.
const (
	// SafetyEffect repeats what is read or idempotent, what carries an
	// idempotency key, and what provably never left or was refused before any
	// work.
	SafetyEffect Safety = iota
	// SafetyAlways repeats everything.
	SafetyAlways
)

// String is the word of the language.
func (s Safety) String() string { return word(s, "effect", "always") }

// ErrorSet is a set of classes of transport errors.
type ErrorSet uint8

// The classes. A class that holds an error which cannot pass (an unknown host,
// a certificate that does not fit) does not exist: those end a call.
const (
	ConnectErrors ErrorSet = 1 << iota // the connection was not made
	ResetErrors                        // the connection broke
	TimeoutErrors                      // an attempt timeout
	EOFErrors                          // the connection ended before the response
	DNSErrors                          // temporary faults of name resolution
	TLSErrors                          // a timeout of the TLS handshake

	AllErrors = ConnectErrors | ResetErrors | TimeoutErrors | EOFErrors | DNSErrors | TLSErrors
)

// Has reports whether all of other is in the set.
func (s ErrorSet) Has(other ErrorSet) bool { return s&other == other && other != 0 }

// errorWords are the words of the language, in the order of the bits.
var errorWords = [...]string{"connect", "reset", "timeout", "eof", "dns", "tls"}

// String lists the words of the language.
func (s ErrorSet) String() string { return bitWords(uint8(s), errorWords[:]) }

// bitWords lists the words of the bits that are set.
func bitWords(set uint8, names []string) string {
	var out []string
	for i, name := range names {
		if set&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return strings.Join(out, ", ")
}

// Budget bounds retries to a part of the first tries, so that they cannot
// multiply a dependency's load when it fails.
type Budget struct {
	// Ratio is the number of retries that each first try pays for.
	Ratio float64
	// MinPerSecond is the rate of retries that is always there, and the size
	// of the bucket that holds them.
	MinPerSecond float64
	// Window is how long a first try pays; it is cut in ten.
	Window time.Duration
}

// RetryRule decides about one kind of response or error before the general
// rules do. All conditions that are given must hold; a rule with conditions on
// a response never sees a transport error.
type RetryRule struct {
	Name     string
	Statuses Statuses
	Header   []HeaderMatch
	Body     []BodyMatch
	Errors   ErrorSet
	Do       Action
	// Wait is the least wait where the server gave no hint.
	Wait time.Duration
	// Refused says that the server has done nothing, so that a write may be
	// repeated as well.
	Refused bool
}

// HeaderMatch holds when the header's value fits the glob, in which * stands
// for anything.
type HeaderMatch struct{ Name, Glob string }

// BodyMatch holds when the value at the JSON pointer of the response's body
// fits one of the globs. Numbers and booleans are compared as they are written.
type BodyMatch struct {
	Pointer string
	Any     []string
}

// Action is what a rule does.
type Action uint8

// Actions. Where several rules match, success comes before shrink, shrink
// before stop, stop before fallback and fallback before retry.
const (
	DoRetry    Action = iota // try again
	DoStop                   // no more tries, and no fallback
	DoSuccess                // the response counts as a success
	DoFallback               // no more tries, the fallback answers
	DoShrink                 // make the request smaller, else stop
)

// String is the word of the language.
func (a Action) String() string {
	return word(a, "retry", "stop", "success", "fallback", "shrink")
}

// RetryHint reads a wait from a response.
type RetryHint struct {
	Name string
	// Header or Pointer (a JSON pointer into the body) says where it stands.
	Header  string
	Pointer string
	As      HintUnit
	// When are headers that must fit for the hint to count.
	When []HeaderMatch
}

// HintUnit is the form of a hint.
type HintUnit uint8

// Forms of a hint.
const (
	HintSeconds  HintUnit = iota // seconds from now, with a fraction or without
	HintMillis                   // milliseconds from now
	HintEpoch                    // seconds since 1970
	HintDuration                 // Go's form: 6m0s
	HintDate                     // an HTTP date or RFC 3339
)

// String is the word of the language.
func (u HintUnit) String() string {
	return word(u, "seconds", "ms", "epoch", "duration", "date")
}
