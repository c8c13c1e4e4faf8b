package explain

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// Selection says what of a document is looked at.
type Selection struct {
	// Operations are globs over operation ids and names ("GET /pets/{id}"); none is
	// all. In them * stands for any text.
	Operations []string
	// Profile is empty for none.
	Profile string
}

// Build makes the report of a document. The profile is one of the result's.
func Build(spec string, api *ir.API, result *resilience.Result, sel Selection) *Report {
	r := &Report{
		Version: FormatVersion, Spec: spec, Title: api.Title, Dependency: api.Dependency, External: api.External,
		Replicas: max(1, api.Replicas), Profile: sel.Profile, Profiles: result.Profiles, Operations: []Operation{}, Policies: []*Policy{},
	}
	known := map[string]int{}
	for _, o := range result.Operations {
		if !sel.takes(o) {
			continue
		}
		p := policyOf(o, sel.Profile)
		key := p.key(true)
		n, ok := known[key]
		if !ok {
			n = len(r.Policies)
			known[key] = n
			r.Policies = append(r.Policies, p)
		}
		r.Operations = append(r.Operations, Operation{
			ID: o.Op.ID, Name: o.Name, Method: o.Op.Method, Path: o.Op.Path, Tags: o.Op.Tags,
			File: o.Op.Pos.File, Line: o.Op.Pos.Line, Policy: n,
		})
	}
	return r
}

// takes reports whether an operation is looked at.
func (s Selection) takes(o *resilience.Operation) bool {
	if len(s.Operations) == 0 {
		return true
	}
	return slices.ContainsFunc(s.Operations, func(glob string) bool {
		return o.Op.ID != "" && retry.Glob(glob, o.Op.ID) || retry.Glob(glob, o.Name) || retry.Glob(glob, o.Op.Path)
	})
}

func policyOf(o *resilience.Operation, profile string) *Policy {
	p := &Policy{View: viewOf(o.View(profile, ""))}
	shown := ""
	if slices.ContainsFunc(o.Views, func(v *resilience.View) bool { return v.Profile == profile }) {
		shown = profile
	}
	for _, v := range o.Views {
		if v.Profile != shown || v.Variant == "" {
			continue
		}
		variant := Variant{Name: v.Variant, When: []string{}, View: viewOf(v)}
		for _, c := range v.When {
			variant.When = append(variant.When, c.String())
		}
		p.Variants = append(p.Variants, variant)
	}
	return p
}

func viewOf(v *resilience.View) View {
	out := View{Dependency: v.Dependency, Client: fieldsOf(v.ClientFields()), Server: fieldsOf(v.ServerFields())}
	client := v.Client
	flows := flowsOf(slices.Concat(out.Client, out.Server))
	if flows["outbox"] {
		client = bareTry(client)
	}
	out.Worst = worstOf(&client, &v.Server)
	for _, f := range flowNotes {
		if flows[f.primitive] {
			out.Worst.Notes = append(out.Worst.Notes, f.note)
		}
	}
	return out
}

// flowNotes say how the numbers of one call are to be read where an operation is
// more than one call.
var flowNotes = []struct{ primitive, note string }{
	{"outbox", "The outbox sends it: each delivery is one bare try, and its schedule is the retry."},
	{"consumer", "This side receives it: the client's numbers are those of a sender with this policy."},
	{"pages", "Each page is a call of its own, and has these numbers."},
	{"poll", "Each request of the poll has these numbers; poll.timeout bounds the whole."},
	{"stream", "Of a stream, the attempt timeout and a computed total end at its header; the wait for its first item, up to stream.first a try, comes on top."},
}

// flowsOf are the primitives that are on.
func flowsOf(fields []Field) map[string]bool {
	on := map[string]bool{}
	for _, f := range fields {
		if primitive, _, nested := strings.Cut(f.Path, "."); nested {
			on[primitive] = true
		}
	}
	return on
}

// bareTry is one try with its bounds in time.
func bareTry(c policy.Client) policy.Client {
	return policy.Client{Effect: c.Effect, Criticality: c.Criticality, Timeout: c.Timeout, Deadline: c.Deadline, Idempotency: c.Idempotency}
}

func fieldsOf(list []resilience.Field) []Field {
	out := make([]Field, 0, len(list))
	for _, f := range list {
		s := f.Source
		out = append(out, Field{Path: f.Path, Value: f.Value, Source: Source{
			Level: s.Level, Overlay: s.Overlay, Policy: s.Policy, Preset: s.Preset,
			File: s.Pos.File, Line: s.Pos.Line, Column: s.Pos.Col, Pointer: s.Pointer,
		}})
	}
	return out
}

// key tells policies apart, by their settings and, if wanted, by where those come
// from.
func (p *Policy) key(sources bool) string {
	var b strings.Builder
	p.View.write(&b, sources)
	for _, v := range p.Variants {
		text(&b, "variant", v.Name)
		text(&b, v.When...)
		v.View.write(&b, sources)
	}
	return b.String()
}

func (v *View) write(b *strings.Builder, sources bool) {
	text(b, "dependency", v.Dependency)
	for _, side := range [][]Field{v.Client, v.Server} {
		text(b, "side")
		for _, f := range side {
			text(b, f.Path, f.Value)
			if sources {
				text(b, f.Source.Level, f.Source.Policy, f.Source.Preset, f.Source.File, f.Source.Pointer)
			}
		}
	}
}

// text writes words so that no two lists of them look alike.
func text(b *strings.Builder, words ...string) {
	for _, w := range words {
		b.WriteString(w)
		b.WriteByte(0)
	}
	b.WriteByte(1)
}

// group is operations whose policies have the same settings, wherever they are
// written.
type group struct {
	policy *Policy
	// others are the further policies of the group, which differ in their sources.
	others     []*Policy
	operations []Operation
}

// groups are those of a report, in the order of their first operations.
func (r *Report) groups() []*group {
	byKey := map[string]*group{}
	byPolicy := make([]*group, len(r.Policies))
	var out []*group
	for i, p := range r.Policies {
		key := p.key(false)
		g := byKey[key]
		if g == nil {
			g = &group{policy: p}
			byKey[key] = g
			out = append(out, g)
		} else {
			g.others = append(g.others, p)
		}
		byPolicy[i] = g
	}
	for _, o := range r.Operations {
		g := byPolicy[o.Policy]
		g.operations = append(g.operations, o)
	}
	return out
}
