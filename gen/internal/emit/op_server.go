package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

// server writes the answering side of a group of operations.
func (e *emitter) server(g *group) {
	e.serviceInterface(g)
	e.handler(g)
	e.unimplemented(g)
	for _, o := range g.ops {
		if e.routed(o) {
			e.route(o)
		}
	}
}

// routed reports an operation that has requests of its own.
func (e *emitter) routed(o *operation) bool { return o.Behind == nil }

// serverResult is the result type of an operation on the answering side.
func (e *emitter) serverResult(o *operation) *jen.Statement {
	switch o.result.form {
	case resultNone:
		return jen.Qual(pkgServer, "None")
	case resultSealed:
		return e.own(o.result.name)
	case resultStruct:
		return jen.Op("*").Add(e.own(o.result.variants[0].typ.name))
	}
	p := o.result.variants[0].body
	switch bodyKind(p.Content) {
	case ir.ContentBinary:
		return jen.Qual(pkgServer, "Body")
	case ir.ContentEvents, ir.ContentLines:
		return jen.Qual("iter", "Seq2").Types(e.itemType(p.Content), jen.Error())
	}
	return e.plainResult(p)
}

// serviceParams and serviceResults are the signature of a service's method.
func (e *emitter) serviceParams(o *operation, named bool) []jen.Code {
	ctx, req := jen.Id("ctx"), jen.Id("req")
	if !named {
		ctx, req = jen.Null(), jen.Null()
	}
	params := []jen.Code{ctx.Qual("context", "Context")}
	if o.hasRequest() {
		params = append(params, req.Id(o.n.Request))
	}
	return params
}

func (e *emitter) serviceResults(o *operation) *jen.Statement {
	if o.result.form == resultNone {
		return jen.Error()
	}
	return jen.Params(e.serverResult(o), jen.Error())
}

// serviceInterface writes what the author of a server implements.
//
//	type Service interface {
//		// GetPet: GET /pets/{petId}
//		GetPet(ctx context.Context, req GetPetRequest) (*Pet, error)
//	}
func (e *emitter) serviceInterface(g *group) {
	name := e.names.Support(g.service)
	var methods []jen.Code
	for _, o := range g.ops {
		if text := e.serviceDoc(o); text != "" {
			methods = append(methods, jen.Comment(text))
		}
		methods = append(methods, jen.Id(o.n.Method).Params(e.serviceParams(o, true)...).Add(e.serviceResults(o)))
	}
	what := "answers " + e.title() + "."
	if g.kind != kindOperation {
		what = "receives the " + g.kind + "s of " + e.title() + "."
	}
	e.add(g.serverFile, name,
		comment(name+" "+what+" Its methods are called from many goroutines. "+
			"An error that is a type of this package, or a *fault.Problem, is answered as it is, any other with 500."),
		jen.Type().Id(name).Interface(methods...), jen.Line())
}

// serviceDoc is the comment of a service's method: short, for the client's says the
// rest.
func (e *emitter) serviceDoc(o *operation) string {
	where := o.Method + " " + o.Path
	if o.group.kind != kindOperation {
		where = o.Method + ", " + o.group.kind + " " + o.Path
	}
	if o.Behind != nil {
		where += ". A server cannot tell its requests from those of " + e.names.Op(o.Behind).Method + ", which get them all."
	}
	text := strings.TrimSpace(o.Doc.Summary)
	if text == "" {
		return commentText(o.n.Method+": "+where, deprecatedText(o.Doc))
	}
	return commentText(o.n.Method+": "+text, where, deprecatedText(o.Doc))
}

