package sqlstore_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/idempotency"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/store"
	sqlstore "github.com/holdfast-go/holdfast/runtime/store/sql"
	"github.com/holdfast-go/holdfast/runtime/store/sql/pgtest"
)

// move is a short business transaction: two balances are read and written, and a payment.
func move(ctx context.Context, q sqlstore.Querier) error {
	for _, id := range []int{1, 2} {
		var amount int
		if err := q.QueryRowContext(ctx, "SELECT amount FROM payment WHERE id = $1", id).Scan(&amount); err != nil {
			return err
		}
		if _, err := q.ExecContext(ctx, "UPDATE payment SET amount = $1 WHERE id = $2", amount+1, id); err != nil {
			return err
		}
	}
	_, err := q.ExecContext(ctx, "INSERT INTO payment (amount) VALUES (1)")
	return err
}

// BenchmarkTransaction compares a business transaction of five statements with the same one
// under a key: its claim, and its end with a result.
func BenchmarkTransaction(b *testing.B) {
	db, err := sql.Open("pgx", pgtest.URL(b))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	run := func(statements ...string) {
		for _, s := range statements {
			if _, err := db.ExecContext(b.Context(), s); err != nil {
				b.Fatal(err)
			}
		}
	}
	run("CREATE TABLE payment (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, amount integer NOT NULL)", schemaOf(b, sqlstore.PostgreSQL))
	defer run("DROP TABLE payment, holdfast_idempotency, holdfast_lock")
	run("INSERT INTO payment (amount) VALUES (1), (1)")
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			tx, err := db.BeginTx(b.Context(), nil)
			if err != nil {
				b.Fatal(err)
			}
			if err := move(b.Context(), tx); err != nil {
				b.Fatal(err)
			}
			if err := tx.Commit(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("key", func(b *testing.B) {
		g := idempotency.NewGuard(sqlstore.New(db, sqlstore.PostgreSQL), "pay",
			policy.Idempotency{Within: policy.WithinTransaction, TTL: time.Hour, MaxBody: 1 << 20})
		for b.Loop() {
			d := g.Begin(b.Context(), "ann", idempotency.NewKey(), [32]byte{})
			if d.Action != idempotency.Run {
				b.Fatal(d)
			}
			if err := move(b.Context(), sqlstore.Tx(given{b.Context(), d.Claim})); err != nil {
				b.Fatal(err)
			}
			if err := d.Claim.Finish(b.Context(), store.Result{Status: 201, Body: []byte(`{"id":1}`)}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// given is a context with what a claim gives.
type given struct {
	context.Context

	claim *idempotency.Claim
}

func (c given) Value(key any) any {
	if v := c.claim.Value(key); v != nil {
		return v
	}
	return c.Context.Value(key)
}
