package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/store"
	sqlstore "github.com/holdfast-go/holdfast/runtime/store/sql"
)

// paid is what the payment service answers.
type paid struct{ n int64 }

// payments is a server with one operation, in a transaction of the store.
func payments(records store.Idempotency, p policy.Idempotency, timeout time.Duration, f func(context.Context) (*paid, error)) http.Handler {
	if p.Header == "" {
		p.Header = "Idempotency-Key"
	}
	p.TTL, p.Lease, p.MaxBody, p.Within = time.Hour, time.Minute, 1<<20, policy.WithinTransaction
	spec := policy.Spec{ID: "pay", Method: http.MethodPost, Path: "/payments"}
	spec.Server.Idempotency = &p
	if timeout > 0 {
		spec.Server.Timeout = &policy.ServerTimeout{Handler: timeout}
	}
	op := server.Operation[*paid]{Spec: &spec, Encode: func(w *server.Response, r *paid) {
		w.Bytes(http.StatusCreated, "application/octet-stream", []byte{0, 0xff, byte(r.n)})
	}}
	return server.New(nil, []server.Route{server.HandleEmpty(&op, f)}, server.IdempotencyStore(records), server.OnError(nil), server.OnPanic(nil))
}

// pay writes a payment in the transaction of the request, and answers with its number.
func pay(ctx context.Context) (*paid, error) {
	var n int64
	err := sqlstore.Tx(ctx).QueryRowContext(ctx, "INSERT INTO payment (amount) VALUES (100) RETURNING id").Scan(&n)
	return &paid{n}, err
}

const paymentTable = "CREATE TABLE payment (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL)"

func newPayments(t *testing.T, b backend, db *sql.DB) *sqlstore.Store {
	t.Helper()
	table := paymentTable
	if b.dialect == sqlstore.PostgreSQL {
		table = strings.Replace(table, "INTEGER PRIMARY KEY", "integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY", 1)
	}
	must(t, db, table)
	return sqlstore.New(db, b.dialect)
}

func post(h http.Handler, key string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/payments", http.NoBody)
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	h.ServeHTTP(w, r)
	return w
}

func effects(t *testing.T, db *sql.DB) int {
	t.Helper()
	return count(t, db, "SELECT count(*) FROM payment")
}

// Any number of the same request have one effect, and those that get an answer get the
// same one, byte by byte.
func TestConcurrentDuplicates(t *testing.T) {
	each(t, func(t *testing.T, b backend, db *sql.DB) {
		s := newPayments(t, b, db)
		var inFlight, replayed atomic.Int64
		h := payments(s, policy.Idempotency{Required: true}, 0, func(ctx context.Context) (*paid, error) {
			r, err := pay(ctx)
			// On PostgreSQL it works until a duplicate has been told so; SQLite's wait for it.
			for end := time.Now().Add(10 * time.Second); b.dialect == sqlstore.PostgreSQL && inFlight.Load() == 0 && time.Now().Before(end); {
				time.Sleep(5 * time.Millisecond)
			}
			return r, err
		})
		web := httptest.NewServer(h)
		defer web.Close()
		var bodies sync.Map
		var wg sync.WaitGroup
		for range 12 {
			wg.Go(func() {
				for range 40 {
					r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL+"/payments", http.NoBody)
					r.Header.Set("Idempotency-Key", "order-1")
					res, err := http.DefaultClient.Do(r)
					if err != nil {
						t.Error(err)
						return
					}
					body, _ := io.ReadAll(res.Body)
					_ = res.Body.Close()
					switch res.StatusCode {
					case http.StatusCreated:
						bodies.Store(string(body)+res.Header.Get("Content-Type"), true)
						if res.Header.Get("Idempotent-Replayed") == "true" {
							replayed.Add(1)
						}
						return
					case http.StatusConflict:
						inFlight.Add(1)
						if res.Header.Get("Retry-After") != "1" {
							t.Error("no Retry-After")
						}
					default:
						t.Errorf("%d %s", res.StatusCode, body)
					}
					time.Sleep(20 * time.Millisecond)
				}
			})
		}
		wg.Wait()
		if n := effects(t, db); n != 1 {
			t.Errorf("%d effects", n)
		}
		if n := replayed.Load(); n != 11 {
			t.Errorf("%d replays, want 11", n)
		}
		if b.dialect == sqlstore.PostgreSQL && inFlight.Load() == 0 {
			t.Error("nobody was told to come again")
		}
		different := 0
		bodies.Range(func(k, _ any) bool {
			different++
			if k != "\x00\xff\x01application/octet-stream" {
				t.Errorf("%q", k)
			}
			return true
		})
		if different != 1 {
			t.Errorf("%d different answers", different)
		}
	})
}

