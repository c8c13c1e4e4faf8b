package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/holdfast-go/holdfast/runtime/lock"
)

// Locks keeps locks in PostgreSQL, in the table holdfast_lock. It is safe for concurrent
// use.
//
// Where the work has a transaction, in an operation with idempotency {within: transaction},
// in [Store.Do] or under [InTx], the lock is that transaction's (pg_try_advisory_xact_lock):
// it cannot be lost before the work is committed, it is freed with it, and what the
// transaction writes needs no fencing token. Otherwise it is a row with an end, which its
// heartbeat moves; what is written then has to take the token as a condition. There are no
// locks of sessions: a pooler gives sessions to others.
type Locks struct {
	db                       *sql.DB
	acquire, extend, release string
}

var _ lock.Backend = (*Locks)(nil)

// NewLocks makes locks over a PostgreSQL database, for the option Locks of package
// runtime/server. It panics without one.
func NewLocks(db *sql.DB) *Locks {
	if db == nil {
		panic("sqlstore: NewLocks needs a database")
	}
	return &Locks{
		db: db,
		// The advisory lock is tried first: the row of a transaction that is not committed
		// would have to be waited for. The fence goes on from the last one and is not
		// below the clock, so that a transaction that is rolled back gives its fence to
		// nobody else.
		acquire: PostgreSQL.statement(`WITH free AS MATERIALIZED (SELECT pg_try_advisory_xact_lock($1) AS ok)
INSERT INTO holdfast_lock AS l (id, owner, until_us, fence) SELECT $2::bytea, $3::text, NOW + $4::bigint, NOW FROM free WHERE ok
ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, until_us = NOW + $4::bigint,
fence = CASE WHEN l.owner = excluded.owner AND l.until_us > NOW THEN l.fence ELSE greatest(l.fence + 1, NOW) END
WHERE l.until_us <= NOW OR l.owner = excluded.owner
RETURNING fence`),
		extend: PostgreSQL.statement(`UPDATE holdfast_lock SET until_us = NOW + $3 WHERE id = $1 AND owner = $2 AND until_us > NOW`),
		// The row stays, with the last fence.
		release: PostgreSQL.statement(`UPDATE holdfast_lock SET until_us = 0 WHERE id = $1 AND owner = $2 AND until_us > NOW`),
	}
}

// Acquire implements [lock.Backend].
func (l *Locks) Acquire(ctx context.Context, key, owner string, ttl time.Duration) (int64, bool, error) {
	id := digest("holdfast/lock", key)
	var q Querier = l.db
	if c := currentOf(ctx); c != nil {
		// The transaction is what holds the lock. Its row has ended already when others
		// can see it.
		q, ttl = c.tx, 0
	}
	var fence int64
	err := q.QueryRowContext(ctx, l.acquire, lockNumber(id), id, owner, ttl.Microseconds()).Scan(&fence)
	switch {
	case errors.Is(err, sql.ErrNoRows), PostgreSQL.fault(err) == busy:
		return 0, false, nil
	case err != nil:
		return 0, false, err
	}
	return fence, true, nil
}

// Extend implements [lock.Backend]. A lock in a transaction lives as long as that: no
// statement is sent, for the work may be using the connection.
func (l *Locks) Extend(ctx context.Context, key, owner string, ttl time.Duration) error {
	if c := currentOf(ctx); c != nil {
		return c.alive()
	}
	return l.change(ctx, l.extend, digest("holdfast/lock", key), owner, ttl.Microseconds())
}

// Release implements [lock.Backend]. A lock in a transaction is freed at its end only.
func (l *Locks) Release(ctx context.Context, key, owner string) error {
	if c := currentOf(ctx); c != nil {
		return c.alive()
	}
	return l.change(ctx, l.release, digest("holdfast/lock", key), owner)
}

func (l *Locks) change(ctx context.Context, statement string, args ...any) error {
	n, err := affected(l.db.ExecContext(ctx, statement, args...))
	if err == nil && n == 0 {
		return lock.ErrNotOwner
	}
	return err
}

// alive says whether a transaction has ended, as far as that is known.
func (c *current) alive() error {
	if c.over != nil && c.over.Load() {
		return lock.ErrNotOwner
	}
	return nil
}

// Check is that of [Store.Check] for locks.
func (l *Locks) Check(ctx context.Context) error {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	id := digest("holdfast/lock/check", rand.Text())
	var fence int64
	err = tx.QueryRowContext(ctx, l.acquire, lockNumber(id), id, "check", time.Minute.Microseconds()).Scan(&fence)
	if err == nil {
		_, err = tx.ExecContext(ctx, l.extend, id, "check", int64(0))
	}
	if PostgreSQL.fault(err) == schema {
		return &SchemaError{PostgreSQL, err}
	}
	return err
}
