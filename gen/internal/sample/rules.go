package sample

import "github.com/holdfast-go/holdfast/gen/internal/ir"

// Rules are schemas that types cannot express. A value cannot be made from one, as not
// and if only say what it must not be: values are tried until one will do.

// keepsRules reports whether a value keeps all rules of some constraints.
func keepsRules(checks []*ir.Checks, v *ir.Value) bool {
	for _, c := range checks {
		for _, r := range c.Rules {
			if !r.Admits(v) {
				return false
			}
		}
	}
	return true
}

// maxTries bounds the values that are tried for one place.
const maxTries = 6

// another makes a value that keeps the rules, by leaving out all that may be left out,
// here and at any depth, or all but one member, by leaving out nothing, and by other texts
// and numbers; nil when none of these does.
func (m *maker) another(t *ir.Type, checks []*ir.Checks, h hint) *ir.Value {
	for _, optional := range []map[*ir.Type]bool{m.bare, m.full} {
		before := optional[t]
		optional[t] = true
		v := m.typ(t, checks, h)
		optional[t] = before
		if v != nil && keepsRules(checks, v) {
			return v
		}
	}
	if v := m.meagre(t, checks, h); v != nil {
		return v
	}
	for n := range maxTries {
		v := m.typ(t, checks, hint{name: h.name, n: h.n + n + 1})
		if t.Kind == ir.KindAny {
			v = anyValue(n)
		}
		if v != nil && keepsRules(checks, v) {
			return v
		}
	}
	return nil
}

// meagre makes a value that keeps the rules with one member that may be left out, or with
// none at any depth.
func (m *maker) meagre(t *ir.Type, checks []*ir.Checks, h hint) *ir.Value {
	before := m.bare[t]
	m.bare[t] = true
	defer func() { m.bare[t] = before }()
	for i, f := range t.Fields {
		if f.Required || i >= maxAlone {
			continue
		}
		m.kept = f
		v := m.typ(t, checks, h)
		m.kept = nil
		if v != nil && keepsRules(checks, v) {
			return v
		}
	}
	if m.lean {
		return nil
	}
	m.lean = true
	defer func() { m.lean = false }()
	if v := m.typ(t, checks, h); v != nil && keepsRules(checks, v) {
		return v
	}
	return nil
}

// maxAlone bounds the members that are tried alone.
const maxAlone = 30

// anyValue is a value of the n-th kind, for a type that tells nothing.
func anyValue(n int) *ir.Value {
	values := []*ir.Value{
		{Kind: ir.ObjectValue}, {Kind: ir.ArrayValue}, {Kind: ir.NumberValue, Text: "1"},
		{Kind: ir.BoolValue, Text: "true"}, {Kind: ir.NullValue},
	}
	return values[n%len(values)]
}
