package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// readRequestFields reads the fields of a form, or the parts of a multipart body.
//
//	f := s.Multipart(true, false, server.Part{Name: "title", Required: true}, server.Part{Name: "picture", File: true})
//	field.Get(f.Field("title", param.Form), param.String, &r.Body.Title)
//	f.File("picture", &r.Body.Picture, true)
func (e *emitter) readRequestFields(f *bodyForm, dst *jen.Statement) []jen.Code {
	t := resolve(f.Use.Type)
	start := jen.Id("s").Dot("Form").Call(jen.Lit(f.required))
	if f.Kind == ir.ContentMultipart {
		start = e.startParts(jen.Id("s"), f, f.required)
	}
	form := jen.Id("f")
	if t.Kind == ir.KindMap {
		return []jen.Code{e.readAny(f, start, jen.Op("&").Add(dst))}
	}
	code := e.readFields(f, dst)
	if len(code) == 0 {
		return []jen.Code{start}
	}
	if f.formWrap() == plain {
		return append([]jen.Code{form.Clone().Op(":=").Add(start)}, code...)
	}
	code = append([]jen.Code{dst.Clone().Op("=").New(e.baseType(f.Use.Type))}, code...)
	return []jen.Code{jen.If(form.Clone().Op(":=").Add(start), form.Clone().Op("!=").Nil()).Block(code...)}
}

// startParts begins to read a body of several parts. first is whether a request needs
// it, and whether a response is read whole.
func (e *emitter) startParts(s *jen.Statement, f *bodyForm, first bool) *jen.Statement {
	t := resolve(f.Use.Type)
	args := append([]jen.Code{jen.Lit(first), jen.Lit(t.Kind == ir.KindMap)}, e.partList(f, t)...)
	if len(args) > 4 {
		return s.Dot("Multipart").Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, args...)
	}
	return s.Dot("Multipart").Call(args...)
}

// readAny reads a body whose fields have any names into what addr points to.
func (e *emitter) readAny(f *bodyForm, form, addr *jen.Statement) *jen.Statement {
	t := resolve(f.Use.Type)
	if e.hasMethods(t) {
		addr = jen.Parens(jen.Op("*").Add(e.bareType(t))).Parens(addr)
	}
	c := e.paramElem(t.Elem, f.reading())
	if t.Elem != nil && f.Kind == ir.ContentMultipart && !single(t.Elem.Type) && resolve(t.Elem.Type).Kind != ir.KindAny {
		c = e.jsonParam(e.elemCodec(t.Elem))
	}
	return jen.Qual(pkgField, "GetExtra").Call(form, c.expr(), addr)
}

// readFields reads the fields of the form f into dst.
func (e *emitter) readFields(f *bodyForm, dst *jen.Statement) []jen.Code {
	t, form := resolve(f.Use.Type), jen.Id("f")
	var code []jen.Code
	if names := e.reservedFields(f, t); len(names) > 0 {
		code = append(code, form.Clone().Dot("Reserve").Call(names...))
	}
	for _, p := range f.Parts {
		m, ok := e.fieldOf(f, t, p)
		if !ok {
			continue
		}
		code = append(code, e.readField(form.Clone(), f, p, m, m.at(dst)))
		if def := e.fillDefault(m.at(dst), m.place, m.Default); def != nil {
			code = append(code, def)
		}
		if len(p.Headers) > 0 && f.heads != nil {
			code = append(code, e.readPartHeaders(f, p, m))
		}
	}
	return code
}

// reservedFields are the other names of a urlencoded form in which an object looks at
// all that nobody else has.
func (e *emitter) reservedFields(f *bodyForm, t *ir.Type) []jen.Code {
	if f.Kind != ir.ContentForm {
		return nil
	}
	var n nameSet
	for _, p := range f.Parts {
		if _, ok := e.fieldOf(f, t, p); ok {
			n.add(p.Field.Name, p.Field.Use.Type, p.Style == "form" && p.Explode)
		}
	}
	return n.code()
}

// partList says what parts there can be.
func (e *emitter) partList(f *bodyForm, t *ir.Type) []jen.Code {
	if t.Kind == ir.KindMap {
		return nil
	}
	var out []jen.Code
	for _, p := range f.Parts {
		m, ok := e.fieldOf(f, t, p)
		if !ok {
			continue
		}
		pairs := []pair{{"Name", jen.Lit(m.Name)}}
		if m.file {
			pairs = append(pairs, pair{"File", jen.True()})
		}
		if p.Many {
			pairs = append(pairs, pair{"Many", jen.True()})
		}
		if m.required {
			pairs = append(pairs, pair{"Required", jen.True()})
		}
		if len(p.Headers) > 0 {
			pairs = append(pairs, pair{"Headers", jen.True()})
		}
		part := jen.Qual(pkgServer, "Part")
		if f.response {
			part = jen.Qual(pkgMultipart, "Declared")
		}
		out = append(out, ordered(part, pairs...))
	}
	return out
}

// readField reads one field into dst.
func (e *emitter) readField(form *jen.Statement, f *bodyForm, p *ir.Part, m member, dst *jen.Statement) *jen.Statement {
	name, addr := jen.Lit(m.Name), jen.Op("&").Add(dst.Clone())
	t := resolve(m.use.Type)
	if m.file && f.Kind == ir.ContentMultipart {
		word := "File"
		if t.Kind == ir.KindArray {
			word = "Files"
		}
		return form.Dot(word).Call(name, addr, jen.Lit(m.required))
	}
	style := partStyle(p)
	if f.Kind == ir.ContentMultipart {
		style = styleExpr("form", false, false, false)
	}
	src := form.Dot("Field").Call(name, style)
	if e.manyParts(p, m) && !m.file {
		elem := e.paramElem(t.Elem, f.reading())
		if p.Kind == ir.ContentJSON && p.Style == "" {
			elem = e.jsonParam(e.elemCodec(t.Elem))
		}
		return e.getList(src, elem.expr(), dst, m.use.Type, m.required)
	}
	c := e.partCodec(p, m, f.reading())
	if f.Kind == ir.ContentMultipart && p.Kind == ir.ContentJSON {
		c = e.jsonParam(e.partJSON(m))
	}
	return e.getValue(src, c.expr(), dst, m.wrap(), m.required)
}
