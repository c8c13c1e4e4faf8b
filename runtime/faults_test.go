package runtime_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// faults are those that libraries of this kind have shown in the field, and where each one
// would be found here: a folder below runtime, and a test in it.
var faults = map[string][][2]string{
	"a herd of calls at a half-open breaker":        {{"breaker", "TestOpensProbesCloses"}},
	"a half-open breaker stuck on a probe":          {{"breaker", "TestHungProbe"}},
	"late results that close a breaker":             {{"breaker", "TestLateResults"}},
	"cancellation counted as a failure":             {{"breaker", "TestIgnored"}, {"pipeline", "TestBreakerResults"}},
	"a listener that deadlocks":                     {{"breaker", "TestListenerMayUseTheBreaker"}},
	"a POST that is retried or hedged":              {{"retry", "TestRepeatable"}, {"client", "TestHedgeNot"}},
	"discarded bodies that are left open":           {{"retry/httpretry", "TestConnections"}, {"client", "TestConnectionsAreReused"}},
	"a request buffered without bound":              {{"client", "TestLargeBodies"}},
	"Retry-After ignored, uncapped or misread":      {{"retry", "TestHintOf"}, {"pipeline", "TestHints"}},
	"a timeout that cuts a streamed body":           {{"client", "TestStreamOutlivesTimeouts"}},
	"an attempt's timeout that ends the call":       {{"pipeline", "TestAttemptTimeoutDoesNotEndTheCall"}},
	"goroutines that are abandoned":                 {{"client", "TestNothingLeaks"}},
	"retries that multiply over layers":             {{"../golden/layers", "TestRetriesDoNotMultiply"}},
	"keys without bound":                            {{"ratelimit", "TestKeysAreBounded"}, {"pipeline", "TestKeyedBreakersAreBounded"}},
	"races between a check and its increment":       {{"ratelimit", "TestConcurrentGrants"}, {"breaker", "TestConcurrentUse"}},
	"waits under a millisecond that are rounded up": {{"ratelimit", "TestWait"}},
	"permits lost by waits that were given up":      {{"bulkhead", "TestNoSlotLostOnAbandonedWaits"}},
	"a sleep that does not hear its context":        {{"pipeline", "TestCancellationIsImmediate"}},
	"attempts that are off by one":                  {{"pipeline", "TestAllTriesUsed"}},
	"a quota that is never refilled":                {{"ratelimit", "TestBurstThenRate"}},
}

// The tests of the table are there.
func TestFaultsHaveTests(t *testing.T) {
	for fault, where := range faults {
		for _, w := range where {
			paths, err := filepath.Glob(filepath.Join(w[0], "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			if !has(t, paths, w[1]) {
				t.Errorf("%s: there is no %s in %s", fault, w[1], w[0])
			}
		}
	}
}

// has says that one of the files has the function.
func has(t *testing.T, paths []string, name string) bool {
	t.Helper()
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Recv == nil && f.Name.Name == name {
				return true
			}
		}
	}
	return false
}
