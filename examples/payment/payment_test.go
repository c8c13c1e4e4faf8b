package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/examples/payment/api"
	"github.com/holdfast-go/holdfast/examples/payment/bank"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/store/sql/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// each runs a test on each kind of database. That of PostgreSQL is the only one of its
// server, so one test after the other finds it empty.
func each(t *testing.T, f func(t *testing.T, s settings)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, settings{}) })
	t.Run("postgres", func(t *testing.T) { f(t, settings{postgres: pgtest.URL(t)}) })
}

// What the README shows is what the program prints.
func TestShow(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, s settings) {
		var out strings.Builder
		if err := s.run(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "```\n"+out.String()+"```\n") {
			t.Errorf("the README does not have\n%s", &out)
		}
		empty(t, s)
	})
}

// empty deletes what a test has written.
func empty(t *testing.T, s settings) {
	t.Helper()
	if s.postgres == "" {
		return
	}
	ctx := context.WithoutCancel(t.Context()) // it has ended where this is a clean-up
	d, err := s.open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	if _, err := d.db.ExecContext(ctx, "DROP TABLE account, payment, holdfast_idempotency, holdfast_lock"); err != nil {
		t.Fatal(err)
	}
}

// serve is a client of the service.
func serve(t *testing.T, s settings) (*api.Client, *database) {
	t.Helper()
	d, err := s.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(d.handler())
	t.Cleanup(func() {
		web.Close()
		if err := d.close(); err != nil {
			t.Error(err)
		}
		empty(t, s)
	})
	c, err := api.New(client.BaseURL(web.URL), client.Bearer(api.SchemeBearer, token))
	if err != nil {
		t.Fatal(err)
	}
	return c, d
}

func TestStatements(t *testing.T) {
	each(t, func(t *testing.T, s settings) {
		c, _ := serve(t, s)
		for _, call := range []struct {
			key    string
			number int64
		}{{"june", 1}, {"july", 2}, {"june", 1}} {
			got, err := c.CloseStatement(t.Context(), api.CloseStatementRequest{ID: "ann"}, client.IdempotencyKey(call.key))
			if err != nil || got.Number != call.number || got.Balance != 10_000 {
				t.Errorf("%s: %+v, %v, want number %d", call.key, got, err, call.number)
			}
		}
		_, err := c.CloseStatement(t.Context(), api.CloseStatementRequest{ID: "nobody"}, client.IdempotencyKey("x"))
		if _, ok := errors.AsType[*api.CloseStatementNotFound](err); !ok {
			t.Error(err)
		}
	})
}

func TestAccounts(t *testing.T) {
	each(t, func(t *testing.T, s settings) {
		c, _ := serve(t, s)
		pay := func(from, to string) error {
			_, err := c.CreatePayment(t.Context(), api.CreatePaymentRequest{Body: api.NewPayment{From: from, To: to, Amount: 1, Reference: "r"}},
				client.IdempotencyKey(from+to))
			return err
		}
		if err := pay("ann", "bob"); err != nil {
			t.Error(err)
		}
		for id, balance := range map[string]int64{"ann": 9_999, "bob": 10_001} {
			if a, err := c.GetAccount(t.Context(), api.GetAccountRequest{ID: id}); err != nil || a.Balance != balance {
				t.Errorf("%+v, %v, want %d", a, err, balance)
			}
		}
		for _, to := range []string{"nobody", "ann"} {
			err := pay("ann", to)
			_, unknown := errors.AsType[*api.CreatePaymentNotFound](err)
			f, _ := errors.AsType[*fault.Error](err)
			if unknown != (to == "nobody") || (to == "ann" && (f == nil || f.Status != http.StatusUnprocessableEntity)) {
				t.Errorf("to %s: %v", to, err)
			}
		}
		_, err := c.GetAccount(t.Context(), api.GetAccountRequest{ID: "nobody"})
		if _, ok := errors.AsType[*api.GetAccountNotFound](err); !ok {
			t.Error(err)
		}
	})
}

// The write of one whose lock has gone to another, who has written, is refused.
func TestStaleHolder(t *testing.T) {
	each(t, func(t *testing.T, s settings) {
		_, d := serve(t, s)
		service := bank.Service{DB: d.db}
		locks := lock.NewMemory()
		hold := func() *lock.Lease {
			l, err := lock.Acquire(t.Context(), locks, lock.Options{Keys: []string{bank.Key("ann")}, TTL: 20 * time.Millisecond, Wait: 10 * time.Second, Fencing: true})
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		write := func(l *lock.Lease) error {
			// A write that is under way does not notice that its context has ended.
			_, err := service.CloseStatement(context.WithoutCancel(l.Context()), api.CloseStatementRequest{ID: "ann"})
			return err
		}
		first := hold()
		second := hold() // when the first has ended
		if !first.Lost() {
			t.Error("the first still has it")
		}
		if err := write(second); err != nil {
			t.Error(err)
		}
		if err := write(first); !errors.Is(err, bank.ErrStale) {
			t.Errorf("the stale write: %v", err)
		}
	})
}

func TestListen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	if err := listen(ctx, &out, "127.0.0.1:0", http.NotFoundHandler()); err != nil || !strings.HasPrefix(out.String(), "serving at 127.0.0.1:0") {
		t.Errorf("%q, %v", out.String(), err)
	}
}
