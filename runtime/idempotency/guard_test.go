package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/idempotency"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/store"
)

var (
	guarded = policy.Idempotency{Header: "Idempotency-Key", TTL: 24 * time.Hour, Lease: 30 * time.Second, MaxBody: 100}
	print1  = idempotency.FingerprintOf("POST", "/orders", "", []byte("1"))
	print2  = idempotency.FingerprintOf("POST", "/orders", "", []byte("2"))
)

func guard(p policy.Idempotency) *idempotency.Guard {
	return idempotency.NewGuard(store.NewMemoryIdempotency(store.MemoryOptions{}), "createOrder", p)
}

func begin(t *testing.T, g *idempotency.Guard, want idempotency.Action) idempotency.Decision {
	t.Helper()
	d := g.Begin(t.Context(), "ann", "k", print1)
	if d.Action != want || (d.Claim != nil) != (want == idempotency.Run) {
		t.Fatalf("%+v, want action %v", d, want)
	}
	return d
}

func finish(t *testing.T, d idempotency.Decision, r store.Result) {
	t.Helper()
	if err := d.Claim.Finish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

func TestOneEffectAndReplays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := guard(guarded)
		var mu sync.Mutex
		effects := 0
		var replays []store.Result
		actions := map[idempotency.Action]int{}
		request := func() {
			d := g.Begin(t.Context(), "ann", "k", print1)
			mu.Lock()
			defer mu.Unlock()
			actions[d.Action]++
			switch d.Action {
			case idempotency.Run:
				effects++
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				finish(t, d, store.Result{Status: 201, Body: []byte("\x00\xffdone"), Header: []store.HeaderField{
					{Name: "Content-Type", Values: []string{"application/json"}}, {Name: "set-cookie", Values: []string{"s"}},
					{Name: "X-RateLimit-Remaining", Values: []string{"1"}}, {Name: "Date", Values: []string{"now"}},
				}})
			case idempotency.Replay:
				replays = append(replays, d.Result)
			}
		}
		for range 20 {
			go request()
		}
		time.Sleep(2 * time.Second)
		for range 3 {
			request()
		}
		if effects != 1 || actions[idempotency.InFlight] != 19 || actions[idempotency.Replay] != 3 {
			t.Errorf("%d effects, %v", effects, actions)
		}
		want := store.Result{Status: 201, Body: []byte("\x00\xffdone"), Header: []store.HeaderField{{Name: "Content-Type", Values: []string{"application/json"}}}}
		for _, r := range replays {
			if !reflect.DeepEqual(r, want) {
				t.Errorf("replayed %+v", r)
			}
		}
		if d := g.Begin(t.Context(), "ann", "k", print2); d.Action != idempotency.Mismatch {
			t.Errorf("another request: %+v", d)
		}
		if d := g.Begin(t.Context(), "bob", "k", print2); d.Action != idempotency.Run {
			t.Errorf("another principal: %+v", d)
		} else {
			finish(t, d, store.Result{Status: 500})
		}
		time.Sleep(24 * time.Hour)
		finish(t, begin(t, g, idempotency.Run), store.Result{Status: 400}) // the time to live is over
	})
}

// Only a success is kept; anything else frees the key, after the handler.
func TestOtherResultsFreeTheKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := guard(guarded)
		for _, status := range []int{0, 199, 300, 400, 409, 422, 500, 503} {
			d := begin(t, g, idempotency.Run)
			time.Sleep(5 * time.Minute) // the handler still works, though the caller has its timeout
			begin(t, g, idempotency.InFlight)
			finish(t, d, store.Result{Status: status, Body: []byte("x")})
		}
		finish(t, begin(t, g, idempotency.Run), store.Result{Status: 204})
		begin(t, g, idempotency.Replay)
	})
}

func TestLargeAndStreamedResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := guard(guarded)
		finish(t, begin(t, g, idempotency.Run), store.Result{Status: 200, Body: make([]byte, 101)})
		begin(t, g, idempotency.Spent)
		g = guard(guarded)
		finish(t, begin(t, g, idempotency.Run), store.Result{Status: 200, Body: make([]byte, 100)})
		begin(t, g, idempotency.Replay)
		g = guard(guarded)
		if err := begin(t, g, idempotency.Run).Claim.FinishSpent(t.Context(), 500); err != nil {
			t.Fatal(err)
		}
		if err := begin(t, g, idempotency.Run).Claim.FinishSpent(t.Context(), 200); err != nil {
			t.Fatal(err)
		}
		begin(t, g, idempotency.Spent)
	})
}

