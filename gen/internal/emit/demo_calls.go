package emit

import (
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// calls writes the table of calls.
//
//	func New(address string, opts ...client.Option) ([]play.Call, error) {
//		all := []client.Option{client.BaseURL(address)}
//		c, err := api.New(append(all, opts...)...)
//		if err != nil {
//			return nil, err
//		}
//		return []play.Call{
//			play.Do(play.Operation{ID: "getTrip", …}, `{"TripID":"…"}`, c.GetTrip),
//		}, nil
//	}
func (d *demo) calls(g *group) []jen.Code {
	var options []jen.Code
	if g.kind == kindOperation {
		options = append(options, jen.Qual(pkgClient, "BaseURL").Call(jen.Id("address")))
	}
	for _, s := range d.emitter.api.Schemes {
		if option := d.credential(s); option != nil {
			options = append(options, option)
		}
	}
	for _, name := range g.clientFuncs() {
		// A number is a key as well.
		options = append(options, jen.Qual(pkgClient, "CostFunc").Call(jen.Lit(name),
			jen.Func().Params(jen.Op("*").Any()).Int().Block(jen.Return(jen.Lit(1)))))
	}
	var list []jen.Code
	for i, o := range g.ops {
		list = append(list, d.callsOf(o, i)...)
	}
	c, address := jen.Id("c"), jen.Id("address")
	if len(list) == 0 {
		c = jen.Id("_")
		if g.kind != kindOperation {
			address = jen.Id("_")
		}
	}
	name := g.demoName("New")
	return []jen.Code{
		comment(name + " makes a client of the service at an address, and a call of each " + g.kind + "."),
		jen.Func().Id(name).Params(address.String(), jen.Id("opts").Op("...").Qual(pkgClient, "Option")).
			Params(jen.Index().Add(d.play("Call")), jen.Error()).Block(
			jen.Id("all").Op(":=").Index().Qual(pkgClient, "Option").CustomFunc(multiline, func(g *jen.Group) {
				for _, option := range options {
					g.Add(option)
				}
			}),
			jen.List(c, jen.Id("err")).Op(":=").Add(d.api(d.names.Support(g.newClient))).Call(
				jen.Append(jen.Id("all"), jen.Id("opts").Op("...")).Op("...")),
			jen.If(jen.Id("err").Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Id("err"))),
			jen.Return(jen.Index().Add(d.play("Call")).CustomFunc(multiline, func(g *jen.Group) {
				for _, code := range list {
					g.Add(code)
				}
			}), jen.Nil())),
		jen.Line(),
	}
}

// credential is the option that gives the client a credential of a scheme. The demo's
// server takes any.
func (d *demo) credential(s *ir.SecurityScheme) jen.Code {
	name, secret := d.api(d.names.Scheme(s)), jen.Lit("demo")
	switch s.Type {
	case "apiKey":
		return jen.Qual(pkgClient, "APIKey").Call(name, secret)
	case "mutualTLS":
		return nil // a matter of the connection
	case "oauth2", "openIdConnect":
		return jen.Qual(pkgClient, "Bearer").Call(name, secret)
	}
	switch s.HTTP {
	case "basic":
		return jen.Qual(pkgClient, "Basic").Call(name, secret, secret.Clone())
	case "bearer":
		return jen.Qual(pkgClient, "Bearer").Call(name, secret)
	}
	return jen.Qual(pkgClient, "TokenSource").Call(name, d.play("Token").Call(secret))
}

// callsOf are the entries of an operation in the table; none for one that cannot be
// called, which is noted.
func (d *demo) callsOf(o *operation, index int) []jen.Code {
	if !d.routed(o) {
		d.leave(DemoLeft{Operation: o.Key, Reason: "a server cannot tell its requests from those of " + o.Behind.Key, Behind: true})
		return nil
	}
	if !d.opt.All && needsCertificate(o) {
		d.leavef(o, "it needs the certificate of a client")
		return nil
	}
	if why := d.answers[o].missing; why != "" {
		d.leavef(o, "no sample was found of %s", why)
		return nil
	}
	requests, missing := d.requests(o)
	if missing != "" {
		d.leavef(o, "no sample was found of %s", missing)
		return nil
	}
	n := max(len(requests), len(d.answers[o].list))
	if !d.opt.All {
		n = 1
	}
	var list []jen.Code
	for i := range n {
		list = append(list, d.call(o, index, requests[i%len(requests)], i%len(d.answers[o].list)))
	}
	return list
}

