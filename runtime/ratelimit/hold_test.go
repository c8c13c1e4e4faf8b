package ratelimit_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"pgregory.net/rapid"
)

// wide is a limiter that is never the narrow one.
func wide() *ratelimit.Limiter {
	return ratelimit.New(policy.Bucket{Limit: 1_000_000, Per: time.Second, Burst: 1_000_000}, 0)
}

// take asks for n tokens under a name of the server's.
func take(now time.Time, l *ratelimit.Limiter, n int, maxWait time.Duration) (*ratelimit.Charge, time.Duration, bool) {
	c := []ratelimit.Charge{{Limiter: l, N: n, MaxWait: maxWait, Server: "s"}}
	wait, ok := ratelimit.Take(now, c)
	return &c[0], wait, ok
}

func TestSync(t *testing.T) {
	l := wide()
	first, _, _ := take(start, l, 1, 0)
	ratelimit.Sync(start, first, 2, time.Minute)
	for i := range 2 {
		if _, _, ok := take(start, l, 1, 0); !ok {
			t.Fatalf("refused at %d of 2", i)
		}
	}
	if _, wait, ok := take(at(10*time.Second), l, 1, 0); ok || wait != 50*time.Second {
		t.Errorf("%v, %v; want a refusal until the reset", wait, ok)
	}
	if c, wait, ok := take(at(10*time.Second), l, 1, time.Minute); !ok || wait != 50*time.Second {
		t.Errorf("%v, %v; want a wait for the reset", wait, ok)
	} else {
		ratelimit.Refund(at(10*time.Second), []ratelimit.Charge{*c})
	}
	other := []ratelimit.Charge{{Limiter: l, N: 1, Server: "other"}}
	if _, ok := ratelimit.Take(at(10*time.Second), other); !ok {
		t.Error("another limit of the server's is not used up")
	}
	if _, wait, ok := take(at(time.Minute), l, 1000, 0); !ok || wait != 0 {
		t.Errorf("%v, %v; after the reset nothing is known", wait, ok)
	}
}

// An answer does not count what was on the way when it was made, and answers overtake each
// other.
func TestSyncCountsWhatIsOnTheWay(t *testing.T) {
	l := wide()
	a, _, _ := take(start, l, 1, 0)
	b, _, _ := take(start, l, 1, 0)
	c, _, _ := take(start, l, 1, 0)
	now := start
	left := func() int {
		probe := []ratelimit.Charge{{Limiter: l, N: 1, Server: "s"}}
		ratelimit.Take(now, probe)
		ratelimit.Refund(now, probe)
		return probe[0].State.Remaining
	}
	ratelimit.Sync(start, b, 8, time.Minute) // it has counted a and b, which nobody knows here
	if n := left(); n != 6 {
		t.Errorf("%d are left, want 8 less the two on the way", n)
	}
	ratelimit.Sync(start, a, 9, time.Minute) // an older number of the same minute
	if n := left(); n != 7 {
		t.Errorf("%d are left, want 8 less the one on the way", n)
	}
	ratelimit.Forget(start, c)
	ratelimit.Forget(start, c) // once only
	d, _, _ := take(start, l, 1, 0)
	ratelimit.Sync(start, d, 7, time.Minute)
	if n := left(); n != 7 {
		t.Errorf("%d are left, want what the server says", n)
	}
	now = at(30 * time.Second)
	e, _, _ := take(now, l, 1, 0)
	ratelimit.Sync(now, e, 100, time.Minute) // a window that moves with the time
	if n := left(); n != 100 {
		t.Errorf("%d are left, want those of the new window", n)
	}
}

func TestSyncAs(t *testing.T) {
	l := wide()
	c, _, _ := take(start, l, 1, 0)
	ratelimit.SyncAs(start, c, "search", 0, time.Minute)
	if _, _, ok := take(start, l, 1, 0); !ok {
		t.Error("the numbers were about another limit")
	}
	search := []ratelimit.Charge{{Limiter: l, N: 1, Server: "search"}}
	if wait, ok := ratelimit.Take(start, search); ok || wait != time.Minute {
		t.Errorf("%v, %v; want a refusal until the reset", wait, ok)
	}
}

