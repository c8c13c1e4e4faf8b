package emit

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// drawer makes random documents whose types use one another in every way.
type drawer struct {
	document
	t     *rapid.T
	named []*ir.Type
}

func (d *drawer) pick(n int, what string) int { return rapid.IntRange(0, n-1).Draw(d.t, what) }

func (d *drawer) flip(what string) bool { return rapid.Bool().Draw(d.t, what) }

func drawDocument(t *rapid.T) *ir.API {
	d := &drawer{t: t}
	all := []ir.Kind{
		ir.KindStruct, ir.KindStruct, ir.KindStruct, ir.KindUnion, ir.KindTuple, ir.KindArray, ir.KindMap, ir.KindEnum, ir.KindScalar, ir.KindAny,
		ir.KindNull, ir.KindNever, ir.KindBinary, ir.KindAlias,
	}
	for i := range 1 + d.pick(16, "types") {
		kind := all[d.pick(len(all), "kind")]
		ty := d.declare(fmt.Sprintf("Type%d", i), &ir.Type{Kind: kind})
		if d.flip("inline") {
			inline(ty)
		}
		d.named = append(d.named, ty)
	}
	for i, ty := range d.named {
		d.fill(ty, i)
	}
	return &d.api
}

// fill completes a declared type. An alias only names what stands before it, so that
// no chain of aliases is a cycle.
func (d *drawer) fill(ty *ir.Type, index int) {
	ty.Nullable = d.pick(8, "nullable") == 0
	switch ty.Kind {
	case ir.KindStruct:
		for i := range d.pick(5, "fields") {
			ty.Fields = append(ty.Fields, d.field(i))
		}
		d.extras(ty)
	case ir.KindUnion:
		d.union(ty)
	case ir.KindTuple:
		for range 1 + d.pick(3, "positions") {
			ty.Tuple = append(ty.Tuple, d.use(1))
		}
		if ty.Closed = d.flip("closed"); !ty.Closed {
			ty.Elem = d.use(1)
		}
	case ir.KindArray, ir.KindMap:
		ty.Elem = d.use(1)
	case ir.KindEnum:
		ty.Scalar = []ir.Scalar{ir.String, ir.Int32, ir.Uint64, ir.Float64, ir.BigInt, ir.Date, ir.Bool}[d.pick(7, "base")]
		for range d.pick(4, "values") {
			ty.Enum = append(ty.Enum, &ir.EnumValue{Value: d.value(0)})
		}
	case ir.KindScalar:
		ty.Scalar = ir.Scalar(d.pick(int(ir.IP)+1, "scalar"))
	case ir.KindAlias:
		ty.Kind = ir.KindAny
		if index > 0 {
			ty.Kind, ty.Target = ir.KindAlias, &ir.Use{Type: d.named[d.pick(index, "target")], Checks: d.checks()}
		}
	}
	ty.Checks = d.checks()
	if d.pick(10, "const") == 0 {
		ty.Const = d.value(1)
	}
}

func (d *drawer) field(i int) *ir.Field {
	f := field(fmt.Sprintf("member %d", i), d.use(2))
	f.Required, f.ReadOnly, f.Secret = d.flip("required"), d.pick(6, "readOnly") == 0, d.pick(9, "secret") == 0
	f.WriteOnly = !f.ReadOnly && d.pick(6, "writeOnly") == 0
	f.Doc.Deprecated = d.pick(9, "deprecated") == 0
	if d.pick(3, "default") == 0 {
		f.Default = d.value(1)
	}
	return f
}

func (d *drawer) extras(ty *ir.Type) {
	if d.flip("extra") {
		ty.Extra = d.use(1)
		if d.flip("patterns") {
			ty.Patterns = []ir.PatternProps{{Pattern: "^x-", Use: d.use(1)}, {Pattern: "y$", Use: ty.Extra}}
		}
	}
	ty.Closed = d.flip("closed")
}

func (d *drawer) union(ty *ir.Type) {
	u := &ir.Union{AnyOf: d.flip("anyOf"), Dispatch: ir.Dispatch(d.pick(3, "dispatch")), Property: "member 0"}
	for i := range 1 + d.pick(4, "variants") {
		v := &ir.Variant{Name: []string{fmt.Sprintf("variant %d", i)}, Use: d.use(1)}
		for k := range 1 + d.pick(3, "keys") {
			v.Keys = append(v.Keys, fmt.Sprintf("key%d%d", i, k))
		}
		u.Variants = append(u.Variants, v)
	}
	ty.Union = u
}

// use is a use of a declared type or of one written in place.
func (d *drawer) use(depth int) *ir.Use {
	u := &ir.Use{Nullable: d.pick(4, "null") == 0, Checks: d.checks()}
	if d.flip("named") {
		u.Type = d.named[d.pick(len(d.named), "which")]
		return u
	}
	u.Type = &ir.Type{Kind: ir.KindScalar, Checks: d.checks()}
	switch d.pick(8, "inline") {
	case 0:
		u.Type.Kind = ir.KindAny
	case 1:
		u.Type.Kind = ir.KindBinary
	case 2:
		u.Type.GoType = &ir.GoType{Import: "math/big", Name: "Int"}
	case 3, 4:
		u.Type.Scalar = ir.Scalar(d.pick(int(ir.IP)+1, "scalar"))
		if d.pick(3, "const") == 0 {
			u.Type.Const = d.value(0)
		}
	case 5, 6:
		if depth > 0 {
			u.Type.Kind, u.Type.Elem = []ir.Kind{ir.KindArray, ir.KindMap}[d.pick(2, "list")], d.use(depth-1)
		}
	case 7:
		u.Type.Kind = []ir.Kind{ir.KindNull, ir.KindNever}[d.pick(2, "empty")]
	}
	return u
}

func (d *drawer) checks() *ir.Checks {
	if d.pick(3, "checks") > 0 {
		return nil
	}
	c := &ir.Checks{UniqueItems: d.flip("unique"), Minimum: "-1.5", MultipleOf: "2", Pattern: []string{"a", "b"}, Format: "email"}
	c.MinLength, c.MaxItems, c.MinProperties = size(1), size(3), size(2)
	if d.flip("upper") {
		c.Maximum, c.ExclusiveMaximum = "9e2", true
	}
	return c
}

func (d *drawer) value(depth int) *ir.Value {
	switch d.pick(6+depth, "value") {
	case 0:
		return num(rapid.SampledFrom([]string{"0", "1", "1.0", "-2", "0.5", "1e3", "18446744073709551615", "1e400"}).Draw(d.t, "number"))
	case 1:
		return boolean(d.flip("boolean"))
	case 2:
		return text("2024-02-29")
	case 3, 4:
		return text(rapid.SampledFrom([]string{"", "a", "`\"\n", "\u202e"}).Draw(d.t, "text"))
	case 5:
		return &ir.Value{Kind: ir.NullValue}
	default:
		if d.flip("list") {
			return list(d.value(0), d.value(0))
		}
		return &ir.Value{Kind: ir.ObjectValue, Members: []ir.MemberValue{{Name: "a\"", Value: d.value(0)}}}
	}
}

// compiled is how many random documents are compiled; all of them are generated.
const compiled = 25

// TestRandomTypes generates random documents into one module, which must compile.
func TestRandomTypes(t *testing.T) {
	m := newModule(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		pkg := fmt.Sprintf("p%03d", n)
		files := generate(rt, drawDocument(rt), pkg)
		if n <= compiled {
			m.add(pkg, files)
		}
	})
	m.run("vet", "./...")
}
