package lower

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// ruleWriter writes one entry of API.Schemas as JSON text.
type ruleWriter struct {
	l     *lowerer
	b     strings.Builder
	refs  []string
	depth int
}

// entry writes the entry for some keywords of the schema at n.
func (w *ruleWriter) entry(n *load.Node, parts portion) {
	kw := w.l.own(n)
	switch {
	case kw.never:
		w.b.WriteString("false")
	case kw.always && kw.target == nil:
		w.b.WriteString("true")
	case parts&partRest != 0:
		w.object(func(o *jsonObject) {
			o.raw("$typed", "true")
			w.scope(o, n)
			w.outline(o, kw)
		})
	case parts&partOutline != 0:
		w.object(func(o *jsonObject) {
			w.scope(o, n)
			w.outline(o, kw)
		})
	case parts&partAll != 0:
		w.whole(n, true)
	default:
		w.object(func(o *jsonObject) { w.some(o, kw, parts) })
	}
}

// schema writes a member whose value is a whole schema.
func (w *ruleWriter) schema(o *jsonObject, key string, n *load.Node) {
	if n != nil {
		o.key(key)
		w.whole(n, false)
	}
}

func (w *ruleWriter) schemas(o *jsonObject, key string, list []*load.Node) {
	if len(list) > 0 {
		o.key(key)
		w.list(len(list), func(i int) { w.whole(list[i], false) })
	}
}

// whole writes all of the schema at n. One that brings anchors into scope is an entry
// of its own, and so is one that is nested deeper than texts had better be.
func (w *ruleWriter) whole(n *load.Node, root bool) {
	const deep = 100
	kw := w.l.own(n)
	switch {
	case kw.never:
		w.b.WriteString("false")
		return
	case kw.always && kw.target == nil:
		w.b.WriteString("true")
		return
	case !root && (w.depth >= deep || n.Has("$id") && len(w.l.anchorsOf(n)) > 0):
		w.object(func(o *jsonObject) { w.ref(o, "$ref", n, partAll) })
		return
	}
	w.depth++
	if w.orNull(kw) {
		w.object(func(o *jsonObject) {
			o.key("anyOf")
			w.b.WriteString(`[{"type": "null"}, `)
			w.object(func(o *jsonObject) { w.all(o, kw, root) })
			w.b.WriteByte(']')
		})
	} else {
		w.object(func(o *jsonObject) { w.all(o, kw, root) })
	}
	w.depth--
}

// orNull reports whether null is allowed beside what a schema refers to: see onNull.
func (w *ruleWriter) orNull(kw *keywords) bool {
	if kw.target == nil && len(kw.allOf) == 0 && len(kw.oneOf) == 0 && len(kw.anyOf) == 0 {
		return false
	}
	return kw.nullable || kw.types&tNull != 0 && !w.l.opt.Exact
}

// all writes all keywords.
func (w *ruleWriter) all(o *jsonObject, kw *keywords, root bool) {
	if root {
		w.scope(o, kw.node)
	}
	if kw.target != nil {
		w.ref(o, "$ref", kw.target, partAll)
	}
	if kw.dynamic != "" {
		w.dynamic(o, kw)
	}
	w.values(o, kw)
	w.numbers(o, &kw.checks)
	w.strings(o, kw)
	w.some(o, kw, partEnum|partNot|partIf|partContains|partNames|partDemands|partOneOf|partAnyOf|partUnique|partItems|partMembers)
	w.schemas(o, "allOf", kw.allOf)
	w.sizes(o, &kw.checks)
	if names := w.demanded(kw); len(names) > 0 {
		o.key("required")
		w.texts(names)
	}
	w.schema(o, "unevaluatedItems", kw.restItems)
	w.schema(o, "unevaluatedProperties", kw.restMembers)
}

// scope writes the anchors that a schema brings into scope.
func (w *ruleWriter) scope(o *jsonObject, n *load.Node) {
	anchors := w.l.anchorsOf(n)
	if len(anchors) == 0 {
		return
	}
	o.key("$dynamicScope")
	w.object(func(o *jsonObject) {
		for _, a := range anchors {
			name, _ := a.Get("$dynamicAnchor").Str()
			w.ref(o, name, a, partAll)
		}
	})
}

// anchorsOf are the schemas with a $dynamicAnchor in the resource of n, if any
// $dynamicRef asks for them.
func (l *lowerer) anchorsOf(n *load.Node) []*load.Node {
	if !l.usesDynamic() {
		return nil
	}
	return l.doc.DynamicAnchors(n)
}

func (w *ruleWriter) dynamic(o *jsonObject, kw *keywords) {
	name := w.l.entry(kw.dynamicTarget, partAll)
	if !slices.Contains(w.refs, name) {
		w.refs = append(w.refs, name)
	}
	o.key("$dynamicRef")
	w.texts([]string{kw.dynamic, name})
}

// demanded are the required members. Those that travel one way only are the type's
// matter, which knows the way; they may be described in another part of an allOf.
func (w *ruleWriter) demanded(kw *keywords) []string {
	top := kw.node
	for range maxSchemaDepth {
		s, inside := w.l.schemas.steps[top]
		if !inside || s.kind != stepBranch {
			break
		}
		top = s.parent
	}
	whole := w.l.flatten([]atom{{node: top}})
	var names []string
	for _, r := range kw.required {
		if p := whole.prop(r.name); p != nil {
			if g := w.l.gather(p.nodes); g.readOnly || g.writeOnly {
				continue
			}
		}
		names = append(names, r.name)
	}
	return names
}

// values writes type and const.
func (w *ruleWriter) values(o *jsonObject, kw *keywords) {
	if types := kw.types; types != 0 {
		if kw.nullable {
			types |= tNull
		}
		var names []string
		for _, t := range typeNames {
			if types&t.bit != 0 {
				names = append(names, t.name)
			}
		}
		if len(names) == 1 {
			o.str("type", names[0])
		} else {
			o.key("type")
			w.texts(names)
		}
	}
	if kw.constant != nil {
		o.key("const")
		w.value(valueOf(kw.constant))
	}
}

func (w *ruleWriter) numbers(o *jsonObject, c *ir.Checks) {
	for _, b := range []struct {
		text, key, strict string
		exclusive         bool
	}{
		{c.Minimum, "minimum", "exclusiveMinimum", c.ExclusiveMinimum},
		{c.Maximum, "maximum", "exclusiveMaximum", c.ExclusiveMaximum},
		{c.MultipleOf, "multipleOf", "", false},
	} {
		switch {
		case b.text == "":
		case b.exclusive:
			o.raw(b.strict, b.text)
		default:
			o.raw(b.key, b.text)
		}
	}
}

func (w *ruleWriter) strings(o *jsonObject, kw *keywords) {
	w.lengths(o, kw)
	w.format(o, kw)
}

func (w *ruleWriter) format(o *jsonObject, kw *keywords) {
	if checkedFormat(kw.format) {
		o.str("format", kw.format)
	}
}

func (w *ruleWriter) sizes(o *jsonObject, c *ir.Checks) {
	o.size("minItems", c.MinItems)
	o.size("maxItems", c.MaxItems)
	o.size("minProperties", c.MinProperties)
	o.size("maxProperties", c.MaxProperties)
}

func (w *ruleWriter) lengths(o *jsonObject, kw *keywords) {
	o.size("minLength", kw.checks.MinLength)
	o.size("maxLength", kw.checks.MaxLength)
	if len(kw.checks.Pattern) > 0 {
		o.str("pattern", kw.checks.Pattern[0])
	}
}
