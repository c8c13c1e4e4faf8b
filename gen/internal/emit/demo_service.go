package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/sample"
)

// answer is what the service returns for an operation: statements that end in a return.
type answer struct {
	code    []jen.Code
	missing string // what has no sample; the code is then an error
}

// service writes the service and its handler.
//
//	func Handler(w *play.World, opts ...server.Option) http.Handler {
//		all := []server.Option{server.Authenticate(play.Welcome)}
//		return api.NewHandler(service{w}, append(all, opts...)...)
//	}
//
//	type service struct{ world *play.World }
//
//	func (s service) GetTrip(context.Context, api.GetTripRequest) (*api.Trip, error) {
//		return play.Answer[*api.Trip](s.world, "getTrip", `{"id":"…"}`)
//	}
func (d *demo) service() []jen.Code {
	code := []jen.Code{
		comment("Handler answers every operation with a sample. It takes any credential."),
		jen.Func().Id("Handler").
			Params(jen.Id("w").Op("*").Add(d.play("World")), jen.Id("opts").Op("...").Qual(pkgServer, "Option")).
			Qual("net/http", "Handler").Block(
			jen.Id("all").Op(":=").Index().Qual(pkgServer, "Option").Values(jen.Qual(pkgServer, "Authenticate").Call(d.play("Welcome"))),
			jen.Return(d.api(d.names.Support("NewHandler")).Call(
				jen.Id("service").Values(jen.Id("w")),
				jen.Append(jen.Id("all"), jen.Id("opts").Op("...")).Op("...")))),
		jen.Line(),
		comment("service is the author's part of a server, with samples in the place of work."),
		jen.Type().Id("service").Struct(jen.Id("world").Op("*").Add(d.play("World"))),
		jen.Line(),
		jen.Var().Id("_").Add(d.api(d.names.Support("Service"))).Op("=").Id("service").Values(),
		jen.Line(),
	}
	for _, o := range d.group.ops {
		params := []jen.Code{jen.Qual("context", "Context")}
		if o.hasRequest() {
			params = append(params, d.api(o.n.Request))
		}
		code = append(code,
			comment(o.n.Method+": "+o.Method+" "+o.Path),
			jen.Func().Params(jen.Id("s").Id("service")).Id(o.n.Method).Params(params...).Add(d.results(o)).
				Block(d.answers[o].code...),
			jen.Line())
	}
	return code
}

// results are those of serviceResults, named so that an error can leave the first out.
func (d *demo) results(o *operation) *jen.Statement {
	if o.result.form != resultNone && d.answers[o].missing != "" {
		return jen.Params(jen.Id("res").Add(d.serverResult(o)), jen.Id("err").Error())
	}
	return d.serviceResults(o)
}

// world is the argument that each answer begins with.
func world(o *operation) []jen.Code {
	return []jen.Code{jen.Id("s").Dot("world"), jen.Lit(o.Key)}
}

// noted is the statement that counts a run for answers that are no call of play.
func noted(o *operation) jen.Code {
	return jen.Id("s").Dot("world").Dot("Effect").Call(jen.Lit(o.Key))
}

// answer makes the answer of an operation.
func (d *demo) answer(o *operation) *answer {
	switch o.result.form {
	case resultNone:
		return &answer{code: []jen.Code{noted(o), jen.Return(jen.Nil())}}
	case resultPlain:
		if a := d.plainAnswer(o, o.result.variants[0].body); a != nil {
			return a
		}
	case resultStruct, resultSealed:
		for _, v := range o.result.variants {
			if a := d.reply(o, v); a != nil {
				return a
			}
		}
	}
	code := []jen.Code{jen.Return(jen.Id("res"), d.play("ErrNoSample"))}
	return &answer{code: code, missing: "the answer"}
}

