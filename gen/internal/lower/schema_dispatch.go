package lower

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// dispatch decides how a decoder finds the variant of a union: by the discriminator
// that the document names, by the JSON kind, by a member that has another constant
// value in each variant, or by trial.
func (l *lowerer) dispatch(w *unionWork) {
	if w.state != 0 {
		return
	}
	w.state = 1
	defer func() { w.state = 2 }()
	u := w.t.Union
	u.Dispatch = ir.ByTrial
	switch {
	case w.disc != nil && l.byDiscriminator(w):
		u.Dispatch, u.Property = ir.ByDiscriminator, w.disc.property
	case l.kindsApart(w):
		u.Dispatch = ir.ByKind
	default:
		if property := l.constantMember(w); property != "" {
			u.Dispatch, u.Property = ir.ByDiscriminator, property
		}
	}
	if u.Dispatch != ir.ByDiscriminator {
		for _, v := range u.Variants {
			v.Keys, v.Write = nil, ""
		}
	}
}

// byDiscriminator gives each variant the values that choose it. It is false when one
// has none: then the discriminator is a hint that does not help.
func (l *lowerer) byDiscriminator(w *unionWork) bool {
	disc := w.disc
	explicit := l.explicitKeys(w)
	owner := map[string]int{} // of each value
	for i, keys := range explicit {
		for _, k := range keys {
			owner[k] = i
		}
	}
	consts := l.constantsOf(w, disc.property)
	keys := make([][]string, len(w.variants))
	add := func(i int, values ...string) {
		for _, k := range values {
			if at, taken := owner[k]; !taken || at == i {
				owner[k] = i
				keys[i] = appendKey(keys[i], k)
			}
		}
	}
	for i, v := range w.variants {
		add(i, explicit[i]...)
		add(i, consts[i]...)
		// The name of the schema counts too, where the member can have it.
		listed, _ := l.constants(v, disc.property)
		name := l.schemaKey(v.node)
		if name != "" && (len(listed) == 0 || slices.Contains(listed, name)) {
			add(i, name)
		}
	}
	complete := true
	for i, v := range w.variants {
		if len(keys[i]) == 0 {
			add(i, l.innerKeys(v, disc.property)...)
		}
		v.v.Keys, v.v.Write = keys[i], l.written(keys[i], explicit[i], consts[i])
		complete = complete && len(keys[i]) > 0
	}
	l.fallbackOf(w)
	if !complete {
		l.list.Warn(disc.node.Pos(), "discriminator-unused", disc.node.Pointer(),
			"%s: the discriminator gives no value to some of the alternatives: they are told apart by trial", l.label(disc.node.Parent))
	}
	return complete
}

func appendKey(keys []string, k string) []string {
	if slices.Contains(keys, k) {
		return keys
	}
	return append(keys, k)
}

// written is the value that encoding writes when the member is not set.
func (l *lowerer) written(keys, explicit, consts []string) string {
	switch {
	case len(consts) == 1 && slices.Contains(keys, consts[0]):
		return consts[0]
	case len(explicit) == 1:
		return explicit[0]
	case len(explicit) == 0 && len(keys) == 1:
		return keys[0]
	default:
		return ""
	}
}

// explicitKeys are the values of the mapping for each variant. A target that is one
// level further down, in a variant that is a union itself, counts for that variant.
func (l *lowerer) explicitKeys(w *unionWork) [][]string {
	out := make([][]string, len(w.variants))
	for _, m := range w.disc.mapping {
		i := slices.IndexFunc(w.variants, func(v *variantWork) bool { return l.isVariant(v, m.target) })
		if i < 0 {
			i = slices.IndexFunc(w.variants, func(v *variantWork) bool { return l.holds(v, m.target) })
		}
		if i < 0 {
			l.repairf(m.node, "discriminator-mapping", "%s: mapping %s refers to a schema that is not among the alternatives: ignored",
				l.label(w.disc.node.Parent), quote(m.key))
			continue
		}
		out[i] = append(out[i], m.key)
	}
	return out
}

// isVariant reports whether a variant is the schema at n, also by another name.
func (l *lowerer) isVariant(v *variantWork, n *load.Node) bool {
	if v.node == nil {
		return false
	}
	if v.node == n || l.own(v.node).target == n {
		return true
	}
	if v.self {
		return false
	}
	p, q := l.peel(v.node), l.peel(n)
	return p.rank != rankNone && len(p.atoms) == 1 && len(q.atoms) == 1 && (p.atoms[0].node == n || p.atoms[0] == q.atoms[0])
}

// holds reports whether a variant is a union with a variant n.
func (l *lowerer) holds(v *variantWork, n *load.Node) bool {
	inner := l.workOf(v.v.Use.Type)
	return inner != nil && slices.ContainsFunc(inner.variants, func(v *variantWork) bool { return l.isVariant(v, n) })
}

// workOf is the work on a type that is a union, nil for others.
func (l *lowerer) workOf(t *ir.Type) *unionWork {
	t = typeBehind(&ir.Use{Type: t})
	if t == nil || t.Kind != ir.KindUnion {
		return nil
	}
	return l.schemas.unionOf[t]
}

