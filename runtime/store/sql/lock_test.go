package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/lock/locktest"
	sqlstore "github.com/holdfast-go/holdfast/runtime/store/sql"
)

func lockDatabase(t *testing.T) (*sql.DB, *sqlstore.Locks) {
	t.Helper()
	b := backends[0]
	db := open(t, b, b.address(t))
	applySchema(t, db, b.dialect)
	return db, sqlstore.NewLocks(db)
}

func TestLockConformance(t *testing.T) {
	db, l := lockDatabase(t)
	for _, c := range locktest.Backend() {
		t.Run(c.Name, func(t *testing.T) {
			must(t, db, "DELETE FROM holdfast_lock")
			c.Run(t, l)
		})
	}
}

// A lock that is taken in a transaction is held until that ends, however short its life,
// against others in transactions and without; and its fence is above the last one also
// after a rollback.
func TestLockInTransaction(t *testing.T) {
	db, l := lockDatabase(t)
	s := sqlstore.New(db, sqlstore.PostgreSQL)
	ctx := t.Context()
	var last int64
	for _, commit := range []bool{false, true, false} {
		var heldIn context.Context
		err := s.Do(ctx, func(in context.Context, _ sqlstore.Querier) error {
			heldIn = in //nolint:fatcontext // It is looked at after its end.
			fence, ok, err := l.Acquire(in, "k", "first", time.Microsecond)
			if err != nil || !ok || fence <= last {
				t.Errorf("fence %d after %d, %v, %v", fence, last, ok, err)
			}
			last = fence
			time.Sleep(5 * time.Millisecond)
			if err := l.Extend(in, "k", "first", time.Second); err != nil {
				t.Error(err)
			}
			if _, ok, err := l.Acquire(ctx, "k", "second", time.Minute); ok || err != nil {
				t.Errorf("a second one has it: %v, %v", ok, err)
			}
			if err := s.Do(ctx, func(other context.Context, _ sqlstore.Querier) error {
				if _, ok, err := l.Acquire(other, "k", "third", time.Minute); ok || err != nil {
					t.Errorf("a third one has it: %v, %v", ok, err)
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
			if !commit {
				return errUndo
			}
			return nil
		})
		if (err == nil) != commit {
			t.Error(err)
		}
		if err := l.Extend(heldIn, "k", "first", time.Second); !errors.Is(err, lock.ErrNotOwner) {
			t.Errorf("after the end: %v", err)
		}
	}
	fence, ok, err := l.Acquire(ctx, "k", "second", time.Minute)
	if err != nil || !ok || fence <= last {
		t.Errorf("fence %d after %d, %v, %v", fence, last, ok, err)
	}
	// Nor does a transaction get what is held without one.
	if err := s.Do(ctx, func(in context.Context, _ sqlstore.Querier) error {
		if _, ok, err := l.Acquire(in, "k", "third", time.Minute); ok || err != nil {
			t.Errorf("%v, %v", ok, err)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

var errUndo = errors.New("undo")

func TestLockCheck(t *testing.T) {
	db, l := lockDatabase(t)
	if err := l.Check(t.Context()); err != nil || count(t, db, "SELECT count(*) FROM holdfast_lock") != 0 {
		t.Error(err)
	}
	must(t, db, "DROP TABLE holdfast_lock")
	err := l.Check(t.Context())
	if _, ok := errors.AsType[*sqlstore.SchemaError](err); !ok {
		t.Error(err)
	}
}
