package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/store"
	sqlstore "github.com/holdfast-go/holdfast/runtime/store/sql"
	"github.com/holdfast-go/holdfast/runtime/store/storetest"
)

func TestConformance(t *testing.T) {
	each(t, func(t *testing.T, b backend, db *sql.DB) {
		s := sqlstore.New(db, b.dialect)
		for _, c := range storetest.Idempotency() {
			t.Run(c.Name, func(t *testing.T) {
				must(t, db, "DELETE FROM holdfast_idempotency")
				c.Run(t, s)
			})
		}
	})
}

func TestCheck(t *testing.T) {
	each(t, func(t *testing.T, b backend, db *sql.DB) {
		s := sqlstore.New(db, b.dialect)
		if err := s.Check(t.Context()); err != nil {
			t.Error(err)
		}
		if n := count(t, db, "SELECT count(*) FROM holdfast_idempotency"); n != 0 {
			t.Errorf("it leaves %d rows", n)
		}
		command := "holdfast schema --dialect " + b.dialect.String()
		for _, change := range []string{
			"ALTER TABLE holdfast_idempotency DROP COLUMN header",
			"DROP TABLE holdfast_idempotency",
		} {
			must(t, db, change)
			err := s.Check(t.Context())
			if bad, ok := errors.AsType[*sqlstore.SchemaError](err); !ok || bad.Dialect != b.dialect || !strings.Contains(err.Error(), command) {
				t.Errorf("%s: %v", change, err)
			}
		}
	})
}

// What is no fault of the tables does not send anybody to the tables.
func TestCheckWithoutDatabase(t *testing.T) {
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			db := open(t, b, b.address(t))
			_ = db.Close()
			err := sqlstore.New(db, b.dialect).Check(t.Context())
			if _, ok := errors.AsType[*sqlstore.SchemaError](err); ok || err == nil {
				t.Errorf("%v", err)
			}
		})
	}
}

// A user without the right to write is found at the start.
func TestCheckPrivileges(t *testing.T) {
	b := backends[0]
	address := b.address(t)
	db := open(t, b, address)
	applySchema(t, db, b.dialect)
	must(t, db, "CREATE ROLE reader LOGIN", "GRANT SELECT, INSERT, UPDATE ON holdfast_idempotency TO reader")
	t.Cleanup(func() {
		for _, s := range []string{"DROP OWNED BY reader", "DROP ROLE reader"} {
			_, _ = db.ExecContext(context.WithoutCancel(t.Context()), s)
		}
	})
	reader := open(t, b, strings.Replace(address, "postgres@", "reader@", 1))
	err := sqlstore.New(reader, b.dialect).Check(t.Context())
	if _, ok := errors.AsType[*sqlstore.SchemaError](err); !ok || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("without DELETE: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, f := range []func(){
		func() { sqlstore.New(nil, sqlstore.SQLite) },
		func() { sqlstore.New(&sql.DB{}, 0) },
		func() { sqlstore.New(&sql.DB{}, 9) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("it is made")
				}
			}()
			f()
		}()
	}
}

// Expired rows go, those in force stay, and so do claims whose owner may come late.
func TestClean(t *testing.T) {
	each(t, func(t *testing.T, b backend, db *sql.DB) {
		s := sqlstore.New(db, b.dialect)
		ctx := t.Context()
		for key, do := range map[string]func(store.RecordID) error{
			"claimed": func(store.RecordID) error { return nil },
			"old":     func(store.RecordID) error { return nil },
			"kept":    func(id store.RecordID) error { return s.Complete(ctx, id, "a", store.Result{Status: 200}, time.Hour) },
			"expired": func(id store.RecordID) error { return s.Complete(ctx, id, "a", store.Result{Status: 200}, 0) },
			"spent":   func(id store.RecordID) error { return s.Spend(ctx, id, "a", 0) },
		} {
			id := store.RecordID{Operation: key, Key: key}
			if _, claimed, err := s.Claim(ctx, id, [32]byte{}, "a", 0); err != nil || !claimed {
				t.Fatal(claimed, err)
			}
			if err := do(id); err != nil {
				t.Fatal(err)
			}
		}
		must(t, db, "UPDATE holdfast_idempotency SET until_us = until_us - 86400000000 WHERE operation = 'old'")
		if n, err := s.Clean(ctx); n != 3 || err != nil {
			t.Errorf("%d deleted, %v; want 3", n, err)
		}
		if n := count(t, db, "SELECT count(*) FROM holdfast_idempotency WHERE operation IN ('claimed', 'kept')"); n != 2 {
			t.Errorf("%d left, want 2", n)
		}
	})
}

// More than one batch is there.
func TestCleanBatches(t *testing.T) {
	each(t, func(t *testing.T, b backend, db *sql.DB) {
		must(t, db, `INSERT INTO holdfast_idempotency (id, operation, fingerprint, state, owner, until_us)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1203)
SELECT CAST(CAST(i AS TEXT) AS `+map[sqlstore.Dialect]string{sqlstore.PostgreSQL: "bytea", sqlstore.SQLite: "BLOB"}[b.dialect]+`), 'x', CAST('x' AS `+
			map[sqlstore.Dialect]string{sqlstore.PostgreSQL: "bytea", sqlstore.SQLite: "BLOB"}[b.dialect]+`), 2, '', 0 FROM n`)
		s := sqlstore.New(db, b.dialect)
		if n, err := s.Clean(t.Context()); n != 1203 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
}

func TestKeepClean(t *testing.T) {
	each(t, func(t *testing.T, b backend, db *sql.DB) {
		s := sqlstore.New(db, b.dialect)
		id := store.RecordID{Key: "k"}
		if _, _, err := s.Claim(t.Context(), id, [32]byte{}, "a", 0); err != nil {
			t.Fatal(err)
		}
		if err := s.Spend(t.Context(), id, "a", 0); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		err := s.KeepClean(ctx, time.Hour, func(n int64, err error) {
			if n != 1 || err != nil {
				t.Errorf("%d, %v", n, err)
			}
			cancel()
		})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
