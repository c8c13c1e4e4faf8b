package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// place is where a value stands in a Go struct: a field, a position of a tuple.
type place struct {
	use       *ir.Use
	required  bool // always there: no absence to keep
	recursive bool // the struct would contain itself, so the value is behind a pointer
	file      bool // a part of a form that streams
}

// wrap is how the place tells that there is no value.
func (p place) wrap() wrap {
	w := wrapOf(p.use, p.required)
	if p.file {
		return plain
	}
	if w == plain && p.recursive {
		return pointer
	}
	return w
}

// placeType is the Go type of a place.
func (e *emitter) placeType(p place) *jen.Statement {
	if p.file {
		return e.fileType(p.use)
	}
	base := e.baseType(p.use.Type)
	w := p.wrap()
	if w == optNull && p.recursive {
		base = jen.Op("*").Add(base)
	}
	return wrapped(w, base)
}

// fileType is a file, or several of them.
func (e *emitter) fileType(u *ir.Use) *jen.Statement {
	if resolve(u.Type).Kind == ir.KindArray {
		return jen.Index().Qual(pkgMultipart, "File")
	}
	return jen.Qual(pkgMultipart, "File")
}

// placeCodec is the codec of what the wrap of a place holds. A list in which nil is
// null has that in its codec.
func (e *emitter) placeCodec(p place) *codec {
	if p.file {
		c := &codec{e: e, key: "File", words: "File", code: func() *jen.Statement { return jen.Qual(pkgMultipart, "JSON") }}
		if resolve(p.use.Type).Kind == ir.KindArray {
			return e.around("Slice", "Slice", c)
		}
		return c
	}
	c := e.useCodec(p.use)
	switch {
	case p.wrap() == optNull && p.recursive:
		return e.around("Ptr", "Ptr", c)
	case p.wrap() == plain && classOf(p.use.Type) == classList && nullable(p.use):
		return e.around(nilMaker(p.use.Type), "Nil", c)
	}
	return c
}

// decode reads the value at which the decoder d stands into dst, an addressable
// expression.
//
//	v.ID = d.String()
//	v.Customer.DecodeJSON(d)
//	json.New(&v.Parent).DecodeJSON(d)
//	json.DecodeOpt(d, &v.Note, json.String)
//	codecSliceLine.Decode(d, &v.Lines)
func (e *emitter) decode(dst *jen.Statement, p place) *jen.Statement {
	d := jen.Id("d")
	call := func(name string) *jen.Statement {
		return jen.Qual(pkgJSON, name).Call(d, jen.Op("&").Add(dst), e.placeCodec(p).expr())
	}
	switch w := p.wrap(); w {
	case opt:
		return call("DecodeOpt")
	case null:
		return call("DecodeNull")
	case optNull:
		return call("DecodeOptNull")
	case pointer:
		if nullable(p.use) {
			c := e.around("NilPtr", "NilPtr", e.placeCodec(p))
			return c.expr().Dot("Decode").Call(d, jen.Op("&").Add(dst))
		}
		if e.direct(p) {
			return jen.Qual(pkgJSON, "New").Call(jen.Op("&").Add(dst)).Dot("DecodeJSON").Call(d)
		}
		return call("DecodePtr")
	}
	if t, ok := e.simple(p.use.Type); ok && !p.file && !hasRules(p.use.Checks) && !(nullable(p.use) && classOf(t) == classList) {
		return dst.Clone().Op("=").Add(d).Dot(methodsOf(t)[0]).Call()
	}
	c := e.placeCodec(p)
	if e.direct(p) {
		return dst.Clone().Dot("DecodeJSON").Call(d)
	}
	return c.expr().Dot("Decode").Call(d, jen.Op("&").Add(dst))
}

