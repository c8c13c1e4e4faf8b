package emit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

// paramCodec is an expression of a param.Codec[T].
type paramCodec struct {
	e          *emitter
	key, words string
	shared     bool // made by a call, so better kept in a package variable
	calls      bool // refers to functions of the generated package
	code       func(inner bool) *jen.Statement
}

// expr is the codec where it is used.
func (c *paramCodec) expr() *jen.Statement { return c.in(false) }

// in is the codec in a function, which is inner when codecs refer to it: a package
// variable that led back to itself through such a function could not be initialised.
func (c *paramCodec) in(inner bool) *jen.Statement {
	if !c.shared || inner && c.calls {
		return c.code(inner)
	}
	return c.e.params.get(c.key, c.words, func() *jen.Statement { return c.code(false) })
}

// plainParam is a codec of the runtime.
func (e *emitter) plainParam(name string) *paramCodec {
	return &paramCodec{e: e, key: name, words: name, code: func(bool) *jen.Statement { return jen.Qual(pkgParam, name) }}
}

// madeParam is a codec that a call makes.
func (e *emitter) madeParam(key, words string, code func() *jen.Statement) *paramCodec {
	return &paramCodec{e: e, key: key, words: words, shared: true, code: func(bool) *jen.Statement { return code() }}
}

// aroundParam composes a codec out of another.
//
//	param.ListOf(param.UUID)
func (e *emitter) aroundParam(maker string, c *paramCodec) *paramCodec {
	word := strings.TrimSuffix(maker, "Of")
	return &paramCodec{
		e: e, key: word + c.key, words: word + c.words, shared: true, calls: c.calls,
		code: func(inner bool) *jen.Statement { return jen.Qual(pkgParam, maker).Call(c.in(inner)) },
	}
}

// paramScalars are the codecs of the scalars.
var paramScalars = map[ir.Scalar]string{
	ir.String: "String", ir.Bool: "Bool", ir.Int8: "Int8", ir.Int16: "Int16", ir.Int32: "Int32", ir.Int64: "Int64",
	ir.Uint8: "Uint8", ir.Uint16: "Uint16", ir.Uint32: "Uint32", ir.Uint64: "Uint64", ir.BigInt: "Integer",
	ir.Float32: "Float32", ir.Float64: "Float64", ir.Decimal: "Number", ir.Bytes: "Bytes", ir.DateTime: "DateTime",
	ir.Date: "Date", ir.Time: "Time", ir.Duration: "Duration", ir.UUID: "UUID", ir.IPv4: "Addr4", ir.IPv6: "Addr6", ir.IP: "Addr",
}

// paramWords begin the words of codecs that are not those of a declared type.
var paramWords = func() []string {
	words := []string{"List", "Map", "Null", "Ptr", "Any", "Nothing", "JSON", "Const", "File", "Foreign", "Base64URL", "Lenient"}
	for _, name := range paramScalars {
		words = append(words, name)
	}
	return words
}()

// paramWord is the word for a declared type; one that could be read as something else
// gets a mark.
func paramWord(name string) string {
	for _, w := range paramWords {
		rest, ok := strings.CutPrefix(name, w)
		if next, _ := utf8.DecodeRuneInString(rest); ok && !unicode.IsLower(next) {
			return "T" + name + "_"
		}
	}
	return name
}

// reading says how a codec treats values that the document does not list.
type reading bool

const (
	strict  reading = false // a server's: refused
	lenient reading = true  // a client's: kept, since services grow
)

// paramElem is the codec of an element of a list or map, within its wrap.
func (e *emitter) paramElem(u *ir.Use, r reading) *paramCodec {
	if u == nil {
		return e.plainParam("Any")
	}
	c := e.paramType(u.Type, r)
	switch wrapOf(u, true) {
	case null:
		return e.aroundParam("NullOf", c)
	case pointer:
		return e.aroundParam("PtrOf", c)
	}
	return c
}

// paramType is the codec of a type, without a wrap.
func (e *emitter) paramType(t *ir.Type, r reading) *paramCodec {
	if g := t.GoType; g != nil {
		return e.madeParam("Foreign\x00"+g.Import+"."+g.Name, "Foreign"+g.Name, func() *jen.Statement {
			return jen.Qual(pkgParam, "Foreign").Types(e.baseType(t)).Call()
		})
	}
	if t.Kind == ir.KindAlias && t.Target != nil {
		return e.paramType(t.Target.Type, r)
	}
	if e.hasMethods(t) {
		if t.Kind == ir.KindEnum {
			return e.enumParam(t, r)
		}
		return e.declaredParam(t)
	}
	switch t.Kind {
	case ir.KindScalar, ir.KindEnum:
		return e.scalarParam(t)
	case ir.KindArray:
		return e.aroundParam("ListOf", e.paramElem(t.Elem, r))
	case ir.KindMap:
		return e.aroundParam("MapOf", e.paramElem(t.Elem, r))
	case ir.KindNull, ir.KindNever:
		return e.plainParam("Nothing")
	case ir.KindBinary:
		return e.plainParam("Bytes")
	case ir.KindTuple:
		return e.aroundParam("ListOf", e.plainParam("Any"))
	case ir.KindStruct:
		return e.aroundParam("MapOf", e.plainParam("Any"))
	}
	return e.plainParam("Any")
}

