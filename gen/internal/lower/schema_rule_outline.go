package lower

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// outline writes what decides which members and items a schema evaluates. What they
// are is checked by their types; in an alternative it is what tells whether that holds.
func (w *ruleWriter) outline(o *jsonObject, kw *keywords) {
	if kw.target != nil {
		w.ref(o, "$ref", kw.target, partOutline)
	}
	if kw.dynamic != "" {
		w.dynamic(o, kw)
	}
	if len(kw.allOf) > 0 {
		o.key("allOf")
		w.list(len(kw.allOf), func(i int) { w.outlineOf(kw.allOf[i]) })
	}
	w.outlineItems(o, kw)
	w.outlineMembers(o, kw)
	w.some(o, kw, partContains|partIf|partOneOf|partAnyOf)
	if slices.ContainsFunc(kw.demands, func(d demand) bool { return d.node != nil }) {
		w.demands(o, kw)
	}
	w.schema(o, "unevaluatedItems", kw.restItems)
	w.schema(o, "unevaluatedProperties", kw.restMembers)
}

func (w *ruleWriter) outlineOf(n *load.Node) {
	const deep = 100
	kw := w.l.own(n)
	switch {
	case kw.never:
		w.b.WriteString("false")
	case kw.always && kw.target == nil:
		w.b.WriteString("true")
	case w.depth >= deep:
		w.object(func(o *jsonObject) { w.ref(o, "$ref", n, partOutline) })
	default:
		w.depth++
		w.object(func(o *jsonObject) {
			if kw.restItems != nil || kw.restMembers != nil {
				o.raw("$typed", "true")
			}
			w.outline(o, kw)
		})
		w.depth--
	}
}

func (w *ruleWriter) outlineItems(o *jsonObject, kw *keywords) {
	if len(kw.prefix) > 0 {
		o.key("prefixItems")
		w.list(len(kw.prefix), func(int) { w.b.WriteString("true") })
	}
	if kw.items != nil {
		o.raw("items", "true")
	}
}

func (w *ruleWriter) outlineMembers(o *jsonObject, kw *keywords) {
	if len(kw.props) > 0 {
		o.key("properties")
		w.object(func(o *jsonObject) {
			for _, p := range kw.props {
				o.raw(p.name, "true")
			}
		})
	}
	if len(kw.patterns) > 0 {
		o.key("patternProperties")
		w.object(func(o *jsonObject) {
			for _, p := range kw.patterns {
				o.raw(p.pattern, "true")
			}
		})
	}
	if kw.extra != nil || kw.open || kw.closed {
		o.raw("additionalProperties", "true")
	}
}
