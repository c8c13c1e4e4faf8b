package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// contents lists what a package of all calls holds, and what of a value does not arrive
// as it was sent.
//
//	var Contents = play.Contents{
//		Groups:   []play.Group{{Kind: "operation", Handler: Handler, New: New}},
//		ReadOnly: []string{"Trip.ID"},
//	}
func (d *demo) contents() []jen.Code {
	groups := jen.Index().Add(d.play("Group")).CustomFunc(multiline, func(list *jen.Group) {
		for _, g := range d.played {
			list.Add(ordered(jen.Null(),
				pair{"Kind", jen.Lit(g.kind)},
				pair{"Handler", jen.Id(g.demoName("Handler"))},
				pair{"New", jen.Id(g.demoName("New"))}))
		}
	})
	pairs := []pair{{"Groups", groups}}
	for _, list := range []struct {
		name string
		is   func(*ir.Type, *ir.Field) bool
		more []string
	}{
		{"ReadOnly", func(_ *ir.Type, f *ir.Field) bool { return f.ReadOnly }, d.paramsThat(d.overwritten)},
		{"WriteOnly", func(_ *ir.Type, f *ir.Field) bool { return f.WriteOnly }, d.headersOfHTTP()},
		// A discriminator is written although it is not set.
		{"Defaults", func(t *ir.Type, f *ir.Field) bool { return f.Default != nil || d.facts.tags[t][f.Name] != "" },
			d.paramsThat(filled)},
	} {
		names := append(d.fieldsThat(list.is), list.more...)
		if len(names) > 0 {
			pairs = append(pairs, pair{list.name, jen.Index().String().CustomFunc(multiline, func(g *jen.Group) {
				for _, name := range names {
					g.Lit(name)
				}
			})})
		}
	}
	if slices.ContainsFunc(d.played, func(g *group) bool { return slices.ContainsFunc(g.ops, needsCertificate) }) {
		pairs = append(pairs, pair{"Certificates", jen.True()})
	}
	return []jen.Code{
		comment("Contents are the calls of this package by kind, and the fields that one side of a call has and the other has not."),
		jen.Var().Id("Contents").Op("=").Add(ordered(d.play("Contents"), pairs...)),
		jen.Line(),
	}
}

// fieldsThat are the Go fields of that kind: "Trip.ID".
func (d *demo) fieldsThat(is func(*ir.Type, *ir.Field) bool) []string {
	var out []string
	for _, t := range d.emitter.api.Types {
		name := d.names.Type(t)
		if t.Kind != ir.KindStruct || name == "" {
			continue
		}
		for _, f := range t.Fields {
			if is(t, f) {
				out = append(out, name+"."+d.names.Field(t, f))
			}
		}
	}
	return out
}

// paramsThat are the fields of requests of that kind.
func (d *demo) paramsThat(is func(*operation, requestField) bool) []string {
	var out []string
	for _, g := range d.played {
		for _, o := range g.ops {
			for _, f := range o.fields {
				if is(o, f) {
					out = append(out, o.n.Request+"."+f.name)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// filled reports a parameter that is there although a caller leaves it out: one with a
// default, a key that the client makes, and what each client sends.
func filled(o *operation, f requestField) bool {
	return f.Default != nil || f.In == "header" && (sentAnyway[strings.ToLower(f.Name)] || isKey(o, f))
}

var sentAnyway = map[string]bool{"host": true, "user-agent": true, "accept": true}

// overwritten reports a parameter that does not arrive as a caller gives it: HTTP says it
// of the message, or it is where a credential goes.
func (d *demo) overwritten(_ *operation, f requestField) bool {
	return f.In == "header" && ofHTTP[strings.ToLower(f.Name)] || slices.ContainsFunc(d.emitter.api.Schemes, func(s *ir.SecurityScheme) bool {
		switch {
		case s.Type != "apiKey":
			return f.In == "header" && strings.EqualFold(f.Name, "Authorization")
		case f.In == "header" && s.In == "header":
			return strings.EqualFold(f.Name, s.Param)
		}
		return f.In == s.In && f.Name == s.Param
	})
}

// ofHTTP are the headers that say how a message is sent, so that no sample can.
var ofHTTP = map[string]bool{
	"accept-encoding": true, "connection": true, "content-encoding": true, "content-length": true, "content-type": true,
	"te": true, "trailer": true, "transfer-encoding": true, "upgrade": true,
}

// headersOfHTTP are the fields of answers that HTTP decides on.
func (d *demo) headersOfHTTP() []string {
	var out []string
	for _, t := range d.ops.order {
		for _, h := range t.Headers {
			if ofHTTP[strings.ToLower(h.Name)] {
				out = append(out, t.name+"."+d.names.Header(t.Response, h))
			}
		}
	}
	return out
}

// isKey reports the parameter that is the idempotency key.
func isKey(o *operation, f requestField) bool {
	key := o.Policy.Client.Idempotency
	return key != nil && strings.EqualFold(key.Header, f.Name)
}
