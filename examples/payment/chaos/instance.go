//go:build linux

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"github.com/holdfast-go/holdfast/examples/payment/api"
	"github.com/holdfast-go/holdfast/examples/payment/bank"
	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/store"
	sqlstore "github.com/holdfast-go/holdfast/runtime/store/sql"
)

// An instance is this program in another role, which its environment tells.
const (
	roleVariable     = "HOLDFAST_CHAOS_ROLE"
	addressVariable  = "HOLDFAST_CHAOS_ADDRESS"
	databaseVariable = "HOLDFAST_CHAOS_DATABASE"
	withoutVariable  = "HOLDFAST_CHAOS_WITHOUT"

	instanceRole = "instance"
)

// token is the credential of the clients.
const token = "chaos"

// guard is what an instance can be run without, to see that the oracles notice.
type guard string

const (
	guardTransaction guard = "transaction" // the effect is committed apart from its key
	guardFence       guard = "fence"       // the write does not ask for the token
	guardOwner       guard = "owner"       // every claim of a key has the same owner
	guardLock        guard = "lock"        // everybody has every lock
)

// guards are all of them.
var guards = []guard{guardTransaction, guardFence, guardOwner, guardLock}

// instance serves until it is killed.
func instance() error {
	db, err := sql.Open("pgx", os.Getenv(databaseVariable))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(24)
	db.SetMaxIdleConns(24)
	without := guard(os.Getenv(withoutVariable))
	var records store.Idempotency = sqlstore.New(db, sqlstore.PostgreSQL)
	if without == guardOwner {
		records = anyOwner{sqlstore.New(db, sqlstore.PostgreSQL)}
	}
	var locks lock.Backend = sqlstore.NewLocks(db)
	if without == guardLock {
		locks = noLocks{}
	}
	web := http.Server{
		Addr: os.Getenv(addressVariable),
		Handler: tellKept(api.NewHandler(service{bank.Service{DB: db}, without},
			server.IdempotencyStore(records), server.Locks(locks), server.Authenticate(authenticate), server.OnError(noteUnkept))),
		ReadHeaderTimeout: 10 * time.Second,
	}
	return web.ListenAndServe()
}

func authenticate(_ context.Context, c *server.Credentials) (server.Principal, error) {
	if c.Secret != token {
		return server.Principal{}, server.ErrUnauthorized
	}
	return server.Principal{ID: "chaos"}, nil
}

// service is the bank with work that takes some time at the moments that matter, and
// without a guard.
type service struct {
	bank.Service

	without guard
}

// CreatePayment takes its time between the effect and its commit.
func (s service) CreatePayment(ctx context.Context, r api.CreatePaymentRequest) (*api.Payment, error) {
	pay := s.Service.CreatePayment
	if s.without == guardTransaction {
		pay = s.payApart
	}
	p, err := pay(ctx, r)
	work(ctx, 20*time.Millisecond)
	return p, err
}

// CloseStatement takes its time between the lock and the write.
func (s service) CloseStatement(ctx context.Context, r api.CloseStatementRequest) (*api.Statement, error) {
	fmt.Fprintln(os.Stdout, "working") // for a fault to come now
	work(ctx, 400*time.Millisecond)
	if s.without == guardFence {
		return s.closeAnyway(ctx, r)
	}
	return s.Service.CloseStatement(ctx, r)
}

// payApart pays in a transaction that is not the request's.
func (s service) payApart(ctx context.Context, r api.CreatePaymentRequest) (*api.Payment, error) {
	tx, err := s.DB.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	p, err := bank.Pay(ctx, tx, r.Body)
	if err != nil {
		return nil, err
	}
	return p, tx.Commit()
}

// closeAnyway writes whoever has the lock.
func (s service) closeAnyway(ctx context.Context, r api.CloseStatementRequest) (*api.Statement, error) {
	var out api.Statement
	err := s.DB.QueryRowContext(ctx, `UPDATE account SET statements = statements + 1, fence = $2 WHERE id = $1 RETURNING statements, balance`,
		r.ID, lock.FencingToken(ctx, bank.Key(r.ID))).Scan(&out.Number, &out.Balance)
	return &out, err
}

// work takes up to a while.
func work(ctx context.Context, atMost time.Duration) {
	t := time.NewTimer(rand.N(atMost)) //nolint:gosec // It is no secret.
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// anyOwner is a store in which every claim has the same owner, which is as if nobody
// compared them.
type anyOwner struct{ *sqlstore.Store }

const anybody = "anybody"

func (s anyOwner) Claim(ctx context.Context, id store.RecordID, fingerprint [32]byte, _ string, lease time.Duration) (store.Record, bool, error) {
	return s.Store.Claim(ctx, id, fingerprint, anybody, lease)
}

func (s anyOwner) Extend(ctx context.Context, id store.RecordID, _ string, lease time.Duration) error {
	return s.Store.Extend(ctx, id, anybody, lease)
}

func (s anyOwner) Complete(ctx context.Context, id store.RecordID, _ string, r store.Result, ttl time.Duration) error {
	return believe(s.Store.Complete(ctx, id, anybody, r, ttl))
}

func (s anyOwner) Release(ctx context.Context, id store.RecordID, _ string) error {
	return believe(s.Store.Release(ctx, id, anybody))
}

// believe takes what is somebody else's for one's own.
func believe(err error) error {
	if errors.Is(err, store.ErrNotOwner) {
		return nil
	}
	return err
}

// noLocks gives every lock to everybody.
type noLocks struct{}

func (noLocks) Acquire(context.Context, string, string, time.Duration) (fence int64, ok bool, err error) {
	return time.Now().UnixMicro(), true, nil
}

func (noLocks) Extend(context.Context, string, string, time.Duration) error { return nil }
func (noLocks) Release(context.Context, string, string) error               { return nil }

// fatal tells why the program ends.
func fatal(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}
