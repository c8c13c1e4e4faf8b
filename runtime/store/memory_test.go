package store_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/store"
	"github.com/holdfast-go/holdfast/runtime/store/storetest"
	"pgregory.net/rapid"
)

func TestMemoryIdempotency(t *testing.T) {
	for _, c := range storetest.Idempotency() {
		t.Run(c.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { c.Run(t, store.NewMemoryIdempotency(store.MemoryOptions{})) })
		})
	}
}

func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		s := store.NewMemoryIdempotency(store.MemoryOptions{MaxRecords: 10, MaxBytes: 10_000})
		record := func(i int) store.RecordID { return store.RecordID{Key: strconv.Itoa(i)} }
		for i := range 10 {
			if _, ok, err := s.Claim(ctx, record(i), [32]byte{}, "a", time.Duration(i+1)*time.Second); !ok || err != nil {
				t.Fatal(ok, err)
			}
		}
		if _, _, err := s.Claim(ctx, record(10), [32]byte{}, "a", time.Minute); !errors.Is(err, store.ErrFull) {
			t.Errorf("the eleventh record: %v", err)
		}
		// The first ten are untouched, and a full store still completes them.
		if r, ok, err := s.Claim(ctx, record(0), [32]byte{}, "b", time.Minute); ok || err != nil || r.State != store.InProgress {
			t.Errorf("%+v %v %v", r, ok, err)
		}
		if err := s.Complete(ctx, record(9), "a", store.Result{Status: 200, Body: make([]byte, 100)}, time.Minute); err != nil {
			t.Errorf("completing in a full store: %v", err)
		}
		if err := s.Complete(ctx, record(8), "a", store.Result{Status: 200, Body: make([]byte, 10_000)}, time.Minute); !errors.Is(err, store.ErrFull) {
			t.Errorf("a result past the bound: %v", err)
		}
		if err := s.Extend(ctx, record(8), "a", time.Minute); err != nil {
			t.Errorf("its owner has lost the record: %v", err)
		}
		time.Sleep(2 * time.Second) // two leases end and make room
		for i := 10; i < 12; i++ {
			if _, ok, err := s.Claim(ctx, record(i), [32]byte{}, "a", time.Minute); !ok || err != nil {
				t.Errorf("%d: %v %v", i, ok, err)
			}
		}
		if _, _, err := s.Claim(ctx, record(12), [32]byte{}, "a", time.Minute); !errors.Is(err, store.ErrFull) {
			t.Errorf("full again: %v", err)
		}
	})
}

// A record whose lease has ended must not be dropped to make room for its own
// result.
func TestMemoryCompletesAfterItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := store.NewMemoryIdempotency(store.MemoryOptions{MaxRecords: 2, MaxBytes: 1000})
		id := store.RecordID{Key: "k"}
		_, _, _ = s.Claim(t.Context(), id, [32]byte{}, "a", time.Second)
		_, _, _ = s.Claim(t.Context(), store.RecordID{Key: "l"}, [32]byte{}, "a", time.Second)
		time.Sleep(time.Minute)
		if err := s.Complete(t.Context(), id, "a", store.Result{Status: 200, Body: make([]byte, 600)}, time.Minute); err != nil {
			t.Fatal(err)
		}
		if r, ok, err := s.Claim(t.Context(), id, [32]byte{}, "b", time.Second); ok || err != nil || r.State != store.Completed {
			t.Errorf("%+v %v %v", r, ok, err)
		}
	})
}

func TestMemoryObeysTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := store.NewMemoryIdempotency(store.MemoryOptions{})
	if _, _, err := s.Claim(ctx, store.RecordID{}, [32]byte{}, "a", time.Minute); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := s.Release(ctx, store.RecordID{}, "a"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// bubble hides the test's Deadline, which may not be asked for in a bubble.
type bubble struct{ rapid.TB }

// modelRecord is one record of the oracle.
type modelRecord struct {
	state  store.RecordState
	owner  string
	print  byte
	status int
	until  time.Time
}

// Any sequence of calls by several owners gives what a table without bounds
// would give.
func TestMemoryAgainstModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(bubble{t}, func(rt *rapid.T) {
			ctx := t.Context()
			s := store.NewMemoryIdempotency(store.MemoryOptions{})
			model := map[string]*modelRecord{}
			owner := rapid.SampledFrom([]string{"a", "b", "c"})
			key := rapid.SampledFrom([]string{"k", "l"})
			span := rapid.Map(rapid.IntRange(1, 5), func(n int) time.Duration { return time.Duration(n) * time.Millisecond })
			change := func(rt *rapid.T, call func(store.RecordID, string) error, apply func(string, *modelRecord)) {
				k, o := key.Draw(rt, "key"), owner.Draw(rt, "owner")
				err := call(store.RecordID{Key: k}, o)
				r := model[k]
				mine := r != nil && r.owner == o && r.state == store.InProgress
				if mine != (err == nil) || err != nil && !errors.Is(err, store.ErrNotOwner) {
					rt.Fatalf("by %s on %+v: %v", o, r, err)
				}
				if mine {
					apply(k, r)
				}
			}
			rt.Repeat(map[string]func(*rapid.T){
				"pass": func(rt *rapid.T) { time.Sleep(span.Draw(rt, "time")) },
				"claim": func(rt *rapid.T) {
					k, o, lease := key.Draw(rt, "key"), owner.Draw(rt, "owner"), span.Draw(rt, "lease")
					fp := rapid.Byte().Draw(rt, "print")
					got, claimed, err := s.Claim(ctx, store.RecordID{Key: k}, [32]byte{fp}, o, lease)
					r, now := model[k], time.Now()
					free := r == nil || !now.Before(r.until) || r.state == store.InProgress && r.owner == o
					if err != nil || claimed != free {
						rt.Fatalf("claim of %+v by %s: %v, %v", r, o, claimed, err)
					}
					if free {
						model[k] = &modelRecord{store.InProgress, o, fp, 0, now.Add(lease)}
					} else if got.State != r.state || got.Fingerprint[0] != r.print || got.Result.Status != r.status {
						rt.Fatalf("got %+v, want %+v", got, r)
					}
				},
				"extend": func(rt *rapid.T) {
					d := span.Draw(rt, "lease")
					change(rt, func(id store.RecordID, o string) error { return s.Extend(ctx, id, o, d) },
						func(_ string, r *modelRecord) { r.until = time.Now().Add(d) })
				},
				"complete": func(rt *rapid.T) {
					d, status := span.Draw(rt, "ttl"), rapid.IntRange(200, 299).Draw(rt, "status")
					change(rt, func(id store.RecordID, o string) error {
						return s.Complete(ctx, id, o, store.Result{Status: status}, d)
					}, func(_ string, r *modelRecord) {
						r.state, r.status, r.until = store.Completed, status, time.Now().Add(d)
					})
				},
				"spend": func(rt *rapid.T) {
					d := span.Draw(rt, "ttl")
					change(rt, func(id store.RecordID, o string) error { return s.Spend(ctx, id, o, d) },
						func(_ string, r *modelRecord) { r.state, r.until = store.Spent, time.Now().Add(d) })
				},
				"release": func(rt *rapid.T) {
					change(rt, func(id store.RecordID, o string) error { return s.Release(ctx, id, o) },
						func(k string, _ *modelRecord) { delete(model, k) })
				},
			})
		})
	})
}

// The second request finds the result of the first.
func ExampleNewMemoryIdempotency() {
	ctx := context.Background()
	s := store.NewMemoryIdempotency(store.MemoryOptions{})
	id := store.RecordID{Scope: "ann", Operation: "createOrder", Key: "order-123"}
	_, claimed, _ := s.Claim(ctx, id, [32]byte{}, "first", time.Minute)
	fmt.Println(claimed)
	_ = s.Complete(ctx, id, "first", store.Result{Status: 201, Body: []byte("done")}, 24*time.Hour)
	r, claimed, _ := s.Claim(ctx, id, [32]byte{}, "second", time.Minute)
	fmt.Println(claimed, r.Result.Status, string(r.Result.Body))
	// Output:
	// true
	// false 201 done
}
