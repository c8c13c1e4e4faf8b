package lower

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// unionWork is a union whose dispatch finish decides.
type unionWork struct {
	t        *ir.Type
	disc     *discriminator
	variants []*variantWork
	state    uint8 // of the dispatch: 0 open, 1 being decided, 2 done
}

// variantWork is what a variant came from.
type variantWork struct {
	v     *ir.Variant
	node  *load.Node // the schema in the list; nil: a group of scalars, one of several types
	atoms []atom     // the content
	word  string     // the name without a node
	self  bool       // the plain object of a discriminator's parent
}

// union makes a union of oneOf or anyOf. What stands beside it holds for each of its
// variants: {properties: …, oneOf: [A, B]} is A with the properties, or B with them.
// Further unions that hold at once become unions inside the variants.
func (l *lowerer) union(t *ir.Type, s *shape) {
	u := s.unions[0]
	base := l.baseOf(s, u)
	if free, all := l.freeVariant(u, base); free {
		switch {
		case !all:
			l.hold(s, u.kw, u.part())
		case !u.anyOf:
			l.onlyOne(s, u)
		}
		l.withoutUnion(t, s)
		return
	}
	if l.tooMany(s, u, base) {
		l.hold(s, u.kw, u.part())
		l.withoutUnion(t, s)
		return
	}
	u.variants = l.possible(u.variants, base)
	if len(u.variants) == 1 && u.kw.disc == nil {
		atoms := append(slices.Clone(base), atom{node: u.variants[0]})
		l.schemas.infos[t].atoms = atoms
		l.shape(t, l.flatten(atoms))
		return
	}
	w := &unionWork{t: t, disc: u.kw.disc}
	nodes := u.variants
	if w.disc == nil {
		groups, rest := l.scalarGroups(u, base)
		if len(groups) == 1 && len(rest) == 0 && l.collapse(t, groups[0]) {
			return
		}
		nodes = l.addGroups(w, t, groups, rest, u.variants)
	}
	t.Kind, t.Declared = ir.KindUnion, true
	t.Union = &ir.Union{AnyOf: u.anyOf}
	word := "oneOf"
	if u.anyOf {
		word = "anyOf"
	}
	for i, n := range nodes {
		if n != nil {
			l.addVariant(w, t, base, n, "/"+word+"/"+decimalText(i))
		}
	}
	w.order(u.variants)
	if len(w.variants) == 1 && w.disc == nil {
		l.onlyVariant(t, w)
		return
	}
	l.remembered(t, w)
}