// call is one entry of the table.
//
//	play.Do(play.Operation{ID: "getTrip", …}, `{"TripID":"…"}`, c.GetTrip)
func (d *demo) call(o *operation, index int, req sampled, answer int) jen.Code {
	word := "Ping"
	switch result := o.result.form != resultNone; {
	case result && o.hasRequest():
		word = "Do"
	case result:
		word = "Get"
	case o.hasRequest():
		word = "Exec"
	}
	args := []jen.Code{d.demoFacts(o, answer)}
	if o.hasRequest() {
		args = append(args, quoted(jsonText(req.json)))
	}
	method := jen.Id("c").Dot(o.n.Method)
	if o.group.kind != kindOperation {
		word = "Send" + word
		args = append(args, jen.Id("address").Op("+").Lit(hookPath(index)))
	}
	args = append(args, method)
	if len(req.set) > 0 {
		args = append(args, jen.Func().Params(jen.Id("r").Op("*").Add(d.api(o.n.Request))).Block(req.set...))
	}
	return d.play(word).Call(args...)
}

// hookPath is where the receiver of a webhook or callback has it.
func hookPath(index int) string { return "/hook" + strconv.Itoa(index+1) }

// demoFacts is what the demo shows of an operation and its policy.
//
//	play.Operation{ID: "getTrip", Method: "GET", Path: "/trips/{tripId}", Effect: "read", Tries: 3}
func (d *demo) demoFacts(o *operation, answer int) *jen.Statement {
	p := o.Policy.Client
	pairs := []pair{
		{"ID", jen.Lit(o.Key)}, {"Method", jen.Lit(o.Method)}, {"Path", jen.Lit(o.Path)},
	}
	if d.opt.All {
		if answer > 0 {
			pairs = append(pairs, pair{"Answer", jen.Lit(answer)})
		}
		if key := p.Idempotency; key != nil && key.Key == policy.KeyCaller && !slices.ContainsFunc(o.fields, func(f requestField) bool { return isKey(o, f) }) {
			pairs = append(pairs, pair{"CallerKey", jen.True()})
		}
		return ordered(d.play("Operation"), pairs...)
	}
	pairs = append(pairs, pair{"Effect", jen.Lit(p.Effect.String())})
	if key := p.Idempotency; key != nil {
		pairs = append(pairs, pair{"Key", jen.True()})
		if key.Key == policy.KeyCaller {
			pairs = append(pairs, pair{"CallerKey", jen.True()})
		}
	}
	if o.Policy.Server.Idempotency != nil {
		pairs = append(pairs, pair{"Replays", jen.True()})
	}
	tries := 1
	if p.Retry != nil && p.Retry.Mode == policy.Enforce && p.Retry.MaxAttempts > 1 {
		tries = p.Retry.MaxAttempts
	}
	pairs = append(pairs, pair{"Tries", jen.Lit(tries)})
	if p.Timeout != nil && p.Timeout.Mode == policy.Enforce && p.Timeout.Attempt > 0 {
		pairs = append(pairs, pair{"Attempt", durationExpr(p.Timeout.Attempt)})
	}
	if b := p.Breaker; b != nil && b.Mode == policy.Enforce {
		pairs = append(pairs, pair{"Recovery", durationExpr(b.Recovery)})
	}
	return ordered(d.play("Operation"), pairs...)
}

// needsCertificate reports that each alternative of credentials has one that belongs to
// the connection.
func needsCertificate(o *operation) bool {
	for _, r := range o.Security {
		if !slices.ContainsFunc(r.Schemes, func(u ir.SchemeUse) bool { return u.Scheme.Type == "mutualTLS" }) {
			return false
		}
	}
	return len(o.Security) > 0
}
