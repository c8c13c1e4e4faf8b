package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

// paramFunctions notes that a declared type is a parameter somewhere.
func (e *emitter) paramFunctions(t *ir.Type) {
	if !e.ops.paramSeen[t] {
		e.ops.paramSeen[t] = true
		e.ops.paramQueue = append(e.ops.paramQueue, t)
	}
}

// writeParamFunctions writes the functions of all types that were noted, and of those
// that they lead to.
//
//	func formatFilter(v Filter) param.Value { … }
//	func parseFilter(r param.Raw) (Filter, error) { … }
func (e *emitter) writeParamFunctions() {
	e.writeQueryForms()
	for len(e.ops.paramQueue) > 0 {
		t := e.ops.paramQueue[0]
		e.ops.paramQueue = e.ops.paramQueue[1:]
		format, parse := e.paramBodies(t)
		name := e.names.Type(t)
		e.add(fileParams, name,
			jen.Func().Id(names.Private("format", name)).Params(jen.Id("v").Id(name)).Qual(pkgParam, "Value").Block(format...),
			jen.Line(),
			jen.Func().Id(names.Private("parse", name)).Params(jen.Id("r").Qual(pkgParam, "Raw")).Params(jen.Id(name), jen.Error()).Block(parse...),
			jen.Line())
	}
}

func (e *emitter) paramBodies(t *ir.Type) (format, parse []jen.Code) {
	switch t.Kind {
	case ir.KindUnion:
		return e.unionParam(t)
	case ir.KindTuple:
		return e.tupleParam(t)
	case ir.KindArray, ir.KindMap:
		word, parser := "List", "ParseList"
		if t.Kind == ir.KindMap {
			word, parser = "Map", "ParseMap"
		}
		elem := e.paramElem(t.Elem, strict).in(true)
		return []jen.Code{jen.Return(jen.Qual(pkgParam, word).Call(elem, jen.Id("v")))},
			[]jen.Code{jen.Return(jen.Qual(pkgParam, parser).Call(jen.Id("r"), elem.Clone()))}
	}
	return e.structParam(t)
}

// structParam writes and reads an object with known members.
//
//	var m param.Members
//	m.Put("state", param.Opt(param.String, v.State))
//	return m.Value()
//
//	var v Filter
//	o := r.Object()
//	param.GetOpt(o, "state", param.String, &v.State)
//	return v, o.Err()
func (e *emitter) structParam(t *ir.Type) (format, parse []jen.Code) {
	return e.objectParam(t,
		func(m member) *paramCodec { return e.placeParam(m.place) },
		func(c *jen.Statement, m member) *jen.Statement { return paramValue(c, m.self(), m.wrap()) })
}

// objectParam is structParam with the codecs and the values of the members given.
func (e *emitter) objectParam(t *ir.Type, codec func(member) *paramCodec, value func(*jen.Statement, member) *jen.Statement) (format, parse []jen.Code) {
	format = []jen.Code{jen.Var().Id("m").Qual(pkgParam, "Members")}
	parse = []jen.Code{
		jen.Var().Id("v").Id(e.names.Type(t)),
		jen.Id("o").Op(":=").Id("r").Dot("Object").Call(),
	}
	for _, m := range e.members(t) {
		c := codec(m)
		format = append(format, jen.Id("m").Dot("Put").Call(jen.Lit(m.Name), value(c.in(true), m)))
		parse = append(parse, e.getMember(m, c.in(true)))
	}
	if t.Extra != nil {
		c := e.paramElem(t.Extra, strict).in(true)
		extra := jen.Id("v").Dot(e.names.Extra(t))
		format = append(format, jen.Qual(pkgParam, "PutExtra").Call(jen.Op("&").Id("m"), c, extra))
		parse = append(parse, jen.Qual(pkgParam, "GetExtra").Call(jen.Id("o"), c.Clone(), jen.Op("&").Add(extra.Clone())))
	} else if t.Closed {
		parse = append(parse, jen.Id("o").Dot("Closed").Call())
	}
	format = append(format, jen.Return(jen.Id("m").Dot("Value").Call()))
	parse = append(parse, jen.Return(jen.Id("v"), jen.Id("o").Dot("Err").Call()))
	return format, parse
}

// placeParam is the codec of what the wrap of a place holds.
func (e *emitter) placeParam(p place) *paramCodec { return e.placeParamAs(p, strict) }

func (e *emitter) placeParamAs(p place, r reading) *paramCodec {
	if p.file {
		c := &paramCodec{e: e, key: "File", words: "File", code: func(bool) *jen.Statement { return jen.Qual(pkgMultipart, "Text") }}
		if resolve(p.use.Type).Kind == ir.KindArray {
			return e.aroundParam("ListOf", c)
		}
		return c
	}
	c := e.paramType(p.use.Type, r)
	if p.wrap() == optNull && p.recursive {
		return e.aroundParam("PtrOf", c)
	}
	return c
}

// paramValue is a place's value in the codec's form.
func paramValue(c, src *jen.Statement, w wrap) *jen.Statement {
	word := map[wrap]string{opt: "Opt", null: "Null", optNull: "OptNull", pointer: "Ptr"}[w]
	if word == "" {
		return c.Clone().Dot("Format").Call(src)
	}
	return jen.Qual(pkgParam, word).Call(c, src)
}

