// Package deadline holds the arithmetic of deadlines and total timeouts, the
// five headers that carry a deadline over the wire, a context whose deadline is
// cheap and can be moved, and the watch over a stream that falls silent. [Transport] puts
// them around HTTP requests.
//
// The arithmetic takes the time as an argument and reads no clock. A zero
// time.Time is no deadline throughout.
package deadline

import (
	"math"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// End is the moment D by which a call is over, taken once at its start:
//
//	D = min(start + share*(caller - start), start + total)
//
// A zero caller is no deadline of the caller's, [policy.None] as total no
// bound; a share of zero or of 1 and more is all of it. Without either bound the
// result is zero.
func End(start, caller time.Time, total time.Duration, share float64) time.Time {
	var end time.Time
	if !caller.IsZero() {
		end = caller
		if left := caller.Sub(start); share > 0 && share < 1 && left > 0 {
			end = start.Add(time.Duration(share * float64(left)))
		}
	}
	if total >= 0 {
		if t := start.Add(total); end.IsZero() || t.Before(end) {
			end = t
		}
	}
	return end
}

// Try is what one try gets at the moment now: T = min(attempt, end - now). A
// zero attempt is no bound of its own; the result is zero where there is no
// bound at all. The try may not be started (ok is false) when T is below floor +
// reserve; reserve is zero where no deadline is sent.
func Try(now, end time.Time, attempt, floor, reserve time.Duration) (t time.Duration, ok bool) {
	t = attempt
	if !end.IsZero() {
		if left := end.Sub(now); t <= 0 || left < t {
			t = left
		}
		if t <= 0 {
			return 0, false
		}
	}
	if t <= 0 {
		return 0, true
	}
	return t, t >= floor+reserve
}

// Fits reports whether a wait of known length may begin at the moment now, which
// is so when a try still fits after it: now + wait + floor + reserve <= end.
func Fits(now, end time.Time, wait, floor, reserve time.Duration) bool {
	if end.IsZero() {
		return true
	}
	left := end.Sub(now) - floor - reserve
	return wait <= left
}

// WaitEnd is when a wait of unknown length (in a queue, for a lock) is cut off:
// end - floor.
func WaitEnd(end time.Time, floor time.Duration) time.Time {
	if end.IsZero() {
		return end
	}
	return end.Add(-floor)
}

// Budget is what a client sends for a try that has t: t less the reserve. It is
// false where there is nothing to send, for a try without a bound.
func Budget(t, reserve time.Duration) (time.Duration, bool) {
	if t <= 0 {
		return 0, false
	}
	return max(0, t-reserve), true
}

// Append appends the value of a header for a budget, rounded down to its unit,
// for a deadline may never grow on its way. A negative budget is written as
// zero.
func Append(dst []byte, h policy.DeadlineHeader, budget time.Duration) []byte {
	budget = max(0, budget)
	switch h {
	case policy.GRPCTimeout:
		return appendGRPC(dst, budget)
	case policy.ServerTimeoutHeader:
		return appendSeconds(dst, budget)
	default:
		return appendInt(dst, int64(budget/time.Millisecond))
	}
}

// grpcUnits are the units of grpc-timeout from the finest on.
var grpcUnits = [...]struct {
	unit  byte
	scale time.Duration
}{
	{'n', time.Nanosecond}, {'u', time.Microsecond}, {'m', time.Millisecond},
	{'S', time.Second}, {'M', time.Minute}, {'H', time.Hour},
}

// appendGRPC writes at most eight digits, so the unit grows with the budget.
func appendGRPC(dst []byte, d time.Duration) []byte {
	for _, u := range grpcUnits {
		if n := int64(d / u.scale); n < 1e8 {
			return append(appendInt(dst, n), u.unit)
		}
	}
	return dst
}

// appendSeconds writes seconds with up to three digits behind the point.
func appendSeconds(dst []byte, d time.Duration) []byte {
	dst = appendInt(dst, int64(d/time.Second))
	ms := int(d % time.Second / time.Millisecond)
	if ms == 0 {
		return dst
	}
	dst = append(dst, '.', byte('0'+ms/100), byte('0'+ms/10%10), byte('0'+ms%10))
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// appendInt appends a number that is not negative.
func appendInt(dst []byte, n int64) []byte {
	if n >= 10 {
		dst = appendInt(dst, n/10)
	}
	return append(dst, byte('0'+n%10))
}

// Parse reads the value of a header. What is negative or malformed is false; what
// is absurdly long counts as the longest duration there is.
func Parse(h policy.DeadlineHeader, value string) (time.Duration, bool) {
	switch h {
	case policy.GRPCTimeout:
		return parseGRPC(value)
	case policy.ServerTimeoutHeader:
		return parseSeconds(value)
	default:
		n, ok := parseInt(value)
		return scaled(n, time.Millisecond), ok
	}
}

func parseGRPC(value string) (time.Duration, bool) {
	if len(value) < 2 || len(value) > 9 {
		return 0, false
	}
	n, ok := parseInt(value[:len(value)-1])
	for _, u := range grpcUnits {
		if u.unit == value[len(value)-1] {
			return scaled(n, u.scale), ok
		}
	}
	return 0, false
}

// parseSeconds reads seconds with a fraction or without; what is below a
// nanosecond is dropped.
func parseSeconds(value string) (time.Duration, bool) {
	whole, fraction := value, ""
	for i := range len(value) {
		if value[i] == '.' {
			whole, fraction = value[:i], value[i+1:]
			if fraction == "" {
				return 0, false
			}
			break
		}
	}
	n, ok := parseInt(whole)
	if !ok {
		return 0, false
	}
	var ns int64
	for i, scale := 0, int64(time.Second); i < len(fraction); i++ {
		if fraction[i] < '0' || fraction[i] > '9' {
			return 0, false
		}
		scale /= 10
		ns += int64(fraction[i]-'0') * scale
	}
	d := scaled(n, time.Second)
	if d > math.MaxInt64-time.Duration(ns) {
		return math.MaxInt64, true
	}
	return d + time.Duration(ns), true
}

// parseInt reads digits only and stops at the largest number.
func parseInt(value string) (int64, bool) {
	if value == "" {
		return 0, false
	}
	var n int64
	for i := range len(value) {
		c := value[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		if n > (math.MaxInt64-9)/10 {
			n = math.MaxInt64
			continue
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// scaled is n units, saturating.
func scaled(n int64, unit time.Duration) time.Duration {
	if n > math.MaxInt64/int64(unit) {
		return math.MaxInt64
	}
	return time.Duration(n) * unit
}

// headers are the five in the order of their values.
var headers = [...]policy.DeadlineHeader{
	policy.RequestDeadlineMS, policy.GRPCTimeout, policy.ConnectTimeoutMS,
	policy.EnvoyExpectedTimeoutMS, policy.ServerTimeoutHeader,
}

// names are in the form of http.Header's keys, so that reading them allocates
// nothing.
var names = [...]string{
	policy.RequestDeadlineMS: "X-Request-Deadline-Ms", policy.GRPCTimeout: "Grpc-Timeout",
	policy.ConnectTimeoutMS: "Connect-Timeout-Ms", policy.EnvoyExpectedTimeoutMS: "X-Envoy-Expected-Rq-Timeout-Ms",
	policy.ServerTimeoutHeader: "X-Server-Timeout",
}

// Name is a header's name in the form of http.Header's keys.
func Name(h policy.DeadlineHeader) string {
	if int(h) < len(names) {
		return names[h]
	}
	return names[policy.RequestDeadlineMS]
}

// Received is the smallest of the budgets that a request carries in any of the
// five headers. It is false where it carries none. The function get is that of
// http.Header or alike.
func Received(get func(name string) string) (time.Duration, bool) {
	least, found := time.Duration(math.MaxInt64), false
	for _, h := range headers {
		value := get(Name(h))
		if value == "" {
			continue
		}
		if d, ok := Parse(h, value); ok {
			least, found = min(least, d), true
		}
	}
	if !found {
		return 0, false
	}
	return least, true
}
