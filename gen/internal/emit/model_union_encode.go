package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// unionEncode is the body of EncodeJSON.
//
//	switch e.Variant("Pet", v.Cat != nil, v.Dog != nil) {
//	case 0:
//		e.Value(v.Cat)
//	case 1:
//		e.Value(v.Dog)
//	}
func (e *emitter) unionEncode(t *ir.Type, options []option) []jen.Code {
	if t.Union.AnyOf && t.Union.Dispatch == ir.ByTrial && mergeable(options) {
		return e.encodeMerged(e.names.Type(t), options)
	}
	args := []jen.Code{jen.Lit(e.names.Type(t))}
	var cases []jen.Code
	for i, o := range options {
		args = append(args, o.isSet())
		cases = append(cases, jen.Case(jen.Lit(i)).Block(e.encodeVariant(t, o)))
	}
	which := "Variant"
	if t.Union.AnyOf {
		which = "AnyVariant"
	}
	return []jen.Code{jen.Switch(jen.Id("e").Dot(which).Call(args...)).Block(cases...)}
}

// mergeable reports whether all variants are objects, which can be written as one.
func mergeable(options []option) bool {
	for _, o := range options {
		t := resolve(o.Use.Type)
		if t.GoType != nil || (t.Kind != ir.KindStruct && t.Kind != ir.KindUnion && t.Kind != ir.KindMap) {
			return false
		}
	}
	return true
}

// encodeMerged writes all variants that are set as one object.
//
//	var parts []json.Marshaler
//	if v.Phone != nil {
//		parts = append(parts, v.Phone)
//	}
//	e.MergeSet("Contact", parts)
func (e *emitter) encodeMerged(union string, options []option) []jen.Code {
	body := []jen.Code{jen.Var().Id("parts").Index().Qual(pkgJSON, "Marshaler")}
	for _, o := range options {
		part := o.self()
		if !e.direct(place{use: &ir.Use{Type: o.Use.Type}, required: true}) {
			if o.list() {
				part = jen.Op("&").Add(part)
			}
			part = jen.Qual(pkgJSON, "As").Call(part, e.typeCodec(o.Use.Type).expr())
		} else if o.list() {
			part = jen.Op("&").Add(part)
		}
		body = append(body, jen.If(o.isSet()).Block(
			jen.Id("parts").Op("=").Append(jen.Id("parts"), part)))
	}
	return append(body, jen.Id("e").Dot("MergeSet").Call(jen.Lit(union), jen.Id("parts")))
}

// encodeVariant writes the variant that is set, with its discriminator.
func (e *emitter) encodeVariant(t *ir.Type, o option) *jen.Statement {
	u := t.Union
	if u.Dispatch == ir.ByDiscriminator && resolve(o.Use.Type).Kind == ir.KindStruct && o.Use.Type.GoType == nil {
		if code := e.encodeKeyed(t, o); code != nil {
			return code
		}
	}
	enc := jen.Id("e")
	if o.list() {
		return e.encodeTo(enc, o.self(), place{use: &ir.Use{Type: o.Use.Type}, required: true})
	}
	if e.direct(place{use: &ir.Use{Type: o.Use.Type}, required: true}) {
		return enc.Dot("Value").Call(o.self())
	}
	return e.typeCodec(o.Use.Type).expr().Dot("Encode").Call(enc, o.self())
}

// encodeKeyed writes a variant so that it reads back as the same one: a key is put in
// where the variant has no member for it or another value there, and an unset one of
// several is refused; nil where the key is not for the union to write.
func (e *emitter) encodeKeyed(t *ir.Type, o option) *jen.Statement {
	property := t.Union.Property
	target := resolve(o.Use.Type)
	if t.Union.Fallback == o.Variant {
		return e.encodeFallback(t, o)
	}
	if !declares(target, property) {
		if len(o.Keys) > 1 {
			key := jen.Id("v").Dot(e.keyField(t))
			if o.Write != "" {
				key = jen.Qual("cmp", "Or").Call(key, jen.Lit(o.Write))
			}
			return jen.Id("e").Dot("TaggedOneOf").Call(jen.Lit(property), key,
				o.self(), jen.Index().String().Values(literals(o.Keys)...))
		}
		if o.Write != "" {
			return jen.Id("e").Dot("Tagged").Call(jen.Lit(property), jen.Lit(o.Write), o.self())
		}
		return nil
	}
	for _, m := range e.members(target) {
		if m.Name == property && isText(m.use) && len(o.Keys) > 0 {
			return e.encodeChosen(t, o, m)
		}
	}
	return nil
}

// encodeChosen writes a variant that has a member for the key, which may be unset or
// that of another variant.
//
//	e.Keyed("kind", cmp.Or(v.Kite.Kind, "Kite"), v.Kite, "Kite")
//	e.KeyedOneOf("Config: Web.Type", string(v.Web.Type), v.Web, "apache", "nginx")
func (e *emitter) encodeChosen(t *ir.Type, o option, m member) *jen.Statement {
	got := e.chosenKey(o, m, o.Write)
	if o.Write == "" {
		path := e.names.Type(t) + ": " + o.goName + "." + m.goName
		return jen.Id("e").Dot("KeyedOneOf").Call(append([]jen.Code{jen.Lit(path), got, o.self()}, literals(o.Keys)...)...)
	}
	return jen.Id("e").Dot("Keyed").Call(append([]jen.Code{jen.Lit(m.Name), got, o.self()}, literals(writtenFirst(o))...)...)
}

// writtenFirst are the keys of a variant, the one first that stands in for another's.
func writtenFirst(o option) []string {
	keys := []string{o.Write}
	for _, k := range o.Keys {
		if k != o.Write {
			keys = append(keys, k)
		}
	}
	return keys
}

// chosenKey is what the variant will write as its key by itself.
func (e *emitter) chosenKey(o option, m member, key string) *jen.Statement {
	if _, alone := e.facts.tag(resolve(o.Use.Type), m.Field); !alone {
		key = ""
	}
	got := o.self().Dot(m.goName)
	if m.wrap() == opt {
		return asString(m, got.Dot("Or").Call(jen.Lit(key)))
	}
	if got = asString(m, got); key != "" {
		return jen.Qual("cmp", "Or").Call(got, jen.Lit(key))
	}
	return got
}

// asString is a member that isText as a string.
func asString(m member, value *jen.Statement) *jen.Statement {
	if resolve(m.use.Type).Kind == ir.KindEnum {
		return jen.String().Call(value)
	}
	return value
}

func literals(texts []string) []jen.Code {
	out := make([]jen.Code, len(texts))
	for i, text := range texts {
		out[i] = jen.Lit(text)
	}
	return out
}
