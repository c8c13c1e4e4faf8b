package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/sample"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// answers are what the service returns for an operation: one, or of a package of all
// calls one for each thing that it may return.
type answers struct {
	list    []jen.Code // each is what a return gives
	missing string     // what has no sample; the only answer is then an error
}

// locks reports whether a server of the group needs a backend for locks.
func (g *group) locks() bool {
	for _, o := range g.ops {
		for _, p := range policiesOf(&o.Policy) {
			if s, ok := p.(policy.Server); ok && s.Lock != nil {
				return true
			}
		}
	}
	return false
}

// valueFuncs are the functions that limits of a server of the group go by, sorted.
func (g *group) valueFuncs() []string {
	var names []string
	for _, o := range g.ops {
		for _, p := range policiesOf(&o.Policy) {
			s, ok := p.(policy.Server)
			if !ok || s.RateLimit == nil {
				continue
			}
			for _, b := range s.RateLimit.Buckets {
				asked := append([]policy.Expr{b.CostFrom}, b.Key...)
				if b.Plan != nil {
					asked = append(asked, b.Plan.From)
				}
				for _, e := range asked {
					if e.Source == policy.FromFunc {
						names = append(names, e.Name)
					}
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// service writes the service of a group and its handler.
//
//	func Handler(w *play.World, opts ...server.Option) http.Handler {
//		all := []server.Option{server.Authenticate(play.Welcome)}
//		return api.NewHandler(service{w}, append(all, opts...)...)
//	}
//
//	type service struct{ world *play.World }
//
//	func (s service) GetTrip(_ context.Context, req api.GetTripRequest) (*api.Trip, error) {
//		return play.Answer[*api.Trip](s.world.Run("getTrip", &req), `{"id":"…"}`)
//	}
func (d *demo) service(g *group) []jen.Code {
	options := []jen.Code{jen.Qual(pkgServer, "Authenticate").Call(d.play("Welcome"))}
	if g.kind != kindOperation {
		for i, o := range g.ops {
			options = append(options, jen.Qual(pkgServer, "RoutePath").Call(jen.Lit(o.specID()), jen.Lit(hookPath(i))))
		}
	}
	if g.locks() {
		options = append(options, jen.Qual(pkgServer, "Locks").Call(jen.Qual(pkgLock, "NewMemory").Call()))
	}
	for _, name := range g.valueFuncs() {
		// A number, which is a key and a cost, and a plan like any other.
		options = append(options, jen.Qual(pkgServer, "ValueFunc").Call(jen.Lit(name),
			jen.Func().Params(jen.Qual("context", "Context")).String().Block(jen.Return(jen.Lit("1")))))
	}
	handler, service := g.demoName("Handler"), g.demoName("service")
	code := []jen.Code{
		comment(handler + " answers every " + g.kind + " with a sample. It takes any credential."),
		jen.Func().Id(handler).
			Params(jen.Id("w").Op("*").Add(d.play("World")), jen.Id("opts").Op("...").Qual(pkgServer, "Option")).
			Qual("net/http", "Handler").Block(
			jen.Id("all").Op(":=").Index().Qual(pkgServer, "Option").CustomFunc(multiline, func(list *jen.Group) {
				for _, option := range options {
					list.Add(option)
				}
			}),
			jen.Return(d.api(d.names.Support(g.newHandler)).Call(
				jen.Id(service).Values(jen.Id("w")),
				jen.Append(jen.Id("all"), jen.Id("opts").Op("...")).Op("...")))),
		jen.Line(),
		comment(service + " is the author's part of a server, with samples in the place of work."),
		jen.Type().Id(service).Struct(jen.Id("world").Op("*").Add(d.play("World"))),
		jen.Line(),
		jen.Var().Id("_").Add(d.api(d.names.Support(g.service))).Op("=").Id(service).Values(),
		jen.Line(),
	}
	for _, o := range g.ops {
		params := []jen.Code{jen.Qual("context", "Context")}
		if o.hasRequest() {
			params = append(params, d.api(o.n.Request))
			if d.answers[o].missing == "" {
				params = []jen.Code{jen.Id("_").Qual("context", "Context"), jen.Id("req").Add(d.api(o.n.Request))}
			}
		}
		code = append(code,
			comment(o.n.Method+": "+o.Method+" "+o.Path),
			jen.Func().Params(jen.Id("s").Id(service)).Id(o.n.Method).Params(params...).Add(d.results(o)).
				Block(d.answering(o)...),
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

// answering is the body of a service's method. With several answers the world says which
// is wanted.
//
//	run := s.world.Run("getTrip", &req)
//	switch run.Answer() {
//	case 1:
//		return play.Reply[api.GetTripNoContent](run, `{}`)
//	}
//	return play.Reply[api.GetTripOK](run, `{…}`)
func (d *demo) answering(o *operation) []jen.Code {
	list := d.answers[o].list
	run := jen.Id("s").Dot("world").Dot("Run").Call(jen.Lit(o.Key), asked(o))
	if d.answers[o].missing != "" {
		return []jen.Code{jen.Return(list[0])}
	}
	if len(list) == 1 {
		return []jen.Code{jen.Id("run").Op(":=").Add(run), jen.Return(list[0])}
	}
	var cases []jen.Code
	for i, answer := range list[1:] {
		cases = append(cases, jen.Case(jen.Lit(i+1)).Block(jen.Return(answer)))
	}
	return []jen.Code{
		jen.Id("run").Op(":=").Add(run),
		jen.Switch(jen.Id("run").Dot("Answer").Call()).Block(cases...),
		jen.Return(list[0]),
	}
}

// asked is the request as a run takes it.
func asked(o *operation) jen.Code {
	if o.hasRequest() {
		return jen.Op("&").Id("req")
	}
	return jen.Nil()
}

// answersOf makes the answers of an operation.
func (d *demo) answersOf(o *operation) *answers {
	var list []jen.Code
	due := 1
	add := func(answer jen.Code) {
		if answer != nil && (d.opt.All || len(list) == 0) {
			list = append(list, answer)
		}
	}
	switch o.result.form {
	case resultNone:
		add(jen.Id("run").Dot("Done").Call())
	case resultPlain:
		add(d.plainAnswer(o, o.result.variants[0].body))
	case resultStruct, resultSealed:
		due = 0
		for _, v := range o.result.variants {
			statuses := d.statuses(v)
			due += len(statuses)
			for _, status := range statuses {
				add(d.reply(v, status))
			}
		}
	}
	if len(list) == 0 || d.opt.All && len(list) < due {
		return &answers{list: []jen.Code{jen.List(jen.Id("res"), d.play("ErrNoSample"))}, missing: "the answer"}
	}
	return &answers{list: list}
}

// statuses are those that a success stands for.
func (d *demo) statuses(v *variant) []string {
	list := []string{statusOf(v.resp.Status)}
	if d.opt.All && v.typ.status {
		for _, also := range v.also {
			list = append(list, statusOf(also.Status))
		}
	}
	return list
}

// plainAnswer is a result that is the body alone; nil without a sample.
func (d *demo) plainAnswer(o *operation, p *payload) jen.Code {
	switch bodyKind(p.Content) {
	case ir.ContentBinary:
		body := ordered(jen.Qual(pkgServer, "Body"),
			pair{"Reader", jen.Qual("strings", "NewReader").Call(jen.Lit(demoText))},
			pair{"ContentType", jen.Lit(concrete(p.MediaType))})
		return d.play("Give").Call(jen.Id("run"), body)
	case ir.ContentEvents, ir.ContentLines:
		items, ok := d.items(p.Content)
		if !ok {
			return nil
		}
		return d.play("Give").Call(jen.Id("run"), items)
	}
	v, ok := d.bodySample(p)
	if !ok {
		return nil
	}
	return d.play("Answer").Types(d.serverResult(o)).Call(jen.Id("run"), quoted(jsonText(v)))
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
	v := sample.Value(u, sample.Answer)
	return d.goValue(u, v), v != nil
}

// reply is a result that is a struct with headers and a body; nil without a sample.
func (d *demo) reply(v *variant, status string) jen.Code {
	var fields object
	var set []jen.Code
	if v.typ.status {
		fields.add("StatusCode", &ir.Value{Kind: ir.NumberValue, Text: status})
	}
	for _, h := range v.typ.Headers {
		if !h.Required && !d.opt.All {
			continue
		}
		value := sample.Param(h)
		if !h.Required && (value == nil || value.Kind == ir.NullValue || ofHTTP[strings.ToLower(h.Name)]) {
			continue
		}
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
			if f := d.payloadForm(v.typ, v.body); f != nil && f.heads != nil {
				fields.add(d.partsField(v.typ, v.body), d.partHeaders(f, body.json))
			}
		}
	}
	args := []jen.Code{jen.Id("run"), quoted(jsonText(fields.value()))}
	if len(set) > 0 {
		args = append(args, jen.Func().Params(jen.Id("r").Op("*").Add(d.api(v.typ.name))).Block(set...))
	}
	return d.play("Reply").Types(d.api(v.typ.name)).Call(args...)
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
