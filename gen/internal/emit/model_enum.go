package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// enumType writes a scalar with listed values. The type is open: a client keeps a
// value that the document does not list, a strict decoder refuses it.
//
//	type Status string
//
//	const (
//		StatusOpen Status = "open"
//		StatusShut Status = "shut"
//	)
//
//	// Known reports whether the document lists the value.
//	func (v Status) Known() bool {
//		switch v {
//		case StatusOpen, StatusShut:
//			return true
//		}
//		return false
//	}
func (e *emitter) enumType(t *ir.Type) {
	name := e.names.Type(t)
	values := e.enumValues(t)
	var more []string
	if isMixed(t) {
		more = append(more, "The values are of several kinds: a "+name+" holds JSON text.")
	}
	e.add(fileTypes, name, e.typeDoc(t, more...), jen.Type().Id(name).Add(enumBase(t)))
	if len(values) > 0 {
		e.add(fileTypes, name, e.enumConsts(t, values))
		e.add(fileTypes, name, doc("Known reports whether the document lists the value."), e.enumKnown(t, values))
	}
	e.jsonMethods(t, e.holds(t, e.enumDecode(t, values)), e.enumEncode(t, values))
	e.checkedMethod(t, e.ownChecks(t))
}

// enumConst is one value with its constant.
type enumConst struct {
	*ir.EnumValue
	name    string
	literal *jen.Statement
}

// enumValues are the values that can be written as constants of the base type.
func (e *emitter) enumValues(t *ir.Type) []enumConst {
	var out []enumConst
	for _, v := range t.Enum {
		name := e.names.Const(t, v)
		if name == "" {
			continue
		}
		if isMixed(t) {
			out = append(out, enumConst{v, name, quoted(jsonText(v.Value))})
			continue
		}
		if lit, ok := scalarLiteral(v.Value, enumScalar(t)); ok {
			out = append(out, enumConst{v, name, lit})
		}
	}
	return out
}

// enumConsts are the constants of an enum.
func (e *emitter) enumConsts(t *ir.Type, values []enumConst) jen.Code {
	var defs []jen.Code
	for _, v := range values {
		if text := commentText(v.Doc); text != "" {
			defs = append(defs, jen.Comment(text))
		}
		defs = append(defs, jen.Id(v.name).Id(e.typeName(t)).Op("=").Add(v.literal))
	}
	return jen.Const().Defs(defs...)
}

// enumKnown is the method that tells whether the document lists a value.
func (e *emitter) enumKnown(t *ir.Type, values []enumConst) jen.Code {
	var known []jen.Code
	seen := map[string]bool{} // 1 and 1.0 are one value
	for _, v := range values {
		if key := v.literal.GoString(); !seen[key] {
			seen[key] = true
			known = append(known, jen.Id(v.name))
		}
	}
	return knownMethod(jen.Func().Params(jen.Id("v").Id(e.names.Type(t))).Id("Known").Params().Bool(), known)
}

// maxCompared is up to how many values a comparison is as good as a switch.
const maxCompared = 3

func knownMethod(head *jen.Statement, known []jen.Code) *jen.Statement {
	if len(known) > maxCompared {
		return head.Block(
			jen.Switch(jen.Id("v")).Block(jen.Case(known...).Block(jen.Return(jen.True()))),
			jen.Return(jen.False()))
	}
	var test *jen.Statement
	for _, k := range known {
		one := jen.Id("v").Op("==").Add(k)
		if test == nil {
			test = one
		} else {
			test = test.Op("||").Add(one)
		}
	}
	return short(head, jen.Return(test))
}

// isMixed reports an enum whose values are not all of its base's JSON kind.
func isMixed(t *ir.Type) bool {
	if t.Kind != ir.KindEnum {
		return false
	}
	want := ir.StringValue
	switch {
	case t.Scalar == ir.Bool:
		want = ir.BoolValue
	case isNumeric(t.Scalar):
		want = ir.NumberValue
	}
	for _, v := range t.Enum {
		if v.Value != nil && v.Value.Kind != ir.NullValue && v.Value.Kind != want {
			return true
		}
	}
	return false
}

// enumScalar is the scalar that an enum is declared over. Formats of strings have
// types of their own, which have no constants, so these are strings.
func enumScalar(t *ir.Type) ir.Scalar {
	if t.Scalar == ir.Bool || isNumeric(t.Scalar) {
		return t.Scalar
	}
	return ir.String
}

func enumBase(t *ir.Type) *jen.Statement {
	if isMixed(t) {
		return jen.String()
	}
	return scalarType(enumScalar(t))
}

// enumDecode is the body of DecodeJSON.
//
//	*v = Status(d.String())
//	d.Enum(v.Known(), `"open", "shut"`)
func (e *emitter) enumDecode(t *ir.Type, values []enumConst) []jen.Code {
	name := e.names.Type(t)
	read := jen.Id("d").Dot(scalarMethods[enumScalar(t)][0]).Call()
	if isMixed(t) {
		read = jen.Id("d").Dot("Raw").Call()
	}
	body := []jen.Code{jen.Op("*").Id("v").Op("=").Id(name).Parens(read)}
	if len(values) > 0 {
		body = append(body, jen.Id("d").Dot("Enum").Call(jen.Id("v").Dot("Known").Call(), quoted(listed(t.Enum))))
	}
	return body
}

// enumEncode is the body of EncodeJSON. The only value of an enum stands in where none
// is set.
//
//	e.String(string(*v))
func (e *emitter) enumEncode(t *ir.Type, values []enumConst) []jen.Code {
	if isMixed(t) {
		return []jen.Code{jen.Id("e").Dot("Raw").Call(jen.Qual(pkgValue, "Raw").Parens(jen.Op("*").Id("v")))}
	}
	s := enumScalar(t)
	typ := scalarType(s)
	if isInteger(s) {
		typ = jen.Id(goWord(scalarMethods[s][1]))
	}
	self := jen.Op("*").Id("v")
	if len(values) == 1 && s != ir.Bool {
		self = jen.Qual("cmp", "Or").Call(self, jen.Id(values[0].name))
	}
	return []jen.Code{jen.Id("e").Dot(scalarMethods[s][1]).Call(typ.Parens(self))}
}