// innerKeys are the values that choose among the variants of a variant.
func (l *lowerer) innerKeys(v *variantWork, property string) []string {
	inner := l.workOf(v.v.Use.Type)
	if inner == nil {
		return nil
	}
	l.dispatch(inner)
	if u := inner.t.Union; u.Dispatch != ir.ByDiscriminator || u.Property != property {
		return nil
	}
	var keys []string
	for _, v := range inner.variants {
		keys = append(keys, v.v.Keys...)
	}
	return keys
}

// schemaKey is the name by which a discriminator means a schema without a mapping:
// its key in the components.
func (l *lowerer) schemaKey(n *load.Node) string {
	if n == nil {
		return ""
	}
	at := n
	if t := l.own(n).target; t != nil {
		at = t
	}
	if r := l.schemas.roots[at]; r != nil && r.origin == ir.Component {
		return r.words[len(r.words)-1]
	}
	return ""
}

// constantsOf are the texts that the property can have in each variant, as const or
// enum says. Where two variants share one, that list tells nothing and is left out.
func (l *lowerer) constantsOf(w *unionWork, property string) [][]string {
	out := make([][]string, len(w.variants))
	count := map[string]int{}
	for i, v := range w.variants {
		out[i], _ = l.constants(v, property)
		for _, k := range out[i] {
			count[k]++
		}
	}
	for i, keys := range out {
		if slices.ContainsFunc(keys, func(k string) bool { return count[k] > 1 }) {
			out[i] = nil
		}
	}
	return out
}

// constants are the texts that a member of a variant is limited to, and whether the
// member must be there.
func (l *lowerer) constants(v *variantWork, property string) (texts []string, required bool) {
	if v.atoms == nil {
		return nil, false
	}
	s := l.flatten(v.atoms)
	p := s.prop(property)
	if p == nil || len(s.unions) > 0 {
		return nil, false
	}
	items, ok := l.flatten(plainAtoms(p.nodes)).listed()
	if !ok {
		return nil, s.requires(property)
	}
	for _, item := range items {
		if item.value.Kind != ir.StringValue {
			return nil, s.requires(property)
		}
		texts = append(texts, item.value.Text)
	}
	return texts, s.requires(property)
}

func (l *lowerer) fallbackOf(w *unionWork) {
	if w.disc.fallback == nil {
		return
	}
	i := slices.IndexFunc(w.variants, func(v *variantWork) bool { return l.isVariant(v, w.disc.fallback) })
	if i < 0 {
		l.repairf(w.disc.node.Get("defaultMapping"), "discriminator-mapping",
			"%s: defaultMapping refers to a schema that is not among the alternatives: ignored", l.label(w.disc.node.Parent))
		return
	}
	w.t.Union.Fallback = w.variants[i].v
}

// constantMember is a required member that has a value of its own in each variant: a
// discriminator that the document does not call one. Empty when there is none.
func (l *lowerer) constantMember(w *unionWork) string {
	if len(w.variants) < 2 || w.variants[0].atoms == nil {
		return ""
	}
	for _, p := range l.flatten(w.variants[0].atoms).props {
		if l.tellsApart(w, p.name) {
			return p.name
		}
	}
	return ""
}

// tellsApart reports whether property is such a member, and notes its values.
func (l *lowerer) tellsApart(w *unionWork, property string) bool {
	seen := map[string]bool{}
	lists := make([][]string, len(w.variants))
	for i, v := range w.variants {
		texts, required := l.constants(v, property)
		if !required || len(texts) == 0 || l.kindsOf(v.v.Use.Type, 0) != tObject {
			return false
		}
		for _, k := range texts {
			if seen[k] {
				return false
			}
			seen[k] = true
		}
		lists[i] = texts
	}
	for i, v := range w.variants {
		v.v.Keys, v.v.Write = lists[i], ""
		if len(lists[i]) == 1 {
			v.v.Write = lists[i][0]
		}
	}
	return true
}

// kindsApart reports whether no two variants share a JSON kind.
func (l *lowerer) kindsApart(w *unionWork) bool {
	var all typeSet
	for _, v := range w.variants {
		kinds := l.kindsOf(v.v.Use.Type, 0)
		if kinds == 0 || all&kinds != 0 {
			return false
		}
		all |= kinds
	}
	return true
}

// kindsOf are the JSON kinds of a type; 0 when any, or not known.
func (l *lowerer) kindsOf(t *ir.Type, depth int) typeSet {
	const most = 64
	if depth > most {
		return 0
	}
	switch t.Kind {
	case ir.KindScalar, ir.KindEnum:
		switch t.Scalar {
		case ir.Bool:
			return tBoolean
		case ir.Int8, ir.Int16, ir.Int32, ir.Int64, ir.Uint8, ir.Uint16, ir.Uint32, ir.Uint64, ir.BigInt,
			ir.Float32, ir.Float64, ir.Decimal:
			return tNumber
		default:
			return tString
		}
	case ir.KindArray, ir.KindTuple:
		return tArray
	case ir.KindMap, ir.KindStruct:
		return tObject
	case ir.KindBinary:
		return tString
	case ir.KindNull:
		return tNull
	case ir.KindAlias:
		return l.kindsOf(t.Target.Type, depth+1)
	case ir.KindUnion:
		var all typeSet
		for _, v := range t.Union.Variants {
			kinds := l.kindsOf(v.Use.Type, depth+1)
			if kinds == 0 {
				return 0
			}
			all |= kinds
		}
		return all
	default:
		return 0
	}
}
