package sample

import (
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// maker makes one value.
type maker struct {
	dir   Direction
	param bool              // the value of a parameter: flat, and no empty texts
	open  map[*ir.Type]int  // types being made, by how often
	full  map[*ir.Type]bool // types whose optional members are all made
	lean  bool              // no member is made that could be left out
	kept  *ir.Field         // but this one
	bare  map[*ir.Type]bool // types of which none is
	nodes int
	depth int
	check *checker
}

func newMaker(dir Direction) *maker {
	return &maker{dir: dir, open: map[*ir.Type]int{}, full: map[*ir.Type]bool{}, bare: map[*ir.Type]bool{}, check: newChecker(dir)}
}

// value makes the value and checks it as a whole.
func (m *maker) value(use *ir.Use, name string) *ir.Value {
	v := m.use(use, hint{name: word(name)})
	if v == nil || use != nil && !m.check.use(use, v, 0) {
		return nil
	}
	return v
}

// hint makes values differ.
type hint struct {
	name string // what a plain text is made of
	n    int    // values for different n are different where the schema has several
}

// word keeps of a name what can stand in a path, a header and a delimited list.
func word(name string) string {
	w := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '-'
	}, name)
	w = strings.Trim(w, "-")
	if w == "" {
		return "sample"
	}
	return w[:min(len(w), 24)]
}

// text is a plain text of the hint.
func (h hint) text() string { return h.name + "-" + strconv.Itoa(h.n+1) }

// use makes a value of a use. The constraints of the use and of each alias on the way
// hold together.
func (m *maker) use(u *ir.Use, h hint) *ir.Value {
	if u == nil {
		return str(h.text())
	}
	v := m.resolved(u, h)
	if v == nil && nullable(u) {
		return &ir.Value{Kind: ir.NullValue}
	}
	return v
}

// resolved follows aliases and keeps a count of the values and of the types that are
// open.
func (m *maker) resolved(u *ir.Use, h hint) *ir.Value {
	m.nodes++
	if m.nodes > maxNodes || m.depth >= maxDepth {
		return nil
	}
	t, checks, only := follow(u)
	if only != nil {
		return only
	}
	if m.open[t] > 1 || m.open[t] == 1 && !m.worthOpening(t) {
		return nil // a value inside itself: whoever asked has another way, or there is none
	}
	m.open[t]++
	m.depth++
	v := m.typ(t, checks, h)
	if v != nil && !keepsRules(checks, v) {
		v = m.another(t, checks, h)
	}
	m.depth--
	m.open[t]--
	return v
}

// worthOpening reports whether a type may stand inside itself once: a list that has to
// hold an item of a union with itself ends in the next round, at another variant.
func (m *maker) worthOpening(t *ir.Type) bool {
	return t.Kind == ir.KindUnion || t.Kind == ir.KindArray || t.Kind == ir.KindMap
}

// follow resolves a use to the type that decides about the shape, with all checks on
// the way, and the value of a const that stands there.
func follow(u *ir.Use) (t *ir.Type, checks []*ir.Checks, only *ir.Value) {
	t = u.Type
	add := func(c *ir.Checks) {
		if c != nil {
			checks = append(checks, c)
		}
	}
	add(u.Checks)
	for range 1000 { // lower refuses cyclic aliases; the bound keeps a slip from hanging
		add(t.Checks)
		if t.Const != nil {
			only = t.Const
		}
		if t.Kind != ir.KindAlias || t.Target == nil {
			break
		}
		add(t.Target.Checks)
		t = t.Target.Type
	}
	return t, checks, only
}

// nullable reports whether null will do.
func nullable(u *ir.Use) bool {
	for range 1000 {
		if u.Nullable || u.Type.Nullable || u.Type.Kind == ir.KindNull || u.Type.Kind == ir.KindAny {
			return true
		}
		if u.Type.Kind != ir.KindAlias || u.Type.Target == nil {
			return false
		}
		u = u.Type.Target
	}
	return false
}

// typ makes a value by the shape of the type.
func (m *maker) typ(t *ir.Type, checks []*ir.Checks, h hint) *ir.Value {
	switch t.Kind {
	case ir.KindNull:
		return &ir.Value{Kind: ir.NullValue}
	case ir.KindAny:
		return str(h.text())
	case ir.KindScalar:
		return m.scalar(t, checks, h)
	case ir.KindBinary:
		return m.text(t, checks, h)
	case ir.KindEnum:
		return m.enum(t, checks, h)
	case ir.KindArray:
		return m.array(t, checks, h)
	case ir.KindTuple:
		return m.tuple(t, checks, h)
	case ir.KindMap:
		return m.mapping(t, checks, h)
	case ir.KindStruct:
		return m.object(t, checks, h)
	case ir.KindUnion:
		return m.union(t, h)
	}
	return nil // KindNever
}

// enum takes the n-th of the listed values that the constraints allow.
func (m *maker) enum(t *ir.Type, checks []*ir.Checks, h hint) *ir.Value {
	var good []*ir.Value
	for _, e := range t.Enum {
		if e.Value == nil || e.Value.Kind == ir.NullValue || (m.param && e.Value.Kind == ir.StringValue && e.Value.Text == "") {
			continue
		}
		if m.check.typ(t, checks, e.Value, 0) {
			good = append(good, e.Value)
		}
	}
	if len(good) == 0 {
		return nil
	}
	return good[h.n%len(good)]
}

// array makes as many items as must be there, and one where none must.
func (m *maker) array(t *ir.Type, checks []*ir.Checks, h hint) *ir.Value {
	least, most, unique := itemBounds(checks)
	v := &ir.Value{Kind: ir.ArrayValue}
	want := max(least, 1)
	if most >= 0 {
		want = min(want, most)
	}
	return m.items(v, t.Elem, want, least, unique, h)
}

// items appends until v has want items; with fewer than least there is no value.
func (m *maker) items(v *ir.Value, elem *ir.Use, want, least int64, unique bool, h hint) *ir.Value {
	if want > maxNodes {
		return nil
	}
	misses := 0
	for n := 0; int64(len(v.Items)) < want; n++ {
		item := m.use(elem, hint{name: h.name, n: h.n + n})
		if item == nil {
			break
		}
		if unique && contains(v.Items, item) {
			if misses++; misses > 50 {
				break
			}
			continue
		}
		v.Items = append(v.Items, item)
	}
	if int64(len(v.Items)) < least {
		return nil
	}
	return v
}

func itemBounds(checks []*ir.Checks) (least, most int64, unique bool) {
	most = -1
	for _, c := range checks {
		if c.MinItems != nil {
			least = max(least, *c.MinItems)
		}
		if c.MaxItems != nil && (most < 0 || *c.MaxItems < most) {
			most = *c.MaxItems
		}
		unique = unique || c.UniqueItems
	}
	return least, most, unique
}

// tuple fills each position, and further ones when so many must be there.
func (m *maker) tuple(t *ir.Type, checks []*ir.Checks, h hint) *ir.Value {
	v := &ir.Value{Kind: ir.ArrayValue}
	for i, u := range t.Tuple {
		item := m.use(u, hint{name: h.name, n: h.n + i})
		if item == nil {
			return nil
		}
		v.Items = append(v.Items, item)
	}
	least, _, unique := itemBounds(checks)
	if t.Closed && t.Elem == nil {
		return v
	}
	return m.items(v, t.Elem, least, least, unique, h)
}

func str(s string) *ir.Value { return &ir.Value{Kind: ir.StringValue, Text: s} }
