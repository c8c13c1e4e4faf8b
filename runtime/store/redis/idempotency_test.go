package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/idempotency"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/store"
	redisstore "github.com/holdfast-go/holdfast/runtime/store/redis"
	"github.com/holdfast-go/holdfast/runtime/store/redis/redistest"
	"github.com/holdfast-go/holdfast/runtime/store/storetest"
	"github.com/redis/go-redis/v9"
)

func records(t *testing.T, c redis.UniversalClient) store.Idempotency {
	t.Helper()
	s, err := redisstore.NewIdempotency(c, redisstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestIdempotency(t *testing.T) {
	c := redistest.Start(t).Client(t)
	for _, test := range storetest.Idempotency() {
		t.Run(test.Name, func(t *testing.T) {
			c.FlushAll(t.Context())
			test.Run(t, records(t, c))
		})
	}
}

func TestClientsThatWouldDoHarm(t *testing.T) {
	good := redis.UniversalOptions{Addrs: []string{"127.0.0.1:1"}, ContextTimeoutEnabled: true, MaxRetries: -1}
	cluster := good
	cluster.Addrs = []string{"127.0.0.1:1", "127.0.0.1:2"}
	patient, repeating := good, good
	patient.ContextTimeoutEnabled = false
	repeating.MaxRetries = 0 // which go-redis takes for 3
	for name, test := range map[string]struct {
		client redis.UniversalClient
		want   string
	}{
		"good":      {redis.NewUniversalClient(&good), ""},
		"cluster":   {redis.NewUniversalClient(&cluster), ""},
		"patient":   {redis.NewUniversalClient(&patient), "ContextTimeoutEnabled"},
		"repeating": {redis.NewUniversalClient(&repeating), "MaxRetries"},
		"nil":       {nil, "nil"},
		"typed nil": {(*redis.Client)(nil), "nil"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := redisstore.NewIdempotency(test.client, redisstore.Options{})
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want one about %q", err, test.want)
			}
		})
	}
	if _, err := redisstore.NewIdempotency(redis.NewUniversalClient(&good), redisstore.Options{Prefix: "a{b}"}); err == nil {
		t.Error("a prefix with braces was taken")
	}
}

