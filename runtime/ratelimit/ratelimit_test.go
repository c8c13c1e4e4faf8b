package ratelimit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"pgregory.net/rapid"
)

var start = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)

func at(d time.Duration) time.Time { return start.Add(d) }

func TestBurstThenRate(t *testing.T) {
	l := ratelimit.New(policy.Bucket{Limit: 60, Per: time.Minute, Burst: 10}, 0) // tier free
	for i := range 10 {
		if !l.AllowAt(start, "k", 1) {
			t.Fatalf("refused at %d of 10", i)
		}
	}
	if l.AllowAt(at(time.Second-1), "k", 1) {
		t.Error("the eleventh came too early")
	}
	if !l.AllowAt(at(time.Second), "k", 1) || l.AllowAt(at(time.Second), "k", 1) {
		t.Error("one token comes each second")
	}
	if !l.AllowAt(start, "other", 10) || l.AllowAt(start, "other", 1) {
		t.Error("each key has its own bucket")
	}
	if l.AllowAt(at(time.Hour), "third", 11) {
		t.Error("more than the burst at once")
	}
	for range 10 {
		if !l.AllowAt(at(time.Hour), "k", 1) {
			t.Fatal("never refilled")
		}
	}
	if l.AllowAt(at(time.Hour), "k", 1) {
		t.Error("saved more than the burst")
	}
}

// The oracle is a bucket filled by every nanosecond that passes, and a list of
// all grants, whose sum over any time may not pass burst + rate*time.
func TestAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bucket := policy.Bucket{
			Limit: rapid.IntRange(1, 50).Draw(t, "limit"),
			Per:   time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "per")),
			Burst: rapid.IntRange(1, 20).Draw(t, "burst"),
		}
		interval := max(1, (int64(bucket.Per)+int64(bucket.Limit)-1)/int64(bucket.Limit))
		depth := interval * int64(bucket.Burst)
		l := ratelimit.New(bucket, 0)
		type grant struct{ at, n int64 }
		var grants []grant
		level, now := depth, int64(0)
		for range rapid.IntRange(1, 100).Draw(t, "calls") {
			step := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, interval), rapid.Int64Range(0, 2*depth)).Draw(t, "step")
			now += step
			level = min(depth, level+step)
			n := rapid.Int64Range(1, int64(bucket.Burst)+1).Draw(t, "n")
			want := level >= n*interval
			if want {
				level -= n * interval
				grants = append(grants, grant{now, n})
			}
			if got := l.AllowAt(start.Add(time.Duration(now)), "k", int(n)); got != want {
				t.Fatalf("%+v: %d tokens at %d: %v, want %v", bucket, n, now, got, want)
			}
		}
		for i := range grants {
			sum := int64(0)
			for _, g := range grants[i:] {
				sum += g.n
				if limit := depth + g.at - grants[i].at; sum*interval > limit {
					t.Fatalf("%+v: %d tokens within %d ns", bucket, sum, g.at-grants[i].at)
				}
			}
		}
	})
}

func TestReserve(t *testing.T) {
	l := ratelimit.New(policy.Bucket{Limit: 1, Per: time.Second, Burst: 1}, 0)
	if r, ok := l.Reserve(start, "k", 1, 0); !ok || r.Wait != 0 {
		t.Fatal("first")
	}
	second, ok := l.Reserve(start, "k", 1, time.Second)
	if !ok || second.Wait != time.Second {
		t.Fatalf("second: %v %v", second.Wait, ok)
	}
	if r, ok := l.Reserve(start, "k", 1, 2*time.Second-1); ok || r.Wait != 2*time.Second {
		t.Fatalf("third: %v %v, want a refusal that names 2s", r.Wait, ok)
	}
	second.Cancel(at(100 * time.Millisecond))
	second.Cancel(at(100 * time.Millisecond)) // once only
	if r, ok := l.Reserve(at(100*time.Millisecond), "k", 1, time.Second); !ok || r.Wait != 900*time.Millisecond {
		t.Errorf("after the cancel: %v %v, want 900ms", r.Wait, ok)
	}
	if r, ok := l.Reserve(start, "k", 2, ratelimit.Never); ok || r.Wait != ratelimit.Never {
		t.Errorf("more than the bucket holds: %v %v", r.Wait, ok)
	}
}

// What time has brought back must not be given back a second time.
func TestLateCancelGivesNothing(t *testing.T) {
	l := ratelimit.New(policy.Bucket{Limit: 1, Per: time.Second, Burst: 1}, 0)
	r, _ := l.Reserve(start, "k", 1, 0)
	if !l.AllowAt(at(10*time.Second), "k", 1) {
		t.Fatal("refilled")
	}
	r.Cancel(at(10 * time.Second))
	if l.AllowAt(at(10*time.Second), "k", 1) {
		t.Error("two tokens from a bucket of one")
	}
}

