package emit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// option is a variant of a union with what its emitters ask for.
type option struct {
	*ir.Variant
	goName string
	class  class
}

func (o option) self() *jen.Statement { return jen.Id("v").Dot(o.goName) }

// list reports a variant that is held plainly: nil is its absence.
func (o option) list() bool { return o.class == classList || o.class == classAny }

// isSet is the condition that the variant is the one.
func (o option) isSet() *jen.Statement { return o.self().Op("!=").Nil() }

func (e *emitter) options(t *ir.Type) []option {
	out := make([]option, 0, len(t.Union.Variants))
	for _, v := range t.Union.Variants {
		out = append(out, e.optionOf(t, v))
	}
	return out
}

// unionType writes oneOf and anyOf: one field for each variant, of which exactly one
// is set, or at least one.
//
//	type Pet struct {
//		Cat *Cat
//		Dog *Dog
//	}
func (e *emitter) unionType(t *ir.Type) {
	name := e.names.Type(t)
	options := e.options(t)
	var fields []jen.Code
	for _, o := range options {
		typ := e.baseType(o.Use.Type)
		if !o.list() {
			typ = jen.Op("*").Add(typ)
		}
		fields = append(fields, jen.Id(o.goName).Add(typ))
	}
	if e.keepsKey(t) {
		fields = append(fields,
			comment("The value of "+strconv.Quote(t.Union.Property)+", which the variants do not have themselves."),
			jen.Id(e.keyField(t)).String())
	}
	e.add(fileTypes, name, e.typeDoc(t, e.unionRule(t, options)), jen.Type().Id(name).Struct(fields...))
	e.jsonMethods(t, e.holds(t, e.unionDecode(t, options)), e.unionEncode(t, options))
	e.unionValidate(t, options)
}

// unionRule tells a reader how a value finds its variant.
func (e *emitter) unionRule(t *ir.Type, options []option) string {
	u := t.Union
	rule := "Exactly one field is set."
	if u.AnyOf {
		rule = "At least one field is set."
	}
	switch u.Dispatch {
	case ir.ByDiscriminator:
		var keys []string
		for _, o := range options {
			quoted := make([]string, len(o.Keys))
			for i, k := range o.Keys {
				quoted[i] = strconv.Quote(k)
			}
			keys = append(keys, strings.Join(quoted, " or ")+" is "+o.goName)
		}
		if u.Fallback != nil {
			keys = append(keys, "another or none is "+e.names.Variant(t, u.Fallback))
		}
		return rule + " The member " + strconv.Quote(u.Property) + " tells which: " + strings.Join(keys, ", ") + "."
	case ir.ByKind:
		return rule + " The kind of the JSON value tells which."
	}
	if u.AnyOf {
		return rule + " Each variant that the value fits is set."
	}
	if u.Overlap {
		return rule + " It is the only variant that the value fits; of an answer that fits several, the one that knows most of its members."
	}
	return rule + " It is the only variant that the value fits."
}

// keepsKey reports whether the union itself has to keep the discriminator: a variant
// has several keys, or takes any, and no member for them.
func (e *emitter) keepsKey(t *ir.Type) bool {
	if t.Union.Dispatch != ir.ByDiscriminator {
		return false
	}
	for _, v := range t.Union.Variants {
		if (len(v.Keys) > 1 || v == t.Union.Fallback) && !declares(v.Use.Type, t.Union.Property) {
			return true
		}
	}
	return false
}

// keyField is the field that keeps the discriminator.
func (e *emitter) keyField(t *ir.Type) string {
	name := "Discriminator"
	for _, o := range e.options(t) {
		if o.goName == name {
			return name + "Value"
		}
	}
	return name
}

// declares reports whether an object has a member of that name.
func declares(t *ir.Type, name string) bool {
	for _, f := range resolve(t).Fields {
		if f.Name == name {
			return true
		}
	}
	return false
}