// handler writes the constructor of the handler.
//
//	func NewHandler(svc Service, opts ...server.Option) http.Handler {
//		return server.New(&serverAPI, []server.Route{
//			server.Handle(&routeGetPet, svc.GetPet),
//		}, opts...)
//	}
func (e *emitter) handler(g *group) {
	name, service := e.names.Support(g.newHandler), e.names.Support(g.service)
	text := name + " makes the handler that calls svc."
	if g.kind != kindOperation {
		text += " Each operation has the path that server.RoutePath gives it, or else a slash and its name."
	}
	routes := jen.Index().Qual(pkgServer, "Route").CustomFunc(multiline, func(list *jen.Group) {
		for _, o := range g.ops {
			if !e.routed(o) {
				continue
			}
			word := "Handle"
			switch noResult := o.result.form == resultNone; {
			case noResult && o.hasRequest():
				word = "HandleExec"
			case noResult:
				word = "HandleBare"
			case !o.hasRequest():
				word = "HandleEmpty"
			}
			list.Qual(pkgServer, word).Call(jen.Op("&").Id(names.Private("route", o.n.Base)), jen.Id("svc").Dot(o.n.Method))
		}
	})
	pairs := []pair{{"Title", jen.Lit(e.api.Title)}}
	if e.api.Dependency != "" {
		pairs = append(pairs, pair{"Dependency", jen.Lit(e.api.Dependency)})
	}
	if list := e.schemeList(); list != nil {
		pairs = append(pairs, pair{"Schemes", list})
	}
	e.add(g.serverFile, service,
		jen.Const().Id("_").Op("=").Qual(pkgServer, "Compat1").Add(trailing("fails to compile with a runtime that is older than this file")),
		jen.Line(), comment(text),
		jen.Func().Id(name).Params(jen.Id("svc").Id(service), jen.Id("opts").Op("...").Qual(pkgServer, "Option")).Qual("net/http", "Handler").Block(
			jen.Return(jen.Qual(pkgServer, "New").Call(jen.Op("&").Id(g.serverAPI), routes, jen.Id("opts").Op("...")))),
		jen.Line(),
		jen.Var().Id(g.serverAPI).Op("=").Add(tall(jen.Qual(pkgServer, "API"), pairs...)), jen.Line())
}

// unimplemented writes a service that answers 501, to be embedded.
func (e *emitter) unimplemented(g *group) {
	name, service := e.names.Support(g.unimplemented), e.names.Support(g.service)
	code := []jen.Code{
		comment(name + " answers every operation with 501. Embedded in a service it stands in for the operations that are not there yet."),
		jen.Type().Id(name).Struct(), jen.Line(),
		jen.Var().Id("_").Id(service).Op("=").Id(name).Values(), jen.Line(),
	}
	for _, o := range g.ops {
		results := e.serviceResults(o)
		body := jen.Return(jen.Qual(pkgServer, "ErrNotImplemented"))
		if o.result.form != resultNone {
			results = jen.Params(jen.Id("res").Add(e.serverResult(o)), jen.Id("_").Error())
			body = jen.Return(jen.Id("res"), jen.Qual(pkgServer, "ErrNotImplemented"))
		}
		code = append(code, short(jen.Func().Params(jen.Id(name)).Id(o.n.Method).Params(e.serviceParams(o, false)...).Add(results), body))
	}
	e.add(g.serverFile, service, append(code, jen.Line())...)
}

// routePath is the path of an operation on a server.
func (o *operation) routePath() string {
	if o.group.kind == kindOperation {
		return o.Path
	}
	if o.group.kind == kindWebhook && isPathName(o.Path) {
		return "/" + o.Path
	}
	return "/" + o.n.Base
}

// isPathName reports a name that can stand in a path as it is.
func isPathName(name string) bool {
	return name != "" && escapeLiteral(name) == name && !strings.ContainsAny(name, "/.")
}