// plainAnswer is a result that is the body alone; nil without a sample.
func (d *demo) plainAnswer(o *operation, p *payload) *answer {
	switch bodyKind(p.Content) {
	case ir.ContentBinary:
		body := ordered(jen.Qual(pkgServer, "Body"),
			pair{"Reader", jen.Qual("strings", "NewReader").Call(jen.Lit(demoText))},
			pair{"ContentType", jen.Lit(concrete(p.MediaType))})
		return &answer{code: []jen.Code{noted(o), jen.Return(body, jen.Nil())}}
	case ir.ContentEvents, ir.ContentLines:
		items, ok := d.items(p.Content)
		if !ok {
			return nil
		}
		return &answer{code: []jen.Code{noted(o), jen.Return(items, jen.Nil())}}
	}
	v, ok := d.bodySample(p)
	if !ok {
		return nil
	}
	args := append(world(o), quoted(jsonText(v)))
	return &answer{code: []jen.Code{jen.Return(d.play("Answer").Types(d.serverResult(o)).Call(args...))}}
}

// bodySample is the sample of a body of JSON or text.
func (d *demo) bodySample(p *payload) (*ir.Value, bool) {
	u := p.Use
	switch {
	case bodyKind(p.Content) == ir.ContentText:
		u = textUse(p.Content)
	case u == nil:
		return stringValue("sample"), true
	}
	v := sample.Value(u, sample.Both)
	return d.goValue(u, v), v != nil
}

// reply is a result that is a struct with headers and a body; nil without a sample.
func (d *demo) reply(o *operation, v *variant) *answer {
	var fields object
	var set []jen.Code
	if v.typ.status {
		fields.add("StatusCode", &ir.Value{Kind: ir.NumberValue, Text: statusOf(v.resp.Status)})
	}
	for _, h := range v.typ.Headers {
		if !h.Required {
			continue
		}
		value := sample.Param(h)
		if value == nil {
			return nil
		}
		member := d.goValue(h.Use, value)
		if isSetCookie(h) && member.Kind != ir.ArrayValue {
			member = &ir.Value{Kind: ir.ArrayValue, Items: []*ir.Value{member}}
		}
		fields.add(d.names.Header(v.typ.Response, h), member)
	}
	if v.body != nil {
		body, ok := d.replyBody(v)
		if !ok {
			return nil
		}
		set = body.set
		if body.json != nil {
			fields.add(d.bodyField(v.typ, v.body), body.json)
		}
	}
	args := append(world(o), quoted(jsonText(fields.value())))
	if len(set) > 0 {
		args = append(args, jen.Func().Params(jen.Id("r").Op("*").Add(d.api(v.typ.name))).Block(set...))
	}
	return &answer{code: []jen.Code{jen.Return(d.play("Reply").Types(d.api(v.typ.name)).Call(args...))}}
}

// replyBody is the body of a struct of headers and body.
func (d *demo) replyBody(v *variant) (sampled, bool) {
	at := jen.Id("r").Dot(d.bodyField(v.typ, v.body))
	switch bodyKind(v.body.Content) {
	case ir.ContentBinary:
		reader := jen.Qual("io", "NopCloser").Call(jen.Qual("strings", "NewReader").Call(jen.Lit(demoText)))
		return sampled{set: []jen.Code{
			at.Clone().Op("=").Add(reader),
			jen.Id("r").Dot("ContentType").Op("=").Lit(concrete(v.body.MediaType)),
		}}, true
	case ir.ContentEvents, ir.ContentLines:
		items, ok := d.items(v.body.Content)
		return sampled{set: []jen.Code{at.Op("=").Add(items)}}, ok
	}
	value, ok := d.bodySample(v.body)
	body := sampled{json: value}
	if v.typ.open() && v.body.MediaType != "*/*" { // which is sent as plain text
		body.set = []jen.Code{jen.Id("r").Dot("ContentType").Op("=").Lit(concrete(v.body.MediaType))}
	}
	return body, ok
}

// statusOf is a status of a response's key: of a range the first one, and 200 for the
// default.
func statusOf(key string) string {
	switch {
	case exact(key):
		return finalStatus(key)
	case key == "default":
		return "200"
	}
	return key[:1] + "00"
}
