package sqlstore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/store"
	sqlstore "github.com/holdfast-go/holdfast/runtime/store/sql"
)

// lateRole is that of a process which claims a key, is stopped for longer than its lease
// lives, and then ends its run in the ways that there are.
const lateRole = "late"

var (
	lateID     = store.RecordID{Scope: "ann", Operation: "pay", Key: "k"}
	lateResult = store.Result{Status: 201, Body: []byte("of the late one")}
)

// late is that process: it says what it has done, and goes on when it is told to.
func late(s *sqlstore.Store, in *bufio.Reader) error {
	ctx := context.Background() // of the process
	if _, claimed, err := s.Claim(ctx, lateID, [32]byte{}, lateRole, 200*time.Millisecond); err != nil || !claimed {
		return fmt.Errorf("claimed %v, %w", claimed, err)
	}
	fmt.Println("claimed")
	if _, err := in.ReadString('\n'); err != nil {
		return err
	}
	for _, end := range []struct {
		name string
		err  error
	}{
		{"extend", s.Extend(ctx, lateID, lateRole, time.Minute)},
		{"complete", s.Complete(ctx, lateID, lateRole, lateResult, time.Minute)},
		{"spend", s.Spend(ctx, lateID, lateRole, time.Minute)},
		{"release", s.Release(ctx, lateID, lateRole)},
	} {
		if !errors.Is(end.err, store.ErrNotOwner) {
			fmt.Println(end.name, "says", end.err)
		}
	}
	fmt.Println("refused")
	return nil
}

// A process that is stopped while it works, and goes on when another has its key, changes
// nothing of the other's record: neither while that one works nor after.
func TestLateProcess(t *testing.T) {
	for _, b := range backends {
		address := b.address(t)
		db := open(t, b, address)
		applySchema(t, db, b.dialect)
		s := sqlstore.New(db, b.dialect)
		for _, completed := range []bool{false, true} {
			must(t, db, "DELETE FROM holdfast_idempotency")
			p := startLate(t, b, address)
			p.expect(t, "claimed")
			if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			p.takeOver(t, s)
			next := store.Result{Status: 201, Body: []byte("of the next one")}
			if completed {
				if err := s.Complete(t.Context(), lateID, "next", next, time.Minute); err != nil {
					t.Fatal(err)
				}
			}
			p.goOn(t)
			p.expect(t, "refused")
			if !completed {
				if err := s.Complete(t.Context(), lateID, "next", next, time.Minute); err != nil {
					t.Errorf("the record is not the next one's: %v", err)
				}
			}
			r, claimed, err := s.Claim(t.Context(), lateID, [32]byte{}, "third", time.Minute)
			if err != nil || claimed || string(r.Result.Body) != string(next.Body) {
				t.Errorf("%v %q, %v", claimed, r.Result.Body, err)
			}
		}
	}
}

// lateProcess is the process with what it says.
type lateProcess struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
	tell  func() error
}

func startLate(t *testing.T, b backend, address string) *lateProcess {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+lateRole, addressVariable+"="+address, dialectVariable+"="+b.dialect.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // also one that is stopped
		_ = cmd.Wait()
	})
	return &lateProcess{cmd, bufio.NewScanner(out), func() error { _, err := fmt.Fprintln(in); return err }}
}

func (p *lateProcess) expect(t *testing.T, want string) {
	t.Helper()
	if !p.lines.Scan() || p.lines.Text() != want {
		t.Fatalf("it says %q, want %q", p.lines.Text(), want)
	}
}

// takeOver claims the key as soon as the lease has ended.
func (p *lateProcess) takeOver(t *testing.T, s *sqlstore.Store) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		_, claimed, err := s.Claim(t.Context(), lateID, [32]byte{}, "next", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if claimed {
			return
		}
	}
	t.Fatal("the lease does not end")
}

func (p *lateProcess) goOn(t *testing.T) {
	t.Helper()
	if err := errors.Join(p.tell(), p.cmd.Process.Signal(syscall.SIGCONT)); err != nil {
		t.Fatal(err)
	}
}

// A duplicate and a second holder are answered while the first one works, however long a
// statement may wait for rows: the lock is only tried.
func TestAnsweredAtOnce(t *testing.T) {
	const patience = 5 * time.Second
	b := backends[0]
	address := b.address(t)
	db := open(t, b, address+"&lock_timeout=5000") // that many milliseconds
	applySchema(t, db, b.dialect)
	s := sqlstore.New(db, b.dialect)
	first, err := s.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = first.Rollback() }()
	if _, claimed, err := first.Claim(t.Context(), lateID, [32]byte{}, time.Minute); err != nil || !claimed {
		t.Fatal(claimed, err)
	}
	locks := sqlstore.NewLocks(db)
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, ok, err := locks.Acquire(sqlstore.InTx(t.Context(), tx), "k", "first", time.Minute); err != nil || !ok {
		t.Fatal(ok, err)
	}

	second, err := s.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = second.Rollback() }()
	begun := time.Now()
	if r, claimed, err := second.Claim(t.Context(), lateID, [32]byte{}, time.Minute); err != nil || claimed || r.State != store.InProgress {
		t.Errorf("the duplicate: %v, %v, %v", r, claimed, err)
	}
	if took := time.Since(begun); took > patience/2 {
		t.Errorf("the duplicate has waited %s", took)
	}
	begun = time.Now()
	if _, ok, err := locks.Acquire(t.Context(), "k", "second", time.Minute); ok || err != nil {
		t.Errorf("the second holder: %v, %v", ok, err)
	}
	if took := time.Since(begun); took > patience/2 {
		t.Errorf("the second holder has waited %s", took)
	}
}