// direct reports whether a plain place holds a type whose own methods read and write
// it.
func (e *emitter) direct(p place) bool {
	t := p.use.Type
	if p.file || (classOf(t) == classList && nullable(p.use)) || hasRules(p.use.Checks) {
		return false
	}
	for range 1000 {
		if t.GoType != nil {
			return false
		}
		if e.hasMethods(t) {
			return t.Const == nil || t.Kind == ir.KindEnum
		}
		if t.Kind != ir.KindAlias || t.Target == nil || hasRules(t.Checks) || hasRules(t.Target.Checks) {
			return false
		}
		t = t.Target.Type
	}
	return false
}

// encodeTo writes the value src of a plain place with the expression enc, an encoder.
//
//	e.String(v.ID)
//	v.Customer.EncodeJSON(e)
//	codecSliceLine.Encode(e, &v.Lines)
func (e *emitter) encodeTo(enc, src *jen.Statement, p place) *jen.Statement {
	switch p.wrap() {
	case null:
		return jen.Qual(pkgJSON, "EncodeNull").Call(enc, jen.Op("&").Add(src), e.placeCodec(p).expr())
	case pointer:
		return jen.Qual(pkgJSON, "EncodePtr").Call(enc, src, e.placeCodec(p).expr())
	}
	if t, ok := e.simple(p.use.Type); ok && !p.file && !hasRules(p.use.Checks) && !(nullable(p.use) && classOf(t) == classList) {
		m := methodsOf(t)
		arg := src
		if m[0] != m[1] && isInteger(t.Scalar) {
			arg = jen.Id(goWord(m[1])).Parens(src)
		}
		return enc.Clone().Dot(m[1]).Call(arg)
	}
	if e.direct(p) {
		return enc.Clone().Dot("Value").Call(jen.Op("&").Add(src))
	}
	return e.placeCodec(p).expr().Dot("Encode").Call(enc, jen.Op("&").Add(src))
}

// goWord is the Go type of an encoder's integer method.
func goWord(method string) string {
	if method == "Uint64" {
		return "uint64"
	}
	return "int64"
}

// encodeMember writes the member name of an object, or nothing when it is absent.
//
//	e.Key("id").String(v.ID)
//	json.OptField(e, "note", &v.Note, json.String)
//	e.Field("parent", v.Parent != nil, v.Parent)
//	json.SliceField(e, "lines", &v.Lines, codecSliceLine)
func (e *emitter) encodeMember(name string, src *jen.Statement, p place) *jen.Statement {
	field := func(f string, arg *jen.Statement) *jen.Statement {
		return jen.Qual(pkgJSON, f).Call(jen.Id("e"), jen.Lit(name), arg, e.placeCodec(p).expr())
	}
	addr := jen.Op("&").Add(src)
	switch p.wrap() {
	case opt:
		return field("OptField", addr)
	case null:
		return field("NullField", addr)
	case optNull:
		return field("OptNullField", addr)
	case pointer:
		if !p.required && e.direct(p) {
			return jen.Id("e").Dot("Field").Call(jen.Lit(name), src.Clone().Op("!=").Nil(), src)
		}
		if !p.required {
			return field("PtrField", src)
		}
	case plain:
		if p.required {
			break
		}
		switch {
		case p.file && resolve(p.use.Type).Kind != ir.KindArray:
			return jen.If(jen.Op("!").Add(src).Dot("IsZero").Call()).Block(
				e.placeCodec(p).expr().Dot("Encode").Call(jen.Id("e").Dot("Key").Call(jen.Lit(name)), addr))
		case !p.file && resolve(p.use.Type).Kind == ir.KindMap:
			return field("MapField", addr)
		}
		return field("SliceField", addr)
	}
	return e.encodeTo(jen.Id("e").Dot("Key").Call(jen.Lit(name)), src, p)
}

