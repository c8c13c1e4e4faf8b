package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// headOf is the field for the headers of a part.
func (e *emitter) headOf(f *bodyForm, p *ir.Part) *jen.Statement {
	return f.heads.Clone().Dot(e.names.PartField(f.Content, p))
}

// headMethod is a method of the headers of a part as a function.
func (e *emitter) headMethod(f *bodyForm, p *ir.Part, name string) *jen.Statement {
	return jen.Parens(ptr(e.names.PartType(f.Content, p))).Dot(name)
}

// encodePartHeaders gives the part that is written next, or each of a list, its headers.
//
//	r.PartHeaders.Picture.encode(p)
//	multipart.EachHeader(p, "more", len(r.Body.More), r.PartHeaders.More, (*UploadMoreHeaders).encode)
func (e *emitter) encodePartHeaders(f *bodyForm, p *ir.Part, m member, src *jen.Statement) jen.Code {
	parts := jen.Id("p")
	if e.manyParts(p, m) {
		return jen.Qual(pkgMultipart, "EachHeader").Call(parts, jen.Lit(p.Field.Name), jen.Len(src),
			e.headOf(f, p), e.headMethod(f, p, "encode"))
	}
	return e.headOf(f, p).Dot("encode").Call(parts)
}

// readPartHeaders reads the headers of a part, or of each of a list.
//
//	multipart.ReadHead(f, "picture", r.PartHeaders.Picture.decode)
func (e *emitter) readPartHeaders(f *bodyForm, p *ir.Part, m member) jen.Code {
	name := jen.Lit(p.Field.Name)
	if e.manyParts(p, m) {
		return jen.Qual(pkgMultipart, "ReadHeads").Call(jen.Id("f"), name, jen.Op("&").Add(e.headOf(f, p)), e.headMethod(f, p, "decode"))
	}
	return jen.Qual(pkgMultipart, "ReadHead").Call(jen.Id("f"), name, e.headOf(f, p).Dot("decode"))
}

// requestPartTypes writes the types of the headers of the parts of a request.
func (e *emitter) requestPartTypes(o *operation) {
	if o.body == nil {
		return
	}
	for _, f := range o.body.forms {
		if f.heads != nil {
			e.partTypes(f, fileParams, o.n.Base, "the body of "+o.n.Method, o.group.caller, o.group.called)
		}
	}
}

// partTypes writes the types of the headers of the parts of a body.
//
//	// UploadPartHeaders holds the headers of the parts of the body of Upload.
//	type UploadPartHeaders struct {
//		Picture UploadPictureHeaders   // of the part picture
//		More    []UploadMoreHeaders    // of each part more
//	}
func (e *emitter) partTypes(f *bodyForm, file, key, what string, writes, reads bool) {
	t, name := resolve(f.Use.Type), e.names.PartsType(f.Content)
	var fields []jen.Code
	for _, p := range f.Parts {
		m, ok := e.partMember(t, p)
		if !ok || len(p.Headers) == 0 {
			continue
		}
		typ, note := jen.Id(e.names.PartType(f.Content, p)), "of the part "+p.Field.Name
		if e.manyParts(p, m) {
			typ, note = jen.Index().Add(typ), "of each part "+p.Field.Name
		}
		fields = append(fields, jen.Id(e.names.PartField(f.Content, p)).Add(typ).Add(trailing(note)))
		e.partType(f, p, file, key, what, writes, reads)
	}
	e.add(file, key, comment(name+" holds the headers of the parts of "+what+". Those of a part that is not there count for nothing."),
		jen.Type().Id(name).Struct(fields...), jen.Line())
}

// partMember is the member of a form's struct that a part is, whichever way it travels.
func (e *emitter) partMember(t *ir.Type, p *ir.Part) (member, bool) {
	for _, m := range e.members(t) {
		if m.Field == p.Field {
			return m, true
		}
	}
	return member{}, false
}

