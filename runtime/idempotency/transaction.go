package idempotency

import (
	"context"
	"errors"
	"fmt"

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
	tx, err := g.open(ctx)
	if err != nil {
		return Decision{Action: Unavailable, Err: err}
	}
	r, claimed, err := tx.Claim(ctx, id, fingerprint, g.policy.Lease)
	if claimed && err == nil {
		return Decision{Claim: &Claim{guard: g, tx: tx, keyed: true}}
	}
	_ = tx.Rollback() // nothing was done in it
	switch {
	case errors.Is(err, store.ErrConflict):
		return Decision{Action: InFlight}
	case err != nil:
		return Decision{Action: Unavailable, Err: err}
	}
	return found(r, fingerprint)
}

// BeginBare is Begin for a run without a key, of a guard that is Transactional: its effect
// has a transaction as well. The action is Run or Unavailable.
func (g *Guard) BeginBare(ctx context.Context) Decision {
	tx, err := g.open(ctx)
	if err != nil {
		return Decision{Action: Unavailable, Err: err}
	}
	return Decision{Claim: &Claim{guard: g, tx: tx}}
}

// InTransaction reports whether the run is a transaction: then its effect has happened only
// if Finish returns nil for a result of 2xx. It is false for a nil Claim.
func (c *Claim) InTransaction() bool { return c != nil && c.tx != nil }

// Value is what the context of the work has for a key, nil for those of others.
func (c *Claim) Value(key any) any {
	if c.tx == nil {
		return nil
	}
	return c.tx.Value(key)
}

// Conflict reports whether an error of the work means that its transaction met another one,
// and may be repeated.
func (c *Claim) Conflict(err error) bool {
	return c.InTransaction() && (errors.Is(err, store.ErrConflict) || c.tx.Conflict(err))
}

// finishIn ends a transaction: a success is committed with its result, anything else is
// undone.
func (c *Claim) finishIn(ctx context.Context, result store.Result, keep bool) error {
	if result.Status < 200 || result.Status > 299 {
		return c.tx.Rollback()
	}
	p := &c.guard.policy
	var err error
	switch {
	case !c.keyed:
	case keep:
		result.Header = kept(result.Header)
		err = c.tx.Complete(ctx, result, p.TTL)
	default:
		err = c.tx.Spend(ctx, p.TTL)
	}
	if err != nil {
		_ = c.tx.Rollback()
		return fmt.Errorf("idempotency: the result cannot be kept, and the work is undone: %w", err)
	}
	return c.tx.Commit()
}
