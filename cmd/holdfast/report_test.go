package main

import (
	"testing"

	"github.com/holdfast-go/holdfast/gen"
)

// The last line says how much of it is owed to --strict, since the messages of repairs
// say what is done without it.
func TestCounts(t *testing.T) {
	broken, repaired := gen.Diagnostic{Severity: gen.Error}, gen.Diagnostic{Severity: gen.Error, Repair: true}
	warning := gen.Diagnostic{Severity: gen.Warning, Repair: true}
	for _, test := range []struct {
		of   []gen.Diagnostic
		want string
	}{
		{[]gen.Diagnostic{broken}, "1 error"},
		{[]gen.Diagnostic{broken, broken, warning}, "2 errors and 1 warning"},
		{[]gen.Diagnostic{repaired}, "1 error (for --strict alone)"},
		{[]gen.Diagnostic{repaired, repaired}, "2 errors (all for --strict alone)"},
		{[]gen.Diagnostic{broken, repaired, warning}, "2 errors (1 for --strict alone) and 1 warning"},
	} {
		if got := counts(test.of); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
