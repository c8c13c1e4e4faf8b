package emit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// codec is an expression of a json.Codec[T]. Those that are composed live in package
// variables, since making one allocates.
type codec struct {
	e          *emitter
	key, words string
	shared     bool
	code       func() *jen.Statement
}

// expr is the codec where it is used: the variable, or the codec itself.
func (c *codec) expr() *jen.Statement {
	if !c.shared {
		return c.code()
	}
	return c.e.codecs.get(c.key, c.words, c.code)
}

// codec is the expression of the codec of an element: the type of the use within the
// wrap of a required place.
func (e *emitter) codec(u *ir.Use) *jen.Statement { return e.elemCodec(u).expr() }

// elemCodec is the codec of the elements of an array or a map.
func (e *emitter) elemCodec(u *ir.Use) *codec {
	if u == nil {
		return e.named("Any", "Any")
	}
	c := e.useCodec(u)
	switch wrapOf(u, true) {
	case null:
		return e.around("Null", "Null", c)
	case pointer:
		return e.around("NilPtr", "NilPtr", c)
	}
	if classOf(u.Type) == classList && nullable(u) {
		return e.around(nilMaker(u.Type), "Nil", c)
	}
	return c
}

// nilMaker is the function for lists in which nil is null.
func nilMaker(t *ir.Type) string {
	if resolve(t).Kind == ir.KindMap {
		return "NilMap"
	}
	return "Nil"
}

// around composes a codec out of another.
//
//	json.Slice(codecLine)
func (e *emitter) around(maker, word string, c *codec) *codec {
	return &codec{
		e: e, key: word + c.key, words: word + c.words, shared: true,
		code: func() *jen.Statement { return jen.Qual(pkgJSON, maker).Call(c.expr()) },
	}
}

// named is a codec of the runtime. Its words cannot be those of a type of the
// document: see typeWord.
func (e *emitter) named(name, word string) *codec {
	return &codec{e: e, key: word, words: word, code: func() *jen.Statement { return jen.Qual(pkgJSON, name) }}
}

// typeCodec is the codec of a type, without a wrap.
func (e *emitter) typeCodec(t *ir.Type) *codec {
	if t.GoType != nil {
		return e.heldCodec(t.Checks, e.foreignCodec(t))
	}
	if e.hasMethods(t) {
		name := e.typeName(t)
		c := &codec{e: e, key: typeWord(name), words: typeWord(name), shared: true, code: func() *jen.Statement {
			return jen.Qual(pkgJSON, "Of").Types(jen.Id(name)).Call()
		}}
		if t.Const != nil && t.Kind != ir.KindEnum {
			return e.constCodec(t, c)
		}
		return c
	}
	return e.bareCodec(t)
}

// foreignCodec is the codec of a type of the user's.
//
//	json.Foreign[big.Int](true)
func (e *emitter) foreignCodec(t *ir.Type) *codec {
	text := t.Kind == ir.KindScalar && !isNumeric(t.Scalar) && t.Scalar != ir.Bool
	key := "Foreign\x00" + t.GoType.Import + "." + t.GoType.Name
	if text {
		key += "\x00text"
	}
	return &codec{e: e, key: key, words: "Foreign" + t.GoType.Name, shared: true, code: func() *jen.Statement {
		return jen.Qual(pkgJSON, "Foreign").Types(e.baseType(t)).Call(jen.Lit(text))
	}}
}

// bareCodec is the codec of a type written out, also of one with a declaration.
func (e *emitter) bareCodec(t *ir.Type) *codec {
	c := e.heldCodec(t.Checks, e.plainCodec(t))
	if t.Const != nil {
		return e.constCodec(t, c)
	}
	return c
}

func (e *emitter) plainCodec(t *ir.Type) *codec {
	switch t.Kind {
	case ir.KindScalar, ir.KindEnum:
		name := methodsOf(t)[0]
		return e.named(name, name)
	case ir.KindArray, ir.KindTuple:
		return e.around("Slice", "Slice", e.elemCodec(t.Elem))
	case ir.KindMap, ir.KindStruct:
		if t.Kind == ir.KindMap && len(t.Patterns) > 0 {
			return e.matchingCodec(t)
		}
		return e.around("Map", "Map", e.elemCodec(t.Elem))
	case ir.KindNull:
		return e.named("Nothing", "Nothing")
	case ir.KindNever:
		return e.named("Never", "Never")
	case ir.KindBinary:
		return e.named("Octets", "Octets")
	case ir.KindAlias:
		if t.Target != nil {
			return e.useCodec(t.Target)
		}
	}
	return e.named("Any", "Any")
}

// matchingCodec is the codec of a map with patternProperties.
func (e *emitter) matchingCodec(t *ir.Type) *codec {
	c, keys := e.elemCodec(t.Elem), e.keyPatterns(t)
	key := "Map" + c.key + "\x00" + keys.key
	if t.Closed {
		key += "\x00closed"
	}
	return &codec{e: e, key: key, words: "Map" + c.words, shared: true, code: func() *jen.Statement {
		return jen.Qual(pkgJSON, "MapMatching").Call(c.expr(), jen.Lit(t.Closed), keys.expr())
	}}
}