type declined struct{}

func (declined) Error() string { return "declined" }

func (declined) Respond(w *server.Response) { w.Empty(http.StatusPaymentRequired) }

// Everything but 2xx undoes the effect and frees the key.
func TestRollback(t *testing.T) {
	for name, c := range map[string]struct {
		f      func(context.Context) (*paid, error)
		status int
	}{
		"an error":         {func(ctx context.Context) (*paid, error) { _, _ = pay(ctx); return nil, errors.New("x") }, 500},
		"an answer of 402": {func(ctx context.Context) (*paid, error) { _, _ = pay(ctx); return nil, declined{} }, 402},
		"a panic":          {func(ctx context.Context) (*paid, error) { _, _ = pay(ctx); panic("x") }, 500},
		"no result":        {func(ctx context.Context) (*paid, error) { _, _ = pay(ctx); return nil, nil }, 500}, //nolint:nilnil // It is what is tested.
		"a broken statement": {func(ctx context.Context) (*paid, error) {
			_, err := sqlstore.Tx(ctx).ExecContext(ctx, "no")
			return nil, err
		}, 500},
		"the timeout, waited": {func(ctx context.Context) (*paid, error) { _, _ = pay(ctx); <-ctx.Done(); return nil, ctx.Err() }, 503},
		"the timeout, a success too late": {func(ctx context.Context) (*paid, error) {
			r, err := pay(ctx)
			<-ctx.Done()
			return r, err
		}, 503},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, b backend, db *sql.DB) {
				s := newPayments(t, b, db)
				timeout := 30 * time.Second
				if c.status == http.StatusServiceUnavailable {
					timeout = 300 * time.Millisecond
				}
				h := payments(s, policy.Idempotency{}, timeout, c.f)
				for range 2 {
					if w := post(h, "k"); w.Code != c.status {
						t.Errorf("%d %s, want %d", w.Code, w.Body, c.status)
					}
				}
				// The key is free, once the late one is over.
				again := payments(s, policy.Idempotency{}, 0, pay)
				w := post(again, "k")
				for range 50 {
					if w.Code != http.StatusConflict {
						break
					}
					time.Sleep(20 * time.Millisecond)
					w = post(again, "k")
				}
				if w.Code != http.StatusCreated || w.Header().Get("Idempotent-Replayed") != "" {
					t.Errorf("%d %s", w.Code, w.Body)
				}
				if n := effects(t, db); n != 1 {
					t.Errorf("%d effects, want 1", n)
				}
			})
		})
	}
}

// A failed statement whose error the method keeps to itself does not pass for a success.
func TestSwallowedError(t *testing.T) {
	b := backends[0]
	db := open(t, b, b.address(t))
	applySchema(t, db, b.dialect)
	h := payments(newPayments(t, b, db), policy.Idempotency{}, 0, func(ctx context.Context) (*paid, error) {
		_, _ = sqlstore.Tx(ctx).ExecContext(ctx, "no such statement")
		return &paid{1}, nil
	})
	for _, key := range []string{"k", ""} {
		if w := post(h, key); w.Code != http.StatusServiceUnavailable {
			t.Errorf("key %q: %d", key, w.Code)
		}
	}
}

// A transaction that collides with another is undone and repeated, with a key and without;
// one that does so each time is answered with 409, for its client to repeat. Nothing of the
// tries before is left.
func TestSerialization(t *testing.T) {
	b := backends[0]
	db := open(t, b, b.address(t))
	applySchema(t, db, b.dialect)
	newPayments(t, b, db)
	s := sqlstore.New(db, b.dialect, sqlstore.Isolation(sql.LevelSerializable))
	for _, c := range []struct {
		key               string
		collisions, calls int
		status, amount    int
	}{
		{"none", 0, 1, http.StatusCreated, 10},
		{"one", 1, 2, http.StatusCreated, 20},
		{"two", 2, 3, http.StatusCreated, 30},
		{"always", 9, 3, http.StatusConflict, 4},
		{"", 1, 2, http.StatusCreated, 20},
	} {
		must(t, db, "DELETE FROM payment", "INSERT INTO payment (amount) VALUES (1)")
		calls := 0
		h := payments(s, policy.Idempotency{}, 0, func(ctx context.Context) (*paid, error) {
			tx := sqlstore.Tx(ctx)
			var sum int64
			if err := tx.QueryRowContext(ctx, "SELECT sum(amount) FROM payment").Scan(&sum); err != nil {
				return nil, err
			}
			if calls++; calls <= c.collisions {
				must(t, db, "UPDATE payment SET amount = amount + 1") //nolint:contextcheck // It is another transaction.
			}
			_, err := tx.ExecContext(ctx, "UPDATE payment SET amount = $1", sum*10)
			return &paid{sum}, err
		})
		w := post(h, c.key)
		if w.Code != c.status || (w.Header().Get("Retry-After") == "1") != (c.status == http.StatusConflict) {
			t.Errorf("%q: %d %s", c.key, w.Code, w.Body)
		}
		if calls != c.calls {
			t.Errorf("%q: %d calls, want %d", c.key, calls, c.calls)
		}
		if n := count(t, db, "SELECT amount FROM payment"); n != c.amount {
			t.Errorf("%q: an amount of %d, want %d", c.key, n, c.amount)
		}
		if c.key == "one" {
			if w := post(h, c.key); w.Header().Get("Idempotent-Replayed") != "true" || calls != c.calls {
				t.Errorf("%d, %d calls: the result of the second try was not kept", w.Code, calls)
			}
		}
	}
}

