package emit

import (
	"strconv"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// The functions here build the intermediate form by hand.

func use(t *ir.Type) *ir.Use { return &ir.Use{Type: t} }

func orNull(t *ir.Type) *ir.Use { return &ir.Use{Type: t, Nullable: true} }

func scalar(s ir.Scalar) *ir.Type { return &ir.Type{Kind: ir.KindScalar, Scalar: s} }

func arrayOf(u *ir.Use) *ir.Type { return &ir.Type{Kind: ir.KindArray, Elem: u} }

func mapOf(u *ir.Use) *ir.Type { return &ir.Type{Kind: ir.KindMap, Elem: u} }

func anything() *ir.Type { return &ir.Type{Kind: ir.KindAny} }

func field(name string, u *ir.Use) *ir.Field { return &ir.Field{Name: name, Use: u} }

func needed(name string, u *ir.Use) *ir.Field { return &ir.Field{Name: name, Use: u, Required: true} }

// document collects components.
type document struct{ api ir.API }

// declare adds a component.
func (d *document) declare(name string, t *ir.Type) *ir.Type {
	t.ID, t.Name, t.Declared = "#/components/schemas/"+name, []string{name}, true
	d.api.Types = append(d.api.Types, t)
	return t
}

func (d *document) object(name string, fields ...*ir.Field) *ir.Type {
	return d.declare(name, &ir.Type{Kind: ir.KindStruct, Fields: fields})
}

func (d *document) enum(name string, s ir.Scalar, values ...*ir.Value) *ir.Type {
	t := &ir.Type{Kind: ir.KindEnum, Scalar: s}
	for _, v := range values {
		t.Enum = append(t.Enum, &ir.EnumValue{Value: v})
	}
	return d.declare(name, t)
}

func text(s string) *ir.Value { return &ir.Value{Kind: ir.StringValue, Text: s} }

func num(s string) *ir.Value { return &ir.Value{Kind: ir.NumberValue, Text: s} }

func boolean(b bool) *ir.Value { return &ir.Value{Kind: ir.BoolValue, Text: strconv.FormatBool(b)} }

func list(items ...*ir.Value) *ir.Value { return &ir.Value{Kind: ir.ArrayValue, Items: items} }

func size(n int64) *int64 { return new(n) }
