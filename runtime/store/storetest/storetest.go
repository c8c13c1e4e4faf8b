// Package storetest has the conformance suites of the interfaces of package
// store. A backend runs every case against a store of its own:
//
//	for _, c := range storetest.Idempotency() {
//		t.Run(c.Name, func(t *testing.T) { c.Run(t, newStore(t)) })
//	}
//
// Cases let real time pass, some hundred milliseconds each; in the bubble of
// testing/synctest, which a store in memory can run in, they take none.
package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/store"
)

// Case is one case of a suite. The store is empty and used by this case only.
type Case struct {
	Name string
	Run  func(t *testing.T, s store.Idempotency)
}

// Times of the cases: a lease that ends, and a time after which it has.
const (
	short = 100 * time.Millisecond
	past  = 250 * time.Millisecond
	long  = time.Minute
)

var (
	id       = store.RecordID{Scope: "ann", Operation: "createOrder", Key: "k-1"}
	claimant = [32]byte{1, 2, 3}
)

// Idempotency is the suite of [store.Idempotency].
func Idempotency() []Case {
	return []Case{
		{"claim and complete", claimAndComplete},
		{"the request that claimed is remembered", fingerprint},
		{"keys of others are apart", apart},
		{"release frees the key", release},
		{"spent keys stay taken", spent},
		{"a lease ends", leaseEnds},
		{"a lease is extended", extended},
		{"a late finisher changes nothing", lateFinisher},
		{"an ended lease is still its owner's", endedLease},
		{"the same owner claims again", sameOwner},
		{"records expire", expire},
		{"results are raw", rawResults},
		{"what is given and returned is copied", copied},
		{"one of many concurrent claims wins", concurrent},
	}
}

// pass lets the time pass after which a short lease has ended.
func pass() { <-time.After(past) }

// claim claims and wants it to work.
func claim(t *testing.T, s store.Idempotency, id store.RecordID, owner string, lease time.Duration) {
	t.Helper()
	if _, claimed, err := s.Claim(t.Context(), id, claimant, owner, lease); err != nil || !claimed {
		t.Fatalf("claim by %s: %v, %v", owner, claimed, err)
	}
}

// taken wants the key to be taken, and returns the record.
func taken(t *testing.T, s store.Idempotency, id store.RecordID, state store.RecordState) store.Record {
	t.Helper()
	r, claimed, err := s.Claim(t.Context(), id, claimant, "somebody", long)
	if err != nil || claimed || r.State != state {
		t.Fatalf("claimed %v, state %v, %v; want state %v", claimed, r.State, err, state)
	}
	return r
}

