package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/lock/locktest"
	redisstore "github.com/holdfast-go/holdfast/runtime/store/redis"
	"github.com/holdfast-go/holdfast/runtime/store/redis/redistest"
	"github.com/redis/go-redis/v9"
)

func locks(t *testing.T, c redis.UniversalClient) lock.Backend {
	t.Helper()
	b, err := redisstore.NewLocks(c, redisstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestLocks(t *testing.T) {
	c := redistest.Start(t).Client(t)
	for _, test := range locktest.Backend() {
		t.Run(test.Name, func(t *testing.T) {
			c.FlushAll(t.Context())
			test.Run(t, locks(t, c))
		})
	}
}

func acquire(t *testing.T, b lock.Backend, owner string, ttl time.Duration) int64 {
	t.Helper()
	fence, ok, err := b.Acquire(t.Context(), "k", owner, ttl)
	if err != nil || !ok {
		t.Fatalf("by %s: %v, %v", owner, ok, err)
	}
	return fence
}

// Fences rise when the server has forgotten everything, which a plain counter does not, and
// when its clock stands behind the last fence.
func TestFencesRiseForEver(t *testing.T) {
	server := redistest.Start(t)
	c := server.Client(t)
	b := locks(t, c)
	last := acquire(t, b, "a", time.Minute)
	risen := func(what string) {
		t.Helper()
		fence := acquire(t, b, "b", time.Minute)
		if fence <= last {
			t.Errorf("%s: %d after %d", what, fence, last)
		}
		last = fence
	}
	c.FlushAll(t.Context())
	risen("FLUSHALL")
	server.Restart(t)
	risen("kill -9")
	if err := b.Release(t.Context(), "k", "b"); err != nil {
		t.Fatal(err)
	}
	for _, key := range c.Keys(t.Context(), "*:fence").Val() {
		last = time.Now().Add(time.Hour).UnixMicro()
		c.Set(t.Context(), key, last, 0)
	}
	if fence := acquire(t, b, "c", time.Minute); fence != last+1 {
		t.Errorf("a clock an hour behind: %d after %d", fence, last)
	}
	if fence := acquire(t, b, "c", time.Minute); fence != last+1 {
		t.Errorf("the owner's own fence became %d", fence)
	}
}

// A heartbeat that keeps a lock keeps the memory of its fence.
func TestFenceOutlivesTheLock(t *testing.T) {
	c := redistest.Start(t).Client(t)
	b := locks(t, c)
	acquire(t, b, "a", time.Minute)
	key := c.Keys(t.Context(), "*:fence").Val()[0]
	c.PExpire(t.Context(), key, time.Minute)
	if err := b.Extend(t.Context(), "k", "a", time.Minute); err != nil {
		t.Fatal(err)
	}
	if ttl := c.PTTL(t.Context(), key).Val(); ttl < time.Hour {
		t.Errorf("the fence is forgotten in %v", ttl)
	}
}

// A holder that was stopped for longer than its lock's life finds itself without it, and its
// write, which carries the older fence, is refused.
func TestStoppedHolder(t *testing.T) {
	server := redistest.Start(t)
	b := locks(t, server.Client(t))
	old := acquire(t, b, "slow", 100*time.Millisecond)
	<-time.After(200 * time.Millisecond) // stopped
	fence := acquire(t, b, "quick", time.Minute)
	written := int64(0)
	write := func(token int64) bool {
		if token <= written {
			return false
		}
		written = token
		return true
	}
	if !write(fence) || write(old) {
		t.Errorf("fences %d, then %d", old, fence)
	}
	for what, err := range map[string]error{
		"extend": b.Extend(t.Context(), "k", "slow", time.Minute), "release": b.Release(t.Context(), "k", "slow"),
	} {
		if !errors.Is(err, lock.ErrNotOwner) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A lease whose server forgets it ends its context at the next heartbeat; one whose server
// does not answer ends it when its life may be over.
func TestLeaseIsLost(t *testing.T) {
	server := redistest.Start(t)
	c := server.Client(t)
	b := locks(t, c)
	for name, trouble := range map[string]func(){
		"FLUSHALL": func() { c.FlushAll(t.Context()) },
		"SIGSTOP":  func() { server.Pause(t) },
	} {
		const ttl = 600 * time.Millisecond
		began := time.Now()
		l, err := lock.Acquire(t.Context(), b, lock.Options{Keys: []string{name}, TTL: ttl, Heartbeat: ttl / 3})
		if err != nil {
			t.Fatal(err)
		}
		trouble()
		select {
		case <-l.Context().Done():
		case <-time.After(10 * time.Second):
		}
		if !l.Lost() {
			t.Errorf("%s: the lease is not lost", name)
		}
		if took := time.Since(began); took > ttl+time.Second {
			t.Errorf("%s: lost after %v", name, took)
		}
		server.Resume(t)
		l.Release()
	}
}

// An acquire that was applied although its answer did not come in time is released.
func TestTimedOutAcquireIsReleased(t *testing.T) {
	server := redistest.Start(t)
	b := locks(t, server.Client(t))
	admin := server.Client(t)
	server.Pause(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	resumed := make(chan struct{})
	go func() {
		defer close(resumed)
		<-ctx.Done()
		<-time.After(50 * time.Millisecond)
		server.Resume(t)
	}()
	if _, err := lock.Acquire(ctx, b, lock.Options{Keys: []string{"k"}, TTL: time.Hour}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want the context's end", err)
	}
	<-resumed
	deadline := time.Now().Add(5 * time.Second)
	for time.Now().Before(deadline) {
		if keys := admin.Keys(t.Context(), "*}").Val(); len(keys) == 0 {
			return
		}
	}
	t.Error("the lock is still held")
}

// The work of many clients under one lock is never done by two at a time.
func TestManyClients(t *testing.T) {
	server := redistest.Start(t)
	var inside, last int64
	var mu sync.Mutex // of the two, not of the work
	var wg sync.WaitGroup
	for range 6 {
		b := locks(t, server.Client(t))
		wg.Go(func() {
			for range 5 {
				l, err := lock.Acquire(t.Context(), b, lock.Options{Keys: []string{"b", "a"}, TTL: time.Minute, Wait: time.Minute, Fencing: true})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				inside++
				fence := lock.FencingToken(l.Context(), "a")
				if inside != 1 || fence <= last {
					t.Error(fmt.Sprint(inside, " inside, fence ", fence, " after ", last))
				}
				last = fence
				mu.Unlock()
				<-time.After(time.Millisecond)
				mu.Lock()
				inside--
				mu.Unlock()
				l.Release()
			}
		})
	}
	wg.Wait()
}
