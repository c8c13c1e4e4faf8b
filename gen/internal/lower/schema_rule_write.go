package lower

import (
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/check"
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

// jsonObject writes the members of an object.
type jsonObject struct {
	w     *ruleWriter
	empty bool
}

func (w *ruleWriter) object(members func(*jsonObject)) {
	w.b.WriteByte('{')
	members(&jsonObject{w: w, empty: true})
	w.b.WriteByte('}')
}

// key writes the name of a member, after which its value is to be written.
func (o *jsonObject) key(name string) {
	if !o.empty {
		o.w.b.WriteString(", ")
	}
	o.empty = false
	o.w.text(name)
	o.w.b.WriteString(": ")
}

func (o *jsonObject) raw(name, text string) {
	o.key(name)
	o.w.b.WriteString(text)
}

func (o *jsonObject) str(name, text string) {
	o.key(name)
	o.w.text(text)
}

func (o *jsonObject) size(name string, n *int64) {
	if n != nil {
		o.raw(name, strconv.FormatInt(*n, 10))
	}
}

// text writes a JSON string.
func (w *ruleWriter) text(s string) { w.value(&ir.Value{Kind: ir.StringValue, Text: s}) }

func (w *ruleWriter) value(v *ir.Value) { w.b.WriteString(v.JSON()) }

func (w *ruleWriter) texts(list []string) {
	w.list(len(list), func(i int) { w.text(list[i]) })
}

func (w *ruleWriter) list(n int, item func(i int)) {
	w.b.WriteByte('[')
	for i := range n {
		if i > 0 {
			w.b.WriteString(", ")
		}
		item(i)
	}
	w.b.WriteByte(']')
}

// ref writes the name of the entry for a schema that stands elsewhere.
func (w *ruleWriter) ref(o *jsonObject, key string, n *load.Node, parts portion) {
	name := w.l.entry(n, parts)
	if !slices.Contains(w.refs, name) {
		w.refs = append(w.refs, name)
	}
	o.str(key, name)
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
	o.size("minItems", kw.checks.MinItems)
	o.size("maxItems", kw.checks.MaxItems)
	o.size("minProperties", kw.checks.MinProperties)
	o.size("maxProperties", kw.checks.MaxProperties)
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
// matter, which knows the way.
func (w *ruleWriter) demanded(kw *keywords) []string {
	var names []string
	for _, r := range kw.required {
		i := slices.IndexFunc(kw.props, func(p property) bool { return p.name == r.name })
		if i >= 0 {
			if g := w.l.gather([]*load.Node{kw.props[i].node}); g.readOnly || g.writeOnly {
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
	_, typed := textScalars[kw.format]
	if _, known := check.ParseFormat(kw.format); known && (typed || checkedFormats[kw.format]) {
		o.str("format", kw.format)
	}
}

func (w *ruleWriter) lengths(o *jsonObject, kw *keywords) {
	o.size("minLength", kw.checks.MinLength)
	o.size("maxLength", kw.checks.MaxLength)
	if len(kw.checks.Pattern) > 0 {
		o.str("pattern", kw.checks.Pattern[0])
	}
}

// some writes the keywords of some parts.
func (w *ruleWriter) some(o *jsonObject, kw *keywords, parts portion) {
	if parts&partEnum != 0 && kw.hasEnum {
		w.enum(o, kw)
	}
	if parts&partText != 0 {
		w.lengths(o, kw)
	}
	if parts&partUnique != 0 && kw.checks.UniqueItems {
		o.raw("uniqueItems", "true")
	}
	if parts&partItems != 0 {
		w.schemas(o, "prefixItems", kw.prefix)
		w.schema(o, "items", kw.items)
	}
	if parts&partMembers != 0 {
		w.members(o, kw)
	}
	if parts&partContains != 0 && kw.contains != nil {
		w.schema(o, "contains", kw.contains)
		o.size("minContains", kw.minContains)
		o.size("maxContains", kw.maxContains)
	}
	if parts&partNames != 0 {
		w.schema(o, "propertyNames", kw.names)
	}
	if parts&partDemands != 0 {
		w.demands(o, kw)
	}
	w.logic(o, kw, parts)
}

// logic writes the keywords that combine schemas.
func (w *ruleWriter) logic(o *jsonObject, kw *keywords, parts portion) {
	if parts&partNot != 0 {
		w.schema(o, "not", kw.not)
	}
	if parts&partIf != 0 && kw.when != nil {
		w.schema(o, "if", kw.when)
		w.schema(o, "then", kw.then)
		w.schema(o, "else", kw.other)
	}
	if parts&partOneOf != 0 {
		w.variants(o, "oneOf", kw.oneOf)
	}
	if parts&partAnyOf != 0 {
		w.variants(o, "anyOf", kw.anyOf)
	}
}

// variants writes alternatives. One that only says nullable: true is null.
func (w *ruleWriter) variants(o *jsonObject, key string, list []*load.Node) {
	if len(list) == 0 {
		return
	}
	o.key(key)
	w.list(len(list), func(i int) {
		if kw := w.l.own(list[i]); kw.nullable && kw.types == 0 && w.l.isNull(list[i], 0) {
			w.b.WriteString(`{"type": "null"}`)
			return
		}
		w.whole(list[i], false)
	})
}

func (w *ruleWriter) enum(o *jsonObject, kw *keywords) {
	o.key("enum")
	values := make([]*ir.Value, 0, len(kw.enum)+1)
	for _, item := range kw.enum {
		values = append(values, item.value)
	}
	if kw.nullable {
		values = append(values, &ir.Value{Kind: ir.NullValue})
	}
	w.list(len(values), func(i int) { w.value(values[i]) })
}

// members writes what an object's members are.
func (w *ruleWriter) members(o *jsonObject, kw *keywords) {
	if len(kw.props) > 0 {
		o.key("properties")
		w.object(func(o *jsonObject) {
			for _, p := range kw.props {
				w.schema(o, p.name, p.node)
			}
		})
	}
	if len(kw.patterns) > 0 {
		o.key("patternProperties")
		w.object(func(o *jsonObject) {
			for _, p := range kw.patterns {
				w.schema(o, p.pattern, p.node)
			}
		})
	}
	switch {
	case kw.extra != nil:
		w.schema(o, "additionalProperties", kw.extra)
	case kw.closed:
		o.raw("additionalProperties", "false")
	case kw.open:
		o.raw("additionalProperties", "true")
	}
}

func (w *ruleWriter) demands(o *jsonObject, kw *keywords) {
	names := slices.DeleteFunc(slices.Clone(kw.demands), func(d demand) bool { return d.node != nil })
	if len(names) > 0 {
		o.key("dependentRequired")
		w.object(func(o *jsonObject) {
			for _, d := range names {
				o.key(d.member)
				w.texts(d.names)
			}
		})
	}
	if len(names) == len(kw.demands) {
		return
	}
	o.key("dependentSchemas")
	w.object(func(o *jsonObject) {
		for _, d := range kw.demands {
			w.schema(o, d.member, d.node)
		}
	})
}

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
