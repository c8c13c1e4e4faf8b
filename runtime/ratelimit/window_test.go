package ratelimit_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"pgregory.net/rapid"
)

func windowOf(a policy.Algorithm, limit int, per time.Duration) policy.Bucket {
	return policy.Bucket{Algorithm: a, Limit: limit, Per: per}
}

var bothWindows = []policy.Algorithm{policy.SlidingWindow, policy.SlidingCounter}

// The tier strict: 100 in a minute, whenever that minute begins.
func TestSlidingWindow(t *testing.T) {
	l := ratelimit.New(windowOf(policy.SlidingWindow, 100, time.Minute), 0)
	for i := range 60 {
		if !l.AllowAt(at(0), "k", 1) {
			t.Fatalf("refused at %d of 60", i)
		}
	}
	if !l.AllowAt(at(30*time.Second), "k", 40) || l.AllowAt(at(30*time.Second), "k", 1) {
		t.Error("40 are left at half the time, and no more")
	}
	if l.AllowAt(at(time.Minute-1), "k", 1) {
		t.Error("within the minute")
	}
	if !l.AllowAt(at(time.Minute), "k", 60) || l.AllowAt(at(time.Minute), "k", 1) {
		t.Error("the first 60 are out of the window, the 40 are not")
	}
	if l.AllowAt(at(time.Hour), "k", 101) || !l.AllowAt(at(time.Hour), "other", 100) {
		t.Error("never more than the limit, to each key")
	}
}

// The counter takes the window before for evenly used: of 90 in the first minute, a half
// counts in the middle of the second, so that 55 are left of 100.
func TestSlidingCounter(t *testing.T) {
	const per = time.Minute
	now := windowStart(per)
	l := ratelimit.New(windowOf(policy.SlidingCounter, 100, per), 0)
	first := nextWindow(l, now)
	if !l.AllowAt(first.Add(50*time.Second), "k", 90) || l.AllowAt(first.Add(50*time.Second), "k", 11) {
		t.Fatal("90 of 100, and then no 11")
	}
	middle := first.Add(per + per/2)
	if l.AllowAt(middle, "k", 56) || !l.AllowAt(middle, "k", 55) || l.AllowAt(middle, "k", 1) {
		t.Error("55 are left in the middle of the next minute")
	}
	// Another 10 come when no more than 35 of the 90 count: after 61.1 % of the minute.
	r, ok := l.Reserve(middle, "k", 10, per)
	if want := first.Add(per + per*55/90 + 1).Sub(middle); !ok || r.Wait != want {
		t.Errorf("a wait of %v, %v; want %v", r.Wait, ok, want)
	}
	if !l.AllowAt(first.Add(4*per), "k", 100) {
		t.Error("nothing counts after two minutes")
	}
}

func windowStart(per time.Duration) time.Time { return time.Now().Add(10 * per) }

// nextWindow finds the begin of a window of a counter: the first moment at which all of
// what was used right before a moment counts, which is so at the begin alone.
func nextWindow(l *ratelimit.Limiter, now time.Time) time.Time {
	l.AllowAt(now, "probe", l.Policy().Limit)
	// All of them count to the end of their window, and none two windows later.
	r, _ := l.Reserve(now, "probe", l.Policy().Limit, ratelimit.Never)
	return now.Add(r.Wait)
}

// The oracle is a list of all grants: within no time of the limit's length, its begin not
// included, there are more than the limit, and what could be granted is.
func TestWindowAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 30).Draw(t, "limit")
		per := rapid.Int64Range(1, int64(time.Hour)).Draw(t, "per")
		l := ratelimit.New(windowOf(policy.SlidingWindow, limit, time.Duration(per)), 0)
		type grant struct {
			at int64
			n  int
		}
		var grants []grant
		used := func(now int64) (sum int) {
			for _, g := range grants {
				if g.at > now-per {
					sum += g.n
				}
			}
			return sum
		}
		now, last := int64(0), int64(0)
		for range rapid.IntRange(1, 100).Draw(t, "calls") {
			now += rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, per/4+1), rapid.Int64Range(0, 2*per)).Draw(t, "step")
			n := rapid.IntRange(1, limit+1).Draw(t, "n")
			maxWait := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 2*per)).Draw(t, "wait")
			// The first moment at which it fits is now, after the latest, or when a grant leaves.
			want := int64(math.MaxInt64)
			for _, at := range append([]grant{{at: max(now, last) - per}}, grants...) {
				if t := at.at + per; n <= limit && t >= max(now, last) && used(t)+n <= limit {
					want = min(want, t)
				}
			}
			r, ok := l.Reserve(start.Add(time.Duration(now)), "k", n, time.Duration(maxWait))
			if wantOK := want != math.MaxInt64 && want-now <= maxWait; ok != wantOK || ok && int64(r.Wait) != want-now {
				t.Fatalf("%d of %d in %d at %d: %v, %v; want %d", n, limit, per, now, r.Wait, ok, want-now)
			}
			if !ok && n <= limit && int64(r.Wait) != want-now || n > limit && r.Wait != ratelimit.Never {
				t.Fatalf("the refusal names %v, want %d", r.Wait, want-now)
			}
			if ok {
				if rapid.IntRange(0, 9).Draw(t, "cancel") == 0 {
					r.Cancel(start.Add(time.Duration(now)))
					continue
				}
				last = now + int64(r.Wait)
				grants = append(grants, grant{last, n})
			}
		}
	})
}

