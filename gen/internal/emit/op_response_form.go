package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

// plainForm is a body of a response as the form that it is, where it is the result
// itself; nil for any other body.
func (e *emitter) plainForm(p *payload) *bodyForm {
	if !isForm(bodyKind(p.Content)) {
		return nil
	}
	return &bodyForm{Content: p.Content, required: true, response: true}
}

// payloadForm is plainForm for a body in a response type.
func (e *emitter) payloadForm(t *response, p *payload) *bodyForm {
	f := e.plainForm(p)
	if f == nil {
		return nil
	}
	f.required = len(t.bodies) == 1
	if e.names.PartsType(p.Content) != "" {
		f.heads = jen.Id("v").Dot(e.partsField(t, p))
	}
	return f
}

// partsField is the field for the headers of the parts of a body.
func (e *emitter) partsField(t *response, p *payload) string {
	if len(t.bodies) == 1 {
		return names.PartHeaders
	}
	return e.names.PartsField(p.Content)
}

// needsStruct reports a body that a result cannot be by itself: files have to be closed,
// and headers of parts need a place.
func (e *emitter) needsStruct(p *payload) bool {
	return p != nil && isForm(bodyKind(p.Content)) && (e.streams(p) || e.names.PartsType(p.Content) != "")
}

// streams reports a body with a file that is read as it arrives.
func (e *emitter) streams(p *payload) bool {
	f := e.plainForm(p)
	if f == nil || f.Kind != ir.ContentMultipart {
		return false
	}
	t := resolve(f.Use.Type)
	for _, part := range f.Parts {
		if m, ok := e.fieldOf(f, t, part); ok && m.file {
			return true
		}
	}
	return false
}

// hasFiles reports a result whose files are read from its connection.
func (e *emitter) hasFiles(t *response) bool {
	return !t.fails && len(t.bodies) == 1 && e.streams(t.bodies[0])
}

// writePlainForm writes a result that is a form.
func (e *emitter) writePlainForm(p *payload, status, res *jen.Statement) []jen.Code {
	return e.writeForm(e.plainForm(p), p, status, res)
}

// writeForm writes a form as a response, held to its constraints.
//
//	server.Check(w, &v.Body, (*Token).Validate)
//	f := w.Form(200, "application/x-www-form-urlencoded")
//	f.Field("access_token", param.Form, param.String.Format(v.Body.AccessToken))
func (e *emitter) writeForm(f *bodyForm, p *payload, status, src *jen.Statement) []jen.Code {
	var code []jen.Code
	if rules := e.bodyRule(p, ""); len(rules) > 0 {
		code = append(code, jen.Qual(pkgServer, "Check").Call(append([]jen.Code{jen.Id("w"), e.formAddr(f, src)}, rules...)...))
	}
	word := "Form"
	if f.Kind == ir.ContentMultipart {
		word = "Multipart"
	}
	start := jen.Id("w").Dot(word).Call(status, jen.Lit(p.media[0]))
	if word == "Form" {
		return append(code, e.encodeURLForm(f, start, src)...)
	}
	return append(code, e.encodeMultipart(f, start, src)...)
}

// formAddr is the address of a form at src, which is a pointer itself where it is
// optional or the result of an operation.
func (e *emitter) formAddr(f *bodyForm, src *jen.Statement) *jen.Statement {
	if f.formWrap() == pointer || isResult(src) && classOf(f.Use.Type) == classStruct {
		return src.Clone()
	}
	return jen.Op("&").Add(src)
}

// isResult reports the parameter of an encoder.
func isResult(src *jen.Statement) bool { return src.GoString() == "res" }

// readPlainForm reads a result that is a form.
//
//	client.DecodeNewFields(r, formGetToken)
func (e *emitter) readPlainForm(o *operation, p *payload) *jen.Statement {
	f := e.plainForm(p)
	read := jen.Id(names.Private("form", o.n.Base))
	v := jen.Id("v")
	typ := e.baseType(f.Use.Type)
	word := "DecodeNewFields"
	if classOf(f.Use.Type) != classStruct {
		word = "DecodeFields"
	}
	e.add(o.group.clientFile, o.n.Base,
		jen.Func().Add(read).Params(jen.Id("r").Op("*").Qual(pkgClient, "Response"), v.Clone().Op("*").Add(typ)).Error().
			Block(e.readFormInto(f, p, v.Clone(), v.Clone(), true)...), jen.Line())
	return jen.Qual(pkgClient, word).Call(jen.Id("r"), read)
}

// readFormInto reads a form of a response into dst, whose address is addr. With whole its
// files are read into memory.
//
//	f := r.Form()
//	field.Get(f.Field("access_token", param.Form), param.String, &v.AccessToken)
//	return client.Finish(f, v)
func (e *emitter) readFormInto(f *bodyForm, p *payload, dst, addr *jen.Statement, whole bool) []jen.Code {
	start, form := jen.Id("r").Dot("Form").Call(), jen.Id("f")
	if f.Kind == ir.ContentMultipart {
		start = e.startParts(jen.Id("r"), f, whole)
	}
	code := []jen.Code{form.Clone().Op(":=").Add(start)}
	if resolve(f.Use.Type).Kind == ir.KindMap {
		code = append(code, e.readAny(f, form, addr.Clone()))
	} else {
		code = append(code, e.readFields(f, dst)...)
	}
	if !whole {
		code = append(code, jen.Id("v").Dot("body").Op("=").Add(form).Dot("Body").Call())
	}
	return append(code, jen.Return(jen.Qual(pkgClient, "Finish").Call(append([]jen.Code{form, addr}, e.bodyRule(p, "")...)...)))
}

// formReader is the function that reads a form into a response type.
func (e *emitter) formReader(t *response, p *payload) string {
	for i, other := range t.bodies {
		if other == p && i > 0 {
			return names.Private("fields"+strconv.Itoa(i+1), t.name)
		}
	}
	return names.Private("fields", t.name)
}

// formReaders writes the functions that read the forms of a response type.
//
//	func fieldsUploadOK(r *client.Response, v *UploadOK) error {
//		f := r.Multipart(false, false, multipart.Declared{Name: "picture", File: true})
//		f.File("picture", &v.Body.Picture, false)
//		v.body = f.Body()
//		return client.Finish(f, &v.Body)
//	}
func (e *emitter) formReaders(t *response) {
	for _, p := range t.bodies {
		f := e.payloadForm(t, p)
		if f == nil {
			continue
		}
		dst := jen.Id("v").Dot(e.bodyField(t, p))
		var code []jen.Code
		addr := jen.Op("&").Add(dst)
		if f.formWrap() == pointer {
			code = append(code, dst.Clone().Op("=").New(e.baseType(f.Use.Type)))
			addr = dst.Clone()
		}
		code = append(code, e.readFormInto(f, p, dst, addr, !e.hasFiles(t))...)
		e.add(fileResponses, t.name,
			jen.Func().Id(e.formReader(t, p)).Params(jen.Id("r").Op("*").Qual(pkgClient, "Response"), jen.Id("v").Op("*").Id(t.name)).Error().
				Block(code...), jen.Line())
	}
}
