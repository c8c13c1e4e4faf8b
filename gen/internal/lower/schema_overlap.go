package lower

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// Some oneOf cannot be what their author means: each value of one alternative is a value
// of another as well, so that strictly there is no value of the first at all. Servers
// that have such a document send those values all the same. A client then takes the
// alternative that knows most of the value; alternatives of which each has values of its
// own are told apart as the document says.

// overlap notes that of a union, with a warning.
func (l *lowerer) overlap(w *unionWork, c *coverage) {
	const most = 64 // alternatives: each is compared with each
	u := w.t.Union
	if u == nil || u.AnyOf || u.Dispatch != ir.ByTrial || len(w.variants) > most {
		return
	}
	for _, narrow := range w.variants {
		for _, wide := range w.variants {
			if narrow == wide || !c.use(wide.v.Use, narrow.v.Use) {
				continue
			}
			u.Overlap = true
			l.list.Warn(w.t.Pos, "one-of-overlap", "",
				"each value of the alternative %s is one of %s as well, which oneOf refuses: a client takes the one that knows most of the value",
				joinShown(narrow.v.Name), joinShown(wide.v.Name)).
				Hintf("anyOf lets both fit")
			return
		}
	}
}

// joinShown is the name of a variant for a message.
func joinShown(words []string) string {
	var b []byte
	for i, w := range words {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, w...)
	}
	return clip(string(b))
}

// coverage proves of schemas that one admits each value of another. What it cannot prove,
// in so many steps for a document, it takes for untrue. The answers for pairs of types
// are kept.
type coverage struct {
	holds, fails map[[2]*ir.Type]bool
	steps        int
}

func newCoverage() *coverage {
	return &coverage{holds: map[[2]*ir.Type]bool{}, fails: map[[2]*ir.Type]bool{}}
}

// maxCoverage bounds the members that are compared: documents can be built of which all
// pairs of types have to be.
const maxCoverage = 10_000_000

// use reports whether wide admits each value of narrow.
func (c *coverage) use(wide, narrow *ir.Use) bool {
	w, wideChecks, wideNull := behindUse(wide)
	n, checks, null := behindUse(narrow)
	if w == nil || n == nil {
		return false
	}
	for _, want := range wideChecks {
		if !slices.ContainsFunc(checks, func(has *ir.Checks) bool { return sameChecks(has, want) }) {
			return false
		}
	}
	switch {
	case null && !wideNull && w.Kind != ir.KindAny:
		return false
	case w == n:
		return true
	}
	pair := [2]*ir.Type{w, n}
	if c.holds[pair] || c.fails[pair] {
		return c.holds[pair]
	}
	c.holds[pair] = true // within itself, if nothing else speaks against it
	if c.typ(w, n) {
		return true
	}
	clear(c.holds) // this pair may have been a reason
	c.fails[pair] = true
	return false
}

// sameChecks reports whether two lists of constraints say the same.
func sameChecks(a, b *ir.Checks) bool {
	same := func(x, y *int64) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) }
	return a == b ||
		a.Minimum == b.Minimum && a.Maximum == b.Maximum && a.MultipleOf == b.MultipleOf &&
			a.ExclusiveMinimum == b.ExclusiveMinimum && a.ExclusiveMaximum == b.ExclusiveMaximum &&
			same(a.MinLength, b.MinLength) && same(a.MaxLength, b.MaxLength) &&
			same(a.MinItems, b.MinItems) && same(a.MaxItems, b.MaxItems) && a.UniqueItems == b.UniqueItems &&
			same(a.MinProperties, b.MinProperties) && same(a.MaxProperties, b.MaxProperties) &&
			a.Format == b.Format && slices.Equal(a.Pattern, b.Pattern) &&
			slices.EqualFunc(a.Rules, b.Rules, func(r, o *ir.Rule) bool { return r.Name == o.Name && r.Whole == o.Whole })
}

