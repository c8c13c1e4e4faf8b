package lower

import (
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// A discriminator on a schema without oneOf makes it the parent of a family: the
// schemas that list it in allOf, and those of its mapping, are its children. A value
// of the parent's type is then one of the children, so the type becomes a union of
// them. In the allOf of a child the parent is the plain object that it is.

// parentDisc is the discriminator of a schema that can have children; nil: none.
func (l *lowerer) parentDisc(n *load.Node) *discriminator {
	kw := l.own(n)
	if len(kw.oneOf) > 0 || len(kw.anyOf) > 0 {
		return nil
	}
	if kw.disc != nil {
		return kw.disc
	}
	for _, c := range kw.allOf {
		inner := l.own(c)
		if inner.disc != nil && inner.target == nil && len(inner.oneOf) == 0 && len(inner.anyOf) == 0 {
			return inner.disc
		}
	}
	return nil
}

// isParent reports whether n has children.
func (l *lowerer) isParent(n *load.Node) bool {
	disc := l.parentDisc(n)
	return disc != nil && len(l.childrenOf(n, disc)) > 0
}

// childrenOf lists the children of n: those of the mapping in its order, then the
// components that build on n, at any distance, in document order.
func (l *lowerer) childrenOf(n *load.Node, disc *discriminator) []*load.Node {
	l.indexFamilies()
	var out []*load.Node
	seen := map[*load.Node]bool{n: true}
	add := func(c *load.Node) {
		if !seen[c] {
			seen[c] = true
			out = append(out, c)
		}
	}
	for _, m := range disc.mapping {
		add(m.target)
	}
	for _, c := range l.schemas.children[n] {
		add(c)
	}
	return out
}

// indexFamilies finds, for each schema, the components that have it in their allOf.
func (l *lowerer) indexFamilies() {
	s := &l.schemas
	if s.children != nil {
		return
	}
	s.children = map[*load.Node][]*load.Node{}
	for _, m := range s.components {
		child := l.canonical(m.Value)
		if !child.Is(load.Object) {
			continue
		}
		seen := map[*load.Node]bool{child: true}
		for work := []*load.Node{child}; len(work) > 0; {
			n := work[len(work)-1]
			work = work[:len(work)-1]
			kw := l.own(n)
			next := kw.allOf
			if kw.target != nil && n != child {
				next = []*load.Node{kw.target}
			}
			for _, c := range next {
				if seen[c] {
					continue
				}
				seen[c] = true
				work = append(work, c)
				if t := l.own(c).target; t != nil && !seen[t] {
					s.children[t] = append(s.children[t], child)
				}
			}
		}
	}
}

// family makes the union of a parent. It is false for every other schema.
func (l *lowerer) family(t *ir.Type, n *load.Node, s *shape) bool {
	if !l.isNamed(n) {
		return false
	}
	disc := l.parentDisc(n)
	if disc == nil || len(s.unions) > 0 {
		return false
	}
	children := l.childrenOf(n, disc)
	if len(children) == 0 {
		return false
	}
	t.Kind, t.Declared = ir.KindUnion, true
	t.Union = &ir.Union{}
	w := &unionWork{t: t, disc: disc}
	if l.ownChild(n, disc) {
		self := []atom{{node: n, mode: noFamily}}
		use := &ir.Use{Type: l.typeOf(self, seed{after: t, words: []string{"Base"}, id: "/base"})}
		w.variants = append(w.variants, &variantWork{v: &ir.Variant{Use: use}, node: n, atoms: self, self: true})
	}
	for _, c := range children {
		use := &ir.Use{Type: l.typeOf([]atom{{node: c}}, seed{node: c})}
		w.variants = append(w.variants, &variantWork{v: &ir.Variant{Use: use}, node: c, atoms: []atom{{node: c}}})
	}
	l.remembered(t, w)
	return true
}

// ownChild reports whether the parent stands for itself, too: its mapping says so, or
// there is none to say otherwise.
func (l *lowerer) ownChild(n *load.Node, disc *discriminator) bool {
	for _, m := range disc.mapping {
		if m.target == n {
			return true
		}
	}
	return len(disc.mapping) == 0
}
