package idempotency

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/store"
)

// ErrNotTransactional is what a guard says whose policy wants one transaction for claim,
// effect and result, and whose store has none.
var ErrNotTransactional = errors.New("idempotency: the policy says within: transaction, and the store has no transactions")

// Transactional reports whether the guard's runs are transactions.
func (g *Guard) Transactional() bool { return g.policy.Within == policy.WithinTransaction }

// open begins a transaction.
func (g *Guard) open(ctx context.Context) (store.Transaction, error) {
	s, ok := g.store.(store.Transactional)
	if !ok {
		return nil, ErrNotTransactional
	}
	return s.Begin(ctx)
}

// beginIn is Begin in a transaction. Without the store there is no effect either, so what
// the policy says of its errors cannot let the run go on.
func (g *Guard) beginIn(ctx context.Context, id store.RecordID, fingerprint [32]byte) Decision {
	tx, r, err := g.claimIn(ctx, id, fingerprint)
	for n := 1; n < transactionTries && errors.Is(err, store.ErrConflict) && pause(ctx, n) == nil; n++ {
		tx, r, err = g.claimIn(ctx, id, fingerprint)
	}
	switch {
	case tx != nil:
		return Decision{Claim: &Claim{guard: g, id: id, tx: tx, inTx: true, keyed: true, fingerprint: fingerprint}}
	case errors.Is(err, store.ErrConflict):
		return Decision{Action: InFlight}
	case err != nil:
		return Decision{Action: Unavailable, Err: err}
	}
	return found(r, fingerprint)
}

// claimIn begins a transaction that has claimed the key. It is nil, and nothing is left of
// it, where somebody else has the key, which the record says, or with an error.
func (g *Guard) claimIn(ctx context.Context, id store.RecordID, fingerprint [32]byte) (store.Transaction, store.Record, error) {
	tx, err := g.open(ctx)
	if err != nil {
		return nil, store.Record{}, err
	}
	r, claimed, err := tx.Claim(ctx, id, fingerprint, g.policy.Lease)
	if claimed && err == nil {
		return tx, r, nil
	}
	_ = tx.Rollback() // nothing was done in it
	return nil, r, err
}

// How often a transaction is begun that meets others, and the wait before the second time.
// Whoever still meets others then is better off with an answer that tells the caller when
// to come again.
const (
	transactionTries = 3
	firstPause       = 5 * time.Millisecond
)

// pause waits before a transaction is begun again: full jitter over 5 ms x 2^n, so that two
// that have met do not meet again.
func pause(ctx context.Context, n int) error {
	return sleep.For(ctx, rand.N(firstPause<<n)) //nolint:gosec // It spreads, and protects nothing.
}

// Again gives the run another transaction, after an error of the work which says that its
// own met another one and that the same work may succeed at once: that is rolled back, and
// the key is claimed anew. Done says how often that was so already. It is false where the
// error says something else, has come too often, or somebody else has the key by now, and
// for a run without a transaction: then the error stands. From then on Value gives what the
// new transaction has. It is not for several goroutines at once.
func (c *Claim) Again(ctx context.Context, done int, err error) bool {
	if !c.InTransaction() || done >= transactionTries-1 || !c.transaction().Repeat(err) {
		return false
	}
	if c.transaction().Rollback() != nil || pause(ctx, done+1) != nil {
		return false
	}
	var tx store.Transaction
	if c.keyed {
		tx, _, err = c.guard.claimIn(ctx, c.id, c.fingerprint)
	} else {
		tx, err = c.guard.open(ctx)
	}
	if err != nil || tx == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tx = tx
	return true
}

// transaction is the latest one of the run.
func (c *Claim) transaction() store.Transaction {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tx
}

// BeginBare is Begin for a run without a key, of a guard that is Transactional: its effect
// has a transaction as well. The action is Run or Unavailable.
func (g *Guard) BeginBare(ctx context.Context) Decision {
	tx, err := g.open(ctx)
	if err != nil {
		return Decision{Action: Unavailable, Err: err}
	}
	return Decision{Claim: &Claim{guard: g, tx: tx, inTx: true}}
}

// InTransaction reports whether the run is a transaction: then its effect has happened only
// if Finish returns nil for a result of 2xx. It is false for a nil Claim.
func (c *Claim) InTransaction() bool { return c != nil && c.inTx }

// Value is what the context of the work has for a key, nil for those of others.
func (c *Claim) Value(key any) any {
	if !c.inTx {
		return nil
	}
	return c.transaction().Value(key)
}

// Conflict reports whether an error of the work means that its transaction met another one,
// and may be repeated.
func (c *Claim) Conflict(err error) bool {
	return c.InTransaction() && (errors.Is(err, store.ErrConflict) || c.transaction().Conflict(err))
}

// finishIn ends a transaction: a success is committed with its result, anything else is
// undone.
func (c *Claim) finishIn(ctx context.Context, result store.Result, keep bool) error {
	tx := c.transaction()
	if result.Status < 200 || result.Status > 299 {
		return tx.Rollback()
	}
	p := &c.guard.policy
	var err error
	switch {
	case !c.keyed:
	case keep:
		result.Header = kept(result.Header)
		err = tx.Complete(ctx, result, p.TTL)
	default:
		err = tx.Spend(ctx, p.TTL)
	}
	if err != nil {
		_ = tx.Rollback()
		return fmt.Errorf("idempotency: the result cannot be kept, and the work is undone: %w", err)
	}
	return tx.Commit()
}