// denied wants every change by the owner to be refused.
func denied(t *testing.T, s store.Idempotency, owner string) {
	t.Helper()
	ctx := t.Context()
	for name, err := range map[string]error{
		"Extend":   s.Extend(ctx, id, owner, long),
		"Complete": s.Complete(ctx, id, owner, store.Result{Status: 500}, long),
		"Spend":    s.Spend(ctx, id, owner, long),
		"Release":  s.Release(ctx, id, owner),
	} {
		if !errors.Is(err, store.ErrNotOwner) {
			t.Errorf("%s by %s: %v, want ErrNotOwner", name, owner, err)
		}
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func claimAndComplete(t *testing.T, s store.Idempotency) {
	t.Helper()
	denied(t, s, "a") // nothing there
	claim(t, s, id, "a", long)
	taken(t, s, id, store.InProgress)
	denied(t, s, "b")
	want := store.Result{Status: 201, Header: []store.HeaderField{{Name: "Content-Type", Values: []string{"application/json"}}}, Body: []byte(`{"id":1}`)}
	noError(t, s.Complete(t.Context(), id, "a", want, long))
	for range 2 {
		if r := taken(t, s, id, store.Completed); !reflect.DeepEqual(r.Result, want) {
			t.Errorf("replayed %+v, want %+v", r.Result, want)
		}
	}
	denied(t, s, "a") // it is done
}

func fingerprint(t *testing.T, s store.Idempotency) {
	t.Helper()
	claim(t, s, id, "a", long)
	for _, state := range []store.RecordState{store.InProgress, store.Completed} {
		r, claimed, err := s.Claim(t.Context(), id, [32]byte{9}, "b", long)
		if err != nil || claimed || r.State != state || r.Fingerprint != claimant {
			t.Fatalf("%v: %+v, %v, %v", state, r, claimed, err)
		}
		if state == store.InProgress {
			noError(t, s.Complete(t.Context(), id, "a", store.Result{Status: 200}, long))
		}
	}
}

func apart(t *testing.T, s store.Idempotency) {
	t.Helper()
	claim(t, s, id, "a", long)
	for _, other := range []store.RecordID{
		{Scope: "bob", Operation: "createOrder", Key: "k-1"}, {Scope: "ann", Operation: "cancelOrder", Key: "k-1"},
		{Scope: "ann", Operation: "createOrder", Key: "k-2"}, {Operation: "createOrder", Key: "k-1"},
		// Texts that would be one if they were only joined.
		{Scope: "a", Operation: "nncreateOrder", Key: "k-1"}, {Scope: "ann:createOrder", Operation: "k-1"},
		{Scope: "ann", Operation: "createOrder:k-1"}, {Scope: "ann/createOrder", Operation: "k-1"},
	} {
		claim(t, s, other, "b", long)
	}
	taken(t, s, id, store.InProgress)
}

func release(t *testing.T, s store.Idempotency) {
	t.Helper()
	claim(t, s, id, "a", long)
	noError(t, s.Release(t.Context(), id, "a"))
	claim(t, s, id, "b", long)
	denied(t, s, "a")
	taken(t, s, id, store.InProgress)
}

func spent(t *testing.T, s store.Idempotency) {
	t.Helper()
	claim(t, s, id, "a", short)
	noError(t, s.Spend(t.Context(), id, "a", long))
	pass()
	if r := taken(t, s, id, store.Spent); r.Fingerprint != claimant || r.Result.Status != 0 {
		t.Errorf("%+v", r)
	}
	denied(t, s, "a")
}

func leaseEnds(t *testing.T, s store.Idempotency) {
	t.Helper()
	claim(t, s, id, "a", short)
	taken(t, s, id, store.InProgress)
	pass()
	claim(t, s, id, "b", long)
}

func extended(t *testing.T, s store.Idempotency) {
	t.Helper()
	claim(t, s, id, "a", short)
	noError(t, s.Extend(t.Context(), id, "a", long))
	pass()
	taken(t, s, id, store.InProgress)
	// A lease can be cut, too.
	noError(t, s.Extend(t.Context(), id, "a", short))
	pass()
	claim(t, s, id, "b", long)
}

func lateFinisher(t *testing.T, s store.Idempotency) {
	t.Helper()
	claim(t, s, id, "a", short)
	pass()
	claim(t, s, id, "b", long)
	denied(t, s, "a")
	noError(t, s.Complete(t.Context(), id, "b", store.Result{Status: 201, Body: []byte("b")}, long))
	denied(t, s, "a")
	if r := taken(t, s, id, store.Completed); string(r.Result.Body) != "b" {
		t.Errorf("the result is %q", r.Result.Body)
	}
}

func endedLease(t *testing.T, s store.Idempotency) {
	t.Helper()
	claim(t, s, id, "a", short)
	pass()
	noError(t, s.Complete(t.Context(), id, "a", store.Result{Status: 201}, long))
	taken(t, s, id, store.Completed)
}

func sameOwner(t *testing.T, s store.Idempotency) {
	t.Helper()
	claim(t, s, id, "a", short)
	claim(t, s, id, "a", long)
	pass()
	taken(t, s, id, store.InProgress)
	noError(t, s.Complete(t.Context(), id, "a", store.Result{Status: 200}, long))
	if r, claimed, err := s.Claim(t.Context(), id, claimant, "a", long); err != nil || claimed || r.State != store.Completed {
		t.Errorf("after completion: %+v, %v, %v", r, claimed, err)
	}
}

func expire(t *testing.T, s store.Idempotency) {
	t.Helper()
	claim(t, s, id, "a", long)
	noError(t, s.Complete(t.Context(), id, "a", store.Result{Status: 200}, short))
	other := store.RecordID{Key: "other"}
	claim(t, s, other, "a", long)
	noError(t, s.Spend(t.Context(), other, "a", short))
	pass()
	claim(t, s, id, "b", long)
	claim(t, s, other, "b", long)
}

func rawResults(t *testing.T, s store.Idempotency) {
	t.Helper()
	every := make([]byte, 0, 256*3)
	for range 3 {
		for c := range 256 {
			every = append(every, byte(c))
		}
	}
	results := []store.Result{
		{Status: 204},
		{Status: 200, Body: every},
		{Status: 299, Header: []store.HeaderField{
			{Name: "Link", Values: []string{"<a>; rel=x", "<b>; rel=y", ""}}, {Name: "X-Ünicode", Values: []string{"é\x00\xff"}},
		}, Body: []byte("\x00")},
		{Status: 200, Body: bytes.Repeat([]byte{0xfe}, 1<<20)},
	}
	for i, want := range results {
		at := store.RecordID{Key: fmt.Sprint("raw ", i)}
		claim(t, s, at, "a", long)
		noError(t, s.Complete(t.Context(), at, "a", want, long))
		got := taken(t, s, at, store.Completed).Result
		if len(got.Body) == 0 {
			got.Body = nil // empty and absent are the same response
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("result %d came back as status %d, %d bytes, header %q", i, got.Status, len(got.Body), got.Header)
		}
	}
}

func copied(t *testing.T, s store.Idempotency) {
	t.Helper()
	given := store.Result{Status: 200, Header: []store.HeaderField{{Name: "A", Values: []string{"1"}}}, Body: []byte("body")}
	claim(t, s, id, "a", long)
	noError(t, s.Complete(t.Context(), id, "a", given, long))
	for range 2 {
		given.Body[0], given.Header[0].Values[0] = 'X', "X"
		given = taken(t, s, id, store.Completed).Result
		if string(given.Body) != "body" || given.Header[0].Values[0] != "1" {
			t.Errorf("changed from outside: %+v", given)
		}
	}
}

func concurrent(t *testing.T, s store.Idempotency) {
	t.Helper()
	ctx := t.Context()
	for round := range 5 {
		at := store.RecordID{Key: fmt.Sprint("round ", round)}
		var winners, others atomic.Int32
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				r, claimed, err := s.Claim(ctx, at, claimant, fmt.Sprint("owner ", i), long)
				switch {
				case err != nil:
					t.Error(err)
				case claimed:
					winners.Add(1)
				case r.State == store.InProgress:
					others.Add(1)
				}
			})
		}
		wg.Wait()
		if winners.Load() != 1 || others.Load() != 15 {
			t.Errorf("%d claimed it, %d found it in progress; want 1 and 15", winners.Load(), others.Load())
		}
	}
}
