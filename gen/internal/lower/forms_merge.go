package lower

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// mergedForm makes one struct of a union of structs, nil when it is another union.
func (l *lowerer) mergedForm(union *ir.Type, schema *load.Node, place []string) *ir.Type {
	id := l.nodeID(schema) + "/form"
	for _, t := range l.forms {
		if t.ID == id {
			return t
		}
	}
	if union.Union == nil {
		return nil
	}
	out := &ir.Type{
		ID: id, Pos: schema.Pos(), Name: append(slices.Clone(place), "Form"), Origin: ir.Inline,
		Declared: true, Doc: union.Doc, Kind: ir.KindStruct,
	}
	required := map[string]int{}
	for _, v := range union.Union.Variants {
		t := typeBehind(v.Use)
		if t == nil || t.Kind != ir.KindStruct {
			return nil
		}
		for _, f := range t.Fields {
			if f.Required {
				required[f.Name]++
			}
			same := func(have *ir.Field) bool { return have.Name == f.Name }
			if i := slices.IndexFunc(out.Fields, same); i >= 0 {
				widen(out.Fields[i], f)
				continue
			}
			own := *f
			out.Fields = append(out.Fields, &own)
		}
	}
	for _, f := range out.Fields {
		f.Required = required[f.Name] == len(union.Union.Variants)
	}
	l.forms = append(l.forms, out)
	return out
}

// widen makes have admit what more admits: the member of another alternative.
func widen(have, more *ir.Field) {
	a, b := typeBehind(have.Use), typeBehind(more.Use)
	if have.Use.Type != more.Use.Type || have.Use.Checks != more.Use.Checks {
		have.Use = &ir.Use{Type: wider(a, b, 0), Nullable: have.Use.Nullable || more.Use.Nullable}
	}
	have.Default = nil // those of two alternatives exclude each other
	have.ReadOnly = have.ReadOnly && more.ReadOnly
	have.WriteOnly = have.WriteOnly && more.WriteOnly
	have.Secret = have.Secret || more.Secret
}

// wider is a type that admits what both admit, without their constraints.
func wider(a, b *ir.Type, depth int) *ir.Type {
	switch {
	case a == nil || b == nil:
	case hasScalar(a) && hasScalar(b) && a.Scalar == b.Scalar:
		return &ir.Type{Kind: ir.KindScalar, Scalar: a.Scalar}
	case a.Kind == ir.KindBinary && b.Kind == ir.KindBinary:
		return a
	case a.Kind == ir.KindArray && b.Kind == ir.KindArray && depth < 8:
		return &ir.Type{Kind: ir.KindArray, Elem: &ir.Use{Type: wider(typeBehind(a.Elem), typeBehind(b.Elem), depth+1)}}
	}
	return &ir.Type{Kind: ir.KindAny}
}

func hasScalar(t *ir.Type) bool { return t.Kind == ir.KindScalar || t.Kind == ir.KindEnum }

// propertyNode finds the schema of a member, wherever a composition declares it.
func (l *lowerer) propertyNode(schema *load.Node, name string, depth int) *load.Node {
	n := l.schemaBehind(schema)
	if n == nil || depth > 16 {
		return nil
	}
	if p := n.Get("properties").Get(name); p != nil {
		return p
	}
	for _, key := range []string{"allOf", "oneOf", "anyOf"} {
		list := n.Get(key)
		if !list.Is(load.Array) {
			continue
		}
		for _, branch := range list.Items {
			if p := l.propertyNode(branch, name, depth+1); p != nil {
				return p
			}
		}
	}
	return nil
}