// A crash is a claim without heartbeats; here the store loses them.
func TestCrashAndLateFinisher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &flaky{Idempotency: store.NewMemoryIdempotency(store.MemoryOptions{})}
		g := idempotency.NewGuard(s, "createOrder", guarded)
		first := begin(t, g, idempotency.Run)
		s.loseExtends.Store(true)
		time.Sleep(29 * time.Second)
		begin(t, g, idempotency.InFlight)
		time.Sleep(2 * time.Second)
		s.loseExtends.Store(false)
		second := begin(t, g, idempotency.Run)
		time.Sleep(10 * time.Second)
		if !first.Claim.Lost() || second.Claim.Lost() {
			t.Error("the first does not know that it has lost the key")
		}
		if err := first.Claim.Finish(t.Context(), store.Result{Status: 201, Body: []byte("first")}); !errors.Is(err, store.ErrNotOwner) {
			t.Errorf("the late finisher: %v", err)
		}
		finish(t, second, store.Result{Status: 201, Body: []byte("second")})
		if d := begin(t, g, idempotency.Replay); string(d.Result.Body) != "second" {
			t.Errorf("replayed %q", d.Result.Body)
		}
	})
}

// One lost heartbeat is no lost key: two more come before the lease ends.
func TestHeartbeatIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &flaky{Idempotency: store.NewMemoryIdempotency(store.MemoryOptions{})}
		g := idempotency.NewGuard(s, "createOrder", guarded)
		d := begin(t, g, idempotency.Run)
		s.loseExtends.Store(true)
		time.Sleep(11 * time.Second)
		s.loseExtends.Store(false)
		time.Sleep(time.Minute)
		begin(t, g, idempotency.InFlight)
		finish(t, d, store.Result{Status: 200})
		if err := d.Claim.Finish(t.Context(), store.Result{Status: 500}); err != nil {
			t.Errorf("finished twice: %v", err)
		}
		begin(t, g, idempotency.Replay)
	})
}

func TestTheEndIsToldThoughTheCallerIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := guard(guarded)
		ctx, cancel := context.WithCancel(t.Context())
		d := g.Begin(ctx, "ann", "k", print1)
		cancel()
		if err := d.Claim.Finish(ctx, store.Result{Status: 201}); err != nil {
			t.Fatal(err)
		}
		begin(t, g, idempotency.Replay)
	})
}

func TestStoreDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("down")
		s := &flaky{Idempotency: store.NewMemoryIdempotency(store.MemoryOptions{}), err: down}
		g := idempotency.NewGuard(s, "createOrder", guarded)
		if d := begin(t, g, idempotency.Unavailable); !errors.Is(d.Err, down) {
			t.Errorf("%v", d.Err)
		}
		allow := guarded
		allow.OnStoreError = policy.AllowOnStoreError
		begin(t, idempotency.NewGuard(s, "createOrder", allow), idempotency.Unprotected)
		// The claim had been made before the answer was lost; it must not shut
		// the next one out.
		s.err = nil
		finish(t, begin(t, g, idempotency.Run), store.Result{Status: 500})
	})
}

func TestResultThatFindsNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := idempotency.NewGuard(store.NewMemoryIdempotency(store.MemoryOptions{MaxBytes: 400}), "createOrder", guarded)
		finish(t, begin(t, g, idempotency.Run), store.Result{Status: 201, Body: make([]byte, 100)})
		begin(t, g, idempotency.Spent) // the effect is not forgotten with the result
	})
}

// flaky is a store whose answers get lost.
type flaky struct {
	store.Idempotency
	loseExtends atomic.Bool
	err         error
}

func (s *flaky) Claim(ctx context.Context, id store.RecordID, fp [32]byte, owner string, lease time.Duration) (store.Record, bool, error) {
	r, claimed, err := s.Idempotency.Claim(ctx, id, fp, owner, lease)
	if s.err != nil {
		return store.Record{}, false, s.err
	}
	return r, claimed, err
}

func (s *flaky) Extend(ctx context.Context, id store.RecordID, owner string, lease time.Duration) error {
	if s.loseExtends.Load() {
		return errors.New("lost")
	}
	return s.Idempotency.Extend(ctx, id, owner, lease)
}

// The handler runs once; the second request gets what the first one got.
func ExampleGuard() {
	ctx := context.Background()
	g := idempotency.NewGuard(store.NewMemoryIdempotency(store.MemoryOptions{}), "createOrder",
		policy.Idempotency{TTL: 24 * time.Hour, Lease: 35 * time.Second, MaxBody: 1 << 20})
	fingerprint := idempotency.FingerprintOf("POST", "/orders", "", []byte(`{"sku":"a"}`))
	for range 2 {
		switch d := g.Begin(ctx, "ann", "order-123", fingerprint); d.Action {
		case idempotency.Run:
			fmt.Println("the order is made")
			_ = d.Claim.Finish(ctx, store.Result{Status: 201, Body: []byte("order 1")})
		case idempotency.Replay:
			fmt.Println("replayed:", string(d.Result.Body))
		}
	}
	// Output:
	// the order is made
	// replayed: order 1
}
