package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// fieldOf is the member of a form's struct that a part is; false for one that has no
// Go field or does not travel in this direction.
func (e *emitter) fieldOf(f *bodyForm, t *ir.Type, p *ir.Part) (member, bool) {
	for _, m := range e.members(t) {
		if m.Field == p.Field {
			return m, f.response && !m.WriteOnly || !f.response && !m.ReadOnly
		}
	}
	return member{}, false
}

// at is the member's field of the struct src.
func (m member) at(src *jen.Statement) *jen.Statement { return src.Clone().Dot(m.goName) }

// encodeURLForm writes a urlencoded body.
//
//	f := b.Form("application/x-www-form-urlencoded")
//	f.Field("name", param.Form, param.String.Format(r.Body.Name))
func (e *emitter) encodeURLForm(f *bodyForm, start, src *jen.Statement) []jen.Code {
	form := jen.Id("f")
	code := []jen.Code{form.Clone().Op(":=").Add(start)}
	t := resolve(f.Use.Type)
	if t.Kind == ir.KindMap {
		if f.formWrap() == pointer {
			src = jen.Op("*").Add(src)
		}
		return append(code, form.Clone().Dot("Field").Call(jen.Lit(""), styleExpr("form", true, false, false),
			e.paramType(f.Use.Type, strict).expr().Dot("Format").Call(src)))
	}
	n := len(code)
	for _, p := range f.Parts {
		m, ok := e.fieldOf(f, t, p)
		if !ok {
			continue
		}
		name, style := jen.Lit(p.Field.Name), partStyle(p)
		code = append(code, form.Clone().Dot("Field").Call(name, style, e.partValue(p, m, m.at(src))))
	}
	if len(code) == n {
		return []jen.Code{start}
	}
	return code
}

// partStyle is the layout of a field of a form. One that is written as JSON has one
// text.
func partStyle(p *ir.Part) *jen.Statement {
	style := p.Style
	if style == "" {
		style = "form"
	}
	explode := p.Explode && !single(p.Field.Use.Type)
	if p.Style == "" {
		explode = p.Many
	}
	return styleExpr(style, explode, p.AllowReserved, false)
}

// partCodec is the codec of a field of a form, without its wrap: of the whole field,
// or of an element where one is written apart.
func (e *emitter) partCodec(p *ir.Part, m member, r reading) *paramCodec {
	if p.Style != "" || p.Kind != ir.ContentJSON {
		return e.placeParamAs(m.place, r)
	}
	if t := resolve(m.use.Type); p.Many && t.Kind == ir.KindArray && t.Elem != nil {
		list := e.aroundParam("ListOf", e.jsonParam(e.elemCodec(t.Elem)))
		if !e.hasMethods(m.use.Type) {
			return list
		}
	}
	return e.jsonParam(e.partJSON(m))
}

// partJSON is the codec of what the wrap of a member holds.
func (e *emitter) partJSON(m member) *codec {
	c := e.typeCodec(m.use.Type)
	if m.wrap() == optNull && m.recursive {
		return e.around("Ptr", "Ptr", c)
	}
	return c
}

// partValue is a field's value.
func (e *emitter) partValue(p *ir.Part, m member, src *jen.Statement) *jen.Statement {
	c := e.partCodec(p, m, strict).expr()
	w := m.wrap()
	if m.file {
		w = plain
	}
	if w == plain && !m.required && classOf(m.use.Type) == classList && p.Style == "" && p.Kind == ir.ContentJSON {
		return jen.Qual(pkgParam, nilable(m.use.Type)).Call(c, src)
	}
	return paramValue(c, src, w)
}

