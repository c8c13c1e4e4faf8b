package fault

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Sentinels for [errors.Is], one for each kind that a caller decides by. An
// empty retry budget is none of them: it never is the final error, the last
// real one is.
var (
	ErrRequest      = errors.New("request not made")
	ErrTransport    = errors.New("transport fault")
	ErrTimeout      = errors.New("timeout")
	ErrStatus       = errors.New("failure status")
	ErrResponse     = errors.New("response not understood")
	ErrBreakerOpen  = errors.New("breaker open")
	ErrBulkheadFull = errors.New("bulkhead full")
	ErrDiscarded    = errors.New("call discarded")
	ErrRateLimited  = errors.New("rate limited")
)

// errNotObject is what a problem that is no object gives.
var errNotObject = errors.New("problem details are not a JSON object")

var sentinels = [...]error{
	Request: ErrRequest, Transport: ErrTransport, Timeout: ErrTimeout, Canceled: context.Canceled,
	Status: ErrStatus, Response: ErrResponse, BreakerOpen: ErrBreakerOpen, BulkheadFull: ErrBulkheadFull,
	Discarded: ErrDiscarded, RateLimited: ErrRateLimited,
}

// Sentinel is the error that [errors.Is] finds for a kind; nil for Other.
func (k Kind) Sentinel() error {
	if int(k) < len(sentinels) {
		return sentinels[k]
	}
	return nil
}

// Error is how a call failed. It is made once and not changed after.
type Error struct {
	// Op is the operation.
	Op   string
	Kind Kind
	// Attempts is the number of tries made; zero means that nothing was sent.
	Attempts int
	// Status is that of the last response; zero where there was none.
	Status int
	// Effect says whether the request may have taken effect.
	Effect Effect
	// Key is the idempotency key used. It is not in the text: keys may name
	// customers' things.
	Key string
	// RetryAt is the earliest moment when a repeat makes sense, where one is
	// known; zero otherwise.
	RetryAt time.Time
	// Breaker names the breaker that refused, without a key that came from the
	// request, and RetryIn is the time from then to RetryAt; both are zero for
	// other kinds.
	Breaker string
	RetryIn time.Duration
	// Waited is the time spent waiting: backoff, queue, tokens.
	Waited time.Duration
	// Stop is why no further try was made.
	Stop Stop
	// Err is the cause. It may be nil.
	Err error
}

// Error is the failure on one line: the operation, the kind, the cause without
// the queries of URLs, the tries, and why there was no further one.
func (e *Error) Error() string {
	b := make([]byte, 0, 128)
	if e.Op != "" {
		b = append(append(b, e.Op...), ": "...)
	}
	b = append(b, e.Kind.String()...)
	if e.Status != 0 {
		if e.Kind != Status {
			b = append(b, ", status"...)
		}
		b = strconv.AppendInt(append(b, ' '), int64(e.Status), 10)
	}
	b = e.appendBreaker(e.appendCause(b))
	b = append(b, " ("...)
	if e.Attempts == 1 {
		b = append(b, "1 try"...)
	} else {
		b = append(strconv.AppendInt(b, int64(e.Attempts), 10), " tries"...)
	}
	if e.Stop != StopNone {
		stopped := ", not retried: "
		if e.Attempts > 1 {
			stopped = ", given up: " // it has been retried
		}
		b = append(append(b, stopped...), e.Stop.String()...)
	}
	return string(append(b, ')'))
}

// appendCause tells why. A cause that begins with the status, as generated errors do, goes
// on where the status stands.
func (e *Error) appendCause(b []byte) []byte {
	if e.Err == nil || e.Err == e.Kind.Sentinel() { //nolint:errorlint // One that wraps it has more to say.
		return b
	}
	text := Redact(e.Err.Error())
	if rest, ok := strings.CutPrefix(text, strconv.Itoa(e.Status)+" "); ok && e.Status != 0 {
		return append(append(b, ' '), rest...)
	}
	return append(append(b, ": "...), text...)
}

// appendBreaker tells which breaker refused, and for how long: who reads the log knows
// what is down and when to look again.
func (e *Error) appendBreaker(b []byte) []byte {
	if e.Breaker != "" {
		b = strconv.AppendQuote(append(b, ": "...), e.Breaker)
	}
	if e.RetryIn <= 0 {
		return b
	}
	in := e.RetryIn
	if in > time.Second {
		in = in.Round(100 * time.Millisecond)
	}
	return append(append(b, ", next try in "...), in.String()...)
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the sentinel of the kind.
func (e *Error) Is(target error) bool {
	sentinel := e.Kind.Sentinel()
	return sentinel != nil && target == sentinel
}

// Timeout reports whether it was a timeout, as net.Error does.
func (e *Error) Timeout() bool { return e.Kind == Timeout }

// Redact is a text without what addresses may keep secret: user information,
// queries and fragments. It works on any text, for errors of transports quote
// the address that they were called with.
func Redact(s string) string {
	var out []byte
	for start := 0; start < len(s); {
		end := start
		for end < len(s) && !isBreak(s[end]) {
			end++
		}
		if cut, changed := redactWord(s[start:end]); changed {
			if out == nil {
				out = append(make([]byte, 0, len(s)), s[:start]...)
			}
			out = append(out, cut...)
		} else if out != nil {
			out = append(out, s[start:end]...)
		}
		if end < len(s) && out != nil {
			out = append(out, s[end])
		}
		start = end + 1
	}
	if out == nil {
		return s
	}
	return string(out)
}

// isBreak reports whether a byte ends a word that may be an address. A raw
// address has none of these.
func isBreak(c byte) bool {
	return c <= ' ' || c == '"' || c == '\'' || c == '<' || c == '>' || c == '`'
}

// redactWord cuts one word that looks like an address.
func redactWord(w string) (string, bool) {
	slash := -1
	for i := range len(w) {
		if w[i] == '/' {
			slash = i
			break
		}
	}
	if slash < 0 {
		return w, false
	}
	changed := false
	for i := slash; i < len(w); i++ {
		// What follows a mark at the end of a sentence is nothing to hide.
		if (w[i] == '?' || w[i] == '#') && i+1 < len(w) {
			w, changed = w[:i+1]+"…", true
			break
		}
	}
	if host := slash + 2; slash > 0 && w[slash-1] == ':' && host <= len(w) && w[slash+1] == '/' {
		end := host
		at := -1
		for end < len(w) && w[end] != '/' && w[end] != '?' && w[end] != '#' {
			if w[end] == '@' {
				at = end
			}
			end++
		}
		if at >= 0 {
			w, changed = w[:host]+"…"+w[at:], true
		}
	}
	return w, changed
}
