package store

import (
	"context"
	"errors"
	"time"
)

// ErrConflict is given when a transaction met another one at the same data, and the
// database wants it to be repeated from its beginning. Nothing of it has happened.
var ErrConflict = errors.New("store: the transaction met another one")

// Transactional is a store that keeps the claim, the effect and the result of a key in one
// transaction: all of them happen or none, also when the process dies.
type Transactional interface {
	Idempotency
	// Begin opens a transaction. It is rolled back when the context ends.
	Begin(ctx context.Context) (Transaction, error)
}

// Transaction is one of a [Transactional] store, for one request. Claim, Complete, Spend,
// Commit and Rollback are for one goroutine at a time, and the work of the effect comes
// between Claim and them; Value, Conflict and Repeat can be called at any time.
type Transaction interface {
	// Claim takes the key as [Idempotency] does, until the end of the transaction. Where
	// another transaction has it at this moment, the record is in progress and has the
	// fingerprint that was given, for that of the other is not known yet. The lease is
	// for a store that is shared with those who claim without a transaction.
	Claim(ctx context.Context, id RecordID, fingerprint [32]byte, lease time.Duration) (r Record, claimed bool, err error)
	// Value is what the context of the effect has for a key: whatever the store gives to
	// those who do the work. It is nil for all other keys.
	Value(key any) any
	// Complete keeps the result of the claimed key for ttl, Spend the key alone. Both are
	// ErrNotOwner without a claim.
	Complete(ctx context.Context, result Result, ttl time.Duration) error
	Spend(ctx context.Context, ttl time.Duration) error
	// Commit makes all of it last. After an error that is not ErrConflict it is not known
	// whether it does; a repeat with the same key finds out.
	Commit() error
	// Rollback undoes all of it; after Commit it does nothing.
	Rollback() error
	// Conflict reports whether an error of the effect means what ErrConflict does.
	Conflict(err error) bool
	// Repeat reports whether the same work may succeed at once in another transaction. It
	// is false for a conflict that was waited for as long as one may wait.
	Repeat(err error) bool
}
