package redisstore

import (
	"testing"
	"time"
)

// Of a part only those tokens are used whose slots have not begun: at 10 ms a token, seven
// that end 70 ms on are six after 1 ms, three after 40 ms and none at 61 ms.
func TestTokensAreLostWithTheirSlots(t *testing.T) {
	start := time.Now()
	for _, test := range []struct {
		after time.Duration
		want  int
	}{{0, 7}, {time.Millisecond, 6}, {10 * time.Millisecond, 6}, {40 * time.Millisecond, 3}, {61 * time.Millisecond, 0}, {time.Hour, 0}} {
		e := &lease{bucketKey: bucketKey{interval: 10_000, depth: 400_000}}
		e.parts = []part{{left: 7, end: 1_000_000, until: start.Add(70 * time.Millisecond)}}
		now, used := start.Add(test.after), 0
		for {
			receipt, ok := e.use(now, 1)
			if !ok {
				break
			}
			used++
			// The slots go from the earliest that is left to the end.
			if want := int64(1_000_000 - (test.want-used)*10_000); receipt != want {
				t.Errorf("after %v, use %d: receipt %d, want %d", test.after, used, receipt, want)
			}
		}
		if used != test.want {
			t.Errorf("after %v: %d used, want %d", test.after, used, test.want)
		}
		if len(e.parts) != 0 {
			t.Errorf("after %v: %d parts are kept", test.after, len(e.parts))
		}
	}
}

// A demand is served by one part, so that its receipt is about one run of slots.
func TestDemandOfOnePart(t *testing.T) {
	start := time.Now()
	e := &lease{bucketKey: bucketKey{interval: 1000, depth: 100_000}}
	e.parts = []part{{left: 2, end: 500_000, until: start.Add(time.Second)}, {left: 3, end: 600_000, until: start.Add(time.Second)}}
	if receipt, ok := e.use(start, 3); !ok || receipt != 600_000 {
		t.Errorf("%d, %v", receipt, ok)
	}
	if _, ok := e.use(start, 3); ok {
		t.Error("two parts served one demand")
	}
	if receipt, ok := e.use(start, 2); !ok || receipt != 500_000 {
		t.Errorf("%d, %v", receipt, ok)
	}
}

// What lies unused makes the next fetches smaller.
func TestLeaseShrinks(t *testing.T) {
	start := time.Now()
	e := &lease{bucketKey: bucketKey{interval: 1000}, extra: 15}
	e.parts = []part{{left: 12, used: 3, end: 1, until: start}}
	if _, ok := e.use(start.Add(time.Second), 1); ok || e.extra != 3 {
		t.Errorf("used %v, extra %d, want 3", ok, e.extra)
	}
}