func (e *emitter) unionDecode(t *ir.Type, options []option) []jen.Code {
	switch t.Union.Dispatch {
	case ir.ByDiscriminator:
		return e.decodeByKey(t, options)
	case ir.ByKind:
		return e.decodeByKind(options)
	}
	if t.Union.AnyOf {
		return e.decodeAnyOf(options)
	}
	return e.decodeOneOf(t.Union, options)
}

// decodeVariant reads the value as one variant.
//
//	json.New(&v.Cat).DecodeJSON(d)
func (e *emitter) decodeVariant(o option) *jen.Statement {
	use := &ir.Use{Type: o.Use.Type, Checks: o.Use.Checks}
	if o.list() {
		return e.decode(o.self(), place{use: use, required: true})
	}
	if e.direct(place{use: use, required: true}) {
		return jen.Qual(pkgJSON, "New").Call(jen.Op("&").Add(o.self())).Dot("DecodeJSON").Call(jen.Id("d"))
	}
	return jen.Qual(pkgJSON, "DecodePtr").Call(jen.Id("d"), jen.Op("&").Add(o.self()), e.useCodec(use).expr())
}

// decodeByKey is the body of DecodeJSON of a discriminated union.
//
//	key, ok := d.Discriminator("kind")
//	if !ok {
//		return
//	}
//	switch key {
//	case "cat":
//		json.New(&v.Cat).DecodeJSON(d)
//	default:
//		d.UnknownVariant("kind", key, `"cat", "dog"`)
//	}
func (e *emitter) decodeByKey(t *ir.Type, options []option) []jen.Code {
	property := jen.Lit(t.Union.Property)
	var cases []jen.Code
	var known []string
	seen := map[string]bool{}
	for _, o := range options {
		var keys []jen.Code
		for _, k := range o.Keys {
			if !seen[k] { // two variants with one key: the first has it
				seen[k] = true
				keys = append(keys, jen.Lit(k))
				known = append(known, quoteJSON(k))
			}
		}
		if len(keys) > 0 && o.Variant != t.Union.Fallback {
			cases = append(cases, jen.Case(keys...).Block(e.decodeVariant(o)))
		}
	}
	body := []jen.Code{
		jen.List(jen.Id("key"), jen.Id("ok")).Op(":=").Id("d").Dot("Discriminator").Call(property),
		jen.If(jen.Op("!").Id("ok")).Block(jen.Return()),
	}
	otherwise := jen.Id("d").Dot("UnknownVariant").Call(property, jen.Id("key"), quoted(strings.Join(known, ", ")))
	if f := t.Union.Fallback; f != nil {
		otherwise = e.decodeVariant(e.optionOf(t, f))
		body = e.peekKey(t, e.optionOf(t, f))
	}
	cases = append(cases, jen.Default().Block(otherwise))
	if e.keepsKey(t) {
		body = append(body, jen.Id("v").Dot(e.keyField(t)).Op("=").Id("key"))
	}
	return append(body, jen.Switch(jen.Id("key")).Block(cases...))
}

// jsonKinds are the JSON kinds of a type as constants of the codec, with the words
// for a message.
func jsonKinds(t *ir.Type) (names []string, words string) { return kindsOf(t, nil) }

// kindsOf is jsonKinds inside of the given unions.
func kindsOf(t *ir.Type, within []*ir.Type) (names []string, words string) {
	t = resolve(t)
	if slices.Contains(within, t) {
		return nil, "" // a union that contains itself adds no kind
	}
	switch t.Kind {
	case ir.KindScalar, ir.KindEnum:
		switch {
		case t.Scalar == ir.Bool:
			return []string{"KindBool"}, "a boolean"
		case isInteger(t.Scalar) || t.Scalar == ir.BigInt:
			return []string{"KindNumber"}, "an integer"
		case isNumeric(t.Scalar):
			return []string{"KindNumber"}, "a number"
		}
		return []string{"KindString"}, "a string"
	case ir.KindArray, ir.KindTuple:
		return []string{"KindArray"}, "an array"
	case ir.KindNull:
		return []string{"KindNull"}, "null"
	case ir.KindBinary:
		return []string{"KindString"}, "a string"
	case ir.KindUnion:
		var all []string
		for _, v := range t.Union.Variants {
			k, w := kindsOf(v.Use.Type, append(within, t))
			names = append(names, k...)
			if w != "" {
				all = append(all, w)
			}
		}
		return names, strings.Join(all, ", ")
	}
	return []string{"KindObject"}, "an object"
}

