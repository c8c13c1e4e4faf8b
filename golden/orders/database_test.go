package orders_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	sqlstore "github.com/holdfast-go/holdfast/runtime/store/sql"
	"github.com/holdfast-go/holdfast/runtime/store/sql/pgtest"
	"github.com/holdfast-go/holdfast/templates"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// each runs a test on an empty database of each kind, with the tables of the store.
func each(t *testing.T, f func(t *testing.T, db *sql.DB, s *sqlstore.Store)) {
	t.Helper()
	for _, kind := range []struct {
		dialect    sqlstore.Dialect
		driver, id string
		address    func(t *testing.T) string
	}{
		{sqlstore.SQLite, "sqlite", "INTEGER PRIMARY KEY", sqlite},
		{sqlstore.PostgreSQL, "pgx", "integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY", postgres},
	} {
		t.Run(kind.dialect.String(), func(t *testing.T) {
			db := open(t, kind.driver, kind.address(t))
			schema, err := templates.Files.ReadFile("schema_" + kind.dialect.String() + ".sql.tmpl")
			if err != nil {
				t.Fatal(err)
			}
			must(t, db, string(schema))
			must(t, db, "CREATE TABLE placed (id "+kind.id+", item text NOT NULL)")
			f(t, db, sqlstore.New(db, kind.dialect))
		})
	}
}

func open(t *testing.T, driver, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func must(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func count(t *testing.T, db *sql.DB, table string) int {
	t.Helper()
	var n int
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func sqlite(t *testing.T) string {
	t.Helper()
	return "file:" + filepath.Join(t.TempDir(), "orders.db") + "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_txlock=immediate"
}

var databases atomic.Int64

func postgres(t *testing.T) string {
	t.Helper()
	url := pgtest.URL(t)
	name := fmt.Sprintf("orders%d", databases.Add(1))
	must(t, open(t, "pgx", url), "CREATE DATABASE "+name)
	return strings.Replace(url, "/postgres?", "/"+name+"?", 1)
}
