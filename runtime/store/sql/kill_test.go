package sqlstore_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/store"
	sqlstore "github.com/holdfast-go/holdfast/runtime/store/sql"
)

// The process that is killed is this test binary in another role: the name of the phase in
// which it stops and waits for its end.
const (
	roleVariable    = "HOLDFAST_SQLSTORE_ROLE"
	addressVariable = "HOLDFAST_SQLSTORE_ADDRESS"
	dialectVariable = "HOLDFAST_SQLSTORE_DIALECT"
)

// phases of a request, in their order, and whether its effect has to be there when the
// process is killed in them.
var phases = []struct {
	name     string
	happened bool
}{
	{"claimed", false}, // the method has begun
	{"written", false}, // the effect is in the transaction
	{"kept", false},    // the result is, too
	{"committed", true},
	{"answered", true},
}

// stopping is a store whose transactions stop in a phase.
type stopping struct {
	*sqlstore.Store

	role string
}

func (s stopping) Begin(ctx context.Context) (store.Transaction, error) {
	tx, err := s.Store.Begin(ctx)
	return stoppingTx{tx, s.role}, err
}

type stoppingTx struct {
	store.Transaction

	role string
}

func (t stoppingTx) Commit() error {
	t.stop("kept")
	err := t.Transaction.Commit()
	t.stop("committed")
	return err
}

func (t stoppingTx) stop(phase string) { stopIn(t.role, phase) }

// stopIn says that the phase is reached, and waits for the end.
func stopIn(role, phase string) {
	if role == phase {
		fmt.Println("in " + phase)
		select {}
	}
}

// victim is the process that is killed.
func victim(role string) int {
	b := backends[0]
	if os.Getenv(dialectVariable) == sqlstore.SQLite.String() {
		b = backends[1]
	}
	db, err := sql.Open(b.driver, os.Getenv(addressVariable))
	if err != nil {
		return 1
	}
	if role == lateRole {
		if err := late(sqlstore.New(db, b.dialect), bufio.NewReader(os.Stdin)); err != nil {
			fmt.Println(err)
		}
		return 0
	}
	h := payments(stopping{sqlstore.New(db, b.dialect), role}, policy.Idempotency{}, 0, func(ctx context.Context) (*paid, error) {
		stopIn(role, "claimed")
		r, err := pay(ctx)
		stopIn(role, "written")
		return r, err
	})
	fmt.Println(post(h, "k").Code)
	stopIn(role, "answered")
	return 1
}

// A process that is killed in any phase leaves all or nothing, and the same request then
// finds out: there is one effect in the end.
func TestKill(t *testing.T) {
	for _, b := range backends {
		for _, phase := range phases {
			t.Run(b.name+" "+phase.name, func(t *testing.T) {
				address := b.address(t)
				db := open(t, b, address)
				applySchema(t, db, b.dialect)
				s := newPayments(t, b, db)
				kill(t, b, address, phase.name)
				if n := effects(t, db); (n == 1) != phase.happened {
					t.Errorf("%d effects after the kill", n)
				}
				// The server of the database notices in its own time that the process is gone.
				h := payments(s, policy.Idempotency{}, 0, pay)
				w := post(h, "k")
				for end := time.Now().Add(5 * time.Second); w.Code == http.StatusConflict && time.Now().Before(end); w = post(h, "k") {
					time.Sleep(10 * time.Millisecond)
				}
				if replayed := w.Header().Get("Idempotent-Replayed") == "true"; w.Code != http.StatusCreated || replayed != phase.happened {
					t.Errorf("%d %s, replayed %v", w.Code, w.Body, replayed)
				}
				if n := effects(t, db); n != 1 {
					t.Errorf("%d effects in the end", n)
				}
			})
		}
	}
}

// kill runs the victim until it is in a phase, and kills it with a signal that it cannot
// see.
func kill(t *testing.T, b backend, address, phase string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+phase, addressVariable+"="+address, dialectVariable+"="+b.dialect.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		said = append(said, lines.Text())
		if lines.Text() == "in "+phase {
			break
		}
	}
	if len(said) == 0 || said[len(said)-1] != "in "+phase {
		t.Errorf("it said %s", strings.Join(said, ", "))
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
}

// A run whose lease has ended and whose key another has taken changes nothing when it ends,
// with claims that are no transactions.
func TestLateFinisher(t *testing.T) {
	each(t, func(t *testing.T, b backend, db *sql.DB) {
		s := sqlstore.New(db, b.dialect)
		ctx := t.Context()
		id := store.RecordID{Scope: "ann", Operation: "pay", Key: "k"}
		if _, claimed, err := s.Claim(ctx, id, [32]byte{}, "late", 0); err != nil || !claimed {
			t.Fatal(claimed, err)
		}
		if _, claimed, err := s.Claim(ctx, id, [32]byte{}, "next", time.Minute); err != nil || !claimed {
			t.Fatal(claimed, err)
		}
		if err := s.Complete(ctx, id, "late", store.Result{Status: 500}, time.Minute); err != store.ErrNotOwner { //nolint:errorlint // It is that one.
			t.Error(err)
		}
		// Nor does a transaction take what a claim without one holds, or the other way round.
		tx, err := s.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if r, claimed, err := tx.Claim(ctx, id, [32]byte{}, time.Minute); err != nil || claimed || r.State != store.InProgress {
			t.Errorf("%v, %v, %v", r, claimed, err)
		}
		if err := tx.Complete(ctx, store.Result{Status: 200}, time.Minute); err != store.ErrNotOwner { //nolint:errorlint // As above.
			t.Error(err)
		}
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	})
}