// constCodec admits one value.
//
//	json.Const(json.String, "cat", "\"cat\"")
func (e *emitter) constCodec(t *ir.Type, c *codec) *codec {
	text := jsonText(t.Const)
	lit, ok := scalarLiteral(t.Const, t.Scalar)
	if t.Kind != ir.KindScalar || !ok || !comparableScalar(t.Scalar) {
		if t.Kind == ir.KindNull || t.Kind == ir.KindNever {
			return c
		}
		return &codec{e: e, key: "Const" + c.key + "\x00" + text, words: "Const" + c.words, shared: true,
			code: func() *jen.Statement { return jen.Qual(pkgJSON, "ConstJSON").Call(c.expr(), quoted(text)) }}
	}
	return &codec{e: e, key: "Const" + c.key + "\x00" + text, words: "Const" + c.words, shared: true,
		code: func() *jen.Statement {
			return jen.Qual(pkgJSON, "Const").Call(c.expr(), lit, quoted(text))
		}}
}

// comparableScalar reports the scalars whose == is equality of the JSON values.
func comparableScalar(s ir.Scalar) bool {
	return s == ir.String || s == ir.Bool || isInteger(s) || isFloat(s) || s == ir.UUID || s == ir.Date
}

func isNumeric(s ir.Scalar) bool { return isInteger(s) || isFloat(s) || isNumberText(s) }

// scalarMethods are the methods of json.Decoder and json.Encoder for each scalar; the
// codecs are called as the methods of the decoder are.
var scalarMethods = map[ir.Scalar][2]string{
	ir.String: {"String", "String"}, ir.Bool: {"Bool", "Bool"},
	ir.Int8: {"Int8", "Int64"}, ir.Int16: {"Int16", "Int64"}, ir.Int32: {"Int32", "Int64"}, ir.Int64: {"Int64", "Int64"},
	ir.Uint8: {"Uint8", "Uint64"}, ir.Uint16: {"Uint16", "Uint64"}, ir.Uint32: {"Uint32", "Uint64"}, ir.Uint64: {"Uint64", "Uint64"},
	ir.BigInt: {"Integer", "Number"}, ir.Decimal: {"Number", "Number"},
	ir.Float32: {"Float32", "Float32"}, ir.Float64: {"Float64", "Float64"},
	ir.Bytes: {"Bytes", "Bytes"}, ir.DateTime: {"Time", "Time"}, ir.Date: {"Date", "Date"},
	ir.Time: {"TimeOfDay", "TimeOfDay"}, ir.Duration: {"Duration", "Duration"}, ir.UUID: {"UUID", "UUID"},
	ir.IPv4: {"Addr4", "Addr"}, ir.IPv6: {"Addr6", "Addr"}, ir.IP: {"Addr", "Addr"},
}

// methodsOf are the methods for a scalar type.
func methodsOf(t *ir.Type) [2]string {
	if t.Scalar == ir.Bytes && t.Format == "base64url" {
		return [2]string{"Base64URL", "Base64URL"}
	}
	return scalarMethods[t.Scalar]
}

// simple reports whether a use is a scalar that the methods of decoder and encoder
// read and write by themselves.
func (e *emitter) simple(t *ir.Type) (*ir.Type, bool) {
	for range 1000 {
		if t.GoType != nil || t.Const != nil || hasRules(t.Checks) {
			return nil, false
		}
		if t.Kind == ir.KindAlias && t.Target != nil && hasRules(t.Target.Checks) {
			return nil, false
		}
		if t.Kind != ir.KindAlias || t.Target == nil {
			break
		}
		t = t.Target.Type
	}
	return t, t.Kind == ir.KindScalar
}

// typeWord is the word for a declared type in the name of a shared variable. One that
// could be read as something else gets a mark.
func typeWord(name string) string {
	for _, w := range combinators {
		rest, ok := strings.CutPrefix(name, w)
		if next, _ := utf8.DecodeRuneInString(rest); ok && !unicode.IsLower(next) {
			return "T" + name + "_"
		}
	}
	return name
}

// combinators are the words that begin the name of a shared variable which does not
// stand for a declared type.
var combinators = func() []string {
	words := []string{"Slice", "Map", "Null", "Nil", "Ptr", "All", "Held", "Const", "Foreign", "Any", "Nothing", "Never", "File", "Base64URL", "Octets", "Keys"}
	for _, m := range scalarMethods {
		words = append(words, m[0])
	}
	return words
}()

// typeWords is the word for any type.
func (e *emitter) typeWords(t *ir.Type) string {
	switch {
	case t.GoType != nil:
		return "Foreign" + t.GoType.Name
	case e.names.Type(t) != "":
		return typeWord(e.typeName(t))
	}
	return e.plainCodec(t).words
}
