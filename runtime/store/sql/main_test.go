package sqlstore_test

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

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(victim(role))
	}
	os.Exit(pgtest.Main(m))
}

// backend is a kind of database that the tests run on.
type backend struct {
	name    string
	dialect sqlstore.Dialect
	// address makes an empty database, and is what open takes.
	address func(t *testing.T) string
	driver  string
}

var backends = []backend{
	{"PostgreSQL", sqlstore.PostgreSQL, postgres, "pgx"},
	{"SQLite", sqlstore.SQLite, sqlite, "sqlite"},
}

// each runs a test on every kind of database, with the tables of the command in it.
func each(t *testing.T, f func(t *testing.T, b backend, db *sql.DB)) {
	t.Helper()
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			db := open(t, b, b.address(t))
			applySchema(t, db, b.dialect)
			f(t, b, db)
		})
	}
}

func open(t *testing.T, b backend, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open(b.driver, address)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(20)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// applySchema applies what `holdfast schema` prints, twice: it may be.
func applySchema(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
	t.Helper()
	text := schemaOf(t, d)
	for range 2 {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
}

func schemaOf(tb testing.TB, d sqlstore.Dialect) string {
	tb.Helper()
	text, err := templates.Files.ReadFile("schema_" + d.String() + ".sql.tmpl")
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

func must(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func count(t *testing.T, db *sql.DB, query string) int {
	t.Helper()
	var n int
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

var databases atomic.Int64

func postgres(t *testing.T) string {
	t.Helper()
	url := pgtest.URL(t)
	admin, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close() }()
	name := fmt.Sprintf("test%d", databases.Add(1))
	must(t, admin, "CREATE DATABASE "+name)
	return strings.Replace(url, "/postgres?", "/"+name+"?", 1)
}

func sqlite(t *testing.T) string {
	t.Helper()
	return "file:" + filepath.Join(t.TempDir(), "test.db") + "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)&_txlock=immediate"
}
