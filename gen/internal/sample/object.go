package sample

import (
	"strconv"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// object makes the members that must be there and a few of the others.
func (m *maker) object(t *ir.Type, checks []*ir.Checks, h hint) *ir.Value {
	least, most := memberBounds(checks)
	v := &ir.Value{Kind: ir.ObjectValue}
	made := map[*ir.Field]*ir.Value{}
	count := int64(0)
	for _, f := range t.Fields {
		if !f.Required || !travels(f, m.dir) {
			continue
		}
		if made[f] = m.field(f, h); made[f] == nil {
			return nil
		}
		count++
	}
	extra := 0
	for _, f := range t.Fields {
		if f.Required || m.bare[t] && count >= least && f != m.kept || !travels(f, m.dir) || (most >= 0 && count >= most) {
			continue
		}
		if count >= least && !m.full[t] && f != m.kept && (m.lean || !m.roomy() || extra >= maxOptional || !m.exemplary(f)) {
			continue
		}
		if made[f] = m.field(f, h); made[f] != nil {
			count++
			extra++
		}
	}
	for _, f := range t.Fields { // in document order
		if made[f] != nil {
			v.Members = append(v.Members, ir.MemberValue{Name: f.Name, Value: made[f]})
		}
	}
	if count < least && !m.extras(v, t, least, h) {
		return nil
	}
	return v
}

// exemplary reports whether a member is made although it could be left out. Deprecated
// ones are nobody's first example.
func (m *maker) exemplary(f *ir.Field) bool {
	if m.param {
		if t, _, _ := follow(f.Use); t.Kind != ir.KindScalar && t.Kind != ir.KindEnum {
			return false
		}
	}
	return !f.Doc.Deprecated
}

// roomy reports whether there is room for what could be left out.
func (m *maker) roomy() bool { return m.nodes < wideNodes && m.depth <= maxWide }

// travels reports whether a member is sent this way.
func travels(f *ir.Field, dir Direction) bool {
	switch dir {
	case Request:
		return !f.ReadOnly
	case Response:
		return !f.WriteOnly
	}
	return true
}

// field makes the value of a member. A member that names itself after what it is gives
// a better text than the object around it.
func (m *maker) field(f *ir.Field, h hint) *ir.Value {
	return m.use(f.Use, hint{name: word(f.Name), n: h.n})
}

// extras adds members that have no field until v has least members, and reports
// whether it has.
func (m *maker) extras(v *ir.Value, t *ir.Type, least int64, h hint) bool {
	if t.Closed && len(t.Patterns) == 0 || least > maxNodes {
		return int64(len(v.Members)) >= least
	}
	taken := map[string]bool{}
	for _, f := range t.Fields {
		taken[f.Name] = true
	}
	for n := 0; int64(len(v.Members)) < least && n < maxNodes; n++ {
		name, use := m.extraName(t, n)
		if name == "" {
			break
		}
		if taken[name] {
			if n >= int(least)+50 {
				break
			}
			continue
		}
		taken[name] = true
		value := m.use(use, hint{name: word(name), n: h.n + n})
		if value == nil {
			break
		}
		v.Members = append(v.Members, ir.MemberValue{Name: name, Value: value})
	}
	return int64(len(v.Members)) >= least
}

// extraName is the n-th name for a member without a field and what its value must be;
// it is empty when there is none. A name that a pattern claims has to be of the pattern.
func (m *maker) extraName(t *ir.Type, n int) (string, *ir.Use) {
	if t.Closed && len(t.Patterns) > 0 {
		p := t.Patterns[n%len(t.Patterns)]
		name, _ := matching([]string{p.Pattern}, n, func(s string) bool { return s != "" && m.claimed(t, s) != nil }, "key")
		return name, p.Use
	}
	name := "key" + strconv.Itoa(n+1)
	if use := m.claimed(t, name); use != nil {
		return name, use
	}
	if t.Kind == ir.KindMap {
		return name, t.Elem
	}
	return name, t.Extra
}

// claimed is what the first pattern that matches a name wants its value to be.
func (m *maker) claimed(t *ir.Type, name string) *ir.Use {
	for _, p := range t.Patterns {
		if m.check.matches(p.Pattern, name) {
			return p.Use
		}
	}
	return nil
}

// mapping makes as many entries as must be there, and one where none must.
func (m *maker) mapping(t *ir.Type, checks []*ir.Checks, h hint) *ir.Value {
	least, most := memberBounds(checks)
	v := &ir.Value{Kind: ir.ObjectValue}
	want := max(least, 1)
	if most >= 0 {
		want = min(want, most)
	}
	m.extras(v, t, want, h)
	if int64(len(v.Members)) < least {
		return nil
	}
	return v
}

func memberBounds(checks []*ir.Checks) (least, most int64) {
	most = -1
	for _, c := range checks {
		if c.MinProperties != nil {
			least = max(least, *c.MinProperties)
		}
		if c.MaxProperties != nil && (most < 0 || *c.MaxProperties < most) {
			most = *c.MaxProperties
		}
	}
	return least, most
}
