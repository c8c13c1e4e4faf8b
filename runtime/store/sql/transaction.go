package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/runtime/store"
)

// ErrNoTransaction is the error of every statement of [Tx] where the context has no
// transaction.
var ErrNoTransaction = errors.New("sqlstore: there is no transaction in this context: " +
	"the operation needs idempotency {within: transaction}, or the work has to be in Store.Do")

type txKey struct{}

// current is the transaction that a context has.
type current struct {
	tx *sql.Tx
	// over is set by those who end it, nil where that is not known.
	over *atomic.Bool
}

// Tx is the transaction of a context: in a method of an operation with idempotency {within:
// transaction} that of the request, in [Store.Do] that of its function. It has no Commit and
// no Rollback, for who has begun it ends it; its dynamic type is *sql.Tx, for libraries that
// need one. It must not be used after the method has returned.
//
// Without a transaction every statement is [ErrNoTransaction].
func Tx(ctx context.Context) Querier {
	if c := currentOf(ctx); c != nil {
		return c.tx
	}
	return nowhere()
}

func currentOf(ctx context.Context) *current {
	c, _ := ctx.Value(txKey{}).(*current)
	return c
}

// InTx is a context with a transaction of the caller's own, which [Tx] gives, [Store.Do]
// joins and [Locks] locks in. The caller ends it.
func InTx(ctx context.Context, tx *sql.Tx) context.Context {
	return context.WithValue(ctx, txKey{}, &current{tx: tx})
}

// nowhere is a database that no statement can be sent to: *sql.Row can be had from one
// only.
var nowhere = sync.OnceValue(func() *sql.DB { return sql.OpenDB(noConnector{}) })

type noConnector struct{}

func (noConnector) Connect(context.Context) (driver.Conn, error) { return nil, ErrNoTransaction }
func (noConnector) Driver() driver.Driver                        { return noDriver{} }

type noDriver struct{}

func (noDriver) Open(string) (driver.Conn, error) { return nil, ErrNoTransaction }

// Do runs f in the transaction of the context, or else in one of its own, which it commits
// when f returns nil and rolls back for an error or a panic. It is for work that is not
// always behind an operation that runs in a transaction.
func (s *Store) Do(ctx context.Context, f func(context.Context, Querier) error) error {
	if c := currentOf(ctx); c != nil {
		return f(ctx, c.tx)
	}
	t, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = t.Rollback() }()
	if err := f(context.WithValue(ctx, txKey{}, &t.current), t.tx); err != nil {
		return t.conflicting(err)
	}
	return t.Commit()
}

// transaction implements [store.Transaction].
type transaction struct {
	current

	store *Store
	ended atomic.Bool
	key   []byte // of the claim; nil without one
}

// owner of the claims of transactions: the transaction itself keeps others from them, and
// no other owner is called that.
const owner = "transaction"

// Begin implements [store.Transactional].
func (s *Store) Begin(ctx context.Context) (store.Transaction, error) {
	t, err := s.begin(ctx)
	if err != nil {
		return nil, err // and not a nil *transaction
	}
	return t, nil
}

func (s *Store) begin(ctx context.Context) (*transaction, error) {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: s.isolation})
	if err != nil {
		return nil, err
	}
	t := &transaction{store: s, current: current{tx: tx}}
	t.over = &t.ended
	return t, nil
}

// Claim implements [store.Transaction]. On PostgreSQL a lock that is only tried answers a
// duplicate at once, for the row of the first cannot be seen before it is committed, and
// writing another would wait for it. The row is written nevertheless: it keeps off those who
// claim without a transaction, and a database without such locks.
func (t *transaction) Claim(ctx context.Context, id store.RecordID, fingerprint [32]byte, lease time.Duration) (store.Record, bool, error) {
	key := recordKey(id)
	taken := store.Record{State: store.InProgress, Fingerprint: fingerprint}
	claim := t.store.claim
	if t.store.do.claimLocked != "" {
		claim = t.store.claimLocked
	}
	r, claimed, err := claim(ctx, t.tx, key, id.Operation, fingerprint, owner, lease)
	switch {
	case t.store.dialect.fault(err) == busy:
		return taken, false, nil
	case err != nil:
		return store.Record{}, false, t.conflicting(err)
	case claimed:
		t.key = key
	}
	return r, claimed, nil
}

// Value implements [store.Transaction].
func (t *transaction) Value(key any) any {
	if key == (txKey{}) {
		return &t.current
	}
	return nil
}

// Complete implements [store.Transaction].
func (t *transaction) Complete(ctx context.Context, result store.Result, ttl time.Duration) error {
	if t.key == nil {
		return store.ErrNotOwner
	}
	return t.conflicting(t.store.changeIn(ctx, t.tx, t.store.do.complete, completion(t.key, owner, result, ttl)...))
}

// Spend implements [store.Transaction].
func (t *transaction) Spend(ctx context.Context, ttl time.Duration) error {
	if t.key == nil {
		return store.ErrNotOwner
	}
	return t.conflicting(t.store.changeIn(ctx, t.tx, t.store.do.spend, t.key, owner, ttl.Microseconds()))
}

// Commit implements [store.Transaction].
func (t *transaction) Commit() error {
	t.ended.Store(true)
	return t.conflicting(t.tx.Commit())
}

// Rollback implements [store.Transaction].
func (t *transaction) Rollback() error {
	t.ended.Store(true)
	if err := t.tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

// Conflict implements [store.Transaction].
func (t *transaction) Conflict(err error) bool {
	f := t.store.dialect.fault(err)
	return f == conflict || f == busy
}

// Repeat implements [store.Transaction].
func (t *transaction) Repeat(err error) bool { return t.store.dialect.fault(err) == conflict }

// conflicting marks an error that wants the transaction to be repeated.
func (t *transaction) conflicting(err error) error {
	if t.Conflict(err) {
		return fmt.Errorf("%w: %w", store.ErrConflict, err)
	}
	return err
}
