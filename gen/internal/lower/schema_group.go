package lower

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// scalarGroup is the variants of a union that are scalars of one JSON type.
type scalarGroup struct {
	types  typeSet
	nodes  []*load.Node
	shapes []*shape
}

// scalarGroups finds the variants that make one scalar together: a string beside an
// enum of strings is a string with known values. The rest are the other variants.
func (l *lowerer) scalarGroups(u unionRef, base []atom) (groups []*scalarGroup, rest []*load.Node) {
	for _, n := range u.variants {
		s := l.flatten(append(slices.Clone(base), atom{node: n}))
		types := s.inferred()
		if len(s.unions) > 0 || s.never || types.count() != 1 || types&(tArray|tObject) != 0 || l.own(n).goType != nil {
			rest = append(rest, n)
			continue
		}
		i := slices.IndexFunc(groups, func(g *scalarGroup) bool { return (g.types | types).count() == 1 })
		if i < 0 {
			groups = append(groups, &scalarGroup{})
			i = len(groups) - 1
		}
		g := groups[i]
		g.types |= types
		g.nodes, g.shapes = append(g.nodes, n), append(g.shapes, s)
	}
	return groups, rest
}

// addGroups adds the groups of several scalars as one variant each, and returns the
// variants that are left: those of no group, and of groups that are none after all.
func (l *lowerer) addGroups(w *unionWork, t *ir.Type, groups []*scalarGroup, rest, all []*load.Node) []*load.Node {
	left := slices.Clone(all)
	for _, g := range groups {
		if len(g.nodes) < 2 || len(groups) == 1 && len(rest) == 0 {
			continue
		}
		word := kindWord(g.kind())
		sub := &ir.Type{Pos: keyPos(g.nodes[0]), Origin: ir.Inline}
		if !l.collapse(sub, g) {
			continue
		}
		l.remember(sub, &typeInfo{atoms: plainAtoms(g.nodes[:1]), seed: seed{after: t, words: []string{word}, id: "/type/" + word}})
		sub.Nullable = slices.ContainsFunc(g.nodes, func(n *load.Node) bool { return l.onNull(n) >= allows })
		use := &ir.Use{Type: sub, Nullable: sub.Nullable}
		w.variants = append(w.variants, &variantWork{v: &ir.Variant{Use: use}, node: g.nodes[0], atoms: plainAtoms(g.nodes[:1]), word: word})
		for i, n := range left {
			if slices.Contains(g.nodes, n) {
				left[i] = nil
			}
		}
	}
	return left
}

// kind is the type of a group: a number when one member is.
func (g *scalarGroup) kind() typeSet {
	if g.types&tNumber != 0 {
		return tNumber
	}
	return g.types
}

// collapse makes one scalar of a group: of listed values all of them, and when one
// member takes every value of the JSON type, that one with the listed values as the
// known ones. It is false when the members differ in more than that.
func (l *lowerer) collapse(t *ir.Type, g *scalarGroup) bool {
	if len(g.nodes) < 2 {
		return false
	}
	i := slices.IndexFunc(g.shapes, func(s *shape) bool { return s.isPlain(g.kind()) })
	out := &shape{leaves: g.shapes[0].leaves}
	listed := map[string]bool{}
	for _, s := range g.shapes {
		items, ok := s.listed()
		if i < 0 && (!ok || !checksEmpty(&s.checks)) {
			return false
		}
		for _, item := range items {
			if key := valueKey(item.value); !listed[key] {
				listed[key] = true
				out.enum = append(out.enum, item)
			}
		}
	}
	out.hasEnum = len(out.enum) > 0
	if i >= 0 {
		out.format = g.shapes[i].format
	}
	t.Declared = t.Origin == ir.Component
	l.scalar(t, out, g.kind())
	if i >= 0 {
		t.Const, t.Open = nil, t.Kind == ir.KindEnum
	}
	return true
}

// listed are the values of enum or const.
func (s *shape) listed() ([]*enumItem, bool) {
	if s.constant != nil {
		return []*enumItem{{node: s.constant, value: valueOf(s.constant)}}, true
	}
	return s.enum, len(s.enum) > 0
}

// isPlain reports whether a scalar takes every value of its JSON type.
func (s *shape) isPlain(kind typeSet) bool {
	if s.hasEnum || s.constant != nil || !checksEmpty(&s.checks) || s.encoding != "" || s.media != "" {
		return false
	}
	switch {
	case kind == tString:
		_, typed := textScalars[s.format]
		return !typed && !s.isFile() && !checkedFormats[s.format]
	case kind == tInteger:
		return s.format == "" || s.format == "int64"
	default:
		return s.types&tNumber != 0 || kind == tBoolean
	}
}
