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
	if len(e.api.Profiles) > 0 {
		pairs = append(pairs, pair{"Profiles", e.profileList()})
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
//	var routeGetPet = server.Operation[*Pet]{
//		Spec:     &specGetPet,
//		Decode:   func(req any, s *server.Request) { req.(*GetPetRequest).decode(s) },
//		Validate: func(req any, c *check.Checker) { req.(*GetPetRequest).validate(c) },
//		Encode:   func(w *server.Response, res *Pet) { w.JSON(200, "application/json", res) },
//	}
func (e *emitter) route(o *operation) {
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
		pairs = append(pairs, pair{"Decode", o.erased("decode", "s", jen.Qual(pkgServer, "Request"))})
		if o.validates {
			pairs = append(pairs, pair{"Validate", o.erased("validate", "c", jen.Qual(pkgCheck, "Checker"))})
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
			tall(jen.Qual(pkgServer, "Operation").Types(e.serverResult(o)), pairs...)), jen.Line())
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
	if isForm(bodyKind(p.Content)) {
		return classOf(p.Use.Type) == classList // a form without fields
	}
	return bodyKind(p.Content) == ir.ContentJSON && p.Use != nil &&
		(nullable(p.Use) || classOf(p.Use.Type) == classAny || classOf(p.Use.Type) == classList)
}
