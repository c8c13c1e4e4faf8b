package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// checkedMethod writes Validate for a type that has, or contains, a constraint.
//
//	func (v *Order) Validate(c *check.Checker) {
//		check.Member(c, "id", &v.ID, checkStringMin1)
//	}
func (e *emitter) checkedMethod(t *ir.Type, code []jen.Code) {
	if !e.facts.checked[t] {
		return
	}
	name := e.names.Type(t)
	receiver, checker := jen.Id("v").Op("*").Id(name), jen.Id("c").Op("*").Qual(pkgCheck, "Checker")
	if len(code) == 0 {
		// A constraint that no Go value of the type can break.
		receiver, checker = jen.Op("*").Id(name), jen.Op("*").Qual(pkgCheck, "Checker")
	}
	e.add(fileValidate, name,
		compact(jen.Func().Params(receiver).Id("Validate").Params(checker), code))
}

// structValidate checks the fields, then the number of members.
func (e *emitter) structValidate(t *ir.Type, members []member) {
	e.countMembers(t, members)
	if !e.facts.checked[t] {
		return
	}
	body := e.heldHere(t)
	for _, m := range members {
		if code := e.validate(m.Name, m.self(), m.place); code != nil {
			body = append(body, ifTravels(m, code))
		}
	}
	extra := jen.Id("v").Dot(e.names.Extra(t))
	if t.Extra != nil && len(t.Patterns) == 0 {
		if f := e.rules.element(t.Extra); f != nil {
			body = append(body, jen.Qual(pkgCheck, "ValuesHere").Call(jen.Id("c"), extra, e.rules.expr(f)))
		}
	}
	if c := t.Checks; boundsMembers(c) {
		pairs, _ := sizePairs(c.MinProperties, c.MaxProperties)
		body = append(body, jen.Id("c").Dot("PropertiesHere").Call(jen.Id("v").Dot("members").Call(),
			jen.Op("&").Add(ordered(jen.Qual(pkgCheck, "SizeRules"), pairs...))))
	}
	e.checkedMethod(t, body)
}

// ifTravels checks a member that travels one way only where it does.
//
//	if c.ReadOnly() {
//		check.Member(c, "id", &v.ID, checkStringMin1)
//	}
func ifTravels(m member, code *jen.Statement) jen.Code {
	c := jen.Id("c")
	switch {
	case m.ReadOnly:
		return jen.If(c.Dot("ReadOnly").Call()).Block(code)
	case m.WriteOnly:
		return jen.If(c.Dot("WriteOnly").Call()).Block(code)
	}
	return code
}

// ownChecks applies the constraints that a named scalar, array or map has itself.
func (e *emitter) ownChecks(t *ir.Type) []jen.Code {
	f := e.rules.checks(t.Checks, t)
	if f == nil {
		return nil
	}
	return []jen.Code{e.rules.expr(f).Call(jen.Id("v"), jen.Id("c"))}
}

// listValidate checks the length of a named array or map, and its elements.
//
//	checkSliceLine((*[]Line)(v), c)
func (e *emitter) listValidate(t *ir.Type) {
	if !e.facts.checked[t] {
		return
	}
	body := e.ownChecks(t)
	if f := e.rules.elements(t); f != nil {
		inner := jen.Parens(jen.Op("*").Add(e.bareType(t))).Parens(jen.Id("v"))
		body = append(body, e.rules.expr(f).Call(inner, jen.Id("c")))
	}
	e.checkedMethod(t, body)
}

// unionValidate checks the variant that is set.
func (e *emitter) unionValidate(t *ir.Type, options []option) {
	if !e.facts.checked[t] {
		return
	}
	body := e.heldHere(t)
	for _, o := range options {
		f := e.rules.function(o.Use)
		if f == nil {
			continue
		}
		arg := o.self()
		if o.list() {
			arg = jen.Op("&").Add(arg)
		}
		check := f.Call(arg, jen.Id("c"))
		if e.validates(o.Use) {
			check = o.self().Dot("Validate").Call(jen.Id("c"))
		}
		body = append(body, jen.If(o.isSet()).Block(check))
	}
	e.checkedMethod(t, body)
}

// validates reports whether the Validate method of a type is all that there is to
// check.
func (e *emitter) validates(u *ir.Use) bool {
	f := e.rules.use(u)
	return f != nil && f.method != ""
}

// tupleValidate checks each position, under its index.
//
//	check.Item(c, 0, &v.First, checkInt64From1)
func (e *emitter) tupleValidate(t *ir.Type, places []place) {
	if !e.facts.checked[t] {
		return
	}
	body := e.heldHere(t)
	for i, p := range places {
		if code := e.validate(strconv.Itoa(i), jen.Id("v").Dot(position(i)), p); code != nil {
			body = append(body, code)
		}
	}
	if tupleRest(t) && t.Elem != nil {
		if f := e.rules.element(t.Elem); f != nil {
			body = append(body, jen.For(jen.Id("i").Op(":=").Range().Id("v").Dot("Rest")).Block(
				jen.Qual(pkgCheck, "Item").Call(jen.Id("c"), jen.Lit(len(places)).Op("+").Id("i"),
					jen.Op("&").Id("v").Dot("Rest").Index(jen.Id("i")), e.rules.expr(f))))
		}
	}
	e.checkedMethod(t, body)
}
