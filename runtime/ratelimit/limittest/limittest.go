// Package limittest has the conformance suite of [ratelimit.Store]. A store runs every
// case while it is empty:
//
//	for _, c := range limittest.Store() {
//		t.Run(c.Name, func(t *testing.T) { c.Run(t, newStore(t)) })
//	}
//
// Cases let real time pass, some hundred milliseconds each; in the bubble of
// testing/synctest, which a store in memory can run in, they take none.
package limittest

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
)

// Case is one case of the suite.
type Case struct {
	Name string
	Run  func(t *testing.T, s ratelimit.Store)
}

// Store is the suite.
func Store() []Case {
	cases := []Case{
		{"all or none", allOrNone},
		{"tokens come back one by one", refill},
		{"a window comes back as it was used", window},
		{"an ended context is obeyed", obeys},
	}
	for _, a := range []policy.Algorithm{policy.TokenBucket, policy.SlidingWindow, policy.SlidingCounter} {
		cases = append(cases,
			Case{a.String() + ": no more than the limit", limited(a)},
			Case{a.String() + ": costs", costs(a)},
			Case{a.String() + ": keys and buckets are apart", apart(a)},
			Case{a.String() + ": settled", settled(a)},
			Case{a.String() + ": many clients", concurrent(a)},
		)
	}
	return cases
}

// rate lets so many pass in a time.
func rate(a policy.Algorithm, n int, per time.Duration) policy.Rate {
	return policy.Rate{Algorithm: a, Limit: n, Per: per, Burst: n}
}

func demand(r policy.Rate, bucket, key string, n int) ratelimit.Demand {
	return ratelimit.Demand{Bucket: bucket, Key: key, Rate: r, N: n}
}

// take takes and returns what was decided.
func take(t *testing.T, s ratelimit.Store, want bool, demands ...ratelimit.Demand) (time.Duration, []ratelimit.Demand) {
	t.Helper()
	wait, ok, err := s.Take(t.Context(), "group", demands)
	if err != nil || ok != want {
		t.Fatalf("%+v: %v, %v; want %v", demands, ok, err, want)
	}
	return wait, demands
}

// left is what the key "k" has.
func left(t *testing.T, s ratelimit.Store, r policy.Rate, bucket string) int {
	t.Helper()
	_, d := take(t, s, true, demand(r, bucket, "k", 0))
	return d[0].State.Remaining
}

func limited(a policy.Algorithm) func(*testing.T, ratelimit.Store) {
	return func(t *testing.T, s ratelimit.Store) {
		r := rate(a, 3, time.Hour)
		for i := range 3 {
			wait, d := take(t, s, true, demand(r, "b", "k", 1))
			if wait != 0 || d[0].State.Remaining != 2-i || !d[0].State.OK {
				t.Errorf("%d: waits %v, %+v", i, wait, d[0].State)
			}
			// After a use, what it took is back no later than twice the time on.
			if d[0].State.Reset <= 0 || d[0].State.Reset > 2*time.Hour {
				t.Errorf("%d: reset %v", i, d[0].State.Reset)
			}
		}
		for range 2 {
			wait, d := take(t, s, false, demand(r, "b", "k", 1))
			if wait <= 0 || wait > 2*time.Hour || d[0].State.OK || d[0].State.Remaining != 0 || d[0].State.Wait != wait {
				t.Errorf("refused with %v, %+v", wait, d[0].State)
			}
		}
	}
}

func costs(a policy.Algorithm) func(*testing.T, ratelimit.Store) {
	return func(t *testing.T, s ratelimit.Store) {
		r := rate(a, 10, time.Hour)
		if wait, _ := take(t, s, false, demand(r, "b", "k", 11)); wait != ratelimit.Never {
			t.Errorf("more than there ever is comes in %v", wait)
		}
		take(t, s, true, demand(r, "b", "k", 7))
		take(t, s, false, demand(r, "b", "k", 4))
		take(t, s, true, demand(r, "b", "k", 3))
		take(t, s, true, demand(r, "b", "k", 0))
		take(t, s, true, demand(r, "b", "k", -1))
		if n := left(t, s, r, "b"); n != 0 {
			t.Errorf("%d left", n)
		}
	}
}

func apart(a policy.Algorithm) func(*testing.T, ratelimit.Store) {
	return func(t *testing.T, s ratelimit.Store) {
		r := rate(a, 1, time.Hour)
		for _, name := range [][2]string{{"b", "k"}, {"b", ""}, {"", "b"}, {"bk", ""}, {"b", "K"}, {"b", "{x}\x00\xff"}, {"b:k", "k"}, {"b", "k:k"}} {
			take(t, s, true, demand(r, name[0], name[1], 1))
			take(t, s, false, demand(r, name[0], name[1], 1))
		}
	}
}

