package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// encodeResult is the function that writes a result; nil where the runtime's 204 is
// all there is to say.
func (e *emitter) encodeResult(o *operation) *jen.Statement {
	fn := func(res string, body ...jen.Code) *jen.Statement {
		return jen.Func().Params(jen.Id("w").Op("*").Qual(pkgServer, "Response"), jen.Id(res).Add(e.serverResult(o))).Block(body...)
	}
	switch o.result.form {
	case resultNone:
		if len(o.result.variants) == 0 || o.result.variants[0].resp.Status == "204" {
			return nil
		}
		return fn("_", jen.Id("w").Dot("Empty").Call(number(finalStatus(o.result.variants[0].resp.Status))))
	case resultStruct, resultSealed:
		return fn("res", jen.Id("res").Dot("Respond").Call(jen.Id("w")))
	}
	v := o.result.variants[0]
	if isForm(bodyKind(v.body.Content)) {
		return fn("res", e.writePlainForm(v.body, number(finalStatus(v.resp.Status)), jen.Id("res"))...)
	}
	return fn("res", e.writePlain(v.body, number(finalStatus(v.resp.Status)), jen.Id("res")))
}

// finalStatus keeps an informational status, which is no answer, from being one.
func finalStatus(status string) string {
	if status[0] == '1' && status != "101" {
		return "204"
	}
	return status
}

// writePlain writes a result that is a body.
func (e *emitter) writePlain(p *payload, status, res *jen.Statement) *jen.Statement {
	w, media := jen.Id("w"), p.mediaType()
	switch bodyKind(p.Content) {
	case ir.ContentBinary:
		return w.Dot("Stream").Call(status, mediaFor(p, res.Clone().Dot("ContentType")), res)
	case ir.ContentText, ir.ContentEvents, ir.ContentLines:
		return e.writeText(p, status, res)
	}
	if p.Use != nil && classOf(p.Use.Type) == classStruct {
		at := place{use: p.Use, required: true}
		switch {
		case nullable(p.Use):
			return e.writeJSON(p, status, jen.Op("&").Add(res), e.around("NilPtr", "NilPtr", e.placeCodec(at)), "PtrOf")
		case e.direct(at):
			return w.Dot("JSON").Call(status, media, res)
		}
		return e.writeJSON(p, status, res, e.placeCodec(at), "")
	}
	return e.writeBody(p, status, res, true)
}

// mediaType is the media type of a body that is written whole: of several the one
// that the client likes best.
func (p *payload) mediaType() *jen.Statement {
	var offers []jen.Code
	for _, m := range p.media {
		if validMedia(m) && !mediaRange(m) {
			offers = append(offers, jen.Lit(m))
		}
	}
	if len(offers) < 2 {
		return jen.Lit(p.media[0])
	}
	return jen.Id("w").Dot("Prefer").Call(offers...)
}

// mediaFor is the media type of a stream of bytes: of several that are declared the
// one that the body says it has.
func mediaFor(p *payload, contentType *jen.Statement) *jen.Statement {
	if len(p.media) == 1 {
		return jen.Lit(p.media[0])
	}
	args := []jen.Code{contentType}
	for _, m := range p.media {
		args = append(args, jen.Lit(m))
	}
	return jen.Qual(pkgServer, "MediaFor").Call(args...)
}

func (e *emitter) writeText(p *payload, status, res *jen.Statement) *jen.Statement {
	w, media := jen.Id("w"), p.mediaType()
	if bodyKind(p.Content) == ir.ContentText {
		if plainText(p.Content) {
			return w.Dot("Text").Call(status, media, res)
		}
		return w.Dot("TextValue").Call(status, media, e.paramType(textUse(p.Content).Type, strict).expr().Dot("Format").Call(res))
	}
	args := []jen.Code{w, status, media}
	if c := e.itemCodec(p.Content); c != nil {
		args = append(args, c)
	}
	return jen.Qual(pkgServer, streamWord(p.Content)).Call(append(args, res)...)
}

