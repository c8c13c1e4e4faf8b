package sqlstore_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/holdfast-go/holdfast/gen"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
	sqlstore "github.com/holdfast-go/holdfast/runtime/store/sql"
)

// A payment service: the payment, the claim of its key and the answer to replay are one
// transaction. The operation is what `holdfast generate` writes for
//
//	post:
//	  operationId: createPayment
//	  x-resilience: {server: {idempotency: {within: transaction}}}
func Example() {
	ctx := context.Background()
	db, err := sql.Open("sqlite", "file:example?mode=memory&cache=shared&_pragma=busy_timeout(5000)&_txlock=immediate")
	if err != nil {
		panic(err)
	}
	defer func() { _ = db.Close() }()
	tables, err := gen.SQLSchema("sqlite") // as `holdfast schema --dialect sqlite` prints it
	if err != nil {
		panic(err)
	}
	for _, statement := range []string{string(tables), "CREATE TABLE payment (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL)"} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			panic(err)
		}
	}
	records := sqlstore.New(db, sqlstore.SQLite)
	if err := records.Check(ctx); err != nil {
		panic(err)
	}

	createPayment := func(ctx context.Context) (string, error) {
		r, err := sqlstore.Tx(ctx).ExecContext(ctx, "INSERT INTO payment (amount) VALUES (100)")
		if err != nil {
			return "", err
		}
		id, err := r.LastInsertId()
		return fmt.Sprintf("payment %d", id), err
	}

	spec := policy.Spec{ID: "createPayment", Method: http.MethodPost, Path: "/payments", Server: policy.Server{
		Idempotency: &policy.Idempotency{Header: "Idempotency-Key", Required: true, TTL: 24 * time.Hour, Lease: 30 * time.Second, MaxBody: 1 << 20, Within: policy.WithinTransaction},
	}}
	operation := server.Operation[string]{Spec: &spec, Encode: func(w *server.Response, text string) {
		w.Text(http.StatusCreated, "text/plain", text)
	}}
	h := server.New(nil, []server.Route{server.HandleEmpty(&operation, createPayment)}, server.IdempotencyStore(records))

	for range 3 {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/payments", http.NoBody)
		r.Header.Set("Idempotency-Key", "order-123")
		h.ServeHTTP(w, r)
		fmt.Printf("%d %s, replayed: %t\n", w.Code, w.Body, w.Header().Get("Idempotent-Replayed") == "true")
	}
	var payments int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM payment").Scan(&payments); err != nil {
		panic(err)
	}
	fmt.Println(payments, "payment")
	// Output:
	// 201 payment 1, replayed: false
	// 201 payment 1, replayed: true
	// 201 payment 1, replayed: true
	// 1 payment
}
