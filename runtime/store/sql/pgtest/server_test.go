package pgtest_test

import (
	"database/sql"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/holdfast-go/holdfast/runtime/store/sql/pgtest"
)

// What was committed is there after a crash.
func TestCrash(t *testing.T) {
	pgtest.Require(t)
	s, err := pgtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	one := func(query string) (n int) {
		t.Helper()
		db, err := sql.Open("pgx", s.URL())
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	exec(t, s.URL(), "CREATE TABLE t AS SELECT 7 AS n")
	if err := s.Crash(); err != nil {
		t.Fatal(err)
	}
	if n := one("SELECT n FROM t"); n != 7 {
		t.Errorf("%d, want 7", n)
	}
}

func exec(t *testing.T, url, statement string) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}