// writeJSON writes a value with a codec, and with the check of its constraints.
func (e *emitter) writeJSON(p *payload, status, addr *jen.Statement, c *codec, maker string) *jen.Statement {
	args := []jen.Code{jen.Id("w"), status, p.mediaType(), addr, c.expr()}
	return jen.Qual(pkgServer, "JSONValue").Call(append(args, e.bodyRule(p, maker)...)...)
}

// bodyRule is the check of a body as the last argument of a function: that of package
// check by the name of maker lifts it into the wrap of the body. It is empty where
// there is nothing to check.
func (e *emitter) bodyRule(p *payload, maker string) []jen.Code {
	if p.Use == nil || !e.facts.needsCheck(p.Use) {
		return nil
	}
	f := e.rules.function(p.Use)
	if f == nil {
		return nil
	}
	if maker != "" {
		f = jen.Qual(pkgCheck, maker).Call(f)
	}
	return []jen.Code{f}
}

// ruleMaker is the function of package check that lifts a rule into what a place
// holds, as wholeCodec does with its codec.
func ruleMaker(p place) string {
	return map[wrap]string{null: "NullOf", pointer: "PtrOf"}[p.wrap()]
}

// writeBody writes a body of JSON or text that stands in a place.
func (e *emitter) writeBody(p *payload, status, src *jen.Statement, required bool) *jen.Statement {
	w, media := jen.Id("w"), p.mediaType()
	if bodyKind(p.Content) == ir.ContentText {
		return e.writeTextAs(p, status, src, media, required)
	}
	addr := jen.Op("&").Add(src)
	if p.Use == nil {
		return jen.Qual(pkgServer, "JSONValue").Call(w, status, media, addr, jen.Qual(pkgJSON, "Raw"))
	}
	at := place{use: p.Use, required: required}
	if required && at.wrap() == plain && e.direct(at) && e.hasMethods(p.Use.Type) {
		return w.Dot("JSON").Call(status, media, addr)
	}
	c := e.placeCodec(at)
	switch at.wrap() {
	case opt:
		return e.writeJSON(p, status, src.Clone().Dot("Ptr").Call(), c, "")
	case null:
		return e.writeJSON(p, status, addr, e.around("Null", "Null", c), "NullOf")
	case optNull:
		args := []jen.Code{w, status, media, src.Clone().Dot("Ptr").Call(), c.expr()}
		return jen.Qual(pkgServer, "JSONOrNull").Call(append(args, e.bodyRule(p, "")...)...)
	case pointer:
		if required {
			args := []jen.Code{w, status, media, src, c.expr()}
			return jen.Qual(pkgServer, "JSONOrNull").Call(append(args, e.bodyRule(p, "")...)...)
		}
		return e.writeJSON(p, status, src, c, "")
	}
	return e.writeJSON(p, status, addr, c, "")
}

// writeTextAs writes a text that stands in a place, as a media type.
func (e *emitter) writeTextAs(p *payload, status, src, media *jen.Statement, required bool) *jen.Statement {
	w, u := jen.Id("w"), textUse(p.Content)
	if plainText(p.Content) && required {
		return w.Dot("Text").Call(status, media, src)
	}
	return w.Dot("TextValue").Call(status, media, paramValue(e.paramType(u.Type, strict).expr(), src, paramWrap(u, required)))
}

