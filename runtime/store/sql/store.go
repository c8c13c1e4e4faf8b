package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/holdfast-go/holdfast/runtime/store"
)

// Store keeps the records of idempotency keys in the table holdfast_idempotency. It is safe
// for concurrent use; the database stays its owner's, who closes it.
type Store struct {
	db        *sql.DB
	dialect   Dialect
	isolation sql.IsolationLevel
	do        statements
}

var _ store.Transactional = (*Store)(nil)

// Option changes a store that is being made.
type Option func(*Store)

// Isolation sets the level of the transactions that methods work in. Without it that is
// the database's own. Under LevelSerializable and LevelRepeatableRead two of them can
// collide; one is then rolled back. Where the method is told so, it is called again in
// another transaction, up to three times in all; after that, where the commit is what fails,
// where the method has read its body as a stream or where it is under a lock of the policy,
// the answer is 409 with Retry-After, and the request comes again with the same key.
func Isolation(level sql.IsolationLevel) Option {
	return func(s *Store) { s.isolation = level }
}

// New makes a store over a database. It panics without a database or a dialect, and asks
// the database nothing: see [Store.Check].
func New(db *sql.DB, d Dialect, opts ...Option) *Store {
	if db == nil || d.String() == "none" {
		panic("sqlstore: New needs a database and a dialect, PostgreSQL or SQLite")
	}
	s := &Store{db: db, dialect: d, do: statementsOf(d)}
	for _, o := range opts {
		o(s)
	}
	return s
}

// statements are those of a dialect.
type statements struct {
	claim, read, extend, complete, spend, release, clean string
	// claimLocked is claim under a lock of the transaction, whose number is one more
	// parameter; empty where there is none.
	claimLocked string
}

// The states of a row, which are not those of Go's constants: they outlive programs.
const (
	rowInProgress = 1
	rowCompleted  = 2
	rowSpent      = 3
)

func statementsOf(d Dialect) statements {
	out := statements{
		// One statement, so that of two at the same moment one finds the other's row. The
		// clock is read again for the row that is there, which may have to be waited for.
		claim: `INSERT INTO holdfast_idempotency AS r (id, operation, fingerprint, state, owner, until_us)
VALUES ($1, $2, $3, 1, $4, NOW + $5)
ON CONFLICT (id) DO UPDATE SET operation = excluded.operation, fingerprint = excluded.fingerprint, state = 1,
owner = excluded.owner, until_us = NOW + $5, status = NULL, header = NULL, body = NULL
WHERE r.until_us <= NOW OR (r.state = 1 AND r.owner = excluded.owner)`,
		read:     `SELECT state, fingerprint, status, header, body FROM holdfast_idempotency WHERE id = $1 AND until_us > NOW`,
		extend:   `UPDATE holdfast_idempotency SET until_us = NOW + $3 WHERE id = $1 AND owner = $2 AND state = 1`,
		complete: `UPDATE holdfast_idempotency SET state = 2, until_us = NOW + $3, status = $4, header = $5, body = $6 WHERE id = $1 AND owner = $2 AND state = 1`,
		spend:    `UPDATE holdfast_idempotency SET state = 3, until_us = NOW + $3 WHERE id = $1 AND owner = $2 AND state = 1`,
		release:  `DELETE FROM holdfast_idempotency WHERE id = $1 AND owner = $2 AND state = 1`,
		// A claim whose lease has ended is its owner's until it is taken over; one that is
		// older than any handler is nobody's.
		clean: `DELETE FROM holdfast_idempotency WHERE id IN (SELECT id FROM holdfast_idempotency
WHERE until_us <= NOW AND (state <> 1 OR until_us <= NOW - $2) ORDER BY until_us LIMIT $1`,
	}
	if d == PostgreSQL {
		// In the same statement, for each trip to the server counts beside a short effect.
		out.claimLocked = strings.Replace("WITH free AS MATERIALIZED (SELECT pg_try_advisory_xact_lock($6::bigint) AS ok)\n"+out.claim,
			"VALUES ($1, $2, $3, 1, $4, NOW + $5)", "SELECT $1::bytea, $2::text, $3::bytea, 1, $4::text, NOW + $5::bigint FROM free WHERE ok", 1)
		out.clean += " FOR UPDATE SKIP LOCKED"
	}
	out.clean += ")"
	for _, text := range []*string{&out.claim, &out.claimLocked, &out.read, &out.extend, &out.complete, &out.spend, &out.release, &out.clean} {
		*text = d.statement(*text)
	}
	return out
}

// Querier is what runs statements: a *sql.DB, *sql.Tx or *sql.Conn, and what the code of
// sqlc takes.
type Querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Claim implements [store.Idempotency].
func (s *Store) Claim(ctx context.Context, id store.RecordID, fingerprint [32]byte, owner string, lease time.Duration) (store.Record, bool, error) {
	var r store.Record
	var claimed bool
	err := s.persist(ctx, func() (err error) {
		r, claimed, err = s.claim(ctx, s.db, recordKey(id), id.Operation, fingerprint, owner, lease)
		return err
	})
	if s.dialect.fault(err) == busy {
		return store.Record{State: store.InProgress, Fingerprint: fingerprint}, false, nil
	}
	return r, claimed, err
}

