package redisstore_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/ratelimit"
	"github.com/holdfast-go/holdfast/runtime/ratelimit/limittest"
	redisstore "github.com/holdfast-go/holdfast/runtime/store/redis"
	"github.com/holdfast-go/holdfast/runtime/store/redis/redistest"
	"github.com/redis/go-redis/v9"
)

func leasing(t *testing.T, c redis.UniversalClient, n int) ratelimit.Store {
	t.Helper()
	s, err := redisstore.NewLimits(c, redisstore.LimitOptions{Timeout: patient, Lease: n})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Leases change no decision of the suite.
func TestLimitsWithLeases(t *testing.T) {
	c := redistest.Start(t).Client(t)
	for _, test := range limittest.Store() {
		t.Run(test.Name, func(t *testing.T) {
			c.FlushAll(t.Context())
			test.Run(t, leasing(t, c, 10))
		})
	}
}

func TestLeaseOptions(t *testing.T) {
	c := redis.NewClient(&redis.Options{ContextTimeoutEnabled: true, MaxRetries: -1})
	t.Cleanup(func() { _ = c.Close() })
	for _, n := range []int{-1, redisstore.MaxLease + 1} {
		if _, err := redisstore.NewLimits(c, redisstore.LimitOptions{Lease: n}); err == nil || !strings.Contains(err.Error(), "lease") {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// trips counts what a client sends.
type trips struct{ n atomic.Int64 }

func (c *trips) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c *trips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmd)
	}
}

func (c *trips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmds)
	}
}

// A bucket that is much used needs few trips, one that is not needs one for each decision
// and holds nothing back from others.
func TestLeaseSavesTrips(t *testing.T) {
	client := redistest.Start(t).Client(t)
	count := new(trips)
	client.AddHook(count)
	s := leasing(t, client, 10)
	take := func(key string, want bool) {
		t.Helper()
		if _, ok, err := s.Take(t.Context(), "g", one(policy.TokenBucket, 1000, time.Hour, key)); err != nil || ok != want {
			t.Fatal(ok, err)
		}
	}
	take("warm", true) // the scripts are there now
	count.n.Store(0)
	for range 500 {
		take("hot", true)
	}
	// 1, 2, 4, 8 and then 11 tokens a fetch are 50 trips. A machine that holds the test up
	// for longer than a lease begins again.
	if n := count.n.Load(); n > 150 {
		t.Errorf("%d trips for 500 decisions, want some 50", n)
	}
	d := one(policy.TokenBucket, 2, time.Hour, "cold")
	other := leasing(t, client, 10)
	for _, s := range []ratelimit.Store{s, other} {
		if _, ok, err := s.Take(t.Context(), "g", d); err != nil || !ok {
			t.Errorf("one of two tokens: %v, %v", ok, err)
		}
	}
}

// What lies unused is given back, and is there for another.
func TestUnusedTokensAreGivenBack(t *testing.T) {
	client := redistest.Start(t).Client(t)
	s, other := leasing(t, client, 100), newLimits(t, client, patient)
	for range 20 {
		if _, ok, err := s.Take(t.Context(), "g", one(policy.TokenBucket, 100, time.Hour, "k")); err != nil || !ok {
			t.Fatal(ok, err)
		}
	}
	left := 0
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		d := one(policy.TokenBucket, 100, time.Hour, "k")
		d[0].N = 0
		if _, _, err := other.Take(t.Context(), "g", d); err != nil {
			t.Fatal(err)
		}
		if left = d[0].State.Remaining; left == 80 {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	t.Errorf("%d left for others, want 80", left)
}

// A token that came from a lease is settled as one that did not.
func TestLeasedTokensAreSettled(t *testing.T) {
	client := redistest.Start(t).Client(t)
	s, other := leasing(t, client, 10), newLimits(t, client, patient)
	for range 20 {
		d := one(policy.TokenBucket, 100, time.Hour, "k")
		if _, ok, err := s.Take(t.Context(), "g", d); err != nil || !ok {
			t.Fatal(ok, err)
		}
		if err := s.Settle(t.Context(), "g", &d[0], 0); err != nil {
			t.Fatal(err)
		}
	}
	var left int
	for end := time.Now().Add(10 * time.Second); left != 100; {
		d := one(policy.TokenBucket, 100, time.Hour, "k")
		d[0].N = 0
		if _, _, err := other.Take(t.Context(), "g", d); err != nil {
			t.Fatal(err)
		}
		if left = d[0].State.Remaining; time.Now().After(end) {
			t.Fatalf("%d left of 100", left)
		}
	}
}

// Instances with leases together get no more than burst + rate x t in any time whatever:
// also when one holds tokens while the bucket fills up, and uses them with all the others.
func TestLeasesNeverExceedTheLimit(t *testing.T) {
	server := redistest.Start(t)
	r := policy.Rate{Limit: 200, Per: time.Second, Burst: 40}
	var all []ratelimit.Store
	for range 4 {
		all = append(all, leasing(t, server.Client(t), 10))
	}
	var mu sync.Mutex
	var grants []grant
	take := func(s ratelimit.Store) bool {
		d := []ratelimit.Demand{{Bucket: "b", Key: "k", N: 1, Rate: r}}
		from := time.Now()
		_, ok, err := s.Take(t.Context(), "g", d)
		if err != nil {
			t.Error(err)
		}
		if ok {
			mu.Lock()
			grants = append(grants, grant{from, time.Now(), 1})
			mu.Unlock()
		}
		return ok
	}
	for range 6 {
		for range 8 { // 1 + 2 + 4 + 8 tokens are fetched, 7 of which lie here
			take(all[0])
		}
		<-time.After(85 * time.Millisecond)
		var wg sync.WaitGroup
		for _, s := range all[1:] {
			wg.Go(func() {
				for take(s) {
				}
			})
		}
		wg.Wait()
		for take(all[0]) {
		}
		<-time.After(300 * time.Millisecond)
	}
	bounded(t, r, grants)
	if len(grants) < 6*40 {
		t.Errorf("%d grants in six rounds with a full bucket of 40", len(grants))
	}
}
