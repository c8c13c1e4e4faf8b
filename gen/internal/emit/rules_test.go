package emit

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

func TestBoundsAreExact(t *testing.T) {
	d := &document{}
	e := newEmitter(&d.api, names.New(&d.api), Options{Package: "p"})
	tests := []struct {
		checks ir.Checks
		scalar ir.Scalar
		want   string // of the rules' fields; empty: no rule
	}{
		{ir.Checks{Minimum: "1", Maximum: "5"}, ir.Int64, "Minimum: check.Int(1), Maximum: check.Int(5)"},
		{ir.Checks{Minimum: "1.2", Maximum: "5.8"}, ir.Int64, "Minimum: check.Int(2), Maximum: check.Int(5)"},
		{ir.Checks{Minimum: "-1.2", Maximum: "-0.5"}, ir.Int64, "Minimum: check.Int(-1), Maximum: check.Int(-1)"},
		{ir.Checks{Minimum: "1", ExclusiveMinimum: true, Maximum: "5", ExclusiveMaximum: true}, ir.Int32, "Minimum: check.Int(2), Maximum: check.Int(4)"},
		{ir.Checks{Minimum: "1.5", ExclusiveMinimum: true}, ir.Int64, "Minimum: check.Int(2)"},
		{ir.Checks{Maximum: "9007199254740993"}, ir.Int64, "Maximum: check.Int(9007199254740993)"},
		{ir.Checks{Minimum: "-1e300", Maximum: "1e300"}, ir.Int64, ""},
		{ir.Checks{Minimum: "9223372036854775807", ExclusiveMinimum: true}, ir.Int64, "ExclusiveMinimum: check.Int(9223372036854775807)"},
		{ir.Checks{Minimum: "0", Maximum: "18446744073709551615"}, ir.Uint64, ""},
		{ir.Checks{Maximum: "-1"}, ir.Uint64, "ExclusiveMaximum: check.Uint(0)"},
		{ir.Checks{MultipleOf: "5"}, ir.Int64, "MultipleOf: 5"},
		{ir.Checks{MultipleOf: "1"}, ir.Int64, ""},
		{ir.Checks{Minimum: "0", ExclusiveMinimum: true, MultipleOf: "0.01"}, ir.Float64, `ExclusiveMinimum: check.Float(0), MultipleOf: "0.01"`},
		{ir.Checks{Maximum: "1e-400000000"}, ir.Int64, "Maximum: check.Int(0)"},
		{ir.Checks{Maximum: "99999999999999999999.5"}, ir.BigInt, `Maximum: "99999999999999999999.5"`},
		{ir.Checks{MinLength: size(1), MaxLength: size(3), Format: "email"}, ir.String, "MinLength: 1, MaxLength: check.Len(3), Format: check.FormatEmail"},
		{ir.Checks{MinLength: size(0)}, ir.String, ""},
		{ir.Checks{Pattern: []string{`a\h`}}, ir.String, ""},
		{ir.Checks{Pattern: []string{"a"}}, ir.String, `Pattern: check.Regexp("a")`},
	}
	for _, tt := range tests {
		f := e.rules.checks(&tt.checks, scalar(tt.scalar))
		got := ""
		if f != nil {
			got = f.code().GoString()
			got = strings.TrimSuffix(got[strings.IndexByte(got, '{')+1:], "})")
		}
		if got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.checks, got, tt.want)
		}
	}
}

// Two rules with different code never share a variable.
func TestRuleNames(t *testing.T) {
	d := &document{}
	e := newEmitter(&d.api, names.New(&d.api), Options{Package: "p"})
	seen := map[string]string{}
	for _, c := range []ir.Checks{
		{Maximum: "1e2"}, {Maximum: "1e-2"}, {Maximum: "100"}, {Maximum: "1.00"}, {Minimum: "1"}, {Minimum: "1", ExclusiveMinimum: true},
		{Minimum: "-1"}, {MultipleOf: "1"}, {MultipleOf: "0.1"}, {Minimum: "1", Maximum: "2"}, {Minimum: "12"},
	} {
		u := &ir.Use{Type: scalar(ir.Float64), Checks: &c}
		name := e.rules.function(u).GoString()
		code := e.rules.checks(&c, u.Type).code().GoString()
		if other, ok := seen[name]; ok && other != code {
			t.Errorf("%s is both %s and %s", name, other, code)
		}
		seen[name] = code
	}
}
