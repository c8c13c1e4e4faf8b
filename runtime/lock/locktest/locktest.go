// Package locktest has the conformance suite of [lock.Backend]. A backend runs every case
// against locks of its own:
//
//	for _, c := range locktest.Backend() {
//		t.Run(c.Name, func(t *testing.T) { c.Run(t, newBackend(t)) })
//	}
//
// Cases let real time pass, some hundred milliseconds each; in the bubble of
// testing/synctest, which a backend in memory can run in, they take none.
package locktest

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/lock"
)

// Case is one case of the suite. No key of the backend is locked.
type Case struct {
	Name string
	Run  func(t *testing.T, b lock.Backend)
}

// Times of the cases: a life that ends, and a time after which it has.
const (
	short = 100 * time.Millisecond
	past  = 250 * time.Millisecond
	long  = time.Minute
)

// Backend is the suite.
func Backend() []Case {
	return []Case{
		{"one owner at a time", oneOwner},
		{"keys are apart", apart},
		{"a life ends", ends},
		{"a life is extended", extended},
		{"only the owner extends and releases", ownerOnly},
		{"the same owner acquires again", again},
		{"fences increase", fences},
		{"one of many wins", concurrent},
		{"an ended context is obeyed", obeys},
	}
}

func acquire(t *testing.T, b lock.Backend, key, owner string, ttl time.Duration, want bool) int64 {
	t.Helper()
	fence, ok, err := b.Acquire(t.Context(), key, owner, ttl)
	if err != nil || ok != want {
		t.Fatalf("%s by %s: %v, %v; want %v", key, owner, ok, err, want)
	}
	if ok && fence <= 0 {
		t.Errorf("fence %d", fence)
	}
	return fence
}

func release(t *testing.T, b lock.Backend, key, owner string) {
	t.Helper()
	if err := b.Release(t.Context(), key, owner); err != nil {
		t.Fatal(err)
	}
}

func oneOwner(t *testing.T, b lock.Backend) {
	acquire(t, b, "k", "a", long, true)
	acquire(t, b, "k", "b", long, false)
	release(t, b, "k", "a")
	acquire(t, b, "k", "b", long, true)
}

func apart(t *testing.T, b lock.Backend) {
	for _, key := range []string{"k", "k ", "K", "k/1", "", "schlüssel", "a:b", "{x}y"} {
		acquire(t, b, key, "a", long, true)
		acquire(t, b, key, "b", long, false)
	}
}

func ends(t *testing.T, b lock.Backend) {
	acquire(t, b, "k", "a", short, true)
	<-time.After(past)
	acquire(t, b, "k", "b", long, true)
}

func extended(t *testing.T, b lock.Backend) {
	acquire(t, b, "k", "a", short, true)
	if err := b.Extend(t.Context(), "k", "a", long); err != nil {
		t.Fatal(err)
	}
	<-time.After(past)
	acquire(t, b, "k", "b", long, false)
}

func ownerOnly(t *testing.T, b lock.Backend) {
	not := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, lock.ErrNotOwner) {
			t.Errorf("%s: %v", what, err)
		}
	}
	not("releasing what is free", b.Release(t.Context(), "k", "a"))
	not("extending what is free", b.Extend(t.Context(), "k", "a", long))
	acquire(t, b, "k", "a", short, true)
	not("releasing another's", b.Release(t.Context(), "k", "b"))
	not("extending another's", b.Extend(t.Context(), "k", "b", long))
	<-time.After(past)
	not("extending what has ended", b.Extend(t.Context(), "k", "a", long))
	acquire(t, b, "k", "b", long, true)
	not("a late holder's release", b.Release(t.Context(), "k", "a"))
	acquire(t, b, "k", "c", long, false)
}

func again(t *testing.T, b lock.Backend) {
	first := acquire(t, b, "k", "a", short, true)
	if second := acquire(t, b, "k", "a", long, true); second < first {
		t.Errorf("%d after %d", second, first)
	}
	<-time.After(past)
	acquire(t, b, "k", "b", long, false) // the second life counts
}

func fences(t *testing.T, b lock.Backend) {
	var last int64
	for i := range 20 {
		owner := strconv.Itoa(i)
		fence := acquire(t, b, "k", owner, long, true)
		if fence <= last {
			t.Fatalf("%d after %d", fence, last)
		}
		last = fence
		release(t, b, "k", owner)
	}
	acquire(t, b, "k", "slow", short, true)
	<-time.After(past)
	if fence := acquire(t, b, "k", "next", long, true); fence <= last {
		t.Errorf("%d after %d and a life that has ended", fence, last)
	}
}

func concurrent(t *testing.T, b lock.Backend) {
	var won atomic.Int32
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			if _, ok, err := b.Acquire(t.Context(), "k", strconv.Itoa(i), long); err != nil {
				t.Error(err)
			} else if ok {
				won.Add(1)
			}
		})
	}
	group.Wait()
	if won.Load() != 1 {
		t.Errorf("%d have it", won.Load())
	}
}

func obeys(t *testing.T, b lock.Backend) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := b.Acquire(ctx, "k", "a", long); err == nil {
		t.Error("acquired")
	}
	acquire(t, b, "k", "b", long, true)
}