// validate checks the value src of a member called name; nil when there is nothing
// to check.
//
//	check.Member(c, "id", &v.ID, checkString)
//	check.Opt(c, "note", &v.Note, checkStringMax20)
//	check.Slice(c, "lines", &v.Lines, checkSliceLine)
func (e *emitter) validate(name string, src *jen.Statement, p place) *jen.Statement {
	if p.file || !e.facts.needsCheck(p.use) {
		return nil
	}
	f := e.rules.function(p.use)
	if f == nil {
		return nil
	}
	call := func(maker string, arg *jen.Statement) *jen.Statement {
		return jen.Qual(pkgCheck, maker).Call(jen.Id("c"), jen.Lit(name), arg, f)
	}
	addr := jen.Op("&").Add(src)
	switch p.wrap() {
	case opt, null:
		return call("Opt", addr)
	case optNull:
		if p.recursive {
			f = jen.Qual(pkgCheck, "PtrOf").Call(f)
		}
		return call("Opt", addr)
	case pointer:
		return call("Ptr", src)
	}
	if classOf(p.use.Type) == classList && (!p.required || nullable(p.use)) {
		if resolve(p.use.Type).Kind == ir.KindMap {
			return call("Map", addr)
		}
		return call("Slice", addr)
	}
	return call("Member", addr)
}

// isSet is the condition that a place which need not be there has a value.
func (e *emitter) isSet(src *jen.Statement, p place) *jen.Statement {
	switch p.wrap() {
	case opt, optNull:
		return src.Clone().Dot("IsSet").Call()
	case null:
		return jen.Op("!").Add(src.Clone()).Dot("IsNull").Call()
	}
	if p.file && resolve(p.use.Type).Kind != ir.KindArray {
		return jen.Op("!").Add(src.Clone()).Dot("IsZero").Call()
	}
	return src.Clone().Op("!=").Nil()
}

// fillDefault gives an absent place its default; nil when the document has none that
// fits.
//
//	v.Retries.Default(0)
//	if v.Tags == nil {
//		v.Tags = []string{"new"}
//	}
func (e *emitter) fillDefault(dst *jen.Statement, p place, def *ir.Value) *jen.Statement {
	if def == nil || p.required || p.file {
		return nil
	}
	value, ok := e.defaultValue(p, def)
	if !ok {
		return nil
	}
	switch p.wrap() {
	case opt, optNull:
		return dst.Clone().Dot("Default").Call(value)
	case pointer:
		value = jen.New(value)
	}
	return jen.If(dst.Clone().Op("==").Nil()).Block(dst.Clone().Op("=").Add(value))
}

// defaultValue is a default as an expression of what the wrap of a place holds: a
// literal, else JSON that was checked against the type.
func (e *emitter) defaultValue(p place, def *ir.Value) (*jen.Statement, bool) {
	t := resolve(p.use.Type)
	if def.Kind == ir.NullValue {
		return nil, false // absent and null say the same, or null is not allowed
	}
	if lit, ok := e.literal(def, p.use.Type); ok && !(p.wrap() == optNull && p.recursive) {
		return lit, true
	}
	if !fits(def, t) {
		return nil, false
	}
	return jen.Qual(pkgJSON, "ValueOf").Call(e.placeCodec(p).expr(), quoted(jsonText(def))), true
}

// fits reports whether a value has the JSON kind of a type; a type that several kinds
// fit takes any.
func fits(v *ir.Value, t *ir.Type) bool {
	switch t.Kind {
	case ir.KindStruct, ir.KindMap:
		return v.Kind == ir.ObjectValue
	case ir.KindArray, ir.KindTuple:
		return v.Kind == ir.ArrayValue
	case ir.KindScalar:
		switch {
		case t.Scalar == ir.Bool:
			return v.Kind == ir.BoolValue
		case isNumeric(t.Scalar):
			_, ok := scalarLiteral(v, t.Scalar)
			return ok
		}
		return v.Kind == ir.StringValue
	case ir.KindEnum, ir.KindNever, ir.KindNull:
		return false // an enum's own values are literals
	}
	return true
}