// behindUse is the type that is no second name, with the checks on the way there.
func behindUse(u *ir.Use) (t *ir.Type, checks []*ir.Checks, null bool) {
	const most = 64 // second names; a document can let them lead in circles
	for range most {
		if u == nil || u.Type == nil {
			return nil, nil, false
		}
		null = null || u.Nullable
		t = u.Type
		for _, c := range []*ir.Checks{u.Checks, t.Checks} {
			if c != nil {
				checks = append(checks, c)
			}
		}
		if t.Kind != ir.KindAlias {
			return t, checks, null || t.Nullable
		}
		u = t.Target
	}
	return nil, nil, false
}

func (c *coverage) typ(w, n *ir.Type) bool {
	if w.Const != nil && !(n.Const != nil && sameValue(w.Const, n.Const)) {
		return false
	}
	switch w.Kind {
	case ir.KindAny:
		return true
	case ir.KindScalar:
		return (n.Kind == ir.KindScalar || n.Kind == ir.KindEnum && !n.Open) && n.Scalar == w.Scalar && n.Format == w.Format
	case ir.KindEnum:
		return n.Kind == ir.KindEnum && n.Scalar == w.Scalar && (w.Open || !n.Open && listsAll(w.Enum, n.Enum))
	case ir.KindArray:
		return n.Kind == ir.KindArray && c.use(w.Elem, n.Elem)
	case ir.KindMap, ir.KindStruct:
		return (n.Kind == ir.KindMap || n.Kind == ir.KindStruct) && c.object(w, n)
	case ir.KindUnion:
		return n.Kind == ir.KindUnion && c.union(w.Union, n.Union)
	}
	return false
}

func listsAll(wide, narrow []*ir.EnumValue) bool {
	return !slices.ContainsFunc(narrow, func(n *ir.EnumValue) bool {
		return !slices.ContainsFunc(wide, func(w *ir.EnumValue) bool { return sameValue(w.Value, n.Value) })
	})
}

// object is typ for objects.
func (c *coverage) object(w, n *ir.Type) bool {
	c.steps += (len(w.Fields) + 1) * (len(n.Fields) + 1)
	if len(w.Patterns) > 0 || len(n.Patterns) > 0 || w.Closed && !n.Closed || c.steps > maxCoverage {
		return false
	}
	for _, f := range w.Fields {
		switch g := fieldNamed(n, f.Name); {
		case g == nil && (f.Required || !n.Closed):
			return false
		case g != nil && (f.Required && !g.Required || f.ReadOnly != g.ReadOnly || f.WriteOnly != g.WriteOnly || !c.use(f.Use, g.Use)):
			return false
		}
	}
	rest := extrasOf(w)
	for _, g := range n.Fields {
		if fieldNamed(w, g.Name) == nil && (w.Closed || rest != nil && !c.use(rest, g.Use)) {
			return false
		}
	}
	if rest == nil || n.Closed {
		return true
	}
	other := extrasOf(n)
	return other != nil && c.use(rest, other)
}

func fieldNamed(t *ir.Type, name string) *ir.Field {
	for _, f := range t.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// extrasOf is what the members of an object are that are no fields; nil: anything.
func extrasOf(t *ir.Type) *ir.Use {
	rest := t.Extra
	if t.Kind == ir.KindMap {
		rest = t.Elem
	}
	if rest != nil && rest.Checks == nil && rest.Type != nil && rest.Type.Kind == ir.KindAny && rest.Type.Checks == nil {
		return nil
	}
	return rest
}

// union is typ for unions of the same form. Where only a trial tells the variants apart
// they have to be the same on both sides: with more values, two of the wider ones could
// fit where one of the narrower ones does.
func (c *coverage) union(w, n *ir.Union) bool {
	if w.AnyOf != n.AnyOf || w.Dispatch != n.Dispatch || w.Property != n.Property || len(w.Variants) != len(n.Variants) ||
		w.Fallback != nil || n.Fallback != nil {
		return false
	}
	for i, v := range w.Variants {
		other := n.Variants[i]
		if !slices.Equal(v.Keys, other.Keys) || !c.use(v.Use, other.Use) {
			return false
		}
		if w.Dispatch == ir.ByTrial && !w.AnyOf && !c.use(other.Use, v.Use) {
			return false
		}
	}
	return true
}