func TestLeaseIsMandatory(t *testing.T) {
	s := records(t, redistest.Start(t).Client(t))
	id := store.RecordID{Key: "k"}
	if _, claimed, err := s.Claim(t.Context(), id, [32]byte{}, "a", 0); err == nil || claimed {
		t.Errorf("claimed %v, %v", claimed, err)
	}
	if _, _, err := s.Claim(t.Context(), id, [32]byte{}, "a", time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := s.Extend(t.Context(), id, "a", 0); err == nil {
		t.Error("extended by nothing")
	}
}

// What a caller sends is in no key, and every key ends by itself.
func TestKeysAreBoundedAndEnd(t *testing.T) {
	c := redistest.Start(t).Client(t)
	s := records(t, c)
	id := store.RecordID{Scope: "secret {a}", Operation: "op", Key: strings.Repeat("k", 255)}
	check := func(least, most time.Duration) {
		t.Helper()
		keys := c.Keys(t.Context(), "*").Val()
		if len(keys) != 1 || len(keys[0]) > 64 || strings.Contains(keys[0], "secret") {
			t.Fatalf("keys %q", keys)
		}
		if ttl := c.PTTL(t.Context(), keys[0]).Val(); ttl < least || ttl > most {
			t.Errorf("ends in %v, want %v to %v", ttl, least, most)
		}
	}
	if _, _, err := s.Claim(t.Context(), id, [32]byte{}, "a", time.Minute); err != nil {
		t.Fatal(err)
	}
	check(time.Minute, 2*time.Hour)
	if err := s.Complete(t.Context(), id, "a", store.Result{Status: 200}, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	check(5*time.Second, 10*time.Second)
}

// Scripts go away while many clients use them.
func TestScriptsAreLost(t *testing.T) {
	server := redistest.Start(t)
	admin := server.Client(t)
	ctx, cancel := context.WithCancel(t.Context())
	var flushes sync.WaitGroup
	flushes.Go(func() {
		for ctx.Err() == nil {
			admin.ScriptFlush(context.WithoutCancel(ctx))
		}
	})
	var wg sync.WaitGroup
	for i := range 8 {
		s := records(t, server.Client(t))
		wg.Go(func() {
			for j := range 100 {
				id, owner := store.RecordID{Key: fmt.Sprint(i, " ", j)}, strconv.Itoa(i)
				if _, claimed, err := s.Claim(t.Context(), id, [32]byte{}, owner, time.Minute); err != nil || !claimed {
					t.Errorf("claim: %v %v", claimed, err)
				}
				if err := s.Release(t.Context(), id, owner); err != nil {
					t.Errorf("release: %v", err)
				}
			}
		})
	}
	wg.Wait()
	cancel()
	flushes.Wait()
}

// Guards on clients of their own run the work of a key once.
func TestOneEffectOfManyDuplicates(t *testing.T) {
	server := redistest.Start(t)
	var effects, replays atomic.Int32
	var wg sync.WaitGroup
	for range 10 {
		g := idempotency.NewGuard(records(t, server.Client(t)), "op", policy.Idempotency{Lease: time.Minute, TTL: time.Hour, MaxBody: 1 << 20})
		wg.Go(func() {
			for {
				switch d := g.Begin(t.Context(), "ann", "k", [32]byte{7}); d.Action {
				case idempotency.Run:
					n := effects.Add(1)
					if err := d.Claim.Finish(t.Context(), store.Result{Status: 201, Body: fmt.Append(nil, "effect ", n)}); err != nil {
						t.Error(err)
					}
					return
				case idempotency.Replay:
					replays.Add(1)
					if string(d.Result.Body) != "effect 1" {
						t.Errorf("replayed %q", d.Result.Body)
					}
					return
				case idempotency.InFlight:
				default:
					t.Errorf("action %v, %v", d.Action, d.Err)
					return
				}
			}
		})
	}
	wg.Wait()
	if effects.Load() != 1 || replays.Load() != 9 {
		t.Errorf("%d effects, %d replays", effects.Load(), replays.Load())
	}
}

// A heartbeat keeps a claim for longer than its lease.
func TestHeartbeat(t *testing.T) {
	s := records(t, redistest.Start(t).Client(t))
	g := idempotency.NewGuard(s, "op", policy.Idempotency{Lease: 300 * time.Millisecond, TTL: time.Hour, MaxBody: 1 << 20})
	d := g.Begin(t.Context(), "", "k", [32]byte{})
	if d.Action != idempotency.Run {
		t.Fatalf("%+v", d)
	}
	<-time.After(time.Second)
	if other := g.Begin(t.Context(), "", "k", [32]byte{}); other.Action != idempotency.InFlight {
		t.Errorf("a second run began: %v", other.Action)
	}
	if err := d.Claim.Finish(t.Context(), store.Result{Status: 200}); err != nil {
		t.Error(err)
	}
}

// A server that forgets, dies or hangs never makes a claim that is not there, and never
// holds a call for longer than its context.
func TestServerTrouble(t *testing.T) {
	server := redistest.Start(t)
	s := records(t, server.Client(t))
	id := store.RecordID{Key: "k"}
	claim := func() {
		t.Helper()
		if _, claimed, err := s.Claim(t.Context(), id, [32]byte{}, "a", time.Minute); err != nil || !claimed {
			t.Fatalf("%v %v", claimed, err)
		}
	}
	claim()
	server.Client(t).FlushAll(t.Context())
	if err := s.Complete(t.Context(), id, "a", store.Result{Status: 200}, time.Hour); !errors.Is(err, store.ErrNotOwner) {
		t.Errorf("completed what was forgotten: %v", err)
	}
	claim()
	server.Kill()
	if err := s.Complete(t.Context(), id, "a", store.Result{Status: 200}, time.Hour); err == nil || errors.Is(err, store.ErrNotOwner) {
		t.Errorf("completed on a dead server: %v", err)
	}
	server.Restart(t)
	if err := s.Complete(t.Context(), id, "a", store.Result{Status: 200}, time.Hour); !errors.Is(err, store.ErrNotOwner) {
		t.Errorf("completed what was lost: %v", err)
	}
	claim()
	server.Pause(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := s.Extend(ctx, id, "a", time.Minute); err == nil {
		t.Error("a server that hangs has answered")
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("a context of 50ms held for %v", took)
	}
	server.Resume(t)
	if err := s.Complete(t.Context(), id, "a", store.Result{Status: 200}, time.Hour); err != nil {
		t.Error(err)
	}
}
