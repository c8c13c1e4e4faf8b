package policy

import (
	"math"
	"time"
)

const (
	// Computed as a Total asks for the computed one; see [Timeout.ComputedTotal].
	Computed time.Duration = 0
	// None as a Total, a wait or a hold means that there is no bound.
	None time.Duration = -1
)

// maxComputedTotal is the bound on a computed total: five minutes, or one
// attempt where that is longer.
const maxComputedTotal = 5 * time.Minute

// Timeout bounds a client's call.
type Timeout struct {
	Mode Mode
	// Connect bounds dialling and the TLS handshake; zero is no bound.
	Connect time.Duration
	// Attempt bounds one try: to the last byte of a buffered body, to the
	// header of a stream, and from the last byte on of a streamed upload. Zero
	// is no bound.
	Attempt time.Duration
	// Total bounds the whole call with its retries and waits. Computed (zero)
	// ends at a stream's header, a written one covers the body too, None is no
	// bound.
	Total time.Duration
	// Idle is the longest silence of a streamed body in either direction; zero
	// is no bound.
	Idle time.Duration
	// Floor: a try that would get less is not started.
	Floor time.Duration
	// Adaptive lets the attempt follow the observed p99.9 times Headroom, between
	// Floor and Ceiling; a zero Ceiling is Attempt, a Headroom under 1 counts as 1.
	// Until enough is observed, and wherever a bound has to be known ahead, Attempt
	// counts.
	Adaptive bool
	Ceiling  time.Duration
	Headroom float64
	// Share is the part, above 0 and up to 1, of what is left of the caller's
	// deadline that this call may use. Zero counts as 1: a share of nothing
	// would be no call.
	Share float64
}

// EffectiveTotal is the total in force: the written one, None, or the computed
// one.
func (t Timeout) EffectiveTotal(r *Retry, reserves ...time.Duration) time.Duration {
	if t.Total == Computed {
		return t.ComputedTotal(r, reserves...)
	}
	return t.Total
}

// ComputedTotal is the total of a call that has none written, for N tries of A
// each:
//
//	min(max(5m, A), N*A + sum(n=1..N-1) min(maxDelay, baseDelay*2^(n-1)) + sum of reserves)
//
// A nil retry is one try. With PlanRetryAfter each wait between two tries
// counts with maxRetryAfter where that is longer than its backoff. Without an
// attempt timeout there is nothing to compute from and the result is None. The
// sums saturate.
func (t Timeout) ComputedTotal(r *Retry, reserves ...time.Duration) time.Duration {
	if t.Attempt <= 0 {
		return None
	}
	limit := max(maxComputedTotal, t.Attempt)
	tries := 1
	if r != nil && r.MaxAttempts > 1 {
		tries = r.MaxAttempts
	}
	var sum time.Duration
	for n := 1; n <= tries && sum < limit; n++ {
		sum = addSat(sum, t.Attempt)
		if n == tries {
			break
		}
		wait := r.Backoff(n)
		if r.PlanRetryAfter {
			wait = max(wait, r.MaxRetryAfter)
		}
		sum = addSat(sum, wait)
	}
	for _, d := range reserves {
		sum = addSat(sum, d)
	}
	return min(limit, sum)
}

// ServerTimeout bounds the work of a handler.
type ServerTimeout struct {
	Mode Mode
	// Handler bounds the handler: the answer is then 503 with Retry-After and
	// its context is cancelled. Zero is no bound.
	Handler time.Duration
	// Idle is the longest silence of a streamed body in either direction; zero
	// is no bound.
	Idle time.Duration
}

// Deadline says how the caller's deadline crosses the wire.
type Deadline struct {
	Mode Mode
	// Propagate makes a client send what is left for the try.
	Propagate bool
	// Trust makes a server honour what a client sent.
	Trust bool
	// Reserve is taken off what is sent, for the way back.
	Reserve time.Duration
	// Header is the header that a client sends. A server reads all five and
	// takes the smallest.
	Header DeadlineHeader
}

// DeadlineHeader names one of the headers that carry a deadline.
type DeadlineHeader uint8

// The headers, each with its own unit. The zero value is x-request-deadline-ms.
const (
	RequestDeadlineMS      DeadlineHeader = iota // x-request-deadline-ms: milliseconds
	GRPCTimeout                                  // grpc-timeout: digits and a unit, 100m
	ConnectTimeoutMS                             // connect-timeout-ms: milliseconds
	EnvoyExpectedTimeoutMS                       // x-envoy-expected-rq-timeout-ms: milliseconds
	ServerTimeoutHeader                          // x-server-timeout: seconds with a fraction
)

// String is the header's name in lower case.
func (h DeadlineHeader) String() string {
	return word(h, "x-request-deadline-ms", "grpc-timeout", "connect-timeout-ms",
		"x-envoy-expected-rq-timeout-ms", "x-server-timeout")
}

// addSat adds two durations that are not negative and stays at the largest
// one where the sum would wrap.
func addSat(a, b time.Duration) time.Duration {
	if b < 0 {
		return a
	}
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