// respondMethod writes the method that answers with a response type.
//
//	func (v *NotFound) Respond(w *server.Response) {
//		w.Header("Retry-After", param.Simple, param.Opt(param.Int64, v.RetryAfter))
//		w.JSON(404, "application/problem+json", &v.Body)
//	}
func (e *emitter) respondMethod(t *response) {
	v := jen.Id("v")
	status := number(numberOf(t.Status))
	if t.status {
		status = v.Clone().Dot("StatusCode")
		switch {
		case t.Component != "":
		case exact(t.Status):
			status = jen.Qual("cmp", "Or").Call(status, number(t.Status))
		case len(t.Status) == 3 && !t.several: // 4XX
			status = jen.Id("w").Dot("Within").Call(number(t.Status[:1]), status)
		}
	}
	var code []jen.Code
	for _, h := range t.Headers {
		code = append(code, e.writeHeader(t, h))
	}
	switch len(t.bodies) {
	case 0:
		code = append(code, jen.Id("w").Dot("Empty").Call(status))
	case 1:
		code = append(code, e.respondBody(t, t.bodies[0], status, v.Clone().Dot("Body"))...)
	default:
		var cases []jen.Code
		for _, p := range t.bodies {
			src := v.Clone().Dot(e.bodyField(t, p))
			cases = append(cases, jen.Case(e.payloadSet(p, src)).Block(e.respondBody(t, p, status, src)...))
		}
		cases = append(cases, jen.Default().Block(jen.Id("w").Dot("Empty").Call(status)))
		code = append(code, jen.Switch().Block(cases...))
	}
	receiver := jen.Id("v").Op("*").Id(t.name)
	if len(t.bodies) == 0 && len(t.Headers) == 0 && !t.status {
		receiver = ptr(t.name)
	}
	e.add(fileResponses, t.name,
		doc("Respond answers with v."),
		compact(jen.Func().Params(receiver).Id("Respond").Params(jen.Id("w").Op("*").Qual(pkgServer, "Response")), code), jen.Line())
}

// numberOf is the status that a response has by itself.
func numberOf(status string) string {
	if !exact(status) {
		return "0"
	}
	return finalStatus(status)
}

// payloadSet is the condition that one of several bodies is there.
func (e *emitter) payloadSet(p *payload, src *jen.Statement) *jen.Statement {
	w := plain
	switch bodyKind(p.Content) {
	case ir.ContentJSON:
		if p.Use != nil {
			w = place{use: p.Use}.wrap()
		}
	case ir.ContentText:
		w = paramWrap(textUse(p.Content), false)
	}
	if w == opt || w == optNull {
		return src.Clone().Dot("IsSet").Call()
	}
	return src.Clone().Op("!=").Nil()
}

// respondBody writes a body of a response type.
func (e *emitter) respondBody(t *response, p *payload, status, src *jen.Statement) []jen.Code {
	if f := e.payloadForm(t, p); f != nil {
		return e.writeForm(f, p, status, src)
	}
	return []jen.Code{e.respondValue(t, p, status, src)}
}

// respondValue is respondBody for all but forms.
func (e *emitter) respondValue(t *response, p *payload, status, src *jen.Statement) *jen.Statement {
	switch kind := bodyKind(p.Content); {
	case kind == ir.ContentText && t.open():
		media := jen.Id("w").Dot("Type").Call(jen.Id("v").Dot("ContentType"), mediaFor(p, jen.Id("v").Dot("ContentType")))
		return e.writeTextAs(p, status, src, media, true)
	case kind == ir.ContentJSON || kind == ir.ContentText:
		return e.writeBody(p, status, src, len(t.bodies) == 1)
	case t.fails:
		return jen.Id("w").Dot("Bytes").Call(status, p.mediaType(), src)
	case kind == ir.ContentBinary:
		contentType := jen.Id("v").Dot("ContentType")
		return jen.Id("w").Dot("Stream").Call(status, mediaFor(p, contentType), ordered(jen.Qual(pkgServer, "Body"),
			pair{"Reader", src}, pair{"ContentType", contentType.Clone()}))
	}
	return e.writeText(p, status, src)
}

// writeHeader writes a declared header.
func (e *emitter) writeHeader(t *response, h *ir.Param) *jen.Statement {
	w, name := jen.Id("w"), jen.Lit(h.Name)
	src := jen.Id("v").Dot(e.names.Header(t.Response, h))
	if isSetCookie(h) {
		return w.Dot("HeaderLines").Call(name, src)
	}
	style := styleOf(h)
	if elem := e.listElem(h, lenient); elem != nil {
		return jen.Qual(pkgServer, "HeaderList").Call(w, name, style, elem.expr(), src)
	}
	return w.Dot("Header").Call(name, style, e.wholeValue(h, lenient, src))
}
