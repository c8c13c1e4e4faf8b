package redisstore_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"github.com/holdfast-go/holdfast/runtime/store"
	redisstore "github.com/holdfast-go/holdfast/runtime/store/redis"
	"github.com/holdfast-go/holdfast/runtime/store/redis/redistest"
)

// Each step is one trip: a decision, one before the work of a key and one after it, one to
// take a lock and one to free it.
func TestOneTripAStep(t *testing.T) {
	client := redistest.Start(t).Client(t)
	count := new(trips)
	client.AddHook(count)
	limits, keys, held := newLimits(t, client, patient), records(t, client), locks(t, client)
	id := store.RecordID{Key: "k"}
	steps := []struct {
		name string
		do   func() error
	}{
		{"one limit", func() error {
			_, _, err := limits.Take(t.Context(), "g", one(policy.TokenBucket, 9, time.Hour, "k"))
			return err
		}},
		{"three limits", func() error {
			d := append(one(policy.TokenBucket, 9, time.Hour, "a"), one(policy.SlidingWindow, 9, time.Hour, "b")...)
			_, _, err := limits.Take(t.Context(), "g", append(d, one(policy.SlidingCounter, 9, time.Hour, "c")...))
			return err
		}},
		{"claim", func() error {
			_, _, err := keys.Claim(t.Context(), id, [32]byte{}, "a", time.Minute)
			return err
		}},
		{"complete", func() error {
			return keys.Complete(t.Context(), id, "a", store.Result{Status: 200}, time.Minute)
		}},
		{"replay", func() error {
			_, _, err := keys.Claim(t.Context(), id, [32]byte{}, "b", time.Minute)
			return err
		}},
		{"acquire", func() error {
			_, _, err := held.Acquire(t.Context(), "k", "a", time.Minute)
			return err
		}},
		{"release", func() error { return held.Release(t.Context(), "k", "a") }},
	}
	for _, known := range []bool{false, true} { // the scripts, to the server
		for _, step := range steps {
			count.n.Store(0)
			if err := step.do(); err != nil && step.name != "complete" {
				t.Errorf("%s: %v", step.name, err)
			}
			if n := count.n.Load(); known && n != 1 {
				t.Errorf("%s: %d trips", step.name, n)
			}
		}
		client.Del(t.Context(), client.Keys(t.Context(), "*:key:*").Val()...)
	}
}

// Callers of one bucket in one trip are decided one after the other: who wants more than is
// left is refused, and who comes after it and wants less is not.
func TestOneTripOfManyCallers(t *testing.T) {
	server := redistest.Start(t)
	client := server.Client(t)
	s := newLimits(t, client, patient)
	rate := policy.Rate{Limit: 10, Per: time.Hour, Burst: 10}
	take := func(n int) (ratelimit.State, bool) {
		d := []ratelimit.Demand{{Bucket: "b", Key: "k", N: n, Rate: rate}}
		_, ok, err := s.Take(t.Context(), "g", d)
		if err != nil {
			t.Error(err)
		}
		return d[0].State, ok
	}
	take(1)
	count := new(trips)
	client.AddHook(count)
	server.Pause(t) // the first is under way, the others wait for the next
	var wg sync.WaitGroup
	wg.Go(func() { take(1) })
	redistest.Until(t, "the first trip", func() bool { return count.n.Load() == 1 })
	var mu sync.Mutex
	granted, refused := 0, 0
	for range 12 {
		wg.Go(func() {
			state, ok := take(3)
			mu.Lock()
			defer mu.Unlock()
			if ok {
				granted++
			} else {
				refused++
				// Two are left after 1 + 1 + 3 + 3, and one token takes 6 minutes.
				if state.Remaining != 2 || state.Wait <= 5*time.Minute || state.Wait > 6*time.Minute {
					t.Errorf("refused with %+v", state)
				}
			}
		})
	}
	<-time.After(100 * time.Millisecond) // all wait now, or go alone
	server.Resume(t)
	wg.Wait()
	if granted != 2 || refused != 10 {
		t.Errorf("%d granted, %d refused, want 2 and 10", granted, refused)
	}
	if n := count.n.Load(); n > 4 {
		t.Errorf("%d trips for 13 callers", n)
	}
	if state, ok := take(2); !ok || state.Remaining != 0 {
		t.Errorf("the last two: %v, %+v", ok, state)
	}
}

// A step whose caller has gone before a trip took it is not made.
func TestAbandonedStepIsNotMade(t *testing.T) {
	server := redistest.Start(t)
	client := server.Client(t)
	b, err := redisstore.NewLocks(client, redisstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	acquire(t, b, "warm", time.Minute)
	count := new(trips)
	client.AddHook(count)
	server.Pause(t)
	var wg sync.WaitGroup
	wg.Go(func() { _ = b.Release(t.Context(), "k", "warm") })
	redistest.Until(t, "the first trip", func() bool { return count.n.Load() == 1 })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := b.Acquire(ctx, "other", "a", time.Hour); err == nil {
		t.Error("acquired from a server that hangs")
	}
	server.Resume(t)
	wg.Wait()
	if _, ok, err := b.Acquire(t.Context(), "other", "b", time.Hour); !ok || err != nil {
		t.Errorf("%v, %v: who has gone has it", ok, err)
	}
}