// partType writes the struct for the headers of one part, with what writes and reads it.
//
//	func (h *UploadPictureHeaders) encode(p *multipart.Parts) {
//		p.Header("X-Rate", param.Simple, param.Opt(param.Int64, h.XRate))
//	}
func (e *emitter) partType(f *bodyForm, p *ir.Part, file, key, what string, writes, reads bool) {
	name := e.names.PartType(f.Content, p)
	var fields, encode, decode []jen.Code
	for _, h := range p.Headers {
		if text := commentText(docText(h.Doc), deprecatedText(h.Doc)); text != "" {
			fields = append(fields, jen.Comment(text))
		}
		fields = append(fields, jen.Id(e.names.PartHeader(h)).Add(e.paramGoType(h)).Add(trailing("header "+h.Name)))
		encode = append(encode, e.encodePartHeader(h))
		decode = append(decode, e.decodePartHeader(h, f.reading()))
	}
	code := []jen.Code{
		comment(name + " holds the headers of the part " + p.Field.Name + " of " + what + "."),
		jen.Type().Id(name).Struct(fields...), jen.Line(),
	}
	method := func(word, arg, typ string, body []jen.Code) {
		code = append(code, compact(jen.Func().Params(jen.Id("h").Add(ptr(name))).Id(word).Params(jen.Id(arg).Op("*").Qual(pkgMultipart, typ)), body), jen.Line())
	}
	if writes {
		method("encode", "p", "Parts", encode)
	}
	if reads {
		method("decode", "p", "Head", decode)
	}
	if checks := e.partChecks(p); len(checks) > 0 && !f.response {
		code = append(code, compact(jen.Func().Params(jen.Id("h").Add(ptr(name))).Id("validate").Params(jen.Id("c").Op("*").Qual(pkgCheck, "Checker")), checks), jen.Line())
	}
	e.add(file, key, code...)
}

func (e *emitter) headerField(h *ir.Param) *jen.Statement {
	return jen.Id("h").Dot(e.names.PartHeader(h))
}

func (e *emitter) encodePartHeader(h *ir.Param) jen.Code {
	v := e.wholeValue(h, lenient, e.headerField(h))
	if elem := e.listElem(h, lenient); elem != nil {
		v = jen.Qual(pkgParam, "List").Call(elem.expr(), e.headerField(h))
	}
	return jen.Id("p").Dot("Header").Call(jen.Lit(h.Name), styleOf(h), v)
}

func (e *emitter) decodePartHeader(h *ir.Param, r reading) jen.Code {
	return e.getHeader(jen.Id("p"), h, r, e.headerField(h))
}

// partChecks are the checks of the headers of a part.
func (e *emitter) partChecks(p *ir.Part) []jen.Code {
	var code []jen.Code
	for _, h := range p.Headers {
		in := jen.Qual(pkgCheck, "InHeader")
		if c := e.checkPlace(in, h.Name, e.headerField(h), h.Use, h.Required, paramWrap(h.Use, h.Required)); c != nil {
			code = append(code, c)
		}
	}
	return code
}

// checkPartHeaders checks the headers of the parts of a request that are there.
//
//	if !r.Body.Picture.IsZero() {
//		r.PartHeaders.Picture.validate(c)
//	}
func (e *emitter) checkPartHeaders(o *operation) []jen.Code {
	var out []jen.Code
	for _, f := range o.body.forms {
		if f.heads == nil {
			continue
		}
		src := jen.Id("r").Dot("Body")
		if o.body.choice != "" {
			src = src.Dot(f.field)
		}
		code := e.checkHeadsOf(f, src)
		if len(code) > 0 && !f.required {
			code = []jen.Code{jen.If(e.formSet(f, src)).Block(code...)}
		}
		out = append(out, code...)
	}
	return out
}

func (e *emitter) checkHeadsOf(f *bodyForm, src *jen.Statement) []jen.Code {
	var code []jen.Code
	t := resolve(f.Use.Type)
	for _, p := range f.Parts {
		m, ok := e.fieldOf(f, t, p)
		if !ok || len(e.partChecks(p)) == 0 {
			continue
		}
		head, c := e.headOf(f, p), jen.Id("c")
		switch {
		case e.manyParts(p, m):
			code = append(code, jen.For(jen.Id("i").Op(":=").Range().Add(head)).Block(
				head.Clone().Index(jen.Id("i")).Dot("validate").Call(c)))
		case m.required && !m.file:
			code = append(code, head.Dot("validate").Call(c))
		default:
			code = append(code, jen.If(e.isSet(m.at(src), m.place)).Block(head.Dot("validate").Call(c)))
		}
	}
	return code
}