// Without a key, where none is required, and in shadow mode the method has a transaction too.
func TestBareTransaction(t *testing.T) {
	each(t, func(t *testing.T, b backend, db *sql.DB) {
		s := newPayments(t, b, db)
		optional := payments(s, policy.Idempotency{}, 0, pay)
		shadow := payments(s, policy.Idempotency{Mode: policy.Shadow, Required: true}, 0, pay)
		for i, w := range []*httptest.ResponseRecorder{post(optional, ""), post(optional, ""), post(shadow, ""), post(shadow, "k"), post(shadow, "k")} {
			if w.Code != http.StatusCreated || w.Header().Get("Idempotent-Replayed") != "" {
				t.Errorf("%d: %d %s", i, w.Code, w.Body)
			}
		}
		if n := effects(t, db); n != 5 {
			t.Errorf("%d effects, want 5", n)
		}
	})
}

// A key of another request, and a result that is too large to keep.
func TestOtherAnswers(t *testing.T) {
	each(t, func(t *testing.T, b backend, db *sql.DB) {
		h := payments(newPayments(t, b, db), policy.Idempotency{}, 0, pay)
		if w := post(h, "k"); w.Code != http.StatusCreated {
			t.Fatal(w.Code)
		}
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/payments?other=1", http.NoBody)
		r.Header.Set("Idempotency-Key", "k")
		if h.ServeHTTP(w, r); w.Code != http.StatusUnprocessableEntity {
			t.Error(w.Code)
		}
		must(t, db, "UPDATE holdfast_idempotency SET state = 3")
		if w := post(h, "k"); w.Code != http.StatusConflict || w.Header().Get("Retry-After") != "" {
			t.Error(w.Code, w.Header())
		}
	})
}

func TestNoDatabase(t *testing.T) {
	each(t, func(t *testing.T, b backend, db *sql.DB) {
		h := payments(newPayments(t, b, db), policy.Idempotency{OnStoreError: policy.AllowOnStoreError}, 0, pay)
		_ = db.Close()
		for _, key := range []string{"k", ""} {
			if w := post(h, key); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
				t.Errorf("%q: %d", key, w.Code)
			}
		}
	})
}

// A server whose store has no transactions is not made.
func TestConstructorRefuses(t *testing.T) {
	defer func() {
		err, _ := recover().(error)
		if err == nil || !strings.Contains(err.Error(), "pay has idempotency {within: transaction}") || !strings.Contains(err.Error(), "sqlstore.New") {
			t.Errorf("%v", err)
		}
	}()
	payments(store.NewMemoryIdempotency(store.MemoryOptions{}), policy.Idempotency{}, 0, pay)
}

func TestTx(t *testing.T) {
	var n int
	if err := sqlstore.Tx(t.Context()).QueryRowContext(t.Context(), "SELECT 1").Scan(&n); !errors.Is(err, sqlstore.ErrNoTransaction) {
		t.Error(err)
	}
	each(t, func(t *testing.T, b backend, db *sql.DB) {
		s := newPayments(t, b, db)
		ctx := t.Context()
		twice := func(ctx context.Context, _ sqlstore.Querier) error {
			if _, err := pay(ctx); err != nil {
				return err
			}
			return s.Do(ctx, func(ctx context.Context, _ sqlstore.Querier) error { _, err := pay(ctx); return err })
		}
		if err := s.Do(ctx, twice); err != nil || effects(t, db) != 2 {
			t.Error(err)
		}
		err := s.Do(ctx, func(ctx context.Context, q sqlstore.Querier) error {
			return errors.Join(twice(ctx, q), errors.New("undo"))
		})
		if err == nil || effects(t, db) != 2 {
			t.Error(err)
		}
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Do(sqlstore.InTx(ctx, tx), twice); err != nil {
			t.Error(err)
		}
		if err := tx.Rollback(); err != nil || effects(t, db) != 2 {
			t.Error(err)
		}
	})
}