// Within a window of the server's, no more are granted than it has, whatever order its
// answers have.
func TestSyncNeverExceeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := wide()
		quota := rapid.IntRange(1, 20).Draw(t, "quota")
		left, granted := quota, 0
		type answer struct {
			charge    *ratelimit.Charge
			remaining int
		}
		var way []answer
		land := func(i int) {
			ratelimit.Sync(start, way[i].charge, way[i].remaining, time.Hour)
			way = append(way[:i], way[i+1:]...)
		}
		// The first answer makes the quota known.
		c, _, _ := take(start, l, 1, 0)
		left--
		granted++
		way = append(way, answer{c, left})
		land(0)
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			if len(way) > 0 && rapid.Bool().Draw(t, "land") {
				land(rapid.IntRange(0, len(way)-1).Draw(t, "which"))
				continue
			}
			if c, _, ok := take(start, l, 1, 0); ok {
				granted++
				left--
				way = append(way, answer{c, left})
			}
			if granted > quota {
				t.Fatalf("%d of %d were granted", granted, quota)
			}
		}
		for len(way) > 0 {
			land(0)
		}
		for range left {
			c, _, ok := take(start, l, 1, 0)
			if !ok {
				t.Fatalf("%d are left at the server, and none is granted", left)
			}
			left--
			ratelimit.Sync(start, c, left, time.Hour)
		}
	})
}

// Idle keys take no room, and names that a server makes up no more than the bound.
func TestHoldsAreBounded(t *testing.T) {
	l := ratelimit.New(policy.Bucket{Limit: 1_000_000, Per: time.Second, Burst: 1_000_000}, 1000)
	allocated := testing.AllocsPerRun(1, func() {
		for i := range 100_000 {
			c := [1]ratelimit.Charge{{Limiter: l, Key: strconv.Itoa(i), N: 1, Server: strconv.Itoa(i)}}
			ratelimit.Take(start, c[:])
			ratelimit.Sync(start, &c[0], 5, time.Hour)
		}
	})
	if n := ratelimit.Holds(l); n > 2000 {
		t.Errorf("%d are held within a bound of 1000, %v allocations", n, allocated)
	}
}

func TestSettle(t *testing.T) {
	for _, a := range []policy.Algorithm{policy.TokenBucket, policy.SlidingWindow, policy.SlidingCounter} {
		t.Run(a.String(), func(t *testing.T) {
			l := ratelimit.New(policy.Bucket{Algorithm: a, Limit: 10, Per: time.Hour, Burst: 10}, 0)
			charge := func(n int) *ratelimit.Charge {
				c := []ratelimit.Charge{{Limiter: l, N: n}}
				if _, ok := ratelimit.Take(start, c); !ok {
					t.Fatalf("%d were refused", n)
				}
				return &c[0]
			}
			want := func(n int) {
				t.Helper()
				if left := remaining(l, "", start); left != n {
					t.Errorf("%d are left, want %d", left, n)
				}
			}
			less := charge(5)
			ratelimit.Settle(start, less, 2)
			want(8)
			more := charge(1)
			ratelimit.Settle(start, more, 4)
			want(4)
			ratelimit.Settle(start, more, 3)
			want(5)
			ratelimit.Refund(start, []ratelimit.Charge{*more})
			want(8)
			free := charge(0)
			ratelimit.Settle(start, free, 1)
			want(7)
			// A debt is not refused, and those who come next wait for it, but not for ever.
			debt := charge(7)
			ratelimit.Settle(start, debt, 1<<62)
			want(0)
			if l.AllowAt(start, "", 1) || !l.AllowAt(at(3*time.Hour), "", 1) {
				t.Error("a debt is over after the time of twice the limit")
			}
		})
	}
}

// What time has brought back is not given back a second time.
func TestLateRefundOfWindow(t *testing.T) {
	for _, a := range bothWindows {
		l := ratelimit.New(windowOf(a, 4, time.Second), 0)
		c := []ratelimit.Charge{{Limiter: l, N: 4}}
		ratelimit.Take(start, c)
		later := at(3 * time.Second)
		if !l.AllowAt(later, "", 4) {
			t.Fatal("not free after three seconds")
		}
		ratelimit.Refund(later, c)
		if l.AllowAt(later, "", 1) {
			t.Errorf("%v: five of four", a)
		}
	}
}
