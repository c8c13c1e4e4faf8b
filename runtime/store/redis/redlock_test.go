package redisstore_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/lock/locktest"
	redisstore "github.com/holdfast-go/holdfast/runtime/store/redis"
	"github.com/holdfast-go/holdfast/runtime/store/redis/redistest"
	"github.com/redis/go-redis/v9"
)

// nodes are servers that do not know of each other.
func nodes(t *testing.T, n int) []*redistest.Server {
	t.Helper()
	var list []*redistest.Server
	for range n {
		list = append(list, redistest.Start(t))
	}
	return list
}

func redlock(t *testing.T, servers []*redistest.Server, timeout time.Duration) lock.Backend {
	t.Helper()
	var clients []redis.UniversalClient
	for _, s := range servers {
		clients = append(clients, s.Client(t))
	}
	b, err := redisstore.NewRedlock(clients, redisstore.RedlockOptions{NodeTimeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRedlock(t *testing.T) {
	servers := nodes(t, 3)
	for _, test := range locktest.Backend() {
		t.Run(test.Name, func(t *testing.T) {
			for _, s := range servers {
				s.Client(t).FlushAll(t.Context())
			}
			test.Run(t, redlock(t, servers, patient))
		})
	}
}

func TestRedlockOptions(t *testing.T) {
	var list []redis.UniversalClient
	for range 3 {
		c := redis.NewClient(&redis.Options{ContextTimeoutEnabled: true, MaxRetries: -1})
		t.Cleanup(func() { _ = c.Close() })
		list = append(list, c)
	}
	for name, test := range map[string]struct {
		nodes []redis.UniversalClient
		o     redisstore.RedlockOptions
	}{
		"two":     {list[:2], redisstore.RedlockOptions{}},
		"twice":   {append(list[:2:2], list[0]), redisstore.RedlockOptions{}},
		"nil":     {append(list[:2:2], nil), redisstore.RedlockOptions{}},
		"timeout": {list, redisstore.RedlockOptions{NodeTimeout: -1}},
	} {
		if _, err := redisstore.NewRedlock(test.nodes, test.o); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// A minority that hangs, that is dead or that has forgotten everything changes nothing; a
// majority that hangs or is dead gives no lock, and nobody waits for it for long.
func TestRedlockQuorum(t *testing.T) {
	for name, trouble := range map[string]func(*redistest.Server){
		"SIGSTOP": func(s *redistest.Server) { s.Pause(t) },
		"SIGKILL": func(s *redistest.Server) { s.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			servers := nodes(t, 5)
			b := redlock(t, servers, 500*time.Millisecond)
			last := acquire(t, b, "first", time.Minute)
			for _, s := range servers[:2] {
				trouble(s)
			}
			began := time.Now()
			if err := b.Extend(t.Context(), "k", "first", time.Minute); err != nil {
				t.Error("a minority is gone: extend:", err)
			}
			if err := b.Release(t.Context(), "k", "first"); err != nil {
				t.Error("a minority is gone: release:", err)
			}
			if fence := acquire(t, b, "second", time.Minute); fence <= last {
				t.Errorf("fence %d after %d", fence, last)
			}
			if _, ok, err := b.Acquire(t.Context(), "k", "third", time.Minute); ok || err != nil {
				t.Errorf("a second holder: %v, %v", ok, err)
			}
			if took := time.Since(began); name == "SIGSTOP" && took > 5*time.Second {
				t.Errorf("a minority that hangs held everybody up for %v", took)
			}
			trouble(servers[2])
			if _, ok, err := b.Acquire(t.Context(), "k2", "a", time.Minute); ok || err == nil {
				t.Errorf("without a quorum: %v, %v", ok, err)
			}
			for what, err := range map[string]error{
				"extend": b.Extend(t.Context(), "k", "second", time.Minute), "release": b.Release(t.Context(), "k", "second"),
			} {
				if err == nil || errors.Is(err, lock.ErrNotOwner) {
					t.Errorf("%s without a quorum: %v", what, err)
				}
			}
			if name == "SIGSTOP" {
				for _, s := range servers {
					s.Resume(t)
				}
			}
		})
	}
}

// The second round: servers whose clocks are apart give fences that are, and the quorum of
// the next holder may lack the one that gave the highest.
func TestRedlockFenceIsWithAQuorum(t *testing.T) {
	servers := nodes(t, 3)
	b := redlock(t, servers, patient)
	acquire(t, b, "warm", time.Minute)
	if err := b.Release(t.Context(), "k", "warm"); err != nil {
		t.Fatal(err)
	}
	settled(t, servers, 0)
	ahead := time.Now().Add(time.Hour).UnixMicro() // of the first server's clock
	first := servers[0].Client(t)
	for _, key := range first.Keys(t.Context(), "*:fence").Val() {
		first.Set(t.Context(), key, ahead, 0)
	}
	// Of three nodes two may be enough for each; all are wanted here, to know who is in it.
	servers[1].Pause(t)
	resumed := time.AfterFunc(200*time.Millisecond, func() { servers[1].Resume(t) })
	last := acquire(t, b, "a", time.Minute)
	<-time.After(250 * time.Millisecond)
	resumed.Stop()
	if last != ahead+1 {
		t.Fatalf("fence %d, want one more than the highest, %d", last, ahead+1)
	}
	if err := b.Release(t.Context(), "k", "a"); err != nil {
		t.Fatal(err)
	}
	servers[0].Kill()
	if fence := acquire(t, b, "b", time.Minute); fence <= last {
		t.Errorf("fence %d after %d, whose giver is gone", fence, last)
	}
}

// settled waits until so many nodes have a lock.
func settled(t *testing.T, servers []*redistest.Server, want int) {
	t.Helper()
	n := -1
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		n = 0
		for _, s := range servers {
			n += len(s.Client(t).Keys(context.Background(), "*}").Val())
		}
		if n == want {
			return
		}
	}
	t.Errorf("%d nodes have the lock, want %d", n, want)
}

// A node is killed after the other, and each comes back empty: at any time a majority
// remembers, and fences rise.
func TestRedlockFencesRise(t *testing.T) {
	servers := nodes(t, 3)
	b := redlock(t, servers, patient)
	last := int64(0)
	for i, s := range append(servers, servers...) {
		fence := acquire(t, b, "a", time.Minute)
		if fence <= last {
			t.Errorf("%d: fence %d after %d", i, fence, last)
		}
		last = fence
		s.Restart(t) // kill -9, without persistence
		if _, ok, err := b.Acquire(t.Context(), "k", "thief", time.Minute); ok || err != nil {
			t.Errorf("%d: taken from its holder: %v, %v", i, ok, err)
		}
		if err := b.Release(t.Context(), "k", "a"); err != nil {
			t.Error(err)
		}
		settled(t, servers, 0)
	}
}

// What a node gives late, after the lock was released, is released as well.
func TestRedlockLateNode(t *testing.T) {
	servers := nodes(t, 3)
	b := redlock(t, servers, patient)
	servers[2].Pause(t)
	acquire(t, b, "a", time.Hour)
	if err := b.Release(t.Context(), "k", "a"); err != nil {
		t.Fatal(err)
	}
	servers[2].Resume(t)
	settled(t, servers, 0)
}

// A lock whose life is over when the quorum has given it is not taken.
func TestRedlockTooLate(t *testing.T) {
	servers := nodes(t, 3)
	b := redlock(t, servers, patient)
	for _, s := range servers {
		s.Pause(t)
	}
	resume := time.AfterFunc(300*time.Millisecond, func() {
		for _, s := range servers {
			s.Resume(t)
		}
	})
	defer resume.Stop()
	if fence, ok, err := b.Acquire(t.Context(), "k", "a", 250*time.Millisecond); ok || err == nil {
		t.Errorf("%d, %v, %v", fence, ok, err)
	}
}

// Who does not get the lock leaves nothing behind.
func TestRedlockLoserLeavesNothing(t *testing.T) {
	servers := nodes(t, 3)
	b := redlock(t, servers, patient)
	first := locks(t, servers[0].Client(t))
	second := locks(t, servers[1].Client(t))
	acquire(t, first, "x", time.Minute)
	acquire(t, second, "x", time.Minute)
	if _, ok, err := b.Acquire(t.Context(), "k", "a", time.Minute); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	settled(t, servers, 2)
}

// The work of many under one lock is never done by two at a time, while nodes come and go.
func TestRedlockOfManyClients(t *testing.T) {
	servers := nodes(t, 3)
	stop := make(chan struct{})
	var restarts sync.WaitGroup
	restarts.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(300 * time.Millisecond):
				servers[0].Pause(t)
				<-time.After(100 * time.Millisecond)
				servers[0].Resume(t)
			}
		}
	})
	var mu sync.Mutex // of the two, not of the work
	var inside, last int64
	var wg sync.WaitGroup
	for range 5 {
		b := redlock(t, servers, patient)
		wg.Go(func() {
			for range 5 {
				l, err := lock.Acquire(t.Context(), b, lock.Options{Keys: []string{"k"}, TTL: time.Minute, Wait: time.Minute, Fencing: true})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				inside++
				if fence := l.Token("k"); inside != 1 || fence <= last {
					t.Errorf("%d inside, fence %d after %d", inside, fence, last)
				} else {
					last = fence
				}
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
	close(stop)
	restarts.Wait()
}
