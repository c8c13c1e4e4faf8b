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
		is   func(*ir.Field) bool
	}{
		{"ReadOnly", func(f *ir.Field) bool { return f.ReadOnly }},
		{"WriteOnly", func(f *ir.Field) bool { return f.WriteOnly }},
		{"Defaults", func(f *ir.Field) bool { return f.Default != nil }},
	} {
		names := d.fieldsThat(list.is)
		if list.name == "Defaults" {
			names = append(names, d.paramDefaults()...)
		}
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
func (d *demo) fieldsThat(is func(*ir.Field) bool) []string {
	var out []string
	for _, t := range d.emitter.api.Types {
		name := d.names.Type(t)
		if t.Kind != ir.KindStruct || name == "" {
			continue
		}
		for _, f := range t.Fields {
			if is(f) {
				out = append(out, name+"."+d.names.Field(t, f))
			}
		}
	}
	return out
}

// paramDefaults are the fields of requests that somebody on the way fills in: defaults, a
// key that the client makes, and what HTTP always has.
func (d *demo) paramDefaults() []string {
	var out []string
	for _, g := range d.played {
		for _, o := range g.ops {
			for _, f := range o.fields {
				if f.Default != nil || f.In == "header" && (ofHTTP[strings.ToLower(f.Name)] || isKey(o, f)) {
					out = append(out, o.n.Request+"."+f.name)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ofHTTP are the headers that a client sends by itself.
var ofHTTP = map[string]bool{"host": true, "user-agent": true, "accept": true, "accept-encoding": true, "content-type": true, "content-length": true}

// isKey reports the parameter that is the idempotency key.
func isKey(o *operation, f requestField) bool {
	key := o.Policy.Client.Idempotency
	return key != nil && strings.EqualFold(key.Header, f.Name)
}
