package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/lock/locktest"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"github.com/holdfast-go/holdfast/runtime/ratelimit/limittest"
	"github.com/holdfast-go/holdfast/runtime/store"
	"github.com/holdfast-go/holdfast/runtime/store/redis/redistest"
	"github.com/holdfast-go/holdfast/runtime/store/storetest"
	"github.com/redis/go-redis/v9"
)

// The suites run on a cluster of three: what one step needs has one hash tag, or the
// servers would refuse it.
func TestCluster(t *testing.T) {
	cluster := redistest.StartCluster(t, 3, false)
	c := cluster.Client(t)
	empty := func() {
		for _, s := range cluster.Masters {
			s.Client(t).FlushAll(t.Context())
		}
	}
	for _, test := range storetest.Idempotency() {
		t.Run("idempotency/"+test.Name, func(t *testing.T) { empty(); test.Run(t, records(t, c)) })
	}
	for _, test := range limittest.Store() {
		t.Run("limits/"+test.Name, func(t *testing.T) { empty(); test.Run(t, newLimits(t, c, patient)) })
	}
	for _, test := range limittest.Store() {
		t.Run("leases/"+test.Name, func(t *testing.T) { empty(); test.Run(t, leasing(t, c, 10)) })
	}
	for _, test := range locktest.Backend() {
		t.Run("locks/"+test.Name, func(t *testing.T) { empty(); test.Run(t, locks(t, c)) })
	}
	// Keys are spread: each server has some.
	empty()
	for i := range 100 {
		if _, _, err := records(t, c).Claim(t.Context(), store.RecordID{Key: strconv.Itoa(i)}, [32]byte{}, "a", time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range cluster.Masters {
		if n := s.Client(t).DBSize(t.Context()).Val(); n < 10 {
			t.Errorf("server %d has %d of 100 keys", i, n)
		}
	}
}

// Callers' decisions about limits of several servers go together, and each comes out by
// itself.
func TestClusterPipeline(t *testing.T) {
	c := redistest.StartCluster(t, 3, false).Client(t)
	s := newLimits(t, c, patient)
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			for n := range 3 {
				_, ok, err := s.Take(t.Context(), fmt.Sprint("group ", i), one(policy.TokenBucket, 2, time.Hour, "k"))
				if err != nil || ok != (n < 2) {
					t.Errorf("group %d, %d: %v, %v", i, n, ok, err)
				}
			}
		})
	}
	wg.Wait()
}

// shared are the three stores of what a test wants to find again on another server.
type shared struct {
	records store.Idempotency
	limits  ratelimit.Store
	locks   lock.Backend
	fence   int64
}

func share(t *testing.T, c redis.UniversalClient) *shared {
	t.Helper()
	return &shared{records: records(t, c), limits: newLimits(t, c, patient), locks: locks(t, c)}
}

// put leaves 40 records, limits and locks behind, which are on all servers of a cluster.
const sharedKeys = 40

func (s *shared) put(t *testing.T) {
	t.Helper()
	for i := range sharedKeys {
		id := store.RecordID{Key: strconv.Itoa(i)}
		if _, ok, err := s.records.Claim(t.Context(), id, [32]byte{}, "a", time.Hour); err != nil || !ok {
			t.Fatal(ok, err)
		}
		if err := s.records.Complete(t.Context(), id, "a", store.Result{Status: 201}, time.Hour); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := s.limits.Take(t.Context(), strconv.Itoa(i), one(policy.TokenBucket, 1, time.Hour, "k")); err != nil || !ok {
			t.Fatal(ok, err)
		}
		fence, ok, err := s.locks.Acquire(t.Context(), strconv.Itoa(i), "a", time.Hour)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		s.fence = max(s.fence, fence)
	}
}

// check finds everything again by clients that start anew. A server that has just taken
// another's place does not know the scripts.
func (s *shared) check(t *testing.T) {
	t.Helper()
	for i := range sharedKeys {
		var record store.Record
		s.try(t, func(ctx context.Context) (err error) {
			record, _, err = s.records.Claim(ctx, store.RecordID{Key: strconv.Itoa(i)}, [32]byte{}, "b", time.Hour)
			return err
		})
		if record.State != store.Completed || record.Result.Status != 201 {
			t.Errorf("record %d: %+v", i, record)
		}
		var passed, taken bool
		var fence int64
		s.try(t, func(ctx context.Context) (err error) {
			_, passed, err = s.limits.Take(ctx, strconv.Itoa(i), one(policy.TokenBucket, 1, time.Hour, "k"))
			return err
		})
		s.try(t, func(ctx context.Context) (err error) {
			_, taken, err = s.locks.Acquire(ctx, strconv.Itoa(i), "b", time.Hour)
			return err
		})
		if passed || taken {
			t.Errorf("%d: limit passed %v, lock taken %v", i, passed, taken)
		}
		s.try(t, func(ctx context.Context) error {
			if err := s.locks.Release(ctx, strconv.Itoa(i), "a"); err != nil && !errors.Is(err, lock.ErrNotOwner) {
				return err
			}
			return nil
		})
		s.try(t, func(ctx context.Context) (err error) {
			fence, taken, err = s.locks.Acquire(ctx, strconv.Itoa(i), "b", time.Hour)
			return err
		})
		if !taken || fence <= s.fence {
			t.Errorf("lock %d: %v, fence %d after %d", i, taken, fence, s.fence)
		}
	}
}

