package sample

import (
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// What published documents need beyond the parts of schemas.

// Of two alternatives that differ in what must be there, at whatever depth, a value
// without anything else is of one alone.
func TestAlternativesToldApartByWhatIsLeftOut(t *testing.T) {
	inner := func(required bool) *ir.Type {
		return object(field("id", true, scalar(ir.String)), field("user", required, scalar(ir.String)))
	}
	loose, strict := object(field("item", true, inner(false))), object(field("item", true, inner(true)))
	v := Value(use(oneOf(ir.ByTrial, loose, strict)), Response)
	if v == nil || len(v.Members) != 1 || len(v.Members[0].Value.Members) != 1 {
		t.Fatalf("%+v", v)
	}
	if v := Value(use(oneOf(ir.ByTrial, strict, strict)), Response); v != nil {
		t.Errorf("two equal alternatives have the value %+v", v)
	}
}

// A text alone could be a list of one, so a parameter that may be both is a list of two.
func TestParametersOfTextsOrLists(t *testing.T) {
	list := &ir.Type{Kind: ir.KindArray, Elem: use(scalar(ir.String))}
	p := &ir.Param{Name: "fields", In: "query", Style: "form", Explode: true, Use: use(oneOf(ir.ByKind, scalar(ir.String), list))}
	if v := Param(p); v == nil || v.Kind != ir.ArrayValue || len(v.Items) != 2 {
		t.Errorf("%+v", v)
	}
}

// No style but deepObject has a form for lists and objects within others.
func TestParametersThatNest(t *testing.T) {
	list := &ir.Type{Kind: ir.KindArray, Elem: use(scalar(ir.Int64))}
	grid := &ir.Type{Kind: ir.KindArray, Elem: use(list)}
	for style, want := range map[string]bool{"form": false, "pipeDelimited": false, "deepObject": true} {
		if v := Param(&ir.Param{Name: "p", In: "query", Style: style, Use: use(object(field("m", true, list)))}); (v != nil) != want {
			t.Errorf("%s: %+v", style, v)
		}
	}
	if v := Param(&ir.Param{Name: "p", In: "query", Style: "form", Use: use(grid)}); v != nil {
		t.Errorf("%+v", v)
	}
	if v := Param(&ir.Param{Name: "p", In: "query", Content: "application/json", Use: use(grid)}); v == nil {
		t.Error("JSON nests")
	}
}

// The ends of a text may be written as in other languages.
func TestEndsOfTexts(t *testing.T) {
	for _, pattern := range []string{`\A[0-9]{2}\Z`, `^[0-9]{2}$`} {
		v := Value(use(scalar(ir.String), &ir.Checks{Pattern: []string{pattern}}), Request)
		if v == nil || len(v.Text) != 2 {
			t.Errorf("%s: %+v", pattern, v)
		}
	}
}
