package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	_ "modernc.org/sqlite"             // the driver sqlite

	"github.com/holdfast-go/holdfast/examples/payment/api"
	"github.com/holdfast-go/holdfast/examples/payment/bank"
	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/server"
	sqlstore "github.com/holdfast-go/holdfast/runtime/store/sql"
	"github.com/holdfast-go/holdfast/templates"
)

// token is the only credential that the example knows.
const token = "example"

// database is where the bank, the keys of requests and the locks are.
type database struct {
	db      *sql.DB
	dialect sqlstore.Dialect
	folder  string // to be deleted; empty is none
}

// open opens the database and makes its tables.
func (s settings) open(ctx context.Context) (*database, error) {
	d := &database{dialect: sqlstore.PostgreSQL}
	driver, address := "pgx", s.postgres
	if address == "" {
		folder, err := os.MkdirTemp("", "holdfast-payment-")
		if err != nil {
			return nil, err
		}
		d.dialect, d.folder, driver = sqlstore.SQLite, folder, "sqlite"
		address = "file:" + filepath.Join(folder, "payment.db") + "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_txlock=immediate"
	}
	var err error
	if d.db, err = sql.Open(driver, address); err == nil {
		err = d.setup(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// setup makes the tables of holdfast and of the bank. A program of yours has both in its
// migrations.
func (d *database) setup(ctx context.Context) error {
	tables, err := templates.Files.ReadFile("schema_" + d.dialect.String() + ".sql.tmpl")
	if err != nil {
		return err
	}
	if _, err := d.db.ExecContext(ctx, string(tables)); err != nil {
		return err
	}
	if err := bank.Setup(ctx, d.db, d.dialect); err != nil {
		return err
	}
	for _, id := range []string{"ann", "bob"} {
		if err := bank.Open(ctx, d.db, id, 10_000); err != nil {
			return err
		}
	}
	return sqlstore.New(d.db, d.dialect).Check(ctx)
}

// handler is the generated server over the bank.
func (d *database) handler() http.Handler {
	// SQLite is for one instance, whose locks can be in its memory.
	locks := lock.NewMemory()
	if d.dialect == sqlstore.PostgreSQL {
		locks = sqlstore.NewLocks(d.db)
	}
	return api.NewHandler(bank.Service{DB: d.db},
		server.IdempotencyStore(sqlstore.New(d.db, d.dialect)), server.Locks(locks), server.Authenticate(authenticate))
}

func authenticate(_ context.Context, c *server.Credentials) (server.Principal, error) {
	if c.Secret != token {
		return server.Principal{}, server.ErrUnauthorized
	}
	return server.Principal{ID: "example"}, nil
}

// print shows what is in the tables.
func (d *database) print(ctx context.Context, out io.Writer) error {
	for _, row := range []struct{ name, query string }{
		{"payments", "SELECT count(*) FROM payment"},
		{"keys", "SELECT count(*) FROM holdfast_idempotency"},
		{"cents in all", "SELECT sum(balance) FROM account"},
	} {
		var n int64
		if err := d.db.QueryRowContext(ctx, row.query).Scan(&n); err != nil {
			return err
		}
		fmt.Fprintf(out, "in the database: %d %s\n", n, row.name)
	}
	return nil
}

func (d *database) close() error {
	var err error
	if d.db != nil {
		err = d.db.Close()
	}
	if d.folder != "" {
		err = errors.Join(err, os.RemoveAll(d.folder))
	}
	return err
}
