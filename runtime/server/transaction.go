package server

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/idempotency"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/store"
)

// checkTransactions reports an operation that is to run in a transaction which nobody can
// begin.
func (h *handler) checkTransactions(specs []*policy.Spec) error {
	if _, ok := h.records.(store.Transactional); ok {
		return nil
	}
	for _, s := range specs {
		needs := wantsTransaction(&s.Server)
		for i := range s.Variants {
			if v := s.Variants[i].Server; v != nil {
				needs = needs || wantsTransaction(v)
			}
		}
		if needs {
			return fmt.Errorf("server: %s has idempotency {within: transaction}: give the handler a store in the database of its effect, "+
				"server.IdempotencyStore(sqlstore.New(db, sqlstore.PostgreSQL)) with package runtime/store/sql; "+
				"`holdfast schema` prints its tables", s.ID)
		}
	}
	return nil
}

func wantsTransaction(s *policy.Server) bool {
	return s.Idempotency != nil && s.Idempotency.Within == policy.WithinTransaction
}

// beginBare gives a transaction to a run without a key, or that shadow mode lets go on
// without one: its method writes through it all the same. What is wrong with the key is
// reported as it would be otherwise.
func (x *exchange) beginBare(g *idempotencyGuard, no *keyRefusal) *keyRefusal {
	d := g.BeginBare(x.call)
	if d.Action != idempotency.Run {
		return &keyRefusal{
			status: http.StatusServiceUnavailable, detail: "the database cannot be used at the moment", again: true, err: d.Err, always: true,
		}
	}
	x.claim, x.call.given = d.Claim, d.Claim
	return no
}

// settled ends the claim with an answer, before that is sent. It is false when the answer
// is another one: what a transaction could not commit has not happened.
func (x *exchange) settled(w *Response) bool {
	inTransaction := x.claim.InTransaction()
	err := x.endClaim(w)
	if !inTransaction || err == nil || w.status < 200 || w.status > 299 {
		return true
	}
	w.closeReader()
	x.cause = err
	switch {
	case x.r.Context().Err() != nil:
		x.problem(problem(http.StatusServiceUnavailable, "the caller has gone"))
	case x.call.Err() != nil:
		x.expired()
	case errors.Is(err, store.ErrConflict):
		x.collided()
	default:
		x.retryAfter(time.Second)
		x.problem(problem(http.StatusServiceUnavailable, "the result could not be stored; the same request tells what came of it"))
	}
	return false
}

// undone answers for a method whose error comes from the end of its transaction: its time
// was over, or another transaction was in its way.
func (x *exchange) undone(err error) bool {
	switch {
	case x.claim.Conflict(err):
		x.finishClaim(&failedResponse)
		x.collided()
	case x.call.Err() != nil && x.r.Context().Err() == nil:
		x.finishClaim(&failedResponse)
		x.expired()
	default:
		return false
	}
	return true
}

// collided answers for a transaction that was rolled back because of another one. The
// status is that of a request in flight, which clients wait for and repeat with the same
// key: that repeats the transaction.
func (x *exchange) collided() {
	x.retryAfter(time.Second)
	x.problem(problem(http.StatusConflict, "another request was at the same data; this one was undone and can be repeated"))
}
