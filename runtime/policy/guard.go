package policy

import "time"

// Breaker stops calling what fails.
type Breaker struct {
	Mode Mode
	// Scope is the partition; Key, where it is not empty, takes its place.
	Scope Scope
	Key   []Expr
	// Window is what is looked at. In a window of a count, FailureThreshold
	// failures among the last Count calls open the breaker; in one of a time,
	// among those of the last Time.
	Window           Window
	FailureThreshold int
	// MinTime widens the look: the failures must also be at least
	// FailureThreshold/Count of all calls in the last max(Window, MinTime).
	MinTime time.Duration
	// FailureRate, above 0 and up to 1, takes the place of the threshold: with
	// MinCalls or more in the window, that part of failures opens.
	FailureRate float64
	MinCalls    int
	// SlowCall: a last try slower than this is a failure; zero is off.
	SlowCall time.Duration
	// Recovery is how long the breaker stays open, plus up to 10 %. Each
	// opening from half-open multiplies it by Backoff, up to MaxRecovery. A
	// Backoff below 1 counts as 1 and a MaxRecovery below Recovery as Recovery.
	Recovery    time.Duration
	Backoff     float64
	MaxRecovery time.Duration
	// Probes is the number of successes that close it, and of calls that are
	// let through at once while it is half-open. Below 1 counts as 1.
	Probes int
}

// Window is a sliding window over a number of calls or over a time; one of the
// two is zero.
type Window struct {
	Count int
	Time  time.Duration
}

// Scope is the partition of a breaker.
type Scope uint8

// Scopes. The zero value is the dependency with the server's name.
const (
	ScopeDependency Scope = iota
	ScopeHost
	ScopeOperation
)

// String is the word of the language.
func (s Scope) String() string { return word(s, "dependency", "host", "operation") }

// Bulkhead bounds how much runs at once.
type Bulkhead struct {
	Mode Mode
	// Name is the partition; empty is the dependency.
	Name string
	// MaxConcurrent is the number of slots, Queue the number that may wait.
	MaxConcurrent int
	Queue         int
	// Timeout bounds the wait in the queue; None is no bound of its own.
	Timeout time.Duration
	// Hold bounds the work itself; zero is no bound.
	Hold   time.Duration
	OnFull OnFull
	// Adaptive moves the number of slots between 1 and MaxConcurrent by the
	// gradient of the latency.
	Adaptive bool
}

// OnFull says what a full bulkhead does.
type OnFull uint8

// What a full bulkhead does. The zero value queues.
const (
	// OnFullQueue waits in the queue; past it, ErrBulkheadFull.
	OnFullQueue OnFull = iota
	// OnFullAbort is ErrBulkheadFull without waiting.
	OnFullAbort
	// OnFullCallerRuns waits in the queue; past it the call runs outside the
	// slots, at most MaxConcurrent such calls in all and one for each inbound
	// request, then ErrBulkheadFull.
	OnFullCallerRuns
	// OnFullDiscard waits in the queue; past it, ErrDiscarded.
	OnFullDiscard
)

// String is the word of the language.
func (o OnFull) String() string { return word(o, "queue", "abort", "caller-runs", "discard") }

// RateLimit admits a call when all of its buckets do. Buckets of one stage are
// one decision: all of them are charged or none is.
type RateLimit struct {
	Mode    Mode
	Buckets []Bucket
}

