package resilience

import (
	"reflect"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// merge makes the policies of one operation: what holds without a profile, then each
// profile; each with its variants behind it.
func (m *merger) merge(o *operation) []*operation {
	m.begin(o)
	for _, l := range m.levelsOf(o) {
		m.layLevel(o, l)
		m.sourcesOf(o, l)
	}
	m.decode(o)
	o.result.Sources = o.sources
	views := append([]*operation{o}, m.variantViews(o, nil)...)
	for _, p := range m.profiles {
		if levels := p.levelsOf(o); len(levels) > 0 {
			views = append(views, m.profileView(o, p, levels)...)
		}
	}
	return views
}

// finish gives an operation the policies of its views, when the operations agree
// about what they share. Views of profiles that change nothing go.
func (m *merger) finish(views []*operation) []*operation {
	o := views[0]
	var kept []*operation
	for _, f := range families(views) {
		made, differs := profileOf(o, f)
		m.tellable(f[0], made.Variants)
		switch {
		case f[0] == o:
			o.result.Variants = made.Variants
			o.result.Words = append(o.result.Words, variantWords(f)...)
		case differs:
			o.result.Profiles = append(o.result.Profiles, made)
		default:
			continue
		}
		kept = append(kept, f...)
	}
	o.op.Policy = o.result
	return kept
}

// families are the views of one profile each, the one without a variant first.
func families(views []*operation) [][]*operation {
	var out [][]*operation
	for _, v := range views {
		if v.variant == "" {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], v)
	}
	return out
}

// variantViews are the variants of an operation: each over the levels, with the
// profile's levels on top.
func (m *merger) variantViews(o *operation, profile []level) []*operation {
	var out []*operation
	below := o
	if o.below != nil {
		below = o.below
	}
	for _, v := range o.variants {
		view := below.fork(o.profile, v.name)
		m.layVariant(view, v, false)
		for _, l := range profile {
			m.layLevel(view, l)
		}
		m.layVariant(view, v, true)
		view.when = m.whenOf(view, v)
		m.decode(view)
		out = append(out, view)
	}
	return out
}

// profileView is an operation under a profile, with its variants behind it.
func (m *merger) profileView(o *operation, p *profile, levels []level) []*operation {
	view := o.fork(p.name, "")
	view.below = o
	for _, l := range levels {
		m.layLevel(view, l)
	}
	m.decode(view)
	return append([]*operation{view}, m.variantViews(view, levels)...)
}

// variantsOf are the variants of a view, which is the first of the list. A server
// that does the same with or without one is not asked to tell.
func variantsOf(views []*operation) []policy.Variant {
	var out []policy.Variant
	base := views[0]
	for _, v := range views[1:] {
		made := policy.Variant{Name: v.variant, When: v.when, Client: v.result.Client}
		if v.dependency != base.dependency {
			made.Dependency = v.dependency
		}
		if !reflect.DeepEqual(v.result.Server, base.result.Server) {
			server := v.result.Server
			made.Server = &server
		}
		out = append(out, made)
	}
	// One that does what the operation does is of use only before others: it keeps
	// them from being taken.
	for n := len(out) - 1; n >= 0 && out[n].Server == nil && out[n].Dependency == "" && reflect.DeepEqual(out[n].Client, base.result.Client); n-- {
		out = out[:n]
	}
	return slices.Clip(out)
}

// profileOf is a profile of an operation, and whether it differs from what holds
// without one.
func profileOf(o *operation, under []*operation) (policy.Profile, bool) {
	v := under[0]
	made := policy.Profile{Name: v.profile, Client: v.result.Client, Server: v.result.Server, Variants: variantsOf(under)}
	if v.dependency != o.dependency {
		made.Dependency = v.dependency
	}
	same := made.Dependency == "" && reflect.DeepEqual(made.Client, o.result.Client) &&
		reflect.DeepEqual(made.Server, o.result.Server) && reflect.DeepEqual(made.Variants, o.result.Variants)
	return made, !same
}

// variantWords says what requests of a certain form get, as far as it is something
// else.
func variantWords(views []*operation) []string {
	usual := map[string]bool{}
	for _, text := range views[0].result.Words {
		for _, c := range clauses(text) {
			usual[c] = true
		}
	}
	var out []string
	for _, v := range views[1:] {
		var parts []string
		for _, text := range v.result.Words {
			parts = append(parts, slices.DeleteFunc(clauses(text), func(c string) bool { return usual[c] })...)
		}
		if len(parts) > 0 {
			out = append(out, "Where "+conditionWords(v.when)+": "+strings.Join(parts, "; ")+".")
		}
	}
	return out
}

// clauses are the parts of a sentence of words, each as it may stand in another.
func clauses(text string) []string {
	list := strings.Split(strings.TrimSuffix(text, "."), "; ")
	list[0] = lowerFirst(list[0])
	return list
}

func conditionWords(when []policy.Condition) string {
	list := make([]string, len(when))
	for i, c := range when {
		switch {
		case c.Absent:
			list[i] = "there is no " + c.Expr.String()
		case fitsName(c.Value):
			list[i] = c.Expr.String() + " is " + c.Value
		default:
			list[i] = c.Expr.String() + " is " + shown(c.Value)
		}
	}
	return and(list)
}

// lowerFirst is a sentence to stand behind a colon.
func lowerFirst(text string) string {
	if text == "" || text[0] < 'A' || text[0] > 'Z' {
		return text
	}
	return string(text[0]+'a'-'A') + text[1:]
}

// operationOf is an operation with its views, as the result has it.
func operationOf(views []*operation) *Operation {
	out := &Operation{Op: views[0].op, Name: views[0].name()}
	for _, o := range views {
		out.Views = append(out.Views, viewOf(o))
	}
	return out
}

func viewOf(o *operation) *View {
	return &View{
		Profile: o.profile, Variant: o.variant, When: o.when, Dependency: o.dependency,
		Client: o.result.Client, Server: o.result.Server, Flaky: o.result.Flaky, Waive: o.waive, o: o,
	}
}

// tellable reports a variant that changes what a server does on conditions that it
// knows only when it has long decided: it would have to read the body before it
// limits who may send one. Those before it in the document count as well, for the
// first that holds is taken.
func (m *merger) tellable(o *operation, made []policy.Variant) {
	last := -1
	for i, v := range made {
		if v.Server != nil {
			last = i
		}
	}
	for i := range last + 1 {
		for _, c := range made[i].When {
			if knownEarly(c.Expr.Source) {
				continue
			}
			changes := o.variants[last]
			at := changes.parts[len(changes.parts)-1].variant.key
			m.list.Error(at.Pos(), "resilience-variant", at.Value.Pointer(),
				"%s: the variant %s changes what the server does, which does not know %s when it decides", key, changes.name, c.Expr).
				Hintf("write what is for the caller in a client block: client: {timeout: …}")
			return
		}
	}
}

// knownEarly reports whether a server knows a value as soon as a request's header is
// there.
func knownEarly(s policy.Source) bool {
	switch s {
	case policy.FromPath, policy.FromQuery, policy.FromHeader, policy.FromURL, policy.FromMethod, policy.FromOperation:
		return true
	}
	return false
}