// Any sequence of takes, of which some are given back, keeps at most what the
// bucket holds and earns. A bucket that is not full earns while a token that
// will come back is away, so the time for which such tokens were away counts,
// too; at one instant it never gives more than it holds.
func TestCancelNeverExceedsTheRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const interval = int64(time.Second)
		burst := rapid.Int64Range(1, 5).Draw(t, "burst")
		l := ratelimit.New(policy.Bucket{Limit: 1, Per: time.Second, Burst: int(burst)}, 0)
		type grant struct {
			r    ratelimit.Reservation
			at   int64
			kept bool
		}
		var grants []*grant
		now, away := int64(0), int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += rapid.Int64Range(0, 2*interval).Draw(t, "pass")
			if len(grants) > 0 && rapid.Bool().Draw(t, "cancel") {
				g := grants[rapid.IntRange(0, len(grants)-1).Draw(t, "which")]
				if g.kept {
					away += now - g.at
				}
				g.r.Cancel(at(time.Duration(now)))
				g.kept = false
				continue
			}
			if r, ok := l.Reserve(at(time.Duration(now)), "k", 1, 0); ok {
				grants = append(grants, &grant{r, now, true})
			}
		}
		for i := range grants {
			kept := int64(0)
			for _, g := range grants[i:] {
				if g.kept {
					kept++
				}
				window := g.at - grants[i].at
				if window > 0 {
					window += away
				}
				if kept*interval > burst*interval+window {
					t.Fatalf("%d tokens kept within %v of a burst of %d", kept, time.Duration(g.at-grants[i].at), burst)
				}
			}
		}
	})
}

func TestAllOrNone(t *testing.T) {
	minute := ratelimit.New(policy.Bucket{Limit: 60, Per: time.Minute, Burst: 3}, 0)
	hour := ratelimit.New(policy.Bucket{Limit: 60, Per: time.Hour, Burst: 2}, 0)
	charges := func() []ratelimit.Charge {
		return []ratelimit.Charge{{Limiter: hour, Key: "k", N: 1}, {Limiter: minute, Key: "k", N: 1}, {Limiter: minute, Key: "l", N: 1}}
	}
	for i := range 2 {
		if wait, ok := ratelimit.Take(start, charges()); !ok || wait != 0 {
			t.Fatalf("%d: %v %v", i, wait, ok)
		}
	}
	c := charges()
	wait, ok := ratelimit.Take(start, c)
	if ok || wait != time.Minute {
		t.Fatalf("%v %v, want a refusal for a minute", wait, ok)
	}
	if c[0].State.OK || !c[1].State.OK || c[1].State.Remaining != 1 || c[0].State.Remaining != 0 || c[0].State.Reset != 2*time.Minute {
		t.Errorf("states %+v, %+v", c[0].State, c[1].State)
	}
	// The refusal has cost the other two nothing.
	for _, key := range []string{"k", "l"} {
		if !minute.AllowAt(start, key, 1) || minute.AllowAt(start, key, 1) {
			t.Errorf("%s: the refused call was charged", key)
		}
	}
	// Two charges of one bucket add up.
	twice := []ratelimit.Charge{{Limiter: hour, Key: "x", N: 1}, {Limiter: hour, Key: "x", N: 2}}
	if _, ok := ratelimit.Take(start, twice); ok {
		t.Error("3 of 2 tokens")
	}
	if !hour.AllowAt(start, "x", 2) {
		t.Error("the refused first charge was kept")
	}
	if _, ok := ratelimit.Take(start, []ratelimit.Charge{{Limiter: hour, Key: "x", N: 0}}); !ok {
		t.Error("no tokens always pass")
	}
	if _, ok := ratelimit.Take(start, nil); !ok {
		t.Error("no charges always pass")
	}
}

func TestRefund(t *testing.T) {
	l := ratelimit.New(policy.Bucket{Limit: 1, Per: time.Minute, Burst: 1}, 0)
	c := []ratelimit.Charge{{Limiter: l, Key: "k", N: 1}}
	_, _ = ratelimit.Take(start, c)
	ratelimit.Refund(at(time.Second), c)
	if l.Keys() != 0 || !l.AllowAt(at(time.Second), "k", 1) {
		t.Error("not given back")
	}
}

