package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/store"
	sqlstore "github.com/holdfast-go/holdfast/runtime/store/sql"
)

// impatient is a PostgreSQL database, and another pool of it that waits for locks for 200 ms
// only: then its statements fail with SQLSTATE 55P03.
func impatient(t *testing.T) (patient, hasty *sql.DB) {
	t.Helper()
	b := backends[0]
	address := b.address(t)
	patient = open(t, b, address)
	applySchema(t, patient, b.dialect)
	return patient, open(t, b, address+"&lock_timeout=200")
}

// hold keeps rows locked by a transaction of somebody else, until the test ends.
func hold(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	tx, err := db.BeginTx(context.WithoutCancel(t.Context()), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	if _, err := tx.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// A record whose row is locked for longer than one may wait is in progress, and not an error
// of the store, to claims with and without a transaction.
func TestBusyRecord(t *testing.T) {
	db, hasty := impatient(t)
	s := sqlstore.New(hasty, sqlstore.PostgreSQL)
	ctx := t.Context()
	id := store.RecordID{Operation: "pay", Key: "k"}
	if _, claimed, err := s.Claim(ctx, id, [32]byte{}, "a", 0); err != nil || !claimed {
		t.Fatal(claimed, err)
	}
	hold(t, db, "SELECT 1 FROM holdfast_idempotency FOR UPDATE")
	if r, claimed, err := s.Claim(ctx, id, [32]byte{}, "b", time.Minute); err != nil || claimed || r.State != store.InProgress {
		t.Errorf("%v, %v, %v", r, claimed, err)
	}
	tx, err := s.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if r, claimed, err := tx.Claim(ctx, id, [32]byte{}, time.Minute); err != nil || claimed || r.State != store.InProgress {
		t.Errorf("in a transaction: %v, %v, %v", r, claimed, err)
	}
}

// A method that meets a row of its own that is locked for too long is answered with 409, and
// not with 500: the same request may come again.
func TestBusyEffect(t *testing.T) {
	db, hasty := impatient(t)
	s := newPayments(t, backends[0], hasty)
	must(t, db, "INSERT INTO payment (amount) VALUES (1)")
	hold(t, db, "SELECT 1 FROM payment FOR UPDATE")
	calls := 0
	h := payments(s, policy.Idempotency{}, 0, func(ctx context.Context) (*paid, error) {
		calls++
		_, err := sqlstore.Tx(ctx).ExecContext(ctx, "UPDATE payment SET amount = 2")
		return &paid{2}, err
	})
	if w := post(h, "k"); w.Code != http.StatusConflict || w.Header().Get("Retry-After") != "1" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if calls != 1 {
		t.Errorf("%d calls: it waits anew for what it has waited for", calls)
	}
}

// A lock whose row is locked for longer than one may wait is somebody else's.
func TestBusyLock(t *testing.T) {
	db, hasty := impatient(t)
	l := sqlstore.NewLocks(hasty)
	if _, ok, err := l.Acquire(t.Context(), "k", "a", 0); !ok || err != nil {
		t.Fatal(ok, err)
	}
	hold(t, db, "SELECT 1 FROM holdfast_lock FOR UPDATE")
	if _, ok, err := l.Acquire(t.Context(), "k", "b", time.Minute); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

// Two instances that clean do not wait for each other's rows.
func TestCleanSkipsLocked(t *testing.T) {
	db, hasty := impatient(t)
	s := sqlstore.New(hasty, sqlstore.PostgreSQL)
	for _, key := range []string{"held", "free"} {
		id := store.RecordID{Operation: key, Key: key}
		if _, _, err := s.Claim(t.Context(), id, [32]byte{}, "a", 0); err != nil {
			t.Fatal(err)
		}
		if err := s.Spend(t.Context(), id, "a", 0); err != nil {
			t.Fatal(err)
		}
	}
	hold(t, db, "SELECT 1 FROM holdfast_idempotency WHERE operation = 'held' FOR UPDATE")
	if n, err := s.Clean(t.Context()); n != 1 || err != nil {
		t.Errorf("%d deleted, %v; want 1", n, err)
	}
}

// A statement that the database refuses with 40001, for another one has changed its row
// meanwhile, is repeated.
func TestStatementIsRepeated(t *testing.T) {
	b := backends[0]
	address := b.address(t)
	db := open(t, b, address)
	applySchema(t, db, b.dialect)
	s := sqlstore.New(open(t, b, address+"&default_transaction_isolation=serializable"), b.dialect)
	ctx := t.Context()
	id := store.RecordID{Operation: "pay", Key: "k"}
	if _, claimed, err := s.Claim(ctx, id, [32]byte{}, "a", time.Minute); err != nil || !claimed {
		t.Fatal(claimed, err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, "UPDATE holdfast_idempotency SET until_us = until_us + 1"); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Extend(ctx, id, "a", time.Minute) }()
	for count(t, db, "SELECT count(*) FROM pg_locks WHERE NOT granted") == 0 {
		select {
		case err := <-done:
			t.Fatalf("it did not wait: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A record that this version cannot read is an error, and neither free nor another's answer.
func TestBrokenRecord(t *testing.T) {
	each(t, func(t *testing.T, b backend, db *sql.DB) {
		s := sqlstore.New(db, b.dialect)
		for key, change := range map[string]string{
			"state":       "UPDATE holdfast_idempotency SET state = 9 WHERE operation = 'state'",
			"fingerprint": "UPDATE holdfast_idempotency SET fingerprint = substr(fingerprint, 1, 31) WHERE operation = 'fingerprint'",
		} {
			id := store.RecordID{Operation: key, Key: key}
			if _, claimed, err := s.Claim(t.Context(), id, [32]byte{}, "a", time.Minute); err != nil || !claimed {
				t.Fatal(claimed, err)
			}
			must(t, db, change)
			if r, claimed, err := s.Claim(t.Context(), id, [32]byte{}, "b", time.Minute); err == nil || claimed {
				t.Errorf("%s: %v, %v, no error", key, r, claimed)
			}
		}
	})
}

// A fence is its owner's as long as the lock is held, also where it is taken once more, for
// an answer can be lost; then it grows, also where the clock is behind the last one.
func TestFenceGrows(t *testing.T) {
	db, l := lockDatabase(t)
	take := func(ttl time.Duration) int64 {
		t.Helper()
		fence, ok, err := l.Acquire(t.Context(), "k", "a", ttl)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		return fence
	}
	first := take(time.Minute)
	if again := take(0); again != first {
		t.Errorf("fence %d of a lock that is held, want %d", again, first)
	}
	next := take(time.Minute)
	if next <= first {
		t.Errorf("fence %d after %d", next, first)
	}
	must(t, db, "UPDATE holdfast_lock SET until_us = 0, fence = fence + 3600000000")
	if ahead := take(0); ahead != next+3600000000+1 {
		t.Errorf("fence %d, want one more than the last", ahead)
	}
}

// The lock of a transaction is free when that is committed, however long it was wanted for.
func TestCommitFreesLock(t *testing.T) {
	db, l := lockDatabase(t)
	if err := sqlstore.New(db, sqlstore.PostgreSQL).Do(t.Context(), func(ctx context.Context, _ sqlstore.Querier) error {
		if _, ok, err := l.Acquire(ctx, "k", "a", time.Minute); !ok || err != nil {
			t.Errorf("%v, %v", ok, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := l.Acquire(t.Context(), "k", "b", time.Minute); !ok || err != nil {
		t.Errorf("after the commit: %v, %v", ok, err)
	}
}

// A lock whose end has come is nobody's, also where no other has taken it: its owner is told.
func TestReleaseAfterEnd(t *testing.T) {
	_, l := lockDatabase(t)
	if _, ok, err := l.Acquire(t.Context(), "k", "a", 0); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := l.Release(t.Context(), "k", "a"); !errors.Is(err, lock.ErrNotOwner) {
		t.Error(err)
	}
}
