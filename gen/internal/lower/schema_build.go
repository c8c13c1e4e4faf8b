package lower

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// build fills a type in.
func (l *lowerer) build(t *ir.Type) {
	if l.schemas.gaveUp {
		return
	}
	atoms := l.schemas.infos[t].atoms
	t.Nullable = l.nullable(atoms)
	l.heading(t, atoms)
	if l.alias(t, atoms) {
		return
	}
	s := l.flatten(atoms)
	if t.GoType != nil {
		l.foreign(t, s)
		return
	}
	if len(atoms) == 1 && atoms[0].plain() && l.family(t, atoms[0].node, s) {
		return
	}
	l.shape(t, s)
}

// heading fills in what a schema says about a type beside its values.
func (l *lowerer) heading(t *ir.Type, atoms []atom) {
	var nodes []*load.Node
	for _, a := range atoms {
		if a.node != nil {
			nodes = append(nodes, a.node)
		}
	}
	if len(atoms) == 1 && len(nodes) == 1 {
		kw := l.own(nodes[0])
		if !l.opt.OwnTypes {
			t.GoType = kw.goType
		}
		if s, inside := l.schemas.steps[nodes[0]]; !inside || s.kind != stepProperty {
			t.GoName = kw.goName
		}
	}
	g := l.gather(nodes)
	t.Doc = g.doc
	if t.Origin == ir.Component {
		t.ReadOnly, t.WriteOnly = g.readOnly, g.writeOnly
		t.Default = l.checkedDefault(nodes, g.fallback)
	}
}

// alias makes a component that is another schema and nothing new the second name of
// that one. A child of a discriminator's parent is a type of its own even then: it
// is what the value of the discriminator chooses.
func (l *lowerer) alias(t *ir.Type, atoms []atom) bool {
	if len(atoms) != 1 || !atoms[0].plain() || !l.isNamed(atoms[0].node) {
		return false
	}
	n := atoms[0].node
	p := l.peel(n)
	if !p.ref || p.rank == rankNone || len(p.atoms) != 1 || p.atoms[0].node == n {
		return false
	}
	if len(l.own(n).allOf) > 0 && l.isParent(p.atoms[0].node) {
		return false
	}
	t.Kind, t.Declared = ir.KindAlias, true
	if l.aliasCycle(n) {
		t.Kind = ir.KindAny
		return true
	}
	u := &ir.Use{Type: l.typeOf(p.atoms, seed{node: n}), Nullable: t.Nullable}
	for _, a := range p.around {
		l.tighten(&u.Checks, l.flatten([]atom{a}), p.atoms)
	}
	l.schemas.uses = append(l.schemas.uses, u)
	t.Target = u
	return true
}

// aliasCycle follows the components that only name another one from n on, and
// reports those that lead back. The whole chain is marked, so that each link is
// followed once in a run.
func (l *lowerer) aliasCycle(n *load.Node) bool {
	done := l.schemas.aliases
	var chain []*load.Node
	place := map[*load.Node]int{}
	cyclic := false
	for at := n; ; {
		if known, ok := done[at]; ok {
			cyclic = known
			break
		}
		if i, ok := place[at]; ok {
			l.reportAliasCycle(chain[i:])
			cyclic = true
			break
		}
		place[at] = len(chain)
		chain = append(chain, at)
		p := l.peel(at)
		if !p.ref || len(p.atoms) != 1 || p.atoms[0].node == nil || p.atoms[0].node == at && l.own(at).target != at || !l.isNamed(p.atoms[0].node) {
			break
		}
		at = p.atoms[0].node
	}
	for _, at := range chain {
		done[at] = cyclic
	}
	return cyclic
}

func (l *lowerer) reportAliasCycle(loop []*load.Node) {
	loop = rotateToFirst(loop)
	names := make([]string, 0, len(loop)+1)
	for _, n := range loop {
		names = append(names, l.short(n, 0))
	}
	names = append(names, names[0])
	code, what := "alias-cycle", "refers to itself and to nothing else"
	for _, n := range loop {
		if l.own(n).target == nil {
			code, what = "allof-cycle", "allOf contains itself" // as merger.cycle has it
		}
	}
	d := l.list.Error(keyPos(loop[0]), code, loop[0].Pointer(), "%s: %s: %s", l.label(loop[0]), what, clipList(names, " -> "))
	for _, n := range loop[1:] {
		d.At(keyPos(n), "by way of %s", l.short(n, 0))
	}
}

// rotateToFirst begins a cycle with the member that stands first in the document, so
// that one cycle is one report wherever it was entered.
func rotateToFirst(loop []*load.Node) []*load.Node {
	first := 0
	for i, n := range loop {
		if n.Pos().Compare(loop[first].Pos()) < 0 {
			first = i
		}
	}
	return append(append([]*load.Node{}, loop[first:]...), loop[:first]...)
}

// clipList joins names, not too many of them.
func clipList(names []string, sep string) string {
	const most = 12
	if len(names) <= most {
		return strings.Join(names, sep)
	}
	return strings.Join(names[:most/2], sep) + sep + "…" + sep + strings.Join(names[len(names)-most/2:], sep)
}

// foreign is a type of the user's. Only its kind is read: what is inside is theirs.
func (l *lowerer) foreign(t *ir.Type, s *shape) {
	t.Declared = t.Origin == ir.Component
	types := s.inferred()
	if len(s.unions) > 0 || types.count() != 1 {
		t.Kind = ir.KindAny
		return
	}
	switch {
	case types&tObject != 0:
		t.Kind = ir.KindMap
		t.Elem = anyUse()
	case types&tArray != 0:
		t.Kind = ir.KindArray
		t.Elem = anyUse()
	default:
		l.scalar(t, s, types)
		t.Kind, t.Enum = ir.KindScalar, nil
	}
}

func anyUse() *ir.Use { return &ir.Use{Type: &ir.Type{Kind: ir.KindAny}} }

// shape makes the type of a shape.
func (l *lowerer) shape(t *ir.Type, s *shape) {
	t.Declared = t.Origin == ir.Component
	l.cousins(s)
	defer l.keepRules(t, s)
	types := s.inferred()
	switch {
	case s.never:
		t.Kind = ir.KindNever
	case len(s.unions) > 0:
		l.union(t, s)
	case s.constant.Is(load.Null), s.nullOnly && types == 0, s.hasEnum && len(s.enum) == 0 && s.types == 0:
		t.Kind = ir.KindNull
	case types.count() == 0:
		t.Kind = ir.KindAny
		l.holdBounds(s)
	case types.count() == 1:
		l.single(t, s, types)
	default:
		l.typeUnion(t, types)
	}
}

// single makes the type of a shape whose values are of one JSON type.
func (l *lowerer) single(t *ir.Type, s *shape, types typeSet) {
	switch {
	case types&tObject != 0:
		l.objectType(t, s)
	case types&tArray != 0:
		l.arrayType(t, s)
	default:
		l.scalar(t, s, types)
		return
	}
	l.listedValues(t, s)
}

// listedValues treats const and enum of objects and arrays.
func (l *lowerer) listedValues(t *ir.Type, s *shape) {
	if s.constant != nil {
		t.Const = valueOf(s.constant)
	}
	if len(s.enum) == 0 {
		return
	}
	if len(s.enum) == 1 {
		t.Const = s.enum[0].value
		return
	}
	for _, leaf := range s.leaves {
		if leaf.kw.hasEnum {
			l.hold(s, leaf.kw, partEnum)
		}
	}
}