// The oracle is the counter's own formula with exact fractions, over all windows.
func TestCounterAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(1, 30).Draw(t, "limit")
		per := rapid.Int64Range(1, int64(time.Hour)).Draw(t, "per")
		l := ratelimit.New(windowOf(policy.SlidingCounter, int(limit), time.Duration(per)), 0)
		first := nextWindow(l, time.Now().Add(time.Duration(10*per)))
		counts := map[int64]int64{}
		fits := func(at, n int64) bool {
			w := at / per
			// prev * (per - x) / per + cur + n <= limit, times per; both stay far below 2^63.
			return counts[w-1]*(per-at%per) <= (limit-counts[w]-n)*per
		}
		now, latest := int64(0), int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			now += rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, per/4+1), rapid.Int64Range(0, 3*per)).Draw(t, "step")
			n := rapid.Int64Range(1, limit).Draw(t, "n")
			maxWait := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 2*per)).Draw(t, "wait")
			r, ok := l.Reserve(first.Add(time.Duration(now)), "k", int(n), time.Duration(maxWait))
			at, from := now+int64(r.Wait), max(now, latest)
			if at < from || !fits(at, n) || at > from && fits(at-1, n) {
				t.Fatalf("%d of %d in %d at %d: granted at %d, %v", n, limit, per, now, at, counts)
			}
			if ok != (int64(r.Wait) <= maxWait) {
				t.Fatalf("a wait of %v within %d: %v", r.Wait, maxWait, ok)
			}
			if ok {
				counts[at/per] += n
				latest = at
			}
		}
	})
}

func TestWindowReserve(t *testing.T) {
	for _, a := range bothWindows {
		t.Run(a.String(), func(t *testing.T) {
			l := ratelimit.New(windowOf(a, 2, time.Second), 0)
			if !l.AllowAt(start, "k", 2) {
				t.Fatal("the first two")
			}
			held, ok := l.Reserve(start, "k", 2, time.Hour)
			if !ok || held.Wait < time.Second {
				t.Fatalf("two more after %v", held.Wait)
			}
			later, ok := l.Reserve(start, "k", 1, time.Hour)
			if !ok || later.Wait <= held.Wait {
				t.Fatalf("who comes later waits %v, the one before %v", later.Wait, held.Wait)
			}
			later.Cancel(start)
			held.Cancel(start)
			held.Cancel(start) // once only
			again, ok := l.Reserve(start, "k", 2, time.Hour)
			// A counter has forgotten the window before the one in which somebody waited.
			if !ok || again.Wait > later.Wait || a == policy.SlidingWindow && again.Wait != held.Wait {
				t.Errorf("after both have left %v, want %v as before", again.Wait, held.Wait)
			}
			if r, ok := l.Reserve(start, "k", 3, ratelimit.Never); ok || r.Wait != ratelimit.Never {
				t.Errorf("more than the limit: %v %v", r.Wait, ok)
			}
		})
	}
}

// Several charges of one window are one decision.
func TestWindowsAllOrNone(t *testing.T) {
	for _, a := range bothWindows {
		t.Run(a.String(), func(t *testing.T) {
			wide, tight := ratelimit.New(windowOf(a, 10, time.Second), 0), ratelimit.New(windowOf(a, 3, time.Second), 0)
			take := func(n int) bool {
				_, ok := ratelimit.Take(start, []ratelimit.Charge{{Limiter: wide, N: n}, {Limiter: tight, N: n}})
				return ok
			}
			if !take(2) || take(2) || !take(1) {
				t.Error("three fit into both")
			}
			if left := remaining(wide, "", start); left != 7 {
				t.Errorf("%d are left of ten", left)
			}
			twice := []ratelimit.Charge{{Limiter: wide, N: 4}, {Limiter: wide, N: 4}}
			if _, ok := ratelimit.Take(start, twice); ok || remaining(wide, "", start) != 7 {
				t.Error("two charges of one window took 8 of 7")
			}
			twice[1].N = 3
			if _, ok := ratelimit.Take(start, twice); !ok || remaining(wide, "", start) != 0 {
				t.Error("two charges of one window did not take 7 of 7")
			}
			ratelimit.Refund(start, twice)
			if left := remaining(wide, "", start); left != 7 {
				t.Errorf("%d are left after both were given back", left)
			}
		})
	}
}

