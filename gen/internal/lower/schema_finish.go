package lower

import (
	"cmp"
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// finishSchemas completes what depends on all types, and hands the declared ones to
// the API in document order: those of the root document first, then those of each
// file in the order of its name.
func (l *lowerer) finishSchemas() {
	l.ready()
	l.drain()
	s := &l.schemas
	if s.gaveUp {
		return
	}
	l.dropSelfVariants()
	s.unionOf = make(map[*ir.Type]*unionWork, len(s.unions))
	for _, w := range s.unions {
		s.unionOf[w.t] = w
	}
	for _, w := range s.unions {
		l.dispatch(w)
		l.nameVariants(w)
	}
	l.declareShared()
	for _, u := range s.uses {
		unwrap(u)
		if t := typeBehind(u); t != nil && (t.Kind == ir.KindAny || t.Kind == ir.KindNull) {
			u.Nullable = false // null is among the values of these anyway
		}
	}
	known := newCoverage()
	for _, w := range s.unions {
		l.overlap(w, known)
	}
	var declared []*ir.Type
	for _, t := range s.order {
		if t.Kind == ir.KindAny || t.Kind == ir.KindNull {
			t.Nullable = false
		}
		if t.Declared {
			t.Name = l.typeName(t)
			t.ID = l.typeID(t, 0)
			declared = append(declared, t)
		}
	}
	l.sortTypes(declared)
	l.uniqueIDs(declared)
	l.api.Types = append(l.api.Types, declared...)
}

func (l *lowerer) sortTypes(types []*ir.Type) {
	root := l.doc.Root.Name
	slices.SortStableFunc(types, func(a, b *ir.Type) int {
		if a.Pos.File != b.Pos.File {
			if a.Pos.File == root {
				return -1
			}
			if b.Pos.File == root {
				return 1
			}
		}
		return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
}

// uniqueIDs tells a merged type from the schema that stands at the same pointer.
func (l *lowerer) uniqueIDs(types []*ir.Type) {
	seen := make(map[string]bool, len(types))
	for _, t := range types {
		for seen[t.ID] {
			t.ID += "/merged"
		}
		seen[t.ID] = true
	}
}

// dropSelfVariants removes the variants that are the union itself, directly or by way
// of other unions: they add no value to it, and a decoder would follow them forever.
func (l *lowerer) dropSelfVariants() {
	const (
		open = iota
		onPath
		done
	)
	state := map[*ir.Type]int{}
	var visit func(t *ir.Type) bool // false: t is on the path
	visit = func(t *ir.Type) bool {
		switch {
		case t.Kind == ir.KindAlias && t.Target != nil:
			if state[t] == onPath {
				return false
			}
			state[t] = onPath
			ok := visit(t.Target.Type)
			state[t] = done
			return ok
		case t.Kind != ir.KindUnion || state[t] == done:
			return true
		case state[t] == onPath:
			return false
		}
		state[t] = onPath
		t.Union.Variants = slices.DeleteFunc(t.Union.Variants, func(v *ir.Variant) bool {
			if visit(v.Use.Type) {
				return false
			}
			l.list.Repair(t.Pos, "union-of-itself", "", "an alternative of this union is the union itself: ignored")
			return true
		})
		state[t] = done
		return true
	}
	for _, w := range l.schemas.unions {
		visit(w.t)
		w.variants = slices.DeleteFunc(w.variants, func(v *variantWork) bool { return !slices.Contains(w.t.Union.Variants, v.v) })
		if len(w.variants) == 0 {
			w.t.Kind, w.t.Union = ir.KindNever, nil
		}
	}
	l.schemas.unions = slices.DeleteFunc(l.schemas.unions, func(w *unionWork) bool { return w.t.Union == nil })
}

// declareShared declares arrays and maps inside other schemas that a reference leads
// to, and those that would otherwise contain themselves without a name in between.
func (l *lowerer) declareShared() {
	s := &l.schemas
	for n := range s.shared {
		if t := s.types[n]; t != nil && (t.Kind == ir.KindArray || t.Kind == ir.KindMap) && t.GoType == nil {
			t.Declared = true
		}
	}
	state := map[*ir.Type]bool{} // true: on the path
	var visit func(t *ir.Type)
	visit = func(t *ir.Type) {
		if t.Declared || t.Elem == nil || t.Kind != ir.KindArray && t.Kind != ir.KindMap {
			return
		}
		if onPath, seen := state[t]; seen {
			t.Declared = t.Declared || onPath
			return
		}
		state[t] = true
		visit(t.Elem.Type)
		state[t] = false
	}
	for _, t := range s.order {
		visit(t)
	}
}

// typeID is the ID of a type: the pointer of its schema, or that of the type that it
// was merged for with what leads on from there.
func (l *lowerer) typeID(t *ir.Type, depth int) string {
	info := l.schemas.infos[t]
	switch {
	case t.ID != "" || info == nil:
		return t.ID
	case info.seed.after != nil && depth < maxSchemaDepth:
		return l.typeID(info.seed.after, depth+1) + info.seed.id
	case info.seed.node != nil:
		return l.nodeID(info.seed.node)
	}
	for _, a := range info.atoms {
		if a.node != nil {
			return l.nodeID(a.node)
		}
	}
	return ""
}

// typeName is the place of a type in the words of the document.
func (l *lowerer) typeName(t *ir.Type) []string {
	info := l.schemas.infos[t]
	if info == nil {
		return []string{"Value"}
	}
	return clipName(l.seedName(info.seed, 0))
}

// clipName keeps the end of the names of what is nested beyond reason: the place
// nearest to the type tells most.
func clipName(words []string) []string {
	const most = 24
	if len(words) <= most {
		return words
	}
	return words[len(words)-most:]
}

func (l *lowerer) seedName(s seed, depth int) []string {
	switch {
	case s.after != nil && depth < maxSchemaDepth:
		info := l.schemas.infos[s.after]
		words := s.words
		if s.variant != nil {
			words = l.variantName(s.variant)
		}
		if info == nil {
			return words
		}
		return clipName(slices.Concat(l.seedName(info.seed, depth+1), words))
	case s.node != nil:
		if st, inside := l.schemas.steps[s.node]; inside && st.kind == stepBranch {
			return slices.Concat(l.nodeName(st.parent, 0), []string{"Part", decimalText(st.index + 1)})
		}
		return l.nodeName(s.node, 0)
	default:
		return s.words
	}
}

// nodeName is the place of a schema in the words of the document.
func (l *lowerer) nodeName(n *load.Node, depth int) []string {
	if words, ok := l.schemas.names[n]; ok {
		return words
	}
	st, inside := l.schemas.steps[n]
	if !inside || depth > maxSchemaDepth {
		if r := l.schemas.roots[n]; r != nil {
			return r.words
		}
		return []string{"Value"}
	}
	up := l.nodeName(st.parent, depth+1)
	var words []string
	switch st.kind {
	case stepProperty, stepDef, stepRule:
		words = []string{st.word}
	case stepItem:
		words = []string{"Item"}
	case stepTuple:
		words = []string{"Item", decimalText(st.index + 1)}
	case stepValue:
		words = []string{"Value"}
	case stepVariant:
		words = l.variantName(n)
	}
	words = clipName(slices.Concat(up, words))
	l.schemas.names[n] = words
	return words
}

// variantName is what a variant of oneOf or anyOf is called within its union. A
// variant that is not one, because null is all that stands beside it, has no name.
func (l *lowerer) variantName(n *load.Node) []string {
	if words, ok := l.schemas.variants[n]; ok {
		return words
	}
	st, inside := l.schemas.steps[n]
	if !inside || st.kind != stepVariant {
		return l.variantWords(n)
	}
	for _, u := range l.unionsOf(l.own(st.parent)) {
		if !slices.Contains(u.variants, n) {
			continue
		}
		count := map[string]int{}
		for _, v := range u.variants {
			words := l.variantWords(v)
			key := joinWords(words)
			count[key]++
			if c := count[key]; c > 1 {
				words = append(slices.Clone(words), decimalText(c))
			}
			l.schemas.variants[v] = words
		}
	}
	return l.schemas.variants[n]
}

// variantWords are the words of a variant: the component's key, the title, or the
// kind.
func (l *lowerer) variantWords(n *load.Node) []string {
	p := l.peel(n)
	if p.rank != rankNone && p.ref && len(p.atoms) == 1 && p.atoms[0].plain() {
		at := p.atoms[0].node
		if t := l.own(n).target; t != nil && l.isNamed(t) {
			at = t
		}
		if l.isNamed(at) {
			return l.nodeName(at, 0)
		}
	}
	if title := l.gather([]*load.Node{n}).doc.Title; title != "" {
		return []string{title}
	}
	types := l.jsonTypes([]atom{{node: n}})
	if types == 0 {
		types = l.flatten([]atom{{node: n}}).bounded() // what stands beside the union may say it
	}
	return []string{kindWord(types)}
}

// nameVariants names the variants of a union.
func (l *lowerer) nameVariants(w *unionWork) {
	count := map[string]int{}
	for _, v := range w.variants {
		switch {
		case v.word != "":
			v.v.Name = []string{v.word}
		case v.node != nil && l.isNamed(v.node):
			v.v.Name = l.nodeName(v.node, 0)
		default:
			v.v.Name = l.variantName(v.node)
		}
		key := joinWords(v.v.Name)
		count[key]++
		if c := count[key]; c > 1 {
			v.v.Name = append(slices.Clone(v.v.Name), decimalText(c))
		}
	}
}

func joinWords(words []string) string {
	var b []byte
	for _, w := range words {
		b = append(append(b, w...), 0)
	}
	return string(b)
}
