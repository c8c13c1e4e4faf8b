package emit

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/names"
)

// Documents repeat themselves: GitHub's writes out the same repository in each of its
// webhooks. Types written in place that are equal in every respect are one Go type,
// and the others are aliases of it, so each keeps its name and none costs more than a
// line.

// findSame chooses, for each type written in place that another one equals, that
// other one. Two types are equal when their members have the same names, texts,
// constraints and equal types; that is found in rounds, since the types of members
// may only turn out to be equal in the round before.
func (f *facts) findSame(types []*ir.Type, table *names.Table) {
	f.same = map[*ir.Type]*ir.Type{}
	for range maxSameRounds {
		groups := map[string][]*ir.Type{}
		for _, t := range types {
			if f.same[t] == nil && mergeableType(t) && table.Type(t) != "" {
				key := (&sameKey{f: f, table: table}).of(t)
				groups[key] = append(groups[key], t)
			}
		}
		changed := false
		for _, group := range groups {
			first := slices.MinFunc(group, func(a, b *ir.Type) int { return compareSame(a, b, table) })
			for _, t := range group {
				if t != first && t.Origin != ir.Component {
					f.same[t] = first
					changed = true
				}
			}
		}
		if !changed {
			return
		}
	}
}

// maxSameRounds bounds the rounds; each finds at least one level more.
const maxSameRounds = 64

// compareSame orders equal types: the one that comes first stands for the others. It
// is a component, or the one with the shortest name.
func compareSame(a, b *ir.Type, table *names.Table) int {
	x, y := table.Type(a), table.Type(b)
	return cmp.Or(
		cmp.Compare(a.Origin, b.Origin),
		cmp.Compare(len(x), len(y)),
		strings.Compare(x, y),
	)
}

// mergeableType reports the kinds of types whose declaration is worth saving.
func mergeableType(t *ir.Type) bool {
	switch t.Kind {
	case ir.KindStruct, ir.KindUnion, ir.KindTuple, ir.KindEnum, ir.KindArray, ir.KindMap:
		return t.GoType == nil
	}
	return false
}

// canon is the type that stands for t.
func (f *facts) canon(t *ir.Type) *ir.Type {
	for f.same[t] != nil {
		t = f.same[t]
	}
	return t
}

// sameKey writes down everything that makes a difference in the code of a type.
type sameKey struct {
	f     *facts
	table *names.Table
	b     strings.Builder
	depth int
}

func (k *sameKey) text(parts ...string) {
	for _, p := range parts {
		k.b.WriteString(strconv.Itoa(len(p)))
		k.b.WriteByte(':')
		k.b.WriteString(p)
	}
}

func (k *sameKey) num(n int) {
	k.b.WriteString(strconv.Itoa(n))
	k.b.WriteByte(';')
}

func (k *sameKey) flags(flags ...bool) {
	for _, f := range flags {
		if f {
			k.b.WriteByte('1')
		} else {
			k.b.WriteByte('0')
		}
	}
}

// of is the key of a declared type, by its content.
func (k *sameKey) of(t *ir.Type) string {
	k.content(t)
	tags := k.f.tags[t]
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		k.text("tag", name, tags[name])
	}
	return k.b.String()
}

func (k *sameKey) content(t *ir.Type) {
	k.num(int(t.Kind))
	k.num(int(t.Scalar))
	k.text(t.Format)
	k.flags(t.Closed, t.Nullable, k.f.cyclic[t] != 0, k.f.counted[t])
	k.value(t.Const)
	k.checks(t.Checks)
	k.num(len(t.Fields))
	for _, f := range t.Fields {
		k.field(t, f)
	}
	k.num(len(t.Tuple))
	for _, u := range t.Tuple {
		k.use(u)
	}
	k.use(t.Elem)
	k.use(t.Extra)
	k.use(t.Target)
	for _, p := range t.Patterns {
		k.text("pattern", p.Pattern)
		k.use(p.Use)
	}
	for _, v := range t.Enum {
		k.text("enum", v.GoName)
		k.value(v.Value)
	}
	if u := t.Union; u != nil {
		k.text("union", u.Property)
		k.num(int(u.Dispatch))
		k.flags(u.AnyOf)
		for _, v := range u.Variants {
			k.text(k.table.Variant(t, v))
			k.text(v.Keys...)
			k.use(v.Use)
		}
	}
}

func (k *sameKey) field(t *ir.Type, f *ir.Field) {
	k.text(f.Name, k.table.Field(t, f), docText(f.Doc))
	k.flags(f.Required, f.ReadOnly, f.WriteOnly, f.Secret, f.Doc.Deprecated, k.f.files[t][f], k.f.recursive(t, f.Use.Type))
	k.value(f.Default)
	k.use(f.Use)
}

func (k *sameKey) use(u *ir.Use) {
	if u == nil {
		k.b.WriteByte('-')
		return
	}
	k.flags(u.Nullable)
	k.checks(u.Checks)
	k.typ(u.Type)
}

// typ is a type as another one refers to it: by name, or by content where it is
// written in place.
func (k *sameKey) typ(t *ir.Type) {
	const deep = 100 // of lists in lists; nothing is equal past it
	name := k.table.Type(k.f.canon(t))
	switch {
	case t.GoType != nil:
		k.text("foreign", t.GoType.Import, t.GoType.Name)
		k.num(int(t.Kind))
		k.num(int(t.Scalar))
	case name != "":
		k.text("name", name)
	case k.depth > deep:
		k.text("deep", t.ID)
	default:
		k.depth++
		k.content(t)
		k.depth--
	}
}

func (k *sameKey) value(v *ir.Value) {
	if v == nil {
		k.b.WriteByte('-')
		return
	}
	k.text(jsonText(v))
}

func (k *sameKey) checks(c *ir.Checks) {
	if !hasChecks(c) {
		k.b.WriteByte('-')
		return
	}
	k.text(c.Minimum, c.Maximum, c.MultipleOf, c.Format)
	k.text(c.Pattern...)
	k.flags(c.ExclusiveMinimum, c.ExclusiveMaximum, c.UniqueItems)
	for _, r := range c.Rules {
		k.text("rule", r.Name)
	}
	for _, n := range []*int64{c.MinLength, c.MaxLength, c.MinItems, c.MaxItems, c.MinProperties, c.MaxProperties} {
		if n == nil {
			k.b.WriteByte('-')
			continue
		}
		k.num(int(*n))
	}
}