// A key with more calls than are noted one by one is never let more pass for that.
func TestLongWindow(t *testing.T) {
	const limit = 20_000
	l := ratelimit.New(windowOf(policy.SlidingWindow, limit, time.Hour), 0)
	now := start
	for i := range limit {
		if now = now.Add(time.Millisecond); !l.AllowAt(now, "k", 1) {
			t.Fatalf("refused at %d", i)
		}
	}
	if l.AllowAt(now, "k", 1) {
		t.Error("one too many")
	}
	end := start.Add(time.Hour + time.Millisecond)
	granted := 0
	for range 10_000 {
		if end = end.Add(time.Millisecond); l.AllowAt(end, "k", 1) {
			granted++
		}
	}
	// They come back one each millisecond, those of one of 2048 parts in one go at its end.
	if part := int(time.Hour/2048/time.Millisecond) + 1; granted > 10_000 || granted < 10_000-part {
		t.Errorf("%d of 10000 were let pass", granted)
	}
}

func TestWindowKeysAreForgotten(t *testing.T) {
	for _, a := range bothWindows {
		t.Run(a.String(), func(t *testing.T) {
			l := ratelimit.New(windowOf(a, 5, time.Second), 0)
			for i := range 100_000 {
				l.AllowAt(start, strconv.Itoa(i), 1)
			}
			if n := l.Keys(); n != 100_000 {
				t.Fatalf("%d keys are in use", n)
			}
			// A part of the keys is swept when half as many new ones have come to it.
			for i := range 80_000 {
				l.AllowAt(at(time.Minute+time.Duration(i)*time.Second), "new"+strconv.Itoa(i), 1)
			}
			if n := l.Keys(); n > 100_000/2 {
				t.Errorf("%d keys are held, one of them in use", n)
			}
			bounded := ratelimit.New(windowOf(a, 5, time.Hour), 1000)
			for i := range 10_000 {
				bounded.AllowAt(start, strconv.Itoa(i), 1)
			}
			if n := bounded.Keys(); n > 1100 {
				t.Errorf("%d keys within a bound of 1000", n)
			}
		})
	}
}

// What a key has used stays used when the limit changes, whatever the algorithm.
func TestSetPolicyBetweenAlgorithms(t *testing.T) {
	all := append([]policy.Algorithm{policy.TokenBucket}, bothWindows...)
	of := func(a policy.Algorithm, limit int) policy.Bucket {
		return policy.Bucket{Algorithm: a, Limit: limit, Per: time.Hour, Burst: limit}
	}
	for _, from := range all {
		for _, to := range all {
			l := ratelimit.New(of(from, 10), 0)
			l.AllowAt(start, "k", 7)
			l.SetPolicy(of(to, 20), start)
			if left := remaining(l, "k", start); left != 13 {
				t.Errorf("%v to %v: %d are left of 20", from, to, left)
			}
			l.SetPolicy(of(to, 5), start)
			if l.AllowAt(start, "k", 1) || remaining(l, "k", start) != 0 {
				t.Errorf("%v to %v: more than the smaller limit", from, to)
			}
			if later := at(3 * time.Hour); !l.AllowAt(later, "k", 5) {
				t.Errorf("%v to %v: never free again", from, to)
			}
		}
	}
}

// A clock that steps back leaves a key at worst without tokens for one time of the limit.
func TestWindowClockSteps(t *testing.T) {
	for _, a := range bothWindows {
		t.Run(a.String(), func(t *testing.T) {
			l := ratelimit.New(windowOf(a, 5, time.Second), 0)
			l.AllowAt(at(time.Hour), "k", 3)
			if !l.AllowAt(start, "k", 2) || l.AllowAt(start, "k", 1) {
				t.Error("3 were used")
			}
			if !l.AllowAt(at(2*time.Second), "k", 5) {
				t.Error("not free after the time of the limit")
			}
		})
	}
}

func TestWindowExtremes(t *testing.T) {
	for _, a := range bothWindows {
		for _, per := range []time.Duration{0, 1, math.MaxInt64} {
			for _, limit := range []int{0, 1, math.MaxInt} {
				l := ratelimit.New(windowOf(a, limit, per), 0)
				for _, now := range []time.Time{start, at(math.MaxInt64 / 4), time.Unix(0, 0), start} {
					for _, n := range []int{math.MinInt, 0, 1, math.MaxInt} {
						r, _ := l.Reserve(now, "k", n, ratelimit.Never)
						if r.Wait < 0 {
							t.Errorf("%v %d in %v: a wait of %v", a, limit, per, r.Wait)
						}
						r.Cancel(now)
					}
				}
			}
		}
	}
}