// rounds bounds how often a claim meets a record that is gone when it is looked at.
const rounds = 8

// claim takes the key, or reads who has it. The record can go between the two.
func (s *Store) claim(
	ctx context.Context, q Querier, key []byte, operation string, fingerprint [32]byte, owner string, lease time.Duration,
) (store.Record, bool, error) {
	for range rounds {
		n, err := affected(q.ExecContext(ctx, s.do.claim, key, shown(operation), fingerprint[:], owner, lease.Microseconds()))
		if err != nil {
			return store.Record{}, false, err
		}
		if n > 0 {
			return store.Record{State: store.InProgress, Fingerprint: fingerprint}, true, nil
		}
		r, err := s.read(ctx, q, key)
		if !errors.Is(err, sql.ErrNoRows) {
			return r, false, err
		}
	}
	return store.Record{State: store.InProgress, Fingerprint: fingerprint}, false, nil
}

// claimLocked is claim in a transaction. Who has the lock may have a row that cannot be seen
// yet, so without a row the key is taken.
func (s *Store) claimLocked(
	ctx context.Context, q Querier, key []byte, operation string, fingerprint [32]byte, owner string, lease time.Duration,
) (store.Record, bool, error) {
	taken := store.Record{State: store.InProgress, Fingerprint: fingerprint}
	n, err := affected(q.ExecContext(ctx, s.do.claimLocked, key, shown(operation), fingerprint[:], owner, lease.Microseconds(), lockNumber(key)))
	if err != nil {
		return store.Record{}, false, err
	}
	if n > 0 {
		return taken, true, nil
	}
	r, err := s.read(ctx, q, key)
	if errors.Is(err, sql.ErrNoRows) {
		return taken, false, nil
	}
	return r, false, err
}

// read reads a record that is in force.
func (s *Store) read(ctx context.Context, q Querier, key []byte) (store.Record, error) {
	var state int
	var fingerprint, header, body []byte
	var status sql.NullInt64
	if err := q.QueryRowContext(ctx, s.do.read, key).Scan(&state, &fingerprint, &status, &header, &body); err != nil {
		return store.Record{}, err
	}
	var r store.Record
	if copy(r.Fingerprint[:], fingerprint) != len(r.Fingerprint) {
		return store.Record{}, errors.New("sqlstore: the fingerprint of a record is broken")
	}
	switch state {
	case rowInProgress:
		r.State = store.InProgress
	case rowSpent:
		r.State = store.Spent
	case rowCompleted:
		fields, err := parseHeader(header)
		if err != nil {
			return store.Record{}, err
		}
		r.State, r.Result = store.Completed, store.Result{Status: int(status.Int64), Header: fields, Body: body}
	default:
		return store.Record{}, fmt.Errorf("sqlstore: a record has the state %d, which this version does not know", state)
	}
	return r, nil
}

// Extend implements [store.Idempotency].
func (s *Store) Extend(ctx context.Context, id store.RecordID, owner string, lease time.Duration) error {
	return s.change(ctx, s.do.extend, recordKey(id), owner, lease.Microseconds())
}

// Complete implements [store.Idempotency].
func (s *Store) Complete(ctx context.Context, id store.RecordID, owner string, result store.Result, ttl time.Duration) error {
	return s.change(ctx, s.do.complete, completion(recordKey(id), owner, result, ttl)...)
}

// completion are the parameters of the statement complete.
func completion(key []byte, owner string, r store.Result, ttl time.Duration) []any {
	return []any{key, owner, ttl.Microseconds(), r.Status, appendHeader(nil, r.Header), r.Body}
}

// Spend implements [store.Idempotency].
func (s *Store) Spend(ctx context.Context, id store.RecordID, owner string, ttl time.Duration) error {
	return s.change(ctx, s.do.spend, recordKey(id), owner, ttl.Microseconds())
}

// Release implements [store.Idempotency].
func (s *Store) Release(ctx context.Context, id store.RecordID, owner string) error {
	return s.change(ctx, s.do.release, recordKey(id), owner)
}

// change runs a statement whose conditions are that the record is in progress and the
// owner's.
func (s *Store) change(ctx context.Context, statement string, args ...any) error {
	return s.persist(ctx, func() error { return s.changeIn(ctx, s.db, statement, args...) })
}

func (s *Store) changeIn(ctx context.Context, q Querier, statement string, args ...any) error {
	n, err := affected(q.ExecContext(ctx, statement, args...))
	if err == nil && n == 0 {
		return store.ErrNotOwner
	}
	return err
}

func affected(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// tries of a statement that the database wants to be repeated, and the waits between.
const (
	tries     = 5
	firstWait = 5 * time.Millisecond
)

// persist repeats a statement that met another one. Each is a transaction of its own, of
// which nothing has happened then.
func (s *Store) persist(ctx context.Context, f func() error) error {
	for n := range tries {
		err := f()
		if s.dialect.fault(err) != conflict {
			return err
		}
		if n == tries-1 {
			return fmt.Errorf("%w: %w", store.ErrConflict, err)
		}
		wait := time.NewTimer(rand.N(firstWait << n)) //nolint:gosec // It spreads, and protects nothing.
		select {
		case <-ctx.Done():
			wait.Stop()
			return ctx.Err()
		case <-wait.C:
		}
	}
	return nil // not reached: the last try has returned
}