// wholeValue is paramValue for a parameter or header. Written as JSON, an optional list
// or map that is nil would be an empty one; it is no value.
func (e *emitter) wholeValue(p *ir.Param, r reading, src *jen.Statement) *jen.Statement {
	c, w := e.codecOf(p, r).expr(), paramWrap(p.Use, p.Required)
	if contentParam(p) && w == plain && !p.Required {
		return jen.Qual(pkgParam, nilable(p.Use.Type)).Call(c, src)
	}
	return paramValue(c, src, w)
}

// getMember reads a member of an object.
//
//	param.GetOpt(o, "state", param.String, &v.State)
func (e *emitter) getMember(m member, c *jen.Statement) *jen.Statement {
	word := map[wrap]string{opt: "GetOpt", null: "GetNull", optNull: "GetOptNull", pointer: "GetPtr"}[m.wrap()]
	if word == "" {
		word = "Get"
		if !m.required || m.ReadOnly {
			word = "GetNilable"
		}
	}
	return jen.Qual(pkgParam, word).Call(jen.Id("o"), jen.Lit(m.Name), c, jen.Op("&").Add(m.self()))
}

// unionParam writes the alternative that is set, and reads the first that fits, texts
// last since any fits one.
//
//	switch {
//	case v.Int64 != nil:
//		return param.Int64.Format(*v.Int64)
//	}
//	return param.Value{}
//
//	var v Limit
//	if param.Try(r, param.Int64, &v.Int64) || param.Try(r, param.String, &v.String) {
//		return v, nil
//	}
//	return v, r.NoneFits()
func (e *emitter) unionParam(t *ir.Type) (format, parse []jen.Code) {
	var cases []jen.Code
	var tries [3]*jen.Statement
	for _, o := range e.options(t) {
		c := e.paramType(o.Use.Type, strict).in(true)
		src, try := jen.Op("*").Add(o.self()), "Try"
		if o.list() {
			src, try = o.self(), "TryNilable"
		}
		cases = append(cases, jen.Case(o.isSet()).Block(jen.Return(c.Clone().Dot("Format").Call(src))))
		call := jen.Qual(pkgParam, try).Call(jen.Id("r"), c, jen.Op("&").Add(o.self()))
		rank := parseRank(o.Use.Type)
		if tries[rank] == nil {
			tries[rank] = call
		} else {
			tries[rank] = tries[rank].Op("||").Add(call)
		}
	}
	var all *jen.Statement
	for _, try := range tries {
		switch {
		case try == nil:
		case all == nil:
			all = try
		default:
			all = all.Op("||").Add(try)
		}
	}
	format = []jen.Code{jen.Switch().Block(cases...), jen.Return(jen.Qual(pkgParam, "Value").Values())}
	parse = []jen.Code{
		jen.Var().Id("v").Id(e.names.Type(t)),
		jen.If(all).Block(jen.Return(jen.Id("v"), jen.Nil())),
		jen.Return(jen.Id("v"), jen.Id("r").Dot("NoneFits").Call()),
	}
	return format, parse
}

// parseRank orders the alternatives of a text: what few texts fit comes first.
func parseRank(t *ir.Type) int {
	t = resolve(t)
	switch {
	case t.GoType != nil:
		return 1
	case t.Kind == ir.KindScalar && t.Scalar == ir.String, t.Kind == ir.KindAny, t.Kind == ir.KindNull:
		return 2
	case t.Kind == ir.KindArray, t.Kind == ir.KindMap, t.Kind == ir.KindEnum && t.Open:
		return 1
	}
	return 0
}

// tupleParam writes and reads a list whose positions have types of their own.
//
//	return param.ListValue(param.Int64.Format(v.First), param.String.Format(v.Second))
//
//	var v Point
//	o := r.Items()
//	param.Item(o, param.Int64, &v.First)
//	return v, o.Err()
func (e *emitter) tupleParam(t *ir.Type) (format, parse []jen.Code) {
	var values []jen.Code
	parse = []jen.Code{
		jen.Var().Id("v").Id(e.names.Type(t)),
		jen.Id("o").Op(":=").Id("r").Dot("Items").Call(),
	}
	for i, u := range t.Tuple {
		p := place{use: u, required: true, recursive: e.facts.recursive(t, u.Type)}
		c := e.paramType(u.Type, strict)
		src := jen.Id("v").Dot(position(i))
		values = append(values, paramValue(c.in(true), src.Clone(), p.wrap()))
		switch p.wrap() {
		case null:
			c = e.aroundParam("NullOf", c)
		case pointer:
			c = e.aroundParam("PtrOf", c)
		}
		parse = append(parse, jen.Qual(pkgParam, "Item").Call(jen.Id("o"), c.in(true), jen.Op("&").Add(src)))
	}
	list := jen.Qual(pkgParam, "ListValue").Call(values...)
	format = []jen.Code{jen.Return(list)}
	if tupleRest(t) {
		c := e.paramElem(t.Elem, strict).in(true)
		rest := jen.Id("v").Dot("Rest")
		parse = append(parse, jen.Qual(pkgParam, "RestItems").Call(jen.Id("o"), c, jen.Op("&").Add(rest)))
		format = []jen.Code{
			jen.Id("items").Op(":=").Index().Qual(pkgParam, "Value").Values(values...),
			jen.For(jen.Id("i").Op(":=").Range().Add(rest.Clone())).Block(
				jen.Id("items").Op("=").Append(jen.Id("items"), c.Clone().Dot("Format").Call(rest.Clone().Index(jen.Id("i"))))),
			jen.Return(jen.Qual(pkgParam, "ListValue").Call(jen.Id("items").Op("..."))),
		}
	}
	return format, append(parse, jen.Return(jen.Id("v"), jen.Id("o").Dot("Err").Call()))
}
