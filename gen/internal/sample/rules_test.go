package sample

import (
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/check/schema"
)

// Values are tried until they keep the rules, and where none does there is none.
func TestRules(t *testing.T) {
	set := schema.NewSet(map[string]string{
		"not first": `{"not": {"const": "sample-1"}}`, "not both": `{"not": {"required": ["a", "b"]}}`,
		"never": `false`, "object": `{"type": "object"}`, "many": `{"minProperties": 9}`,
	})
	held := func(name string) *ir.Checks { return &ir.Checks{Rules: []*ir.Rule{{Name: name, Set: set}}} }
	const kept = "any value that keeps the rule"
	pair := object(field("a", true, scalar(ir.String)), field("b", false, scalar(ir.String)))
	var wide []*ir.Field
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"} {
		wide = append(wide, field(name, false, scalar(ir.Bool)))
	}
	for name, test := range map[string]struct {
		use  *ir.Use
		want string // empty: no value
	}{
		"another text":         {use(scalar(ir.String), held("not first")), kept},
		"nothing optional":     {use(pair, held("not both")), `{"a": "a-1"}`},
		"all that is there":    {use(object(wide...), held("many")), `{"a": true, "b": true, "c": true, "d": true, "e": true, "f": true, "g": true, "h": true, "i": true}`},
		"any, as an object":    {use(&ir.Type{Kind: ir.KindAny}, held("object")), `{}`},
		"nothing":              {use(scalar(ir.String), held("never")), ""},
		"a rule of the type":   {use(&ir.Type{Kind: ir.KindScalar, Checks: held("not first")}), kept},
		"a list is left out":   {use(object(field("x", false, &ir.Type{Kind: ir.KindScalar, Checks: held("never")}))), `{}`},
		"no list to leave out": {use(object(field("x", true, &ir.Type{Kind: ir.KindScalar, Checks: held("never")}))), ""},
	} {
		got := ""
		if v := Value(test.use, Both); v != nil {
			got = v.JSON()
		}
		if test.want == kept && got != "" && got != `"sample-1"` {
			continue
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
