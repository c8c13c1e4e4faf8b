// Package pgtest runs a PostgreSQL server for tests: one for each test process, on a free
// port, with an empty folder of its own. The folder is a copy of one that initdb has made
// once and that is kept in the system's folder for temporary files.
//
// Without PostgreSQL on the machine the tests that need it are skipped, with a line that
// says so; under HOLDFAST_REQUIRE_SERVERS=1 they fail instead.
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
//
//	db, err := sql.Open("pgx", pgtest.URL(t))
package pgtest

import (
	"os"
	"sync"
	"testing"
)

// requireVariable makes a missing server a failure.
const requireVariable = "HOLDFAST_REQUIRE_SERVERS"

var shared struct {
	sync.Mutex

	tried bool
	url   string
	stop  func()
	err   error
}

// URL is the address of the server, which it starts for the first test that asks. Its
// database "postgres" is everybody's; tests that write make one of their own.
func URL(tb testing.TB) string {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.tried {
		shared.tried = true
		shared.url, shared.stop, shared.err = start()
	}
	if shared.err == nil {
		return shared.url
	}
	missing(tb, shared.err)
	return ""
}

// missing ends a test for want of a server.
func missing(tb testing.TB, err error) {
	tb.Helper()
	if os.Getenv(requireVariable) == "1" {
		tb.Fatalf("PostgreSQL: %v", err)
	}
	tb.Skipf("without PostgreSQL, which this is about: %v", err)
}

// Require skips a test, or fails it, where URL would, for tests that start servers of their
// own with [Start].
func Require(tb testing.TB) {
	tb.Helper()
	if err := installed(); err != nil {
		missing(tb, err)
	}
}

// Main runs the tests of a package and then stops the server, for its TestMain.
func Main(m *testing.M) int {
	code := m.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.stop != nil {
		shared.stop()
	}
	return code
}