// try is for a server that has only just taken over: clients learn of it from its errors.
func (s *shared) try(t *testing.T, f func(context.Context) error) {
	t.Helper()
	var err error
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		if err = f(t.Context()); err == nil {
			return
		}
	}
	t.Fatal(err)
}

// replicated waits until a server's replica has everything.
func replicated(t *testing.T, c redis.UniversalClient) {
	t.Helper()
	if n, err := c.Do(t.Context(), "WAIT", 1, 10_000).Int(); err != nil || n < 1 {
		t.Fatalf("replicas: %d, %v", n, err)
	}
}

// A replica that takes its master's place has records, limits and locks, and is given the
// scripts.
func TestClusterFailover(t *testing.T) {
	cluster := redistest.StartCluster(t, 3, true)
	c := cluster.Client(t)
	before := share(t, c)
	before.put(t)
	for i, s := range cluster.Masters {
		replicated(t, s.Client(t))
		cluster.Replicas[i].Client(t).ScriptFlush(t.Context())
	}
	cluster.Failover(t, 0)
	before.check(t)
}

func TestSentinelFailover(t *testing.T) {
	watched := redistest.StartSentinel(t)
	before := share(t, watched.Client(t))
	before.put(t)
	replicated(t, watched.Master.Client(t))
	watched.Failover(t)
	before.check(t)
	fresh := share(t, watched.Client(t))
	for i := range sharedKeys {
		if _, ok, err := fresh.limits.Take(t.Context(), strconv.Itoa(i), one(policy.TokenBucket, 1, time.Hour, "k")); err != nil || ok {
			t.Errorf("%d: %v, %v", i, ok, err)
		}
	}
}

// Slots that move, while they do (ASK) and after (MOVED), cost a second trip and no
// decision, for single scripts and in pipelines.
func TestClusterSlotsMove(t *testing.T) {
	cluster := redistest.StartCluster(t, 3, false)
	from, to := cluster.Masters[0], cluster.Masters[1]
	source, target := from.Client(t), to.Client(t)
	s := share(t, cluster.Client(t))
	s.put(t)
	keys := source.Keys(t.Context(), "*").Val()
	if len(keys) == 0 {
		t.Fatal("the first server has no keys")
	}
	slots := map[int64][]string{}
	for _, key := range keys {
		n := source.ClusterKeySlot(t.Context(), key).Val()
		slots[n] = append(slots[n], key)
	}
	do := func(c *redis.Client, args ...any) {
		t.Helper()
		if err := c.Do(t.Context(), args...).Err(); err != nil {
			t.Fatal(args, err)
		}
	}
	host, port, _ := strings.Cut(to.Addr(), ":")
	for n, keys := range slots {
		do(target, "CLUSTER", "SETSLOT", n, "IMPORTING", from.ID(t))
		do(source, "CLUSTER", "SETSLOT", n, "MIGRATING", to.ID(t))
		for _, key := range keys {
			do(source, "MIGRATE", host, port, key, 0, 5000)
		}
	}
	target.ScriptFlush(t.Context())
	t.Run("ASK", func(t *testing.T) {
		// What is new is where the slot goes to, what has moved is as well.
		for i := range sharedKeys {
			if _, ok, err := s.limits.Take(t.Context(), strconv.Itoa(i), one(policy.TokenBucket, 1, time.Hour, "k")); err != nil || ok {
				t.Errorf("limit %d: %v, %v", i, ok, err)
			}
			if r, ok, err := s.records.Claim(t.Context(), store.RecordID{Key: strconv.Itoa(i)}, [32]byte{}, "b", time.Hour); err != nil || ok || r.State != store.Completed {
				t.Errorf("record %d: %v, %v, %v", i, r, ok, err)
			}
		}
	})
	for n := range slots {
		for _, c := range []*redis.Client{target, source, cluster.Masters[2].Client(t)} {
			do(c, "CLUSTER", "SETSLOT", n, "NODE", to.ID(t))
		}
	}
	if left := source.Keys(t.Context(), "*").Val(); len(left) > 0 {
		t.Errorf("%d keys did not move", len(left))
	}
	t.Run("MOVED", s.check)
}