// Bucket is one limit for each value of its key.
type Bucket struct {
	// Name makes the bucket one for the dependency; without a name it belongs
	// to the operation alone.
	Name string
	// Algorithm, Limit, Per and Burst are its rate; see [Rate]. They are zero
	// where Plan is set.
	Algorithm Algorithm
	Limit     int
	Per       time.Duration
	Burst     int
	// Plan takes the rate from who calls.
	Plan *Plan
	// Key names whose bucket it is; empty is one for all.
	Key []Expr
	// Cost is what a call takes; zero counts as 1. CostFrom, where it is set,
	// takes its place with the integer that the call has there, or that a function
	// ([FromFunc]) estimates.
	Cost     int
	CostFrom Expr
	// CostActual, where it is set, is the price that the response names: what was
	// taken before is corrected by it.
	CostActual Expr
	// Wait is how long a client waits for the tokens; None is as long as the
	// call may take, zero is not at all. A server never waits.
	Wait time.Duration
	// Refund are the statuses that give the tokens back.
	Refund Statuses
	At     Stage
	// OnStoreError is what happens when the store of the counts cannot be asked.
	OnStoreError LimitStoreError
	// Sync is a client's: it follows the numbers of the server.
	Sync *Sync
	// TrustedProxies are addresses and networks (CIDR) whose X-Forwarded-For is
	// believed for $ip; a server's.
	TrustedProxies []string
}

// Rate is the bucket's own rate, where no plan decides.
func (b *Bucket) Rate() Rate {
	return Rate{Algorithm: b.Algorithm, Limit: b.Limit, Per: b.Per, Burst: b.Burst}
}

// Stage is when a server decides.
type Stage uint8

// Stages. The zero value is before authentication.
const (
	Early Stage = iota
	AfterAuth
)

// String is the word of the language.
func (s Stage) String() string { return word(s, "early", "after-auth") }

// Idempotency makes a repeated call have one effect.
type Idempotency struct {
	Mode Mode
	// Header is the name of the request header; Quoted sends its value as a
	// structured-field string. A server takes both forms.
	Header string
	Quoted bool
	// Key is where a client's key comes from, From the expressions of a
	// derived one.
	Key  KeySource
	From []Expr
	// Scope is whose keys they are; the zero Expr is everybody's.
	Scope Expr
	// Required makes a server answer 400 without the header.
	Required bool
	// TTL is how long a result is replayed.
	TTL time.Duration
	// Lease is how long a claim lives without its heartbeat.
	Lease time.Duration
	// Within says what the claim, the effect and the result have in common.
	Within Within
	// Fingerprint is what must be the same in a repeat.
	Fingerprint Fingerprint
	// MaxBody is the largest result, in bytes, that is stored. The key of a
	// larger one stays claimed and a repeat answers 409.
	MaxBody int64
	// OnStoreError says whether a call runs when the store cannot be asked.
	OnStoreError OnStoreError
}

// KeySource is where a key comes from.
type KeySource uint8

// Sources of a key.
const (
	// KeyCaller is given by the caller; a call without one is not repeated.
	KeyCaller KeySource = iota
	// KeyDerived is computed from From.
	KeyDerived
	// KeyPerCall is made once a call and kept through its tries.
	KeyPerCall
)

// String is the word of the language.
func (k KeySource) String() string { return word(k, "caller", "derived", "per-call") }

// Acts reports whether repeats have one effect: in shadow mode, and where it is nil, they
// do not.
func (i *Idempotency) Acts() bool { return i != nil && i.Mode == Enforce }

// Within is what the claim, the effect and the result of a call have in common.
type Within uint8

// The zero value is the lease.
const (
	// WithinLease is a claim of its own: at most one handler at a time, but a
	// crash between the effect and the stored result runs it again.
	WithinLease Within = iota
	// WithinTransaction is one SQL transaction, which the handler is given.
	WithinTransaction
)

// String is the word of the language.
func (w Within) String() string { return word(w, "lease", "transaction") }

// Fingerprint is what identifies the request behind a key.
type Fingerprint uint8

// Fingerprints.
const (
	FingerprintRequest Fingerprint = iota // method, path, query and body
	FingerprintFrom                       // the values of From
)

// String is the word of the language.
func (f Fingerprint) String() string { return word(f, "request", "from") }

// OnStoreError is what happens when a store cannot be asked.
type OnStoreError uint8

// What happens when a store cannot be asked.
const (
	DenyOnStoreError  OnStoreError = iota // 503
	AllowOnStoreError                     // the call runs without protection
)

// String is the word of the language.
func (o OnStoreError) String() string { return word(o, "deny", "allow") }
