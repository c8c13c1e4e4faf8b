package orders_test

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/golden/orders"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/store"
	sqlstore "github.com/holdfast-go/holdfast/runtime/store/sql"
)

// shop keeps orders in the transaction of the request.
type shop struct {
	// after is what goes wrong when the order is written.
	after func() error
}

func (s shop) PlaceOrder(ctx context.Context, r orders.PlaceOrderRequest) (*orders.Receipt, error) {
	var n int64
	err := sqlstore.Tx(ctx).QueryRowContext(ctx, "INSERT INTO placed (item) VALUES ($1) RETURNING id", r.Body.Item).Scan(&n)
	if err == nil && s.after != nil {
		err = s.after()
	}
	if err != nil {
		return nil, err
	}
	return &orders.Receipt{Number: n}, nil
}

// serve is a client of a shop that keeps its orders, and its keys, in the database.
func serve(t *testing.T, s shop, records store.Idempotency) *orders.Client {
	t.Helper()
	web := httptest.NewServer(orders.NewHandler(s, server.IdempotencyStore(records), server.OnError(nil), server.OnPanic(nil)))
	t.Cleanup(web.Close)
	c, err := orders.New(client.BaseURL(web.URL))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func place(t *testing.T, c *orders.Client, key string) (number int64, err error) {
	t.Helper()
	r, err := c.PlaceOrder(t.Context(), orders.PlaceOrderRequest{Body: orders.Order{Item: "tea"}}, client.IdempotencyKey(key))
	if err != nil {
		return 0, err
	}
	return r.Number, nil
}

// A repeat of an order has the receipt of the first, and there is one order.
func TestOneOrder(t *testing.T) {
	each(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		c := serve(t, shop{}, s)
		for _, call := range []struct {
			key    string
			number int64
		}{{"a", 1}, {"a", 1}, {"b", 2}, {"a", 1}} {
			if n, err := place(t, c, call.key); n != call.number || err != nil {
				t.Errorf("key %s: order %d, %v, want %d", call.key, n, err, call.number)
			}
		}
		if n := count(t, db, "placed"); n != 2 {
			t.Errorf("%d orders, want 2", n)
		}
		if n := count(t, db, "holdfast_idempotency"); n != 2 {
			t.Errorf("%d keys, want 2", n)
		}
	})
}

// What fails leaves neither an order nor a key, and the key can be used again.
func TestUndone(t *testing.T) {
	for name, after := range map[string]func() error{
		"an error": func() error { return errors.New("out of tea") },
		"a panic":  func() error { panic("out of tea") },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
				_, err := place(t, serve(t, shop{after}, s), "a")
				if e, is := errors.AsType[*fault.Error](err); !is || e.Status != http.StatusInternalServerError {
					t.Errorf("%v, want a status of 500", err)
				}
				for _, table := range []string{"placed", "holdfast_idempotency"} {
					if n := count(t, db, table); n != 0 {
						t.Errorf("%d rows of %s are left", n, table)
					}
				}
				if _, err := place(t, serve(t, shop{}, s), "a"); err != nil {
					t.Error(err)
				}
				if n := count(t, db, "placed"); n != 1 {
					t.Errorf("%d orders, want 1", n)
				}
			})
		})
	}
}

// A handler without a store that has transactions is not made.
func TestNeedsTransactions(t *testing.T) {
	defer func() {
		if err, _ := recover().(error); err == nil || !strings.Contains(err.Error(), "placeOrder has idempotency {within: transaction}") {
			t.Error(err)
		}
	}()
	orders.NewHandler(shop{}, server.IdempotencyStore(store.NewMemoryIdempotency(store.MemoryOptions{})))
}
