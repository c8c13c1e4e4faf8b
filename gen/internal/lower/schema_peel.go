package lower

import (
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// atom is one schema, or a part of one, among those that hold at once.
type atom struct {
	node *load.Node
	mode atomMode
	only typeSet // without a node: the value is of one of these types
}

type atomMode uint8

const (
	ownOnly  atomMode = 1 << iota // the keywords of the node, without $ref and allOf
	noOneOf                       // without its oneOf
	noAnyOf                       // without its anyOf
	noFamily                      // the parent of a discriminator as the plain object that it is
	noRules                       // without its rules, which a union has itself
)

func (a atom) plain() bool { return a.node != nil && a.mode == 0 }

// key is the identity of several atoms. Their order counts: it decides whose
// description wins.
func (l *lowerer) key(atoms []atom) string {
	var b strings.Builder
	for _, a := range atoms {
		if a.node == nil {
			b.WriteString("t" + strconv.Itoa(int(a.only)) + ";")
			continue
		}
		id, ok := l.schemas.ids[a.node]
		if !ok {
			id = len(l.schemas.ids)
			l.schemas.ids[a.node] = id
		}
		b.WriteString(strconv.Itoa(id) + "." + strconv.Itoa(int(a.mode)) + ";")
	}
	return b.String()
}

// rank is how much a schema says.
type rank uint8

const (
	rankNone rank = iota // annotations
	rankSoft             // a type, a format, bounds: can stand around another schema
	rankHard             // members, values, alternatives
)

// peeled is what a place comes down to.
type peeled struct {
	rank   rank
	atoms  []atom // the content: one schema, or several that must be merged
	ref    bool   // a reference led to it: it is declared, or shared, elsewhere
	around []atom // soft schemas around it that only tighten it
}

// rankOf is the rank of the keywords of one schema without what it refers to.
func (l *lowerer) rankOf(kw *keywords) rank {
	switch {
	case kw.never, len(kw.props) > 0, len(kw.required) > 0, kw.items != nil, len(kw.prefix) > 0, kw.extra != nil,
		kw.closed, l.closes(kw), len(kw.patterns) > 0, kw.hasEnum, kw.constant != nil, kw.disc != nil, kw.goType != nil,
		kw.encoding != "", kw.media != "", l.isUnion(kw):
		return rankHard
	case kw.types != 0, kw.format != "", !checksEmpty(&kw.checks), kw.open, kw.restMembers != nil:
		return rankSoft
	default:
		return rankNone
	}
}

// peel finds what carries the content of the schema at n.
func (l *lowerer) peel(n *load.Node) *peeled {
	if p := l.schemas.cores[n]; p != nil {
		return p
	}
	p := &peeled{}
	l.schemas.cores[n] = p // what leads back here adds nothing
	if !l.deeper(n) {
		return p
	}
	defer l.shallower()
	kw := l.own(n)
	var parts []*peeled
	if kw.target != nil {
		parts = append(parts, l.peelTarget(kw.target))
	}
	for _, c := range kw.allOf {
		parts = append(parts, l.peel(c))
	}
	for _, c := range l.singles(kw) {
		parts = append(parts, l.peel(c))
	}
	*p = l.within(n, l.rankOf(kw), parts)
	return p
}

// peelTarget is peel through a reference.
func (l *lowerer) peelTarget(target *load.Node) *peeled {
	if l.isNamed(target) {
		return &peeled{rank: rankHard, atoms: []atom{{node: target}}, ref: true}
	}
	p := *l.peel(target)
	if p.rank != rankNone && len(p.atoms) == 1 && p.atoms[0].node == target {
		l.schemas.shared[target] = true
	}
	p.ref = true
	return &p
}

// within combines the own keywords of n and what n is made of. Whatever is new
// belongs to n; a single schema from elsewhere stays that schema.
func (l *lowerer) within(n *load.Node, own rank, parts []*peeled) peeled {
	self := peeled{rank: max(own, rankSoft), atoms: []atom{{node: n}}}
	hard, soft := l.sort(parts)
	switch {
	case own == rankHard, len(hard) > 1:
		self.rank = rankHard
		return self
	case len(hard) == 1:
		around := slices.Clone(soft)
		if own == rankSoft {
			around = append(around, atom{node: n, mode: ownOnly})
		}
		if hard[0].ref && l.allFit(hard[0].atoms, around) {
			return *hard[0].with(around)
		}
		self.rank = rankHard
		return self
	case own == rankNone && len(soft) == 0:
		return peeled{}
	case own == rankNone && len(parts) == 1 && parts[0].ref:
		return *parts[0]
	default:
		return self
	}
}

// join is what several schemas that hold at once come down to. More than one atom
// means that they have to be merged.
func (l *lowerer) join(atoms []atom) *peeled {
	if len(atoms) == 1 && atoms[0].plain() {
		return l.peel(atoms[0].node)
	}
	var parts []*peeled
	for _, a := range atoms {
		parts = append(parts, l.peelAtom(a))
	}
	hard, soft := l.sort(parts)
	merged := &peeled{rank: rankHard, atoms: atoms}
	switch {
	case len(hard) == 1 && l.allFit(hard[0].atoms, soft):
		return hard[0].with(soft)
	case len(hard) > 0:
		return merged
	case len(soft) == 0:
		return &peeled{}
	case len(soft) == 1:
		return &peeled{rank: rankSoft, atoms: soft}
	default:
		merged.rank = rankSoft
		return merged
	}
}

// peelAtom is peel for parts of schemas, too.
func (l *lowerer) peelAtom(a atom) *peeled {
	switch {
	case a.node == nil:
		return &peeled{rank: rankSoft, atoms: []atom{a}}
	case a.plain():
		if l.isNamed(a.node) {
			return &peeled{rank: rankHard, atoms: []atom{a}, ref: true}
		}
		return l.peel(a.node)
	case a.mode&ownOnly != 0:
		return &peeled{rank: l.rankWithout(l.own(a.node), a.mode), atoms: []atom{a}}
	default:
		return &peeled{rank: rankHard, atoms: []atom{a}}
	}
}

// rankWithout is rankOf when the alternatives are left out.
func (l *lowerer) rankWithout(kw *keywords, mode atomMode) rank {
	if mode&(noOneOf|noAnyOf|noRules) == 0 {
		return l.rankOf(kw)
	}
	rest := *kw
	if mode&noRules != 0 {
		rest = *l.withoutRules(kw)
	}
	if mode&noOneOf != 0 {
		rest.oneOf, rest.disc = nil, nil
	}
	if mode&noAnyOf != 0 {
		rest.anyOf, rest.disc = nil, nil
	}
	return l.rankOf(&rest)
}

// with is p with more around it.
func (p *peeled) with(around []atom) *peeled {
	out := *p
	out.around = slices.Concat(p.around, around)
	return &out
}

// sort gives the distinct schemas that carry content, without those that another
// one includes already, and everything soft.
func (l *lowerer) sort(parts []*peeled) (hard []*peeled, soft []atom) {
	for _, p := range parts {
		switch p.rank {
		case rankSoft:
			soft = appendNew(soft, p.atoms...)
			soft = appendNew(soft, p.around...)
		case rankHard:
			same := func(q *peeled) bool { return slices.Equal(p.atoms, q.atoms) }
			if i := slices.IndexFunc(hard, same); i >= 0 {
				hard[i] = hard[i].with(p.around)
				continue
			}
			hard = append(hard, p)
		}
	}
	if len(hard) > 1 {
		hard = l.largest(hard)
	}
	return hard, soft
}

func appendNew(list []atom, more ...atom) []atom {
	for _, a := range more {
		if !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

// largest leaves out the schemas that another one is made of: of Animal and Dog,
// which is allOf Animal and more, Dog.
func (l *lowerer) largest(hard []*peeled) []*peeled {
	const most = 50 // beyond, comparing each with each costs more than it is worth
	if len(hard) > most {
		return hard
	}
	included := make([]bool, len(hard))
	for i, p := range hard {
		for j, q := range hard {
			if i == j || included[i] || included[j] || len(p.around) > 0 || !l.includes(q, p) {
				continue
			}
			included[i] = true
		}
	}
	var out []*peeled
	for i, p := range hard {
		if !included[i] {
			out = append(out, p)
		}
	}
	return out
}

// includes reports whether q holds only if p does, as far as that is plain to see.
func (l *lowerer) includes(q, p *peeled) bool {
	if len(p.atoms) != 1 || len(q.atoms) != 1 || !q.atoms[0].plain() {
		return false
	}
	whole := l.flatten(q.atoms)
	a := p.atoms[0]
	if a.plain() {
		return whole.has(a.node)
	}
	kw := l.own(a.node)
	if a.mode&noRules != 0 {
		kw = l.withoutRules(kw)
	}
	for _, u := range l.unionsOf(kw) {
		if a.mode&u.skip() == 0 {
			return false
		}
	}
	return a.mode&ownOnly != 0 && (whole.has(a.node) || l.addsNothing(kw, whole))
}

// addsNothing reports whether all that kw demands of an object is demanded by s
// already: the usual base of a oneOf that repeats the discriminator.
func (l *lowerer) addsNothing(kw *keywords, s *shape) bool {
	if kw.never || kw.items != nil || len(kw.prefix) > 0 || kw.extra != nil || kw.closed || len(kw.patterns) > 0 ||
		kw.hasEnum || kw.constant != nil || kw.goType != nil || kw.encoding != "" || kw.media != "" ||
		!checksEmpty(&kw.checks) || kw.restMembers != nil || kw.types != 0 && !s.types.within(kw.types) {
		return false
	}
	for _, r := range kw.required {
		if !s.requires(r.name) {
			return false
		}
	}
	for _, f := range kw.props {
		theirs := s.prop(f.name)
		if theirs == nil || !l.sameOrLooser(f.node, theirs.nodes) {
			return false
		}
	}
	return true
}

// sameOrLooser reports whether the property n asks for no more than a type that the
// others have, too.
func (l *lowerer) sameOrLooser(n *load.Node, others []*load.Node) bool {
	if slices.Contains(others, n) {
		return true
	}
	p := l.peel(n)
	switch p.rank {
	case rankNone:
		return true
	case rankSoft:
		return l.allFit(plainAtoms(others), p.atoms)
	default:
		for _, o := range others {
			q := l.peel(o)
			if slices.Equal(p.atoms, q.atoms) && len(p.around) == 0 {
				return true
			}
		}
		return false
	}
}

func plainAtoms(nodes []*load.Node) []atom {
	out := make([]atom, len(nodes))
	for i, n := range nodes {
		out[i] = atom{node: n}
	}
	return out
}

// allFit reports whether soft schemas change nothing of a schema but its bounds.
func (l *lowerer) allFit(core, around []atom) bool {
	if len(around) == 0 {
		return true
	}
	types := l.jsonTypes(core)
	for _, a := range around {
		s := l.flatten([]atom{a})
		if want := both(s.types, s.only); want != 0 && (types == 0 || !types.within(want|tNull)) {
			return false
		}
		c := l.flatten(core)
		if s.format != "" && s.format != c.format {
			return false
		}
		if !boundsEmpty(&s.checks) && (len(c.unions) > 0 || types.count() != 1) {
			return false
		}
	}
	return true
}
