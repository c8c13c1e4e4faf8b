// Package bank is the service of the payment example: accounts in a SQL database, and the
// methods of the generated server over them.
package bank

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/http"

	"github.com/holdfast-go/holdfast/examples/payment/api"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/lock"
	sqlstore "github.com/holdfast-go/holdfast/runtime/store/sql"
)

//go:embed schema.sql
var schema string

// Setup makes the tables of the bank where they are missing. Those of holdfast itself are
// what `holdfast schema` prints.
func Setup(ctx context.Context, db *sql.DB, d sqlstore.Dialect) error {
	id := "INTEGER PRIMARY KEY"
	if d == sqlstore.PostgreSQL {
		id = "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
	}
	_, err := db.ExecContext(ctx, fmt.Sprintf(schema, id))
	return err
}

// Open makes an account with a balance in cents; one that is there stays as it is.
func Open(ctx context.Context, db *sql.DB, id string, balance int64) error {
	_, err := db.ExecContext(ctx, `INSERT INTO account (id, balance) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`, id, balance)
	return err
}

// Service answers the operations of the document. It is safe for concurrent use.
type Service struct {
	// DB is for what is not done in the transaction of a request. It is needed.
	DB *sql.DB
}

var _ api.Service = Service{}

// CreatePayment moves the money in the transaction of the request. The lock on both
// accounts lets it read the balances first and write them after.
func (s Service) CreatePayment(ctx context.Context, r api.CreatePaymentRequest) (*api.Payment, error) {
	return Pay(ctx, sqlstore.Tx(ctx), r.Body)
}

// Pay is CreatePayment through what the caller gives, which has to be a transaction: a
// crash between two of its statements would otherwise lose money.
func Pay(ctx context.Context, q sqlstore.Querier, p api.NewPayment) (*api.Payment, error) {
	if p.From == p.To {
		return nil, &fault.Problem{Status: http.StatusUnprocessableEntity, Detail: "the two accounts are one"}
	}
	from, err := balance(ctx, q, p.From)
	if err != nil {
		return nil, missing(err, &api.CreatePaymentNotFound{})
	}
	to, err := balance(ctx, q, p.To)
	if err != nil {
		return nil, missing(err, &api.CreatePaymentNotFound{})
	}
	if from < p.Amount {
		return nil, &api.CreatePaymentPaymentRequired{Body: api.Shortage{Balance: from}}
	}
	from, to = from-p.Amount, to+p.Amount
	const change = `UPDATE account SET balance = $1 WHERE id = $2`
	if _, err := q.ExecContext(ctx, change, from, p.From); err != nil {
		return nil, err
	}
	if _, err := q.ExecContext(ctx, change, to, p.To); err != nil {
		return nil, err
	}
	out := api.Payment{Balance: from}
	err = q.QueryRowContext(ctx, `INSERT INTO payment (payer, payee, amount, reference) VALUES ($1, $2, $3, $4) RETURNING id`,
		p.From, p.To, p.Amount, p.Reference).Scan(&out.ID)
	return &out, err
}

// GetAccount reads an account.
func (s Service) GetAccount(ctx context.Context, r api.GetAccountRequest) (*api.Account, error) {
	b, err := balance(ctx, s.DB, r.ID)
	if err != nil {
		return nil, missing(err, &api.GetAccountNotFound{})
	}
	return &api.Account{ID: r.ID, Balance: b}, nil
}

// CloseStatement numbers a statement. It works outside of a transaction, so the lock may be
// another's by the time that its write arrives: the write has the fencing token as its
// condition, and leaves the token behind.
func (s Service) CloseStatement(ctx context.Context, r api.CloseStatementRequest) (*api.Statement, error) {
	var out api.Statement
	err := s.DB.QueryRowContext(ctx, `UPDATE account SET statements = statements + 1, fence = $2
WHERE id = $1 AND fence < $2 RETURNING statements, balance`, r.ID, lock.FencingToken(ctx, Key(r.ID))).Scan(&out.Number, &out.Balance)
	if !errors.Is(err, sql.ErrNoRows) {
		return &out, err
	}
	if _, err := balance(ctx, s.DB, r.ID); err != nil {
		return nil, missing(err, &api.CloseStatementNotFound{})
	}
	return nil, ErrStale
}

// Key is what the document locks for an account.
func Key(account string) string { return "account/" + account }

// ErrStale is the error of a write whose lock has gone to another, who has written.
var ErrStale = errors.New("bank: a later holder of the lock has written")

func balance(ctx context.Context, q sqlstore.Querier, id string) (b int64, err error) {
	err = q.QueryRowContext(ctx, `SELECT balance FROM account WHERE id = $1`, id).Scan(&b)
	return b, err
}

// missing is what a method answers where there is no row.
func missing(err, answer error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return answer
	}
	return err
}
