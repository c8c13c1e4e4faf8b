package lower

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// alternatives is what the oneOf and anyOf of one schema come down to.
type alternatives struct {
	singles []*load.Node // lists with one variant beside null: the same as allOf
	unions  []unionRef
	null    bool // a variant was null
}

// alternatives reads oneOf and anyOf once. A variant that is null only says that
// null is allowed.
func (l *lowerer) alternatives(kw *keywords) *alternatives {
	if kw.alt != nil {
		return kw.alt
	}
	alt := &alternatives{}
	kw.alt = alt
	if !kw.bareOne {
		l.alternative(kw, alt, kw.oneOf, false)
	}
	if !kw.bareAny {
		l.alternative(kw, alt, kw.anyOf, true)
	}
	return alt
}

func (l *lowerer) alternative(kw *keywords, alt *alternatives, list []*load.Node, anyOf bool) {
	var variants []*load.Node
	for _, v := range list {
		if l.isNull(v, 0) {
			alt.null = true
			continue
		}
		variants = append(variants, v)
	}
	switch {
	case len(list) == 0:
	case len(variants) == 0:
		alt.singles = append(alt.singles, list[0])
	case len(variants) == 1 && (kw.disc == nil || anyOf && len(kw.oneOf) > 0):
		alt.singles = append(alt.singles, variants[0])
	default:
		alt.unions = append(alt.unions, unionRef{kw: kw, anyOf: anyOf, variants: variants})
	}
}

func (l *lowerer) singles(kw *keywords) []*load.Node { return l.alternatives(kw).singles }

func (l *lowerer) unionsOf(kw *keywords) []unionRef { return l.alternatives(kw).unions }

func (l *lowerer) isUnion(kw *keywords) bool { return len(l.alternatives(kw).unions) > 0 }

// isNull reports whether null is the only value of a schema.
func (l *lowerer) isNull(n *load.Node, depth int) bool {
	const most = 8
	kw := l.own(n)
	switch {
	case kw.target != nil:
		return depth < most && l.isNull(kw.target, depth+1)
	case len(kw.allOf) > 0 || len(kw.oneOf) > 0 || len(kw.anyOf) > 0:
		return false
	case kw.types == tNull, kw.constant.Is(load.Null), kw.hasEnum && len(kw.enum) == 0:
		return true
	default:
		// The way to write it in 3.0: {nullable: true} and nothing else.
		return kw.nullable && n.Len() == 1
	}
}

// bare reports whether the alternatives of a list do no more than demand members that
// stand elsewhere, or forbid something: none of them is a type of its own.
func (p *schemaReader) bare(list []*load.Node) bool {
	if len(list) < 2 {
		return false
	}
	for _, n := range list {
		if !isBare(n) {
			return false
		}
	}
	return true
}

func isBare(n *load.Node) bool {
	demands := false
	for _, m := range n.Members {
		switch m.Key {
		case "required", "not", "if":
			demands = true
		case "then", "else", "title", "description", "example", "examples", "$comment":
		case "type":
			if m.Value.Text != "object" {
				return false
			}
		default:
			if !strings.HasPrefix(m.Key, "x-") {
				return false
			}
		}
	}
	return demands
}

// opinion is what a schema says about null.
type opinion uint8

const (
	neutral opinion = iota // nothing
	refuses                // null is not among the values
	allows                 // it is
	insists                // {nullable: true} on its own in an allOf, which cannot mean anything else
)

func (o opinion) and(p opinion) opinion {
	switch {
	case o == insists || p == insists:
		return insists
	case o == refuses || p == refuses:
		return refuses
	default:
		return max(o, p)
	}
}

// nullable reports whether null is allowed by everything that holds at once.
func (l *lowerer) nullable(atoms []atom) bool {
	all := neutral
	for _, a := range atoms {
		switch {
		case a.node == nil:
			all = all.and(refuses)
		case a.plain() || a.mode&ownOnly == 0:
			all = all.and(l.onNull(a.node))
		default:
			all = all.and(l.ownOnNull(l.own(a.node)))
		}
	}
	return all >= allows
}

// onNull is what the schema at n says about null. Strictly it is allowed only if
// every part allows it, so nullable beside an allOf would mean nothing: published
// documents mean "or null" by it, and that is how it is read.
func (l *lowerer) onNull(n *load.Node) opinion {
	if o, ok := l.schemas.nulls[n]; ok {
		return o
	}
	l.schemas.nulls[n] = neutral // for what leads back here
	if !l.deeper(n) {
		return neutral
	}
	defer l.shallower()
	kw := l.own(n)
	o := l.ownOnNull(kw)
	if o == neutral {
		o = l.partsOnNull(kw)
	}
	l.schemas.nulls[n] = o
	return o
}

// ownOnNull is onNull for the keywords of one schema.
func (l *lowerer) ownOnNull(kw *keywords) opinion {
	explicit := kw.nullable || kw.types&tNull != 0 || l.alternatives(kw).null || kw.constant.Is(load.Null)
	switch {
	case kw.never:
		return refuses
	case explicit && kw.target == nil && len(kw.allOf) == 0 && len(kw.oneOf) == 0 && len(kw.anyOf) == 0 && l.rankOf(kw) == rankNone:
		return insists
	case explicit:
		return allows
	case kw.types != 0 || kw.hasEnum || kw.constant != nil:
		return refuses
	default:
		return neutral
	}
}

func (l *lowerer) partsOnNull(kw *keywords) opinion {
	all := neutral
	if kw.target != nil {
		all = min(l.onNull(kw.target), allows)
	}
	for _, c := range kw.allOf {
		all = all.and(l.onNull(c))
	}
	for _, c := range l.singles(kw) {
		all = all.and(min(l.onNull(c), allows))
	}
	for _, u := range l.unionsOf(kw) {
		some := refuses
		for _, v := range u.variants {
			switch l.onNull(v) {
			case neutral:
				some = max(some, refuses)
			case allows, insists:
				some = allows
			}
		}
		all = all.and(some)
	}
	return min(all, allows)
}