// possible leaves out the variants whose JSON type what stands beside the union rules
// out.
func (l *lowerer) possible(variants []*load.Node, base []atom) []*load.Node {
	types := l.flatten(base).inferred()
	if types == 0 {
		return variants
	}
	var out []*load.Node
	for _, v := range variants {
		if t := l.jsonTypes([]atom{{node: v}}); t == 0 || types.and(t) != 0 {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return variants // reported when they are merged
	}
	return out
}

// remembered keeps a union for finish.
func (l *lowerer) remembered(t *ir.Type, w *unionWork) {
	for _, v := range w.variants {
		t.Union.Variants = append(t.Union.Variants, v.v)
	}
	l.schemas.unions = append(l.schemas.unions, w)
}

// onlyVariant turns a union whose variants turned out to be one into a second name
// of that one.
func (l *lowerer) onlyVariant(t *ir.Type, w *unionWork) {
	t.Kind, t.Union, t.Target = ir.KindAlias, nil, w.variants[0].v.Use
}

// tooMany reports whether the combinations of alternatives have used up what a
// document may make of them. Two unions at once multiply, and documents can be built
// where they do so at every turn.
func (l *lowerer) tooMany(s *shape, u unionRef, base []atom) bool {
	if len(base) == 0 {
		return false
	}
	l.schemas.combined += len(u.variants) * len(s.leaves)
	if l.schemas.combined <= maxCombined {
		return false
	}
	l.list.Warn(keyPos(u.kw.node), "no-type", u.kw.node.Pointer(),
		"%s: alternatives combine with others in too many ways: they are checked, but have no types", l.label(u.kw.node))
	return true
}

// onlyOne holds values to a oneOf of which one alternative takes any value, so that
// there is no other type for them.
func (l *lowerer) onlyOne(s *shape, u unionRef) {
	l.hold(s, u.kw, partOneOf)
	l.list.Warn(keyPos(u.kw.node), "one-of-any", u.kw.node.Pointer(),
		"%s: one alternative of oneOf takes any value, so that a value which fits another one is refused", l.label(u.kw.node)).
		Hintf("anyOf lets both fit")
}

// part is the keyword of a union.
func (u unionRef) part() portion {
	if u.anyOf {
		return partAnyOf
	}
	return partOneOf
}

// baseOf is what stands beside a union.
func (l *lowerer) baseOf(s *shape, u unionRef) []atom {
	var base []atom
	for _, leaf := range s.leaves {
		mode := leaf.mode | ownOnly | noRules
		if leaf.kw == u.kw {
			mode |= u.skip()
		}
		if l.rankWithout(leaf.kw, mode) != rankNone {
			base = append(base, atom{node: leaf.kw.node, mode: mode})
		}
	}
	if s.only != 0 {
		base = append(base, atom{only: s.only})
	}
	return base
}

// freeVariant reports whether a variant has no type, so that the union has none beside
// what stands there, and whether one of these takes any value at all.
func (l *lowerer) freeVariant(u unionRef, base []atom) (free, all bool) {
	for _, n := range u.variants {
		s := l.flatten([]atom{{node: n}})
		if s.never || s.nullOnly || len(s.unions) > 0 || s.inferred() != 0 || s.hasEnum || s.constant != nil {
			continue
		}
		if checksEmpty(&s.checks) && !checkedFormat(s.format) {
			return true, true
		}
		// Bounds alone take the type of what they stand in.
		free = free || l.flatten(base).inferred() == 0
	}
	return free, false
}

// withoutUnion goes on as if there were no union.
func (l *lowerer) withoutUnion(t *ir.Type, s *shape) {
	rest := *s
	rest.unions = s.unions[1:]
	l.shape(t, &rest)
}

// addVariant adds one variant, unless another is the same type already.
func (l *lowerer) addVariant(w *unionWork, t *ir.Type, base []atom, n *load.Node, id string) {
	atoms := append(slices.Clone(base), atom{node: n})
	use := l.useOf(atoms, seed{after: t, variant: n, id: id})
	for _, v := range w.variants {
		if v.v.Use.Type == use.Type && v.v.Use.Checks == nil && use.Checks == nil {
			return
		}
	}
	core := l.join(atoms).atoms
	if len(core) == 0 {
		core = atoms
	}
	w.variants = append(w.variants, &variantWork{v: &ir.Variant{Use: use}, node: n, atoms: core})
}

// order puts the variants into the order of the list; groups stand where their first
// member does.
func (w *unionWork) order(list []*load.Node) {
	slices.SortStableFunc(w.variants, func(a, b *variantWork) int {
		return slices.Index(list, a.node) - slices.Index(list, b.node)
	})
}

// typeUnion makes a union of a schema with several types: each takes the keywords
// that are about it.
func (l *lowerer) typeUnion(t *ir.Type, types typeSet) {
	t.Kind, t.Declared = ir.KindUnion, true
	t.Union = &ir.Union{AnyOf: true}
	w := &unionWork{t: t}
	own := slices.DeleteFunc(slices.Clone(l.schemas.infos[t].atoms), func(a atom) bool { return a.node == nil })
	if t.Checks != nil {
		for i := range own {
			own[i].mode |= noRules // t has them itself
		}
	}
	for _, k := range kindWords {
		only := types & k.types
		if only == 0 {
			continue
		}
		atoms := append(slices.Clone(own), atom{only: only})
		use := l.useOf(atoms, seed{after: t, words: []string{k.word}, id: "/type/" + k.word})
		if use.Type.Kind == ir.KindEnum && len(use.Type.Enum) == 0 {
			continue
		}
		w.variants = append(w.variants, &variantWork{v: &ir.Variant{Use: use}, atoms: atoms, word: k.word})
	}
	l.remembered(t, w)
}

// kindWords name the JSON types as variants.
var kindWords = []struct {
	word  string
	types typeSet
}{
	{"Boolean", tBoolean}, {"Integer", tInteger}, {"Number", tNumber}, {"String", tString}, {"Array", tArray}, {"Object", tObject},
}

func kindWord(t typeSet) string {
	for _, k := range kindWords {
		if t == k.types {
			return k.word
		}
	}
	if t == 0 {
		return "Any"
	}
	return "Value"
}
