package emit

import (
	"encoding/base64"
	"math/big"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// pair is one field of a composite literal.
type pair struct {
	name string
	code jen.Code
}

// ordered is a composite literal on one line, with its fields in the order given;
// jennifer's own Dict would sort them.
//
//	check.StringRules{MinLength: 1, MaxLength: check.Len(20)}
func ordered(typ *jen.Statement, pairs ...pair) *jen.Statement {
	return typ.ValuesFunc(func(g *jen.Group) {
		for _, p := range pairs {
			g.Id(p.name).Op(":").Add(p.code)
		}
	})
}

// tall is ordered with one field a line.
func tall(typ *jen.Statement, pairs ...pair) *jen.Statement {
	return typ.CustomFunc(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, func(g *jen.Group) {
		for _, p := range pairs {
			g.Id(p.name).Op(":").Add(p.code)
		}
	})
}

// number writes the text of a number that has been read as one already; no other
// text may come here.
func number(text string) *jen.Statement { return jen.Op(text) }

// quoted writes text as a string literal, within backquotes where that reads better and
// hides nothing.
func quoted(s string) *jen.Statement {
	if !strings.Contains(s, `"`) || !strconv.CanBackquote(s) {
		return jen.Lit(s)
	}
	for _, r := range s {
		if !strconv.IsPrint(r) {
			return jen.Lit(s)
		}
	}
	return jen.Op("`" + s + "`")
}

// literal is a value of the document as an expression of the base type of t, not
// wrapped. It reports false when the value is no constant of that type: of another
// kind, out of range, or of a type that only its decoder can read.
func (e *emitter) literal(v *ir.Value, t *ir.Type) (*jen.Statement, bool) {
	t = resolve(t)
	if t.GoType != nil || v == nil {
		return nil, false
	}
	switch t.Kind {
	case ir.KindScalar:
		return scalarLiteral(v, t.Scalar)
	case ir.KindEnum:
		return e.enumLiteral(v, t)
	case ir.KindAny:
		return anyLiteral(v)
	case ir.KindArray:
		return e.listLiteral(v, t)
	case ir.KindMap:
		return e.mapLiteral(v, t)
	}
	return nil, false
}

// listLiteral is []T{…} for items that are literals and not wrapped.
func (e *emitter) listLiteral(v *ir.Value, t *ir.Type) (*jen.Statement, bool) {
	if v.Kind != ir.ArrayValue || t.Elem == nil || wrapOf(t.Elem, true) != plain {
		return nil, false
	}
	items := make([]jen.Code, len(v.Items))
	for i, item := range v.Items {
		code, ok := e.literal(item, t.Elem.Type)
		if !ok {
			return nil, false
		}
		items[i] = code
	}
	return e.baseType(t).Values(items...), true
}

// mapLiteral is map[string]T{…}, in the document's order.
func (e *emitter) mapLiteral(v *ir.Value, t *ir.Type) (*jen.Statement, bool) {
	if v.Kind != ir.ObjectValue || t.Elem == nil || wrapOf(t.Elem, true) != plain {
		return nil, false
	}
	items := make([]jen.Code, len(v.Members))
	for i, m := range v.Members {
		code, ok := e.literal(m.Value, t.Elem.Type)
		if !ok {
			return nil, false
		}
		items[i] = jen.Lit(m.Name).Op(":").Add(code)
	}
	return e.baseType(t).Values(items...), true
}

// enumLiteral is the constant of an enum's value.
func (e *emitter) enumLiteral(v *ir.Value, t *ir.Type) (*jen.Statement, bool) {
	for _, ev := range t.Enum {
		if ev.Value != nil && sameScalar(ev.Value, v) {
			if name := e.names.Const(t, ev); name != "" {
				return jen.Id(name), true
			}
			if isMixed(t) {
				break
			}
			return scalarLiteral(v, t.Scalar)
		}
	}
	return nil, false
}

// sameScalar reports whether two scalars of a document are equal as JSON values.
func sameScalar(a, b *ir.Value) bool {
	if a.Kind != b.Kind {
		return false
	}
	if a.Kind == ir.NumberValue {
		return value.Number(a.Text).Compare(value.Number(b.Text)) == 0
	}
	return a.Text == b.Text
}

// scalarLiteral is a constant expression, or for the formats a value that was parsed
// here so that the generated code cannot fail.
func scalarLiteral(v *ir.Value, s ir.Scalar) (*jen.Statement, bool) {
	switch {
	case s == ir.Bool:
		return jen.Lit(v.Text == "true"), v.Kind == ir.BoolValue
	case isInteger(s):
		n, ok := integer(v)
		if !ok || !inRange(n, s) {
			return nil, false
		}
		return number(n.String()), true
	case isFloat(s):
		if v.Kind != ir.NumberValue {
			return nil, false
		}
		f, err := strconv.ParseFloat(v.Text, 64)
		return number(strconv.FormatFloat(f, 'g', -1, 64)), err == nil
	case isNumberText(s):
		return jen.Lit(v.Text), v.Kind == ir.NumberValue
	}
	if v.Kind != ir.StringValue {
		return nil, false
	}
	return textLiteral(v.Text, s)
}

// textLiteral is the literal of a JSON string with a format.
func textLiteral(text string, s ir.Scalar) (*jen.Statement, bool) {
	switch s {
	case ir.String:
		return jen.Lit(text), true
	case ir.Bytes:
		b, err := base64.StdEncoding.DecodeString(text)
		return jen.Index().Byte().Parens(jen.Lit(string(b))), err == nil
	case ir.DateTime:
		t, err := value.ParseDateTime(text)
		if err != nil {
			return nil, false
		}
		return timeLiteral(t), true
	case ir.Date:
		d, err := value.ParseDate(text)
		return jen.Qual(pkgValue, "Date").Values(
			jen.Id("Year").Op(":").Lit(d.Year), jen.Id("Month").Op(":").Lit(int(d.Month)), jen.Id("Day").Op(":").Lit(d.Day),
		), err == nil
	case ir.UUID:
		u, err := value.ParseUUID(text)
		items := make([]jen.Code, len(u))
		for i, b := range u {
			items[i] = number("0x" + strconv.FormatUint(uint64(b), 16))
		}
		return jen.Qual(pkgValue, "UUID").Values(items...), err == nil
	case ir.IPv4, ir.IPv6, ir.IP:
		// The text was parsed here, so MustParseAddr cannot panic.
		_, err := netip.ParseAddr(text)
		return jen.Qual("net/netip", "MustParseAddr").Call(jen.Lit(text)), err == nil
	}
	return nil, false
}

// timeLiteral is time.Date(…) with the offset that was written.
func timeLiteral(t time.Time) *jen.Statement {
	zone := jen.Qual("time", "UTC")
	if _, offset := t.Zone(); offset != 0 {
		zone = jen.Qual("time", "FixedZone").Call(jen.Lit(""), jen.Lit(offset))
	}
	return jen.Qual("time", "Date").Call(
		jen.Lit(t.Year()), jen.Lit(int(t.Month())), jen.Lit(t.Day()), jen.Lit(t.Hour()),
		jen.Lit(t.Minute()), jen.Lit(t.Second()), jen.Lit(t.Nanosecond()), zone,
	)
}

// integer reads a JSON number that is whole, whatever its notation.
func integer(v *ir.Value) (*big.Int, bool) {
	if v.Kind != ir.NumberValue {
		return nil, false
	}
	return wholeNumber(v.Text)
}

// wholeNumber reads the text of a number that is whole, whatever its notation, and
// within what 64 bits can hold.
func wholeNumber(text string) (*big.Int, bool) {
	n := value.Number(text)
	if !n.Valid() {
		return nil, false
	}
	if i, err := n.Int64(); err == nil {
		return big.NewInt(i), true
	}
	if u, err := n.Uint64(); err == nil {
		return new(big.Int).SetUint64(u), true
	}
	return nil, false
}

// inRange reports whether a whole number fits the scalar.
func inRange(n *big.Int, s ir.Scalar) bool {
	bits := map[ir.Scalar]int{
		ir.Int8: 8, ir.Int16: 16, ir.Int32: 32, ir.Int64: 64,
		ir.Uint8: 8, ir.Uint16: 16, ir.Uint32: 32, ir.Uint64: 64,
	}[s]
	if isUnsigned(s) {
		return n.Sign() >= 0 && n.BitLen() <= bits
	}
	if n.Sign() < 0 {
		return new(big.Int).Not(n).BitLen() < bits // -2^(bits-1) fits
	}
	return n.BitLen() < bits
}

// anyLiteral is a value as the decoder of any JSON would give it.
func anyLiteral(v *ir.Value) (*jen.Statement, bool) {
	switch v.Kind {
	case ir.NullValue:
		return jen.Nil(), true
	case ir.BoolValue:
		return jen.Lit(v.Text == "true"), true
	case ir.NumberValue:
		return jen.Qual(pkgValue, "Number").Parens(jen.Lit(v.Text)), true
	case ir.StringValue:
		return jen.Lit(v.Text), true
	case ir.ArrayValue:
		items := make([]jen.Code, len(v.Items))
		for i, item := range v.Items {
			items[i], _ = anyLiteral(item)
		}
		return jen.Index().Any().Values(items...), true
	default:
		items := make([]jen.Code, len(v.Members))
		for i, m := range v.Members {
			code, _ := anyLiteral(m.Value)
			items[i] = jen.Lit(m.Name).Op(":").Add(code)
		}
		return jen.Map(jen.String()).Any().Values(items...), true
	}
}