// route writes what the runtime has to know about an operation.
//
//	var routeGetPet = server.Operation[GetPetRequest, *Pet]{
//		Spec:     &specGetPet,
//		Decode:   (*GetPetRequest).decode,
//		Validate: (*GetPetRequest).validate,
//		Encode:   func(w *server.Response, res *Pet) { w.JSON(200, "application/json", res) },
//	}
func (e *emitter) route(o *operation) {
	req := jen.Qual(pkgServer, "None")
	pairs := []pair{{"Spec", jen.Op("&").Id(names.Private("spec", o.n.Base))}}
	if o.PathQuery != "" {
		pairs = append(pairs, pair{"Query", jen.Lit(o.PathQuery)})
	}
	if s := e.securityOf(o.Operation); s != nil {
		pairs = append(pairs, pair{"Security", s})
	}
	if o.body != nil {
		pairs = append(pairs, pair{"Consumes", jen.Index().String().ValuesFunc(func(g *jen.Group) {
			for _, f := range o.body.forms {
				g.Lit(f.media())
			}
		})})
	}
	if produces := e.produces(o); len(produces) > 0 {
		pairs = append(pairs, pair{"Produces", jen.Index().String().Values(produces...)})
	}
	if o.hasRequest() {
		req = jen.Id(o.n.Request)
		pairs = append(pairs, pair{"Decode", jen.Parens(ptr(o.n.Request)).Dot("decode")})
		if o.validates {
			pairs = append(pairs, pair{"Validate", jen.Parens(ptr(o.n.Request)).Dot("validate")})
		}
	}
	if encode := e.encodeResult(o); encode != nil {
		pairs = append(pairs, pair{"Encode", encode})
	}
	if e.nilResult(o) {
		pairs = append(pairs, pair{"Nullable", jen.True()})
	}
	e.add(o.group.serverFile, o.n.Base,
		jen.Var().Id(names.Private("route", o.n.Base)).Op("=").Add(
			tall(jen.Qual(pkgServer, "Operation").Types(req, e.serverResult(o)), pairs...)), jen.Line())
}

// produces are the media types that a server writes as a result.
func (e *emitter) produces(o *operation) []jen.Code {
	var out []jen.Code
	seen := map[string]bool{}
	for _, v := range o.result.variants {
		if v.body == nil {
			return nil // one without a body suits everybody
		}
		for _, m := range v.body.media {
			if validMedia(m) && !seen[m] {
				seen[m] = true
				out = append(out, jen.Lit(m))
			}
		}
	}
	return out
}

// nilResult reports a result of which nil is a value.
func (e *emitter) nilResult(o *operation) bool {
	if o.result.form != resultPlain {
		return false
	}
	p := o.result.variants[0].body
	return bodyKind(p.Content) == ir.ContentJSON && p.Use != nil &&
		(nullable(p.Use) || classOf(p.Use.Type) == classAny || classOf(p.Use.Type) == classList)
}

// encodeResult is the function that writes a result; nil where the runtime's 204 is
// all there is to say.
func (e *emitter) encodeResult(o *operation) *jen.Statement {
	fn := func(res string, body *jen.Statement) *jen.Statement {
		return jen.Func().Params(jen.Id("w").Op("*").Qual(pkgServer, "Response"), jen.Id(res).Add(e.serverResult(o))).Block(body)
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
	if p.Use != nil && e.facts.needsCheck(p.Use) {
		if f := e.rules.function(p.Use); f != nil {
			if maker != "" {
				f = jen.Qual(pkgCheck, maker).Call(f)
			}
			args = append(args, f)
		}
	}
	return jen.Qual(pkgServer, "JSONValue").Call(args...)
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
		return jen.Qual(pkgServer, "JSONOrNull").Call(w, status, media, src.Clone().Dot("Ptr").Call(), c.expr())
	case pointer:
		if required {
			return jen.Qual(pkgServer, "JSONOrNull").Call(w, status, media, src, c.expr())
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
		if exact(t.Status) && t.Component == "" {
			status = jen.Qual("cmp", "Or").Call(status, number(t.Status))
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
		code = append(code, e.respondBody(t, t.bodies[0], status, v.Clone().Dot("Body")))
	default:
		var cases []jen.Code
		for _, p := range t.bodies {
			src := v.Clone().Dot(e.bodyField(t, p))
			cases = append(cases, jen.Case(e.payloadSet(p, src)).Block(e.respondBody(t, p, status, src)))
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
func (e *emitter) respondBody(t *response, p *payload, status, src *jen.Statement) *jen.Statement {
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
	return w.Dot("Header").Call(name, style, paramValue(e.codecOf(h, lenient).expr(), src, paramWrap(h.Use, h.Required)))
}
