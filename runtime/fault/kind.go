package fault

// Kind is the kind of a failure.
type Kind uint8

// Kinds of failure.
const (
	// Other is a failure that no other kind describes.
	Other Kind = iota
	// Request: the request could not be made; nothing was sent.
	Request
	// Transport: the connection could not be made, broke, or ended early.
	Transport
	// Timeout: a try or the whole call took too long.
	Timeout
	// Canceled: the caller gave up.
	Canceled
	// Status: the server answered with a failure.
	Status
	// Response: the answer could not be read or understood.
	Response
	// BreakerOpen: the breaker is open; nothing was sent.
	BreakerOpen
	// BulkheadFull: no slot was free in time.
	BulkheadFull
	// Discarded: no slot was free, and the policy lets such calls go.
	Discarded
	// RateLimited: the client's own limit had no token in time.
	RateLimited
)

var kindTexts = [...]string{
	Other: "failed", Request: "request", Transport: "transport", Timeout: "timeout", Canceled: "canceled",
	Status: "status", Response: "response", BreakerOpen: "breaker open", BulkheadFull: "bulkhead full",
	Discarded: "discarded", RateLimited: "rate limited",
}

// String is a short name for logs and metrics.
func (k Kind) String() string { return text(kindTexts[:], int(k)) }

// Effect says whether a request may have taken effect on the server.
type Effect uint8

// Effects. The zero value is the careful one.
const (
	// Unknown: it may or may not have taken effect.
	Unknown Effect = iota
	// Safe: it has provably not taken effect and can be sent again.
	Safe
	// Unsafe: it has taken effect.
	Unsafe
)

// String is a short name for logs and metrics.
func (e Effect) String() string { return text([]string{"unknown", "safe", "unsafe"}, int(e)) }

// Stop is why no further try was made.
type Stop uint8

// Reasons to make no further try.
const (
	// StopNone: nothing stopped the call, or there was nothing to repeat.
	StopNone Stop = iota
	// StopAttempts: all tries were used.
	StopAttempts
	// StopOff: the call is not to be repeated.
	StopOff
	// StopFinal: the failure is not one that a repeat can mend.
	StopFinal
	// StopEffect: a repeat could take effect twice.
	StopEffect
	// StopBody: the body cannot be sent again.
	StopBody
	// StopBudget: the dependency's retry budget is empty.
	StopBudget
	// StopBreaker: the breaker has opened.
	StopBreaker
	// StopBulkhead: no slot was free again in time.
	StopBulkhead
	// StopRateLimit: the client's own limit had no token in time.
	StopRateLimit
	// StopDeadline: the wait, or another try, does not fit the time left.
	StopDeadline
	// StopHint: the server asks for a longer wait than the policy allows.
	StopHint
	// StopServer: the server asks not to be called again (X-Should-Retry: false).
	StopServer
	// StopProbe: the try was the probe of a half-open breaker, which is one.
	StopProbe
	// StopCanceled: the caller gave up.
	StopCanceled
)

var stopTexts = [...]string{
	StopAttempts: "all tries are used", StopOff: "retries are off", StopFinal: "a repeat would not help",
	StopEffect: "a repeat could take effect twice", StopBody: "the body cannot be replayed",
	StopBudget: "the retry budget is empty", StopBreaker: "the breaker has opened",
	StopBulkhead: "the bulkhead is full", StopRateLimit: "the rate limit is reached",
	StopDeadline: "no time is left for another try", StopHint: "the server asks for a longer wait than allowed",
	StopServer: "the server asks not to retry", StopProbe: "a breaker's probe is one try", StopCanceled: "the caller gave up",
}

// String is the reason in words; that of StopNone is empty.
func (s Stop) String() string { return text(stopTexts[:], int(s)) }

// text is the name at index i; an index that has none is "unknown" rather than
// a panic.
func text(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "unknown"
}
