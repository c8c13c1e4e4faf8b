package idempotency_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/idempotency"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/store"
)

var errSerialization = errors.New("could not serialize access")

// colliding is a store whose transactions meet others: the first ones at their claim. From
// takenFrom on somebody else has the key.
type colliding struct {
	store.Idempotency

	collisions, takenFrom int
	begun, rolledBack     int
}

func (s *colliding) Begin(context.Context) (store.Transaction, error) {
	s.begun++
	return &collidingTx{store: s, number: s.begun}, nil
}

type collidingTx struct {
	store.Transaction

	store  *colliding
	number int
}

func (t *collidingTx) Claim(context.Context, store.RecordID, [32]byte, time.Duration) (store.Record, bool, error) {
	switch {
	case t.number <= t.store.collisions:
		return store.Record{}, false, store.ErrConflict
	case t.store.takenFrom > 0 && t.number >= t.store.takenFrom:
		return store.Record{State: store.InProgress}, false, nil
	}
	return store.Record{}, true, nil
}

func (t *collidingTx) Rollback() error       { t.store.rolledBack++; return nil }
func (t *collidingTx) Repeat(err error) bool { return errors.Is(err, errSerialization) }
func (t *collidingTx) Value(any) any         { return t.number }

func beginIn(t *testing.T, s *colliding) idempotency.Decision {
	t.Helper()
	return idempotency.NewGuard(s, "pay", policy.Idempotency{Within: policy.WithinTransaction}).Begin(t.Context(), "", "k", [32]byte{})
}

// A claim that meets another transaction is made again, twice.
func TestClaimCollides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			collisions, begun int
			want              idempotency.Action
		}{{0, 1, idempotency.Run}, {1, 2, idempotency.Run}, {2, 3, idempotency.Run}, {3, 3, idempotency.InFlight}} {
			s := &colliding{collisions: c.collisions}
			if d := beginIn(t, s); d.Action != c.want || s.begun != c.begun || s.rolledBack != c.collisions {
				t.Errorf("%d collisions: %+v after %d, %d rolled back", c.collisions, d, s.begun, s.rolledBack)
			}
		}
	})
}

// Work whose transaction meets another one gets another, twice, unless somebody else has
// the key by then or the error is of another kind.
func TestAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &colliding{}
		c := beginIn(t, s).Claim
		for n, want := range []bool{true, true, false} {
			if got := c.Again(t.Context(), n, errSerialization); got != want {
				t.Errorf("again after %d: %v", n, got)
			}
			if number := min(n+2, 3); c.Value("any") != number || s.begun != number || s.rolledBack != number-1 {
				t.Errorf("transaction %v of %d, %d rolled back", c.Value("any"), s.begun, s.rolledBack)
			}
		}
		taken := beginIn(t, &colliding{takenFrom: 2}).Claim
		if taken.Again(t.Context(), 0, errSerialization) {
			t.Error("somebody else has the key")
		}
		other := &colliding{}
		if beginIn(t, other).Claim.Again(t.Context(), 0, errors.New("other")) || other.rolledBack != 0 {
			t.Error("repeated after another error")
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if beginIn(t, &colliding{}).Claim.Again(ended, 0, errSerialization) {
			t.Error("repeated after the caller has gone")
		}
		if (*idempotency.Claim)(nil).Again(t.Context(), 0, errSerialization) {
			t.Error("repeated without a claim")
		}
	})
}
