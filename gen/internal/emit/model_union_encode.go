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

// encodeKeyed writes a variant whose own member does not say its key: a key is put
// in, or an unset one of several is refused; nil where the variant does it alone.
func (e *emitter) encodeKeyed(t *ir.Type, o option) *jen.Statement {
	property := t.Union.Property
	tagged := func(key *jen.Statement) *jen.Statement {
		return jen.Id("e").Dot("Tagged").Call(jen.Lit(property), key, o.self())
	}
	target := resolve(o.Use.Type)
	key := variantKey(o.Variant)
	if !declares(target, property) {
		if len(o.Keys) > 1 {
			return jen.Id("e").Dot("TaggedOneOf").Call(jen.Lit(property), jen.Id("v").Dot(e.keyField(t)),
				o.self(), jen.Index().String().ValuesFunc(func(g *jen.Group) {
					for _, k := range o.Keys {
						g.Lit(k)
					}
				}))
		}
		if key == "" {
			return nil
		}
		return tagged(jen.Lit(key))
	}
	for _, m := range e.members(target) {
		if m.Name != property || !isText(m.use) {
			continue
		}
		if _, alone := e.facts.tag(target, m.Field); alone {
			return nil
		}
		return e.encodeChosen(t, o, m, key, tagged)
	}
	return nil
}

// encodeChosen writes a variant that has a member for the key but may leave it unset.
//
//	if v.Web.Type == "" {
//		e.Fail("…")
//		return
//	}
//	e.Value(v.Web)
func (e *emitter) encodeChosen(t *ir.Type, o option, m member, key string, tagged func(*jen.Statement) *jen.Statement) *jen.Statement {
	self := o.self().Dot(m.goName)
	unset := self.Clone().Op("==").Lit("")
	if m.wrap() == opt {
		unset = jen.Op("!").Add(self).Dot("IsSet").Call()
	}
	instead := jen.Id("e").Dot("Fail").Call(jen.Lit(
		e.names.Type(t) + ": " + o.goName + "." + m.goName + " must say which of its keys it is"))
	if key != "" {
		instead = tagged(jen.Lit(key))
	}
	return jen.If(unset).Block(instead).Else().Block(jen.Id("e").Dot("Value").Call(o.self()))
}
