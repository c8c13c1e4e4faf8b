package lower

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// some writes the keywords of some parts.
func (w *ruleWriter) some(o *jsonObject, kw *keywords, parts portion) {
	if parts&partEnum != 0 && kw.hasEnum {
		w.enum(o, kw)
	}
	if parts&partText != 0 {
		w.lengths(o, kw)
	}
	if parts&partFormat != 0 {
		w.format(o, kw)
	}
	if parts&partBounds != 0 {
		w.numbers(o, &kw.checks)
		w.sizes(o, &kw.checks)
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