func settled(a policy.Algorithm) func(*testing.T, ratelimit.Store) {
	return func(t *testing.T, s ratelimit.Store) {
		r := rate(a, 10, time.Hour)
		settle := func(d *ratelimit.Demand, n int) {
			t.Helper()
			if err := s.Settle(t.Context(), "group", d, n); err != nil {
				t.Fatal(err)
			}
		}
		want := func(n int) {
			t.Helper()
			if got := left(t, s, r, "b"); got != n {
				t.Errorf("%d left, want %d", got, n)
			}
		}
		_, first := take(t, s, true, demand(r, "b", "k", 4))
		_, second := take(t, s, true, demand(r, "b", "k", 2))
		settle(&first[0], 0)
		want(8)
		settle(&second[0], 1)
		want(9)
		_, third := take(t, s, true, demand(r, "b", "k", 1))
		settle(&third[0], 6)
		want(3)
		_, fourth := take(t, s, true, demand(r, "b", "k", 3))
		settle(&fourth[0], 1_000_000) // a debt, but a bounded one
		want(0)
		if wait, _ := take(t, s, false, demand(r, "b", "k", 1)); wait <= 0 || wait > 3*time.Hour {
			t.Errorf("the debt takes %v", wait)
		}
	}
}

func concurrent(a policy.Algorithm) func(*testing.T, ratelimit.Store) {
	return func(t *testing.T, s ratelimit.Store) {
		var passed atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 10 {
					d := []ratelimit.Demand{demand(rate(a, 20, time.Hour), "b", "k", 1)}
					if _, ok, err := s.Take(t.Context(), "group", d); err != nil {
						t.Error(err)
					} else if ok {
						passed.Add(1)
					}
				}
			})
		}
		wg.Wait()
		if passed.Load() != 20 {
			t.Errorf("%d passed, want 20", passed.Load())
		}
	}
}

func allOrNone(t *testing.T, s ratelimit.Store) {
	bucket, log := rate(policy.TokenBucket, 5, time.Hour), rate(policy.SlidingWindow, 2, 2*time.Hour)
	counter := rate(policy.SlidingCounter, 3, time.Hour)
	all := func(n int) []ratelimit.Demand {
		return []ratelimit.Demand{demand(bucket, "bucket", "k", n), demand(log, "log", "k", 1), demand(counter, "counter", "k", 1)}
	}
	want := func(a, b, c int) {
		t.Helper()
		for i, got := range []int{left(t, s, bucket, "bucket"), left(t, s, log, "log"), left(t, s, counter, "counter")} {
			if got != []int{a, b, c}[i] {
				t.Errorf("limit %d has %d left, want %d", i, got, []int{a, b, c}[i])
			}
		}
	}
	take(t, s, true, all(1)...)
	want(4, 1, 2)
	_, d := take(t, s, false, all(5)...)
	for i, ok := range []bool{false, true, true} {
		if d[i].State.OK != ok {
			t.Errorf("limit %d would pass: %v, want %v", i, d[i].State.OK, ok)
		}
	}
	want(4, 1, 2)
	take(t, s, true, all(1)...)
	wait, _ := take(t, s, false, all(4)...)
	want(3, 0, 1)
	if wait <= time.Hour {
		t.Errorf("waits %v, want the longest of the refusals, which is that of the window", wait)
	}
}

func refill(t *testing.T, s ratelimit.Store) {
	r := rate(policy.TokenBucket, 10, 5*time.Second)
	take(t, s, true, demand(r, "b", "k", 10))
	wait, _ := take(t, s, false, demand(r, "b", "k", 1))
	if wait <= 0 || wait > 500*time.Millisecond {
		t.Fatalf("the next token comes in %v, want up to 500ms", wait)
	}
	<-time.After(wait + 10*time.Millisecond)
	take(t, s, true, demand(r, "b", "k", 1))
}

func window(t *testing.T, s ratelimit.Store) {
	r := rate(policy.SlidingWindow, 3, time.Second)
	take(t, s, true, demand(r, "b", "k", 2))
	<-time.After(300 * time.Millisecond)
	take(t, s, true, demand(r, "b", "k", 1))
	wait, _ := take(t, s, false, demand(r, "b", "k", 1))
	if wait <= 0 || wait > 700*time.Millisecond {
		t.Fatalf("the first two come back in %v, want up to 700ms", wait)
	}
	<-time.After(wait + 10*time.Millisecond)
	take(t, s, true, demand(r, "b", "k", 2))
	take(t, s, false, demand(r, "b", "k", 1))
}

func obeys(t *testing.T, s ratelimit.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for i := range 3 {
		d := []ratelimit.Demand{demand(rate(policy.TokenBucket, 1, time.Hour), "b", strconv.Itoa(i), 1)}
		if _, _, err := s.Take(ctx, "group", d); err == nil {
			t.Error("taken")
		}
	}
}