// decodeByKind is the body of DecodeJSON where each variant has another JSON kind.
//
//	switch d.PeekKind() {
//	case json.KindString:
//		json.DecodePtr(d, &v.Text, json.String)
//	default:
//		d.Mismatch("a boolean or a string")
//	}
func (e *emitter) decodeByKind(options []option) []jen.Code {
	var cases []jen.Code
	var words []string
	seen := map[string]bool{}
	for _, o := range options {
		kinds, word := jsonKinds(o.Use.Type)
		words = append(words, word)
		var list []jen.Code
		for _, k := range kinds {
			if !seen[k] {
				seen[k] = true
				list = append(list, jen.Qual(pkgJSON, k))
			}
		}
		if len(list) > 0 {
			cases = append(cases, jen.Case(list...).Block(e.decodeVariant(o)))
		}
	}
	cases = append(cases, jen.Default().Block(jen.Id("d").Dot("Mismatch").Call(jen.Lit(orList(words)))))
	return []jen.Code{jen.Switch(jen.Id("d").Dot("PeekKind").Call()).Block(cases...)}
}

// orList joins words: a, b or c.
func orList(words []string) string {
	switch n := len(words); n {
	case 0:
		return "a value"
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
}

// try tries each variant on the value.
//
//	u := d.Union()
//	var a HasFoo
//	json.TryValue(&u, "HasFoo", &a, codecHasFoo, (*HasFoo).Validate)
func (e *emitter) try(options []option) []jen.Code {
	body := []jen.Code{jen.Id("u").Op(":=").Id("d").Dot("Union").Call()}
	for i, o := range options {
		name := tried(i)
		rules := e.rules.function(o.Use)
		if rules == nil {
			rules = jen.Nil()
		}
		c := e.useCodec(o.Use)
		body = append(body,
			jen.Var().Id(name).Add(e.baseType(o.Use.Type)),
			jen.Qual(pkgJSON, "TryValue").Call(jen.Op("&").Id("u"), jen.Lit(o.goName), jen.Op("&").Id(name), c.expr(), rules))
	}
	return body
}

func tried(i int) string { return "v" + strconv.Itoa(i) }

// take sets the variant that was tried.
func take(o option, i int) *jen.Statement {
	value := jen.Id(tried(i))
	if !o.list() {
		value = jen.Op("&").Add(value)
	}
	return o.self().Op("=").Add(value)
}

// decodeOneOf is the body of DecodeJSON where only a trial can tell.
//
//	switch u.OneOf() {
//	case 0:
//		v.HasFoo = &v0
//	case 1:
//		v.HasBar = &v1
//	}
func (e *emitter) decodeOneOf(u *ir.Union, options []option) []jen.Code {
	choose := "OneOf"
	if u.Overlap {
		choose = "BestOf"
	}
	var cases []jen.Code
	for i, o := range options {
		cases = append(cases, jen.Case(jen.Lit(i)).Block(take(o, i)))
	}
	return append(e.try(options), jen.Switch(jen.Id("u").Dot(choose).Call()).Block(cases...))
}

// decodeAnyOf keeps each variant that fits.
//
//	if !u.AnyOf() {
//		return
//	}
//	if u.Matches(0) {
//		v.Phone = &v0
//	}
func (e *emitter) decodeAnyOf(options []option) []jen.Code {
	body := append(e.try(options), jen.If(jen.Op("!").Id("u").Dot("AnyOf").Call()).Block(jen.Return()))
	for i, o := range options {
		body = append(body, jen.If(jen.Id("u").Dot("Matches").Call(jen.Lit(i))).Block(take(o, i)))
	}
	return body
}