// Check-then-act would grant more than the burst here.
func TestConcurrentGrants(t *testing.T) {
	a := ratelimit.New(policy.Bucket{Limit: 1, Per: time.Hour, Burst: 100}, 0)
	b := ratelimit.New(policy.Bucket{Limit: 1, Per: time.Hour, Burst: 150}, 0)
	var granted atomic.Int64
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for range 100 {
				c := []ratelimit.Charge{{Limiter: a, Key: "k", N: 1}, {Limiter: b, Key: "k", N: 1}}
				if g%2 == 0 { // the other order must not deadlock
					c[0], c[1] = c[1], c[0]
				}
				if _, ok := ratelimit.Take(start, c); ok {
					granted.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if granted.Load() != 100 {
		t.Errorf("%d of 100 granted", granted.Load())
	}
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratelimit.New(policy.Bucket{Limit: 3000, Per: time.Second, Burst: 1}, 0)
		begin := time.Now()
		for range 4 {
			if err := l.Wait(t.Context(), "k", 1, policy.None); err != nil {
				t.Fatal(err)
			}
		}
		// A third of a millisecond each, rounded up to the nanosecond only.
		if got := time.Since(begin); got != 3*333334 {
			t.Errorf("waited %v", got)
		}
		if err := l.Wait(t.Context(), "k", 1, 333333); !errors.Is(err, fault.ErrRateLimited) {
			t.Errorf("past maxWait: %v", err)
		}
		slow := ratelimit.New(policy.Bucket{Limit: 1, Per: time.Second, Burst: 1}, 0)
		slow.Allow("k", 1)
		ctx, cancel := context.WithTimeout(t.Context(), 900*time.Millisecond)
		defer cancel()
		begin = time.Now()
		if err := slow.Wait(ctx, "k", 1, policy.None); !errors.Is(err, fault.ErrRateLimited) || time.Since(begin) != 0 {
			t.Errorf("past the deadline: %v after %v", err, time.Since(begin))
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(400*time.Millisecond, cancel)
		if err := slow.Wait(ctx, "k", 1, policy.None); !errors.Is(err, context.Canceled) || time.Since(begin) != 400*time.Millisecond {
			t.Errorf("cancelled: %v after %v", err, time.Since(begin))
		}
		// The abandoned token is there for the next one.
		if err := slow.Wait(t.Context(), "k", 1, policy.None); err != nil || time.Since(begin) != time.Second {
			t.Errorf("the next: %v after %v", err, time.Since(begin))
		}
		if err := slow.Wait(ctx, "k", 1, policy.None); !errors.Is(err, context.Canceled) {
			t.Errorf("an ended context: %v", err)
		}
	})
}

func TestKeysAreBounded(t *testing.T) {
	l := ratelimit.New(policy.Bucket{Limit: 1, Per: time.Minute, Burst: 1000}, 5000)
	l.AllowAt(start, "victim", 1000) // deep in debt
	for i := range 100_000 {
		l.AllowAt(start, strconv.Itoa(i), 1)
	}
	if n := l.Keys(); n > 5000+8 {
		t.Errorf("%d keys, want at most 5000", n)
	}
	if l.AllowAt(start, "victim", 1) {
		t.Error("a flood of other keys has refilled the bucket of one that had used it all")
	}
}

func TestIdleKeysAreForgotten(t *testing.T) {
	l := ratelimit.New(policy.Bucket{Limit: 10, Per: time.Second, Burst: 10}, 0)
	now := start
	for i := range 200_000 {
		now = now.Add(time.Millisecond)
		l.AllowAt(now, strconv.Itoa(i), 1)
	}
	// A bucket is full again after 100 ms, so some hundred are live.
	if n := l.Keys(); n > 64*200 {
		t.Errorf("%d keys are held", n)
	}
}

func TestClockSteps(t *testing.T) {
	l := ratelimit.New(policy.Bucket{Limit: 1, Per: time.Second, Burst: 2}, 0)
	l.AllowAt(at(time.Hour), "k", 2)
	// An hour back: the key is empty, but not for an hour.
	if l.AllowAt(start, "k", 1) {
		t.Error("granted")
	}
	if !l.AllowAt(at(time.Second), "k", 1) {
		t.Error("shut out by the clock")
	}
	if !l.AllowAt(at(10000*time.Hour), "k", 2) {
		t.Error("after a step forward")
	}
}

func TestExtremes(t *testing.T) {
	for _, b := range []policy.Bucket{
		{}, {Limit: math.MaxInt, Per: 1, Burst: math.MaxInt}, {Limit: 1, Per: math.MaxInt64, Burst: math.MaxInt},
		{Limit: -1, Per: -1, Burst: -1},
	} {
		l := ratelimit.New(b, 1)
		for _, now := range []time.Time{{}, start, time.Unix(1<<40, 0)} {
			for _, n := range []int{math.MinInt, 0, 1, math.MaxInt} {
				if r, _ := l.Reserve(now, "k", n, ratelimit.Never); r.Wait < 0 {
					t.Errorf("%+v: %v", b, r.Wait)
				}
			}
		}
	}
	ahead := ratelimit.New(policy.Bucket{Limit: 1, Per: math.MaxInt64 / 8, Burst: 1}, 0)
	for range 100 {
		if r, _ := ahead.Reserve(start, "k", 1, ratelimit.Never); r.Wait < 0 {
			t.Fatal("wrapped")
		}
	}
}

func TestAllowAllocatesNothing(t *testing.T) {
	l := ratelimit.New(policy.Bucket{Limit: 1000, Per: time.Second, Burst: 1000}, 0)
	l.AllowAt(start, "k", 1)
	if n := testing.AllocsPerRun(100, func() { l.AllowAt(start, "k", 1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Two calls at once, then one each second, for each customer.
func ExampleLimiter_AllowAt() {
	l := ratelimit.New(policy.Bucket{Limit: 60, Per: time.Minute, Burst: 2}, 0)
	now := time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)
	fmt.Println(l.AllowAt(now, "ann", 1), l.AllowAt(now, "ann", 1), l.AllowAt(now, "ann", 1), l.AllowAt(now, "bob", 1))
	fmt.Println(l.AllowAt(now.Add(time.Second), "ann", 1))
	// Output:
	// true true false true
	// true
}