// encodeMultipart writes a body of several parts.
//
//	p := b.Multipart("multipart/form-data")
//	p.Value("title", "", param.String.Format(r.Body.Title))
//	p.File("picture", "image/png", r.Body.Picture)
func (e *emitter) encodeMultipart(f *bodyForm, start, src *jen.Statement) []jen.Code {
	parts := jen.Id("p")
	t := resolve(f.Use.Type)
	if t.Kind == ir.KindMap {
		return e.encodeAnyParts(f, t, start, src)
	}
	var code []jen.Code
	for _, p := range f.Parts {
		if m, ok := e.fieldOf(f, t, p); ok {
			if len(p.Headers) > 0 {
				code = append(code, e.encodePartHeaders(f, p, m, m.at(src)))
			}
			code = append(code, e.encodePart(parts.Clone(), p, m, m.at(src)))
		}
	}
	if len(code) == 0 {
		return []jen.Code{start}
	}
	return append([]jen.Code{parts.Clone().Op(":=").Add(start)}, code...)
}

// encodeAnyParts writes a map, one part for each member.
func (e *emitter) encodeAnyParts(f *bodyForm, t *ir.Type, start, src *jen.Statement) []jen.Code {
	if f.formWrap() == pointer {
		src = jen.Op("*").Add(src)
	}
	if t.Elem != nil && (single(t.Elem.Type) || resolve(t.Elem.Type).Kind == ir.KindAny) {
		return []jen.Code{jen.Qual(pkgMultipart, "PartMap").Call(start, src, e.paramElem(t.Elem, strict).expr())}
	}
	return []jen.Code{jen.Qual(pkgMultipart, "JSONPartMap").Call(start, src, e.elemCodec(t.Elem).expr())}
}

// sentType is the content type of a part, where the document names one. Of several,
// or of a range, the file says which it is.
func sentType(p *ir.Part) string {
	if strings.ContainsAny(p.ContentType, ",*") {
		return ""
	}
	return p.ContentType
}

// manyParts reports a field of which each item is a part of its own.
func (e *emitter) manyParts(p *ir.Part, m member) bool {
	t := resolve(m.use.Type)
	if m.file {
		return t.Kind == ir.KindArray
	}
	return t.Kind == ir.KindArray && t.GoType == nil && p.Many && m.wrap() == plain
}

// encodePart writes one part, or one for each element of an array.
func (e *emitter) encodePart(parts *jen.Statement, p *ir.Part, m member, src *jen.Statement) *jen.Statement {
	name, media := jen.Lit(p.Field.Name), jen.Lit(sentType(p))
	t := resolve(m.use.Type)
	switch {
	case m.file && t.Kind == ir.KindArray:
		return parts.Dot("Files").Call(name, media, src)
	case m.file:
		return parts.Dot("File").Call(name, media, src)
	case e.manyParts(p, m):
		if p.Kind == ir.ContentJSON {
			return jen.Qual(pkgMultipart, "JSONPartList").Call(parts, name, media, src, e.elemCodec(t.Elem).expr())
		}
		return jen.Qual(pkgMultipart, "PartList").Call(parts, name, media, src, e.paramElem(t.Elem, strict).expr())
	case p.Kind != ir.ContentJSON:
		return parts.Dot("Value").Call(name, media, paramValue(e.placeParam(m.place).expr(), src, m.wrap()))
	}
	return e.encodeJSONPart(parts, name, media, m, src)
}

// encodeJSONPart writes a part that is JSON, when it is there.
//
//	multipart.JSONPart(p, "where", "", &r.Body.Where, codecPoint)
func (e *emitter) encodeJSONPart(parts, name, media *jen.Statement, m member, src *jen.Statement) *jen.Statement {
	c := e.placeCodec(m.place).expr()
	call := func(fn string, arg *jen.Statement) *jen.Statement {
		return jen.Qual(pkgMultipart, fn).Call(parts, name, media, arg, c)
	}
	switch m.wrap() {
	case opt, null, optNull:
		return call("JSONPartPtr", src.Clone().Dot("Ptr").Call())
	case pointer:
		return call("JSONPartPtr", src)
	}
	whole := call("JSONPart", jen.Op("&").Add(src))
	if !m.required && classOf(m.use.Type) == classList {
		return jen.If(src.Clone().Op("!=").Nil()).Block(whole)
	}
	return whole
}