// declaredParam is the codec of a declared struct, union, tuple, array or map, made of
// two functions.
//
//	param.Codec[Filter]{Format: formatFilter, Parse: parseFilter}
func (e *emitter) declaredParam(t *ir.Type) *paramCodec {
	name := e.names.Type(t)
	e.paramFunctions(t)
	return &paramCodec{e: e, key: paramWord(name), words: paramWord(name), shared: true, calls: true, code: func(bool) *jen.Statement {
		return ordered(jen.Qual(pkgParam, "Codec").Types(jen.Id(name)),
			pair{"Format", jen.Id(names.Private("format", name))}, pair{"Parse", jen.Id(names.Private("parse", name))})
	}}
}

// scalarParam is the codec of a scalar, which may have one value only.
func (e *emitter) scalarParam(t *ir.Type) *paramCodec {
	name := paramScalars[t.Scalar]
	if t.Scalar == ir.Bytes && t.Format == "base64url" {
		name = "Base64URL"
	}
	c := e.plainParam(name)
	if t.Kind != ir.KindScalar || t.Const == nil || !comparableScalar(t.Scalar) {
		return c
	}
	only, ok := scalarLiteral(t.Const, t.Scalar)
	if !ok {
		return c
	}
	return e.constParam(c, only, jsonText(t.Const))
}

// constParam is the codec of a parameter that has one value.
func (e *emitter) constParam(c *paramCodec, only *jen.Statement, text string) *paramCodec {
	return e.madeParam("Const"+c.key+"\x00"+text, "Const"+c.words, func() *jen.Statement {
		return jen.Qual(pkgParam, "Const").Call(c.code(false), only, quoted(text))
	})
}

// enumParam is the codec of an enum.
//
//	param.Enum(param.StringOf[Status](), Status.Known, `"open", "shut"`)
func (e *emitter) enumParam(t *ir.Type, r reading) *paramCodec {
	name := e.names.Type(t)
	values := e.enumValues(t)
	id := jen.Id(name)
	word := paramWord(name)
	known := id.Clone().Dot("Known")
	var base *jen.Statement
	switch s := enumScalar(t); {
	case isMixed(t):
		if len(values) == 0 {
			return e.madeParam(word, word, func() *jen.Statement { return jen.Qual(pkgParam, "StringOf").Types(id).Call() })
		}
		base = jen.Qual(pkgParam, "EnumJSON").Types(id).Call(known)
	case s == ir.Bool:
		base = jen.Qual(pkgParam, "BoolOf").Types(id).Call()
	case isInteger(s):
		base = jen.Qual(pkgParam, "IntOf").Types(id).Call()
	case isFloat(s):
		base = jen.Qual(pkgParam, "FloatOf").Types(id).Call()
	default:
		base = jen.Qual(pkgParam, "StringOf").Types(id).Call()
	}
	if len(values) == 0 || t.Open || r == lenient {
		return e.madeParam("Lenient"+word, "Lenient"+word, func() *jen.Statement { return base })
	}
	if len(values) == 1 && enumScalar(t) != ir.Bool {
		return e.madeParam(word, word, func() *jen.Statement {
			return jen.Qual(pkgParam, "Const").Call(base, jen.Id(values[0].name), quoted(listed(t.Enum)))
		})
	}
	return e.madeParam(word, word, func() *jen.Statement {
		return jen.Qual(pkgParam, "Enum").Call(base, known, quoted(listed(t.Enum)))
	})
}

// jsonParam is the codec of a parameter whose content is JSON.
//
//	param.JSON(codecFilter)
func (e *emitter) jsonParam(c *codec) *paramCodec {
	return e.madeParam("JSON"+c.key, "JSON"+c.words, func() *jen.Statement {
		return jen.Qual(pkgParam, "JSON").Call(c.expr())
	})
}

// styleExpr is the layout of a parameter.
//
//	param.Form|param.Explode
func styleExpr(style string, explode, reserved, empty bool) *jen.Statement {
	word := map[string]string{
		"simple": "Simple", "label": "Label", "matrix": "Matrix", "form": "Form", "cookie": "Form",
		"spaceDelimited": "SpaceDelimited", "pipeDelimited": "PipeDelimited", "deepObject": "DeepObject",
	}[style]
	if word == "" {
		word = "Simple"
	}
	out := jen.Qual(pkgParam, word)
	for _, flag := range []struct {
		on   bool
		name string
	}{{explode, "Explode"}, {reserved, "AllowReserved"}, {empty, "AllowEmpty"}} {
		if flag.on {
			out = out.Op("|").Qual(pkgParam, flag.name)
		}
	}
	return out
}

// single reports whether a value of the type has one text, so that explode says
// nothing.
func single(t *ir.Type) bool {
	t = resolve(t)
	return t.GoType != nil || t.Kind == ir.KindScalar || t.Kind == ir.KindEnum
}
