package deadline_test

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"pgregory.net/rapid"
)

var start = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return start.Add(d) }

func TestEnd(t *testing.T) {
	tests := []struct {
		name   string
		caller time.Time
		total  time.Duration
		share  float64
		want   time.Time
	}{
		{"nothing", time.Time{}, policy.None, 1, time.Time{}},
		{"total only", time.Time{}, 3 * time.Second, 1, at(3 * time.Second)},
		{"caller only", at(2 * time.Second), policy.None, 1, at(2 * time.Second)},
		{"caller first", at(2 * time.Second), 3 * time.Second, 1, at(2 * time.Second)},
		{"total first", at(5 * time.Second), 3 * time.Second, 1, at(3 * time.Second)},
		{"half a share", at(4 * time.Second), 3 * time.Second, 0.5, at(2 * time.Second)},
		{"a share of zero is all", at(4 * time.Second), policy.None, 0, at(4 * time.Second)},
		{"a share above one is all", at(4 * time.Second), policy.None, 7, at(4 * time.Second)},
		{"caller already late", at(-time.Second), 3 * time.Second, 0.5, at(-time.Second)},
	}
	for _, tt := range tests {
		if got := deadline.End(start, tt.caller, tt.total, tt.share); !got.Equal(tt.want) || got.IsZero() != tt.want.IsZero() {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestTry(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		name                    string
		end                     time.Time
		attempt, floor, reserve time.Duration
		want                    time.Duration
		ok                      bool
	}{
		{"no bounds", time.Time{}, 0, 5 * ms, 20 * ms, 0, true},
		{"attempt", time.Time{}, 800 * ms, 5 * ms, 20 * ms, 800 * ms, true},
		{"what is left", at(300 * ms), 800 * ms, 5 * ms, 20 * ms, 300 * ms, true},
		{"end only", at(300 * ms), 0, 5 * ms, 0, 300 * ms, true},
		{"exactly floor and reserve", at(25 * ms), 800 * ms, 5 * ms, 20 * ms, 25 * ms, true},
		{"under floor and reserve", at(25*ms - 1), 800 * ms, 5 * ms, 20 * ms, 25*ms - 1, false},
		{"exactly floor", at(5 * ms), 800 * ms, 5 * ms, 0, 5 * ms, true},
		{"under floor", at(5*ms - 1), 800 * ms, 5 * ms, 0, 5*ms - 1, false},
		{"over", at(0), 800 * ms, 0, 0, 0, false},
		{"long over", at(-time.Hour), 0, 0, 0, 0, false},
	}
	for _, tt := range tests {
		got, ok := deadline.Try(start, tt.end, tt.attempt, tt.floor, tt.reserve)
		if got != tt.want || ok != tt.ok {
			t.Errorf("%s: %v %v, want %v %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}

func TestFits(t *testing.T) {
	const ms = time.Millisecond
	if !deadline.Fits(start, time.Time{}, math.MaxInt64, time.Hour, time.Hour) {
		t.Error("no deadline")
	}
	if !deadline.Fits(start, at(125*ms), 100*ms, 5*ms, 20*ms) {
		t.Error("exact fit")
	}
	if deadline.Fits(start, at(125*ms-1), 100*ms, 5*ms, 20*ms) {
		t.Error("one nanosecond short")
	}
	if deadline.Fits(start, at(125*ms), math.MaxInt64, 5*ms, 20*ms) {
		t.Error("the longest wait must not wrap")
	}
	if got := deadline.WaitEnd(at(100*ms), 5*ms); !got.Equal(at(95 * ms)) {
		t.Errorf("WaitEnd = %v", got)
	}
	if !deadline.WaitEnd(time.Time{}, 5*ms).IsZero() {
		t.Error("WaitEnd of no deadline")
	}
}

func TestBudget(t *testing.T) {
	if d, ok := deadline.Budget(300*time.Millisecond, 20*time.Millisecond); d != 280*time.Millisecond || !ok {
		t.Errorf("%v %v", d, ok)
	}
	if d, ok := deadline.Budget(10*time.Millisecond, 20*time.Millisecond); d != 0 || !ok {
		t.Errorf("%v %v", d, ok)
	}
	if _, ok := deadline.Budget(0, 20*time.Millisecond); ok {
		t.Error("no bound, nothing to send")
	}
}

func TestHeaders(t *testing.T) {
	const d = 1500*time.Millisecond + 700*time.Microsecond + 9
	tests := []struct {
		h      policy.DeadlineHeader
		budget time.Duration
		want   string
	}{
		{policy.RequestDeadlineMS, d, "1500"},
		{policy.ConnectTimeoutMS, d, "1500"},
		{policy.EnvoyExpectedTimeoutMS, d, "1500"},
		{policy.RequestDeadlineMS, 999 * time.Microsecond, "0"},
		{policy.RequestDeadlineMS, -time.Second, "0"},
		{policy.GRPCTimeout, d, "1500700u"},
		{policy.GRPCTimeout, 99999999, "99999999n"},
		{policy.GRPCTimeout, 100000000, "100000u"},
		{policy.GRPCTimeout, 1000 * time.Hour, "3600000S"},
		{policy.GRPCTimeout, math.MaxInt64, "2562047H"},
		{policy.ServerTimeoutHeader, d, "1.5"},
		{policy.ServerTimeoutHeader, 1001 * time.Millisecond, "1.001"},
		{policy.ServerTimeoutHeader, 30 * time.Second, "30"},
		{policy.ServerTimeoutHeader, 20 * time.Millisecond, "0.02"},
	}
	for _, tt := range tests {
		got := string(deadline.Append(nil, tt.h, tt.budget))
		if got != tt.want {
			t.Errorf("%v of %v: %q, want %q", tt.h, tt.budget, got, tt.want)
		}
	}
}

func TestParse(t *testing.T) {
	good := []struct {
		h     policy.DeadlineHeader
		value string
		want  time.Duration
	}{
		{policy.RequestDeadlineMS, "1500", 1500 * time.Millisecond},
		{policy.RequestDeadlineMS, "0", 0},
		{policy.RequestDeadlineMS, strings.Repeat("9", 40), math.MaxInt64},
		{policy.GRPCTimeout, "100m", 100 * time.Millisecond},
		{policy.GRPCTimeout, "1H", time.Hour},
		{policy.GRPCTimeout, "2M", 2 * time.Minute},
		{policy.GRPCTimeout, "3S", 3 * time.Second},
		{policy.GRPCTimeout, "4u", 4 * time.Microsecond},
		{policy.GRPCTimeout, "5n", 5},
		{policy.GRPCTimeout, "99999999H", math.MaxInt64},
		{policy.ServerTimeoutHeader, "1.5", 1500 * time.Millisecond},
		{policy.ServerTimeoutHeader, "30", 30 * time.Second},
		{policy.ServerTimeoutHeader, "0.0000000019", 1},
		{policy.ServerTimeoutHeader, "99999999999999999999.5", math.MaxInt64},
	}
	for _, tt := range good {
		if got, ok := deadline.Parse(tt.h, tt.value); got != tt.want || !ok {
			t.Errorf("%v %q: %v %v, want %v", tt.h, tt.value, got, ok, tt.want)
		}
	}
	bad := map[policy.DeadlineHeader][]string{
		policy.RequestDeadlineMS:   {"", "-1", "1.5", "1s", " 1", "+1", "1e3"},
		policy.GRPCTimeout:         {"", "m", "100", "123456789m", "1s", "1.5S", "-1S"},
		policy.ServerTimeoutHeader: {"", "-1", "1.", ".5", "1.5s", "1.5.5", "1e3"},
	}
	for h, values := range bad {
		for _, value := range values {
			if d, ok := deadline.Parse(h, value); ok {
				t.Errorf("%v %q accepted as %v", h, value, d)
			}
		}
	}
}

func TestReceivedTakesTheSmallest(t *testing.T) {
	header := http.Header{}
	if _, ok := deadline.Received(header.Get); ok {
		t.Error("found one in no header")
	}
	header.Set("x-request-deadline-ms", "900")
	header.Set("grpc-timeout", "800m")
	header.Set("connect-timeout-ms", "nonsense")
	header.Set("x-envoy-expected-rq-timeout-ms", "850")
	header.Set("x-server-timeout", "0.7")
	if d, ok := deadline.Received(header.Get); d != 700*time.Millisecond || !ok {
		t.Errorf("%v %v, want 700ms", d, ok)
	}
	header.Del("x-server-timeout")
	if d, _ := deadline.Received(header.Get); d != 800*time.Millisecond {
		t.Errorf("%v, want 800ms", d)
	}
}

func TestNames(t *testing.T) {
	for h := policy.RequestDeadlineMS; h <= policy.ServerTimeoutHeader; h++ {
		if got := http.CanonicalHeaderKey(h.String()); got != deadline.Name(h) {
			t.Errorf("%v: %q, want %q", h, deadline.Name(h), got)
		}
	}
}

// What is sent is never more than the budget, and never less by more than the
// header's unit at that size.
func TestHeaderNeverGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := policy.DeadlineHeader(rapid.IntRange(0, 4).Draw(t, "header"))
		d := time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "budget"))
		got, ok := deadline.Parse(h, string(deadline.Append(nil, h, d)))
		lost := d - got
		unit := time.Millisecond
		if h == policy.GRPCTimeout {
			// At least 1e8 of a unit are needed for the next one, which is at
			// most 1000 times as large: five digits are always left.
			unit = max(1, d/1e5)
		}
		if !ok || got > d || lost > unit {
			t.Fatalf("%v: %v became %v", h, d, got)
		}
	})
}

// A service with 1 s left calls another one, keeping 20 ms for the way back.
func Example() {
	now := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	end := deadline.End(now, now.Add(time.Second), 3*time.Second, 1)
	t, ok := deadline.Try(now, end, 800*time.Millisecond, 5*time.Millisecond, 20*time.Millisecond)
	budget, _ := deadline.Budget(t, 20*time.Millisecond)
	fmt.Println(ok, string(deadline.Append(nil, policy.RequestDeadlineMS, budget)))
	// Output: true 780
}
