package resilience

import (
	"maps"
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// variant is one as an annotation writes it.
type variant struct {
	name string
	key  load.Member
	// off takes it out: name: false.
	off  bool
	when *load.Node
	// faulty says that its conditions were refused.
	faulty bool
	a      *annotation
}

// variants reads those of an annotation. A variant is a policy with conditions; it
// has no variants of its own.
func (r *reader) variants(a *annotation, m load.Member, path string) {
	if !m.Value.Is(load.Object) {
		r.wrongType(m.Value, path, "a mapping of names to policies with when")
		r.bad[m.Value] = true
		return
	}
	for _, e := range m.Value.Members {
		at := path + "." + e.Key
		on, isBool := e.Value.Bool()
		switch {
		case skipped(e.Key):
		case !entryName.fits(e.Key):
			r.list.Error(e.Pos(), "resilience-name", e.Value.Pointer(), "%s: key %s: want %s", path, shown(e.Key), entryName.want)
		case isBool && !on:
			a.variants = append(a.variants, variant{name: e.Key, key: e, off: true})
		case !e.Value.Is(load.Object):
			r.wrongType(e.Value, at, "a policy with when, or false")
		default:
			a.variants = append(a.variants, r.variant(e, at))
		}
	}
}

func (r *reader) variant(e load.Member, path string) variant {
	v := variant{name: e.Key, key: e, a: newAnnotation(e.Value)}
	for _, f := range e.Value.Members {
		switch f.Key {
		case "when":
			if (conditions{}).check(&r.checker, f.Value, path+".when") {
				v.when = f.Value
			} else {
				r.bad[f.Value], v.faulty = true, true
			}
		case "variants":
			r.list.Error(f.Pos(), "resilience-variant", f.Value.Pointer(), "%s: a variant has no variants of its own", path).
				Hintf("write another variant with all of its conditions under when")
			r.bad[f.Value] = true
		default:
			if near, ok := diag.Nearest(f.Key, []string{"when"}); ok && !slices.Contains(policyKeys(), f.Key) {
				r.unknownKey(f, path, []string{near})
				v.faulty = true // and not missing as well
				continue
			}
			r.member(v.a, f, path)
		}
	}
	return v
}

// conditions are the values that a request has to have, by expression. false is a
// value here as well: it takes nothing out.
type conditions struct{}

func (conditions) check(c *checker, n *load.Node, path string) bool {
	if !n.Is(load.Object) {
		return c.wrongType(n, path, "a mapping of expressions to values")
	}
	if len(n.Members) == 0 {
		return c.fail(n, "resilience-range", "%s is empty: want at least one condition", path)
	}
	all := true
	for _, m := range n.Members {
		if m.Key == "description" {
			continue
		}
		if !expressionKey(c, m, path) {
			all = false
		} else if _, scalar := m.Value.Written(); !scalar {
			all = c.wrongType(m.Value, path+"."+m.Key, "a text, a number, true, false or null")
		}
	}
	return all
}

// expressionKey checks an expression that is the key of a member.
func expressionKey(c *checker, m load.Member, path string) bool {
	e, err := policy.ParseExpr(m.Key)
	switch {
	case err != nil:
		c.list.Error(m.Pos(), "resilience-expression", m.Value.Pointer(), "%s: %s is no expression: want one such as $request.body#/id", path, shown(m.Key))
		return false
	case isOfResponse(e.Source):
		c.list.Error(m.Pos(), "resilience-expression", m.Value.Pointer(), "%s: %s is not known before the call: want a value of the request", path, shown(m.Key))
		return false
	}
	return true
}

func isOfResponse(s policy.Source) bool {
	return s == policy.FromResponseHeader || s == policy.FromResponseBody || s == policy.FromStatus
}

// merged is a variant of an operation while levels are laid over each other.
type merged struct {
	name string
	// parts are what the levels say, the weakest first.
	parts []part
}

// part is what one level says about a variant.
type part struct {
	level   level
	variant variant
}

// layVariants notes the variants of a level.
func (o *operation) layVariants(l level) {
	for _, v := range l.a.variants {
		i := slices.IndexFunc(o.variants, func(m merged) bool { return m.name == v.name })
		switch {
		case v.off && i >= 0:
			o.variants = slices.Delete(o.variants, i, i+1)
		case v.off:
		case i < 0:
			o.variants = append(o.variants, merged{v.name, []part{{l, v}}})
		default:
			o.variants[i].parts = append(slices.Clip(o.variants[i].parts), part{l, v})
		}
	}
}

// layVariant lays the parts of a variant over an operation: those of the levels, or
// those of the profile.
func (m *merger) layVariant(o *operation, v merged, ofProfile bool) {
	for _, p := range v.parts {
		l := p.level
		if l.ofProfile != ofProfile {
			continue
		}
		name := "variant " + v.name
		if l.ofProfile {
			name = l.name + ", " + name
		}
		l.name, l.policy, l.a = name, "", p.variant.a
		m.variantsWithin(p.variant)
		m.layLevel(o, l)
	}
}

// variantsWithin reports a variant that uses a policy which has variants: requests
// could not be told apart in one step.
func (m *merger) variantsWithin(v variant) {
	for _, s := range m.chain(v.a) {
		if len(s.a.variants) > 0 {
			m.list.Error(v.a.use.Pos(), "resilience-variant", v.a.use.Pointer(), "%s: the variant %s uses the policy %s, which has variants: want one without",
				key, v.name, s.policy).At(s.a.variants[0].key.Pos(), "it has this one")
			return
		}
	}
}

// whenOf are the conditions of a variant, merged by expression in the order in which
// they came.
func (m *merger) whenOf(o *operation, v merged) []policy.Condition {
	var out []policy.Condition
	faulty := false
	for _, p := range v.parts {
		faulty = faulty || p.variant.faulty
		if p.variant.when == nil {
			continue
		}
		for _, c := range p.variant.when.Members {
			e, err := policy.ParseExpr(c.Key)
			if err != nil {
				continue
			}
			o.uses = append(o.uses, use{expr: e, node: c.Value, side: clientSide, path: "variants." + v.name + ".when"})
			cond := policy.Condition{Expr: e, Absent: c.Value.Is(load.Null)}
			if !cond.Absent {
				cond.Value = c.Value.Text
			}
			i := slices.IndexFunc(out, func(have policy.Condition) bool { return have.Expr == e })
			if i < 0 {
				out = append(out, cond)
			} else {
				out[i] = cond
			}
		}
	}
	if len(out) == 0 && !faulty {
		last := v.parts[len(v.parts)-1].variant
		m.list.Error(last.key.Pos(), "resilience-variant", last.key.Value.Pointer(), "%s: the variant %s has no conditions: want when", key, v.name).
			Hintf("when: {$request.query.watch: true}, say")
	}
	return out
}

// fork is an operation as it is now, to lay more over it.
func (o *operation) fork(profile, variant string) *operation {
	f := *o
	f.profile, f.variant = profile, variant
	f.client, f.server = forkSlots(o.client), forkSlots(o.server)
	f.common, f.clientCommon = maps.Clone(o.common), maps.Clone(o.clientCommon)
	f.weights, f.waive = maps.Clone(o.weights), maps.Clone(o.waive)
	f.levels, f.variants = slices.Clip(o.levels), slices.Clone(o.variants)
	f.uses = nil
	return &f
}

func forkSlots(slots map[string]*slot) map[string]*slot {
	out := make(map[string]*slot, len(slots))
	for name, s := range slots {
		c := *s
		c.fields = c.fields.clone()
		out[name] = &c
	}
	return out
}

// clone is a value whose members may be changed.
func (v *value) clone() *value {
	if v == nil || !v.object {
		return v
	}
	c := *v
	c.keys = slices.Clone(v.keys)
	c.values = make([]*value, len(v.values))
	for i, m := range v.values {
		c.values[i] = m.clone()
	}
	return &c
}
