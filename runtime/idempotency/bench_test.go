package idempotency_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/idempotency"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/store"
)

var kept = store.Result{
	Status: 201,
	Header: []store.HeaderField{{Name: "Content-Type", Values: []string{"application/json"}}},
	Body:   []byte(`{"id":1,"balance":7500}`),
}

func memoryGuard(ttl time.Duration) *idempotency.Guard {
	return idempotency.NewGuard(store.NewMemoryIdempotency(store.MemoryOptions{}), "pay", policy.Idempotency{TTL: ttl, Lease: time.Minute, MaxBody: 1 << 20})
}

// BenchmarkRun is a request with a new key: the claim and its end with a result, which makes
// room for later ones at once.
func BenchmarkRun(b *testing.B) {
	g := memoryGuard(time.Nanosecond)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		d := g.Begin(b.Context(), "ann", strconv.Itoa(n), [32]byte{})
		if d.Action != idempotency.Run {
			b.Fatal(d)
		}
		if err := d.Claim.Finish(b.Context(), kept); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplay is a request that has come before.
func BenchmarkReplay(b *testing.B) {
	g := memoryGuard(time.Hour)
	if err := g.Begin(b.Context(), "ann", "k", [32]byte{}).Claim.Finish(b.Context(), kept); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if d := g.Begin(b.Context(), "ann", "k", [32]byte{}); d.Action != idempotency.Replay {
			b.Fatal(d)
		}
	}
}

// BenchmarkClaim is the store alone: the claim of a key whose last record has ended.
func BenchmarkClaim(b *testing.B) {
	s := store.NewMemoryIdempotency(store.MemoryOptions{})
	id := store.RecordID{Scope: "ann", Operation: "pay", Key: "k"}
	b.ReportAllocs()
	for b.Loop() {
		if _, claimed, err := s.Claim(b.Context(), id, [32]byte{}, "o", 0); err != nil || !claimed {
			b.Fatal(claimed, err)
		}
	}
}

// A claim of the store in memory is one allocation, its record. A replay is a copy of what
// is kept, the fields in one piece and the body in another, and the name of the claim that
// it would have been.
func TestAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes some of its own")
	}
	s := store.NewMemoryIdempotency(store.MemoryOptions{})
	ctx := t.Context()
	id := store.RecordID{Scope: "ann", Operation: "pay", Key: "k"}
	if n := testing.AllocsPerRun(100, func() { _, _, _ = s.Claim(ctx, id, [32]byte{}, "o", 0) }); n > 1 {
		t.Errorf("a claim makes %v allocations, want 1", n)
	}
	g := memoryGuard(time.Hour)
	two := kept
	two.Header = append(two.Header, store.HeaderField{Name: "Location", Values: []string{"/payments/1"}})
	if err := g.Begin(ctx, "ann", "k", [32]byte{}).Claim.Finish(ctx, two); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { g.Begin(ctx, "ann", "k", [32]byte{}) }); n > 3 {
		t.Errorf("a replay makes %v allocations, want 3", n)
	}
}
