package lower

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// sealing is what unevaluatedProperties comes down to.
type sealing uint8

const (
	sealOpen  sealing = iota // not decided
	sealTypes                // additionalProperties of the merged object
	sealRule                 // a rule: what is evaluated depends on the value
)

// closes reports whether unevaluatedProperties says of the merged object what
// additionalProperties says of a plain one, so that the type can have it.
func (l *lowerer) closes(kw *keywords) bool {
	if kw.restMembers == nil {
		return false
	}
	if kw.seals == sealOpen {
		kw.seals = sealTypes
		for n := range l.inPlace(kw.node) {
			other := l.own(n)
			if len(other.anyOf) > 1 || other.when != nil || slices.ContainsFunc(other.demands, func(d demand) bool { return d.node != nil }) ||
				other.extra != nil || other.open ||
				other.closed || other.dynamic != "" || other != kw && other.restMembers != nil {
				kw.seals = sealRule
			}
		}
	}
	return kw.seals == sealTypes
}

// inPlace are the schemas that hold for the same value as the one at n because of it.
func (l *lowerer) inPlace(n *load.Node) map[*load.Node]bool {
	seen := map[*load.Node]bool{n: true}
	for work := []*load.Node{n}; len(work) > 0; {
		kw := l.own(work[len(work)-1])
		work = work[:len(work)-1]
		for _, c := range slices.Concat(kw.allOf, kw.oneOf, kw.anyOf, []*load.Node{kw.target}) {
			if c != nil && !seen[c] {
				seen[c] = true
				work = append(work, c)
			}
		}
	}
	return seen
}

// mergeSeal adds unevaluatedProperties to a shape.
func (m *merger) mergeSeal(kw *keywords, mode atomMode) {
	switch {
	case kw.restMembers == nil:
	case m.l.closes(kw):
		m.s.sealers = append(m.s.sealers, kw)
		switch m.l.restKind(kw) {
		case restNone:
			m.s.closed = true
		case restAny:
			m.s.open = true
		default:
			m.s.extras = append(m.s.extras, kw.restMembers)
		}
	case mode&noRules == 0:
		m.l.hold(m.s, kw, partRest)
	}
}

type rest uint8

const (
	restSome rest = iota
	restAny
	restNone
)

func (l *lowerer) restKind(kw *keywords) rest {
	switch inner := l.own(kw.restMembers); {
	case inner.never:
		return restNone
	case inner.always || kw.restMembers.Is(load.Object) && kw.restMembers.Len() == 0:
		return restAny
	default:
		return restSome
	}
}

// cousins adds the rule of an unevaluatedProperties that cannot see all members of the
// merged object, since it stands in one part of an allOf.
func (l *lowerer) cousins(s *shape) {
	for _, kw := range s.sealers {
		within := l.inPlace(kw.node)
		if slices.ContainsFunc(s.leaves, func(leaf leaf) bool {
			return !within[leaf.kw.node] && (len(leaf.kw.props) > 0 || len(leaf.kw.patterns) > 0 || leaf.kw.extra != nil)
		}) {
			l.hold(s, kw, partRest)
		}
	}
}
