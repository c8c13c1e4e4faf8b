package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// A union with defaultMapping (OpenAPI 3.2) has a variant, the fallback, that takes
// what no key chooses: objects without the discriminator, and those whose value is no
// variant's.

// optionOf is one variant with what its emitters ask for.
func (e *emitter) optionOf(t *ir.Type, v *ir.Variant) option {
	return option{Variant: v, goName: e.names.Variant(t, v), class: classOf(v.Use.Type)}
}

// peekKey reads the discriminator where its absence chooses the fallback.
//
//	key, ok := d.PeekMember("kind")
//	if !ok {
//		json.New(&v.Other).DecodeJSON(d)
//		return
//	}
func (e *emitter) peekKey(t *ir.Type, fallback option) []jen.Code {
	return []jen.Code{
		jen.List(jen.Id("key"), jen.Id("ok")).Op(":=").Id("d").Dot("PeekMember").Call(jen.Lit(t.Union.Property)),
		jen.If(jen.Op("!").Id("ok")).Block(e.decodeVariant(fallback), jen.Return()),
	}
}

// encodeFallback writes the fallback so that it reads back as that: what it says is
// kept unless it is the key of another variant.
//
//	e.KeyedUnless("kind", v.Other.Kind.Or(""), "Other", v.Other, "cat", "dog")
func (e *emitter) encodeFallback(t *ir.Type, o option) *jen.Statement {
	property, target := t.Union.Property, resolve(o.Use.Type)
	var got *jen.Statement
	if !declares(target, property) {
		got = jen.Id("v").Dot(e.keyField(t))
	}
	for _, m := range e.members(target) {
		if m.Name == property && isText(m.use) {
			got = e.chosenKey(o, m, o.Write)
		}
	}
	if got == nil {
		return nil // not a text: never the key of another variant
	}
	args := append([]jen.Code{jen.Lit(property), got, jen.Lit(o.Write), o.self()}, literals(othersKeys(t, o))...)
	return jen.Id("e").Dot("KeyedUnless").Call(args...)
}

// othersKeys are the keys that choose a variant other than o.
func othersKeys(t *ir.Type, o option) []string {
	var keys []string
	for _, v := range t.Union.Variants {
		if v == o.Variant {
			continue
		}
		for _, k := range v.Keys {
			if !slices.Contains(o.Keys, k) && !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	return keys
}
