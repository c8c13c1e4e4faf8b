package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

// formQuery reports a whole query that is a form with members that no style of a
// parameter has a layout for.
func (e *emitter) formQuery(p *ir.Param) bool {
	if p.In != "querystring" || contentParam(p) {
		return false
	}
	t := resolve(p.Use.Type)
	if t.Kind != ir.KindStruct || t.GoType != nil || !e.hasMethods(t) {
		return false
	}
	for _, m := range e.members(t) {
		if nestedMember(m) != nil {
			return true
		}
	}
	return false
}

// nestedMember is the object that a member is, or that its items are; nil for one that is
// text.
func nestedMember(m member) *ir.Type {
	t := resolve(m.use.Type)
	if t.Kind == ir.KindArray && t.GoType == nil && t.Elem != nil {
		t = resolve(t.Elem.Type)
	}
	if t.GoType == nil && (t.Kind == ir.KindStruct || t.Kind == ir.KindMap) {
		return t
	}
	return nil
}

// queryForm is the codec of such a query: as in a body, objects are written as JSON, and
// lists item by item.
//
//	param.Codec[Filter]{Format: formatFilter_query, Parse: parseFilter_query}
func (e *emitter) queryForm(t *ir.Type) *paramCodec {
	name := e.names.Type(t)
	return e.madeParam("Query\x00"+name, "Query"+name, func() *jen.Statement {
		e.ops.queryForms = append(e.ops.queryForms, t)
		format, parse := queryFunctions(name)
		return ordered(jen.Qual(pkgParam, "Codec").Types(jen.Id(name)), pair{"Format", format}, pair{"Parse", parse})
	})
}

// queryFunctions are the names of the two functions of a whole query. No type has an
// underscore where this one stands, so they are free.
func queryFunctions(name string) (format, parse *jen.Statement) {
	return jen.Id(names.Private("format", name) + "_query"), jen.Id(names.Private("parse", name) + "_query")
}

// writeQueryForms writes the functions of all types that are a whole query.
func (e *emitter) writeQueryForms() {
	for _, t := range e.ops.queryForms {
		name := e.names.Type(t)
		format, parse := queryFunctions(name)
		write, read := e.objectParam(t, e.queryMember, queryValue)
		e.add(fileParams, name,
			jen.Func().Add(format).Params(jen.Id("v").Id(name)).Qual(pkgParam, "Value").Block(write...),
			jen.Line(),
			jen.Func().Add(parse).Params(jen.Id("r").Qual(pkgParam, "Raw")).Params(jen.Id(name), jen.Error()).Block(read...),
			jen.Line())
	}
	e.ops.queryForms = nil
}

// queryMember is the codec of one member of a query that is a form.
func (e *emitter) queryMember(m member) *paramCodec {
	if nestedMember(m) == nil {
		return e.placeParam(m.place)
	}
	if t := resolve(m.use.Type); t.Kind == ir.KindArray && !e.hasMethods(m.use.Type) {
		return e.aroundParam("ListOf", e.jsonParam(e.elemCodec(t.Elem)))
	}
	return e.jsonParam(e.partJSON(m))
}

// queryValue is the value of one member. JSON has a text for a list or map that is nil,
// which in a query is absent.
func queryValue(c *jen.Statement, m member) *jen.Statement {
	if nestedMember(m) != nil && m.wrap() == plain && !m.required && classOf(m.use.Type) == classList {
		return jen.Qual(pkgParam, nilable(m.use.Type)).Call(c, m.self())
	}
	return paramValue(c, m.self(), m.wrap())
}

// nilable is the function that writes nothing for a nil of the type.
func nilable(t *ir.Type) string {
	if resolve(t).Kind == ir.KindMap {
		return "NilableMap"
	}
	return "Nilable"
}
