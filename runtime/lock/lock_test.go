package lock_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/lock/locktest"
)

func TestMemory(t *testing.T) {
	for _, c := range locktest.Backend() {
		t.Run(c.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { c.Run(t, lock.NewMemory()) })
		})
	}
}

// What has ended does not stay.
func TestMemoryForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := lock.NewMemory()
		for i := range 10_000 {
			if _, ok, err := b.Acquire(t.Context(), strconv.Itoa(i), "a", time.Millisecond); !ok || err != nil {
				t.Fatal(ok, err)
			}
			time.Sleep(time.Millisecond)
		}
		if n := lock.Held(b); n > 130 {
			t.Errorf("%d are held", n)
		}
	})
}

func options(keys ...string) lock.Options {
	return lock.Options{Keys: keys, TTL: 10 * time.Second, Wait: time.Minute, Fencing: true}
}

// Holders come one after another, and their tokens increase.
func TestOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := lock.NewMemory()
		var mu sync.Mutex
		var inside, most int
		var last int64
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				l, err := lock.Acquire(t.Context(), b, options("k"))
				if err != nil {
					t.Error(err)
					return
				}
				defer l.Release()
				mu.Lock()
				inside++
				most = max(most, inside)
				if token := lock.FencingToken(l.Context(), "k"); token <= last {
					t.Errorf("%d after %d", token, last)
				} else {
					last = token
				}
				mu.Unlock()
				time.Sleep(10 * time.Millisecond)
				mu.Lock()
				inside--
				mu.Unlock()
			})
		}
		group.Wait()
		if most != 1 {
			t.Errorf("%d at once", most)
		}
	})
}

func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := lock.NewMemory()
		l, err := lock.Acquire(t.Context(), b, options("b"))
		if err != nil {
			t.Fatal(err)
		}
		for _, wait := range []time.Duration{0, 3 * time.Second} {
			o := options("c", "b", "a")
			o.Wait = wait
			begin := time.Now()
			if _, err := lock.Acquire(t.Context(), b, o); !errors.Is(err, lock.ErrBusy) || time.Since(begin) != wait {
				t.Errorf("%v after %s, want %s", err, time.Since(begin), wait)
			}
			for _, key := range []string{"a", "c"} { // none is left behind
				other, err := lock.Acquire(t.Context(), b, lock.Options{Keys: []string{key}, TTL: time.Second})
				if err != nil {
					t.Fatalf("%s: %v", key, err)
				}
				other.Release()
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := lock.Acquire(ctx, b, options("b")); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		l.Release()
		l.Release()
		if l.Context().Err() == nil || l.Lost() {
			t.Error("a released lease is not over, or lost")
		}
	})
}

// Two who want the same keys in another order do not wait for each other.
func TestSortedOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := lock.NewMemory()
		var group sync.WaitGroup
		for i := range 10 {
			group.Go(func() {
				keys := []string{"x", "y", "x"}
				if i%2 == 0 {
					keys = []string{"y", "x"}
				}
				l, err := lock.Acquire(t.Context(), b, options(keys...))
				if err != nil {
					t.Error(err)
					return
				}
				if lock.FencingToken(l.Context(), "x") == 0 || lock.FencingToken(l.Context(), "y") == 0 || lock.FencingToken(l.Context(), "z") != 0 {
					t.Error("tokens are of the keys that are held")
				}
				time.Sleep(50 * time.Millisecond)
				l.Release()
			})
		}
		group.Wait()
	})
}

// Without a heartbeat the lease is lost a hundredth before its life has ended.
func TestLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := lock.NewMemory()
		l, err := lock.Acquire(t.Context(), b, options("k"))
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		<-l.Context().Done()
		if time.Since(begin) != 9900*time.Millisecond || !errors.Is(context.Cause(l.Context()), lock.ErrLost) || !l.Lost() {
			t.Error(time.Since(begin), context.Cause(l.Context()))
		}
		l.Release()
		if !l.Lost() {
			t.Error("the release hides that it was lost")
		}
	})
}

// faulty is a backend whose Extend fails for a while.
type faulty struct {
	lock.Backend

	err atomic.Pointer[error]
}

func (f *faulty) Extend(ctx context.Context, key, owner string, ttl time.Duration) error {
	if err := f.err.Load(); err != nil {
		return *err
	}
	return f.Backend.Extend(ctx, key, owner, ttl)
}

func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &faulty{Backend: lock.NewMemory()}
		o := options("a", "b")
		o.Heartbeat = 3 * time.Second
		l, err := lock.Acquire(t.Context(), b, o)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if l.Context().Err() != nil {
			t.Fatal("the lease is lost in spite of its heartbeat")
		}
		// A backend that fails for less than the life takes nothing away.
		down := errors.New("down")
		b.err.Store(&down)
		time.Sleep(6 * time.Second)
		b.err.Store(nil)
		time.Sleep(time.Hour)
		if l.Context().Err() != nil {
			t.Fatal("a short fault has ended the lease")
		}
		// One that fails for longer does, when the lease is not valid any more.
		b.err.Store(&down)
		time.Sleep(11 * time.Second)
		if !l.Lost() {
			t.Error("a long fault has not ended the lease")
		}
		l.Release()
		b.err.Store(nil)
		// Who is told that it is another's stops at once.
		if l, err = lock.Acquire(t.Context(), b, o); err != nil {
			t.Fatal(err)
		}
		b.err.Store(&lock.ErrNotOwner)
		begin := time.Now()
		<-l.Context().Done()
		if time.Since(begin) != 3*time.Second || !l.Lost() {
			t.Error(time.Since(begin))
		}
		l.Release()
	})
}

// The keys that were taken first have their whole life when the last one is there.
func TestFreshened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := lock.NewMemory()
		first, err := lock.Acquire(t.Context(), b, options("z"))
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(8*time.Second, first.Release)
		l, err := lock.Acquire(t.Context(), b, options("a", "z"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(9 * time.Second)
		if l.Lost() {
			t.Error("the time of the wait is taken from the life")
		}
		if _, ok, _ := b.Acquire(t.Context(), "a", "other", time.Second); ok {
			t.Error("the first key is free")
		}
		l.Release()
	})
}

func TestBadOptions(t *testing.T) {
	for _, o := range []lock.Options{{TTL: time.Second}, {Keys: []string{"k"}}} {
		if _, err := lock.Acquire(t.Context(), lock.NewMemory(), o); err == nil {
			t.Errorf("%+v", o)
		}
	}
	if lock.FencingToken(t.Context(), "k") != 0 {
		t.Error("a token without a lock")
	}
}

// The token goes with the write, so that one who has lost the lock changes nothing.
func ExampleAcquire() {
	accounts := lock.NewMemory()
	lease, err := lock.Acquire(context.Background(), accounts, lock.Options{
		Keys: []string{"account/7"}, TTL: 30 * time.Second, Wait: 5 * time.Second, Fencing: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer lease.Release()
	fmt.Println(lock.FencingToken(lease.Context(), "account/7") > 0)
	// Output: true
}
