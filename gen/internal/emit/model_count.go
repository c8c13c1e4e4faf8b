package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// findCounted finds the objects whose number of members is bounded, by their own
// schema or where one is used. They have a method that counts.
func (f *facts) findCounted(api *ir.API) {
	f.counted = map[*ir.Type]bool{}
	note := func(u *ir.Use) {
		if u == nil {
			return
		}
		checks := []*ir.Checks{u.Checks, u.Type.Checks}
		t := u.Type
		for range 1000 {
			if t.Kind != ir.KindAlias || t.Target == nil || t.GoType != nil {
				break
			}
			checks = append(checks, t.Target.Checks, t.Target.Type.Checks)
			t = t.Target.Type
		}
		if t.Kind != ir.KindStruct {
			return
		}
		for _, c := range checks {
			f.counted[t] = f.counted[t] || boundsMembers(c)
		}
	}
	for _, t := range api.Types {
		note(&ir.Use{Type: t})
		walkUses(t, note, 0)
	}
	for _, ops := range [][]*ir.Operation{api.Operations, api.Webhooks} {
		for _, op := range ops {
			for _, p := range op.Params {
				note(p.Use)
			}
			eachContent(op, func(c *ir.Content) { note(c.Use); note(c.Item) })
		}
	}
}

// walkUses calls f with each use inside a type, also those of lists written in place.
func walkUses(t *ir.Type, f func(*ir.Use), depth int) {
	const deep = 100
	for _, u := range parts(t) {
		if u == nil {
			continue
		}
		f(u)
		if !u.Type.Declared && depth < deep {
			walkUses(u.Type, f, depth+1)
		}
	}
}

// boundsMembers reports whether constraints bound the number of an object's members.
func boundsMembers(c *ir.Checks) bool {
	if c == nil {
		return false
	}
	pairs, _ := sizePairs(c.MinProperties, c.MaxProperties)
	return len(pairs) > 0
}

// countMembers writes the method that counts the members an object has.
//
//	func (v *Order) members() int {
//		n := 1 + len(v.Extra)
//		if v.Note.IsSet() {
//			n++
//		}
//		return n
//	}
func (e *emitter) countMembers(t *ir.Type, members []member) {
	if !e.facts.counted[t] {
		return
	}
	always := 0
	var body []jen.Code
	for _, m := range members {
		if m.required {
			always++
			continue
		}
		body = append(body, jen.If(e.isSet(m.self(), m.place)).Block(jen.Id("n").Op("++")))
	}
	start := jen.Id("n").Op(":=").Lit(always)
	receiver := jen.Id("v").Op("*").Id(e.names.Type(t))
	switch {
	case t.Extra != nil:
		start = start.Op("+").Len(jen.Id("v").Dot(e.names.Extra(t)))
	case len(body) == 0:
		receiver = jen.Op("*").Id(e.names.Type(t))
	}
	body = append(append([]jen.Code{start}, body...), jen.Return(jen.Id("n")))
	e.add(fileValidate, e.names.Type(t), jen.Func().Params(receiver).Id("members").Params().Int().Block(body...))
}

// members is the rule of the number of an object's members.
//
//	check.CountOf((*Order).members, &check.SizeRules{Min: 1})
func (r *rules) members(c *ir.Checks, target *ir.Type) *rule {
	pairs, words := sizePairs(c.MinProperties, c.MaxProperties)
	if len(pairs) == 0 || !r.e.hasMethods(target) {
		return nil
	}
	key := r.e.typeWords(target) + "Properties" + words
	return &rule{key: key, words: key, shared: true, code: func() *jen.Statement {
		return jen.Qual(pkgCheck, "CountOf").Call(
			jen.Parens(jen.Op("*").Id(r.e.typeName(target))).Dot("members"),
			jen.Op("&").Add(ordered(jen.Qual(pkgCheck, "SizeRules"), pairs...)))
	}}
}
