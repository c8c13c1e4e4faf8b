package lower

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// child notes where a schema inside this one stands.
func (p *schemaReader) child(n *load.Node, kind stepKind, word string, index int) {
	p.l.step(n, step{parent: p.n, kind: kind, word: word, index: index})
}

// sub reads a keyword whose value is one schema.
func (p *schemaReader) sub(m load.Member, kind stepKind) *load.Node {
	p.child(m.Value, kind, "", 0)
	return m.Value
}

// subs reads a keyword whose value is a list of schemas.
func (p *schemaReader) subs(m load.Member, kind stepKind) []*load.Node {
	list := m.Value.Items
	switch {
	case m.Value.Kind == load.Object:
		p.repair(m.Value, "wrong-type", "%s must be a list, got a mapping: taken as a list of one", m.Key)
		list = []*load.Node{m.Value}
	case m.Value.Kind != load.Array:
		p.repair(m.Value, "wrong-type", "%s must be a list, got %s: ignored", m.Key, nodeKind(m.Value))
	case len(list) == 0:
		p.repair(m.Value, "empty-list", "%s must not be empty: ignored", m.Key)
	}
	for i, n := range list {
		p.child(n, kind, m.Key, i)
	}
	return list
}

func (p *schemaReader) readAllOf(m load.Member) { p.kw.allOf = p.subs(m, stepBranch) }

func (p *schemaReader) readOneOf(m load.Member) {
	p.kw.oneOf, p.kw.oneOfNode = p.distinct(p.subs(m, stepVariant), true), m.Value
}

func (p *schemaReader) readAnyOf(m load.Member) {
	p.kw.anyOf, p.kw.anyOfNode = p.distinct(p.subs(m, stepVariant), false), m.Value
}

// distinct drops alternatives that refer to the same schema a second time. In oneOf
// they would mean that this schema never matches, which nobody means.
func (p *schemaReader) distinct(list []*load.Node, one bool) []*load.Node {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(n *load.Node) bool {
		ref, ok := n.Get("$ref").Str()
		if !ok || n.Len() > 1 {
			return false
		}
		if seen[ref] {
			if one {
				p.repair(n, "variant-twice", "%q is listed twice in oneOf: taken once", clip(ref))
			}
			return true
		}
		seen[ref] = true
		return false
	})
}

func (p *schemaReader) readProperties(m load.Member) {
	if m.Value.Kind == load.Null {
		p.repair(m.Value, "wrong-type", "properties must be a mapping, got null: taken as absent")
		return
	}
	if m.Value.Kind != load.Object {
		p.l.list.Error(m.Pos(), "wrong-type", m.Value.Pointer(),
			"%s: properties must be a mapping, got %s", p.what(), nodeKind(m.Value))
		return
	}
	for _, f := range m.Value.Members {
		if f.Key == "$ref" && f.Value.Kind == load.String {
			p.propertiesElsewhere(f)
			continue
		}
		p.property(f)
	}
}

func (p *schemaReader) property(f load.Member) {
	p.child(f.Value, stepProperty, f.Key, 0)
	p.kw.props = append(p.kw.props, property{name: f.Key, node: f.Value, member: f})
	if required, _ := f.Value.Get("required").Written(); required == "true" {
		// Draft 3 of JSON Schema had it so; the property's own reader reports it.
		p.kw.required = append(p.kw.required, nameAt{f.Key, f.Value.Get("required")})
	}
}

// propertiesElsewhere reads a $ref among the properties: documents in several files
// use it to include a mapping of properties.
func (p *schemaReader) propertiesElsewhere(ref load.Member) {
	list := p.l.doc.Resolve(ref.Value, ref.Value.Text, p.l.list)
	if list == nil {
		return
	}
	if list.Kind != load.Object || looksLikeSchema(list) {
		p.repair(ref.Value, "ref-kind", "a $ref among properties is no property, and %q no mapping of properties: ignored", clip(ref.Value.Text))
		return
	}
	p.repair(ref.Value, "ref-kind", "a $ref among properties is no property: those of %q are taken", clip(ref.Value.Text))
	for _, f := range list.Members {
		p.property(f)
	}
}

func (p *schemaReader) readRequired(m load.Member) {
	switch m.Value.Kind {
	case load.Array:
	case load.Bool:
		p.l.list.Repair(m.Pos(), "required-flag", m.Value.Pointer(),
			"%s: required must be a list on the object, not a boolean on the property: taken as an entry of that list", p.what())
		return
	case load.String:
		if m.Value.Text == "true" || m.Value.Text == "false" {
			p.l.list.Repair(m.Pos(), "required-flag", m.Value.Pointer(),
				"%s: required must be a list on the object, not a text on the property: taken as an entry of that list", p.what())
			return
		}
		p.repair(m.Value, "wrong-type", "required must be a list, got the string %q: taken as a list of one", clip(m.Value.Text))
		p.kw.required = append(p.kw.required, nameAt{m.Value.Text, m.Value})
		return
	case load.Null:
		p.repair(m.Value, "wrong-type", "required must be a list, got null: taken as absent")
		return
	default:
		p.repair(m.Value, "wrong-type", "required must be a list, got %s: ignored", nodeKind(m.Value))
		return
	}
	for _, item := range m.Value.Items {
		name, ok := item.Written()
		if !ok || item.Kind == load.Null {
			p.repair(item, "wrong-type", "an entry of required must be a string, got %s: ignored", nodeKind(item))
			continue
		}
		p.kw.required = append(p.kw.required, nameAt{name, item})
	}
}

func (p *schemaReader) readAdditional(m load.Member) {
	switch m.Value.Kind {
	case load.Bool:
		p.kw.open, p.kw.closed = m.Value.Text == "true", m.Value.Text == "false"
	case load.Object:
		if m.Value.Len() == 0 {
			p.kw.open = true
			return
		}
		p.kw.extra = p.sub(m, stepValue)
	case load.String:
		if s := m.Value.Text; s == "true" || s == "false" {
			p.repair(m.Value, "wrong-type", "additionalProperties must be a boolean or a schema, got the string %q: taken as that boolean", s)
			p.kw.open, p.kw.closed = s == "true", s == "false"
			return
		}
		fallthrough
	default:
		p.repair(m.Value, "wrong-type", "additionalProperties must be a boolean or a schema, got %s: ignored", nodeKind(m.Value))
	}
}

func (p *schemaReader) readPatterns(m load.Member) {
	if m.Value.Kind != load.Object {
		p.repair(m.Value, "wrong-type", "patternProperties must be a mapping, got %s: ignored", nodeKind(m.Value))
		return
	}
	for _, f := range m.Value.Members {
		p.child(f.Value, stepValue, "", 0)
		if p.usablePattern(f.Key, f.Value) {
			p.kw.patterns = append(p.kw.patterns, patternAt{f.Key, f.Value})
		}
	}
}

// readItems reads items: a schema, or the list of earlier drafts, which is
// prefixItems now.
func (p *schemaReader) readItems(m load.Member) {
	if m.Value.Kind != load.Array {
		p.kw.items = p.sub(m, stepItem)
		return
	}
	p.repair(m.Value, "earlier-keyword", "a list as items is prefixItems from OpenAPI 3.1 on: taken as there")
	p.readPrefix(m)
	if after, ok := p.n.Member("additionalItems"); ok {
		p.kw.items = p.sub(after, stepItem)
	}
}

func (p *schemaReader) readPrefix(m load.Member) { p.kw.prefix = p.subs(m, stepTuple) }

func (p *schemaReader) finishArrays() {
	if p.kw.types&tArray == 0 || p.kw.items != nil || p.kw.prefix != nil || p.l.doc.Version >= load.V31 {
		return
	}
	if s, ok := p.l.schemas.steps[p.n]; ok && s.kind == stepBranch || len(p.kw.allOf) > 0 {
		return // another branch has them
	}
	p.l.list.Repair(keyPos(p.n), "array-without-items", p.n.Pointer(),
		"%s: type array needs items (3.0): any item is taken", p.what()).
		Hintf("write items with a schema; items: {} allows anything")
}

func (p *schemaReader) readDefs(m load.Member) {
	if m.Value.Kind != load.Object {
		return // reported where something refers to it
	}
	for _, f := range m.Value.Members {
		p.child(f.Value, stepDef, f.Key, 0)
	}
}

// readEnum reads enum when the types are known, since YAML has made numbers and
// booleans of unquoted texts.
func (p *schemaReader) readEnum() {
	m, ok := p.n.Member("enum")
	if !ok {
		return
	}
	if m.Value.Kind != load.Array {
		p.repair(m.Value, "wrong-type", "enum must be a list, got %s: ignored", nodeKind(m.Value))
		return
	}
	if len(m.Value.Items) == 0 && p.l.opt.Exact {
		p.kw.never = true
		return
	}
	if len(m.Value.Items) == 0 {
		p.repair(m.Value, "empty-list", "enum must not be empty: ignored")
		return
	}
	items := make([]*enumItem, 0, len(m.Value.Items))
	for _, n := range m.Value.Items {
		items = append(items, &enumItem{node: n})
	}
	p.enumNames(items)
	p.kw.hasEnum = true
	p.listed = make(map[string]*enumItem, len(items))
	want := p.enumTypes(m, items)
	for i, item := range items {
		p.enumItem(i, item, want)
	}
	if len(p.kw.enum) == 0 && !p.kw.nullable {
		p.kw.hasEnum = false
	}
}

// enumTypes is the set of types that the values must have. Where no value has it,
// the type is the mistake.
func (p *schemaReader) enumTypes(m load.Member, items []*enumItem) typeSet {
	want := p.kw.types &^ tNull
	if want == 0 {
		return 0
	}
	var have typeSet
	for _, item := range items {
		if _, ok := mendScalar(item.node, want); ok {
			return want
		}
		have |= jsonType(item.node)
	}
	have &^= tNull
	if have == 0 || have&(tArray|tObject) != 0 || len(p.kw.props) > 0 {
		return want
	}
	if want == tArray {
		p.repair(m.Value, "enum-type", "enum lists values of the items, not lists: ignored")
		return want
	}
	p.repair(m.Value, "enum-type", "no value of enum is %s: type %s taken instead", want.article(), have)
	p.kw.types = have | p.kw.types&tNull
	return have
}

func (p *schemaReader) enumItem(i int, item *enumItem, want typeSet) {
	if item.node.Kind == load.Null {
		if p.kw.types != 0 && p.kw.types&tNull == 0 && !p.kw.nullable {
			p.repair(item.node, "enum-type", "enum value null (index %d) is not %s: null is taken as allowed", i, want.article())
		}
		p.kw.nullable = true
		return
	}
	item.value = p.l.value(item.node)
	if want != 0 {
		mended, ok := mendScalar(item.node, want)
		if !ok {
			p.repair(item.node, "enum-type", "enum value %s (index %d) is not %s: ignored", show(item.node), i, want.article())
			return
		}
		if mended.Kind != item.value.Kind {
			p.repair(item.node, "enum-type", "enum value %s (index %d) is not %s: taken as %s",
				show(item.node), i, want.article(), showValue(mended))
		}
		item.value = mended
	}
	key := valueKey(item.value)
	if before := p.listed[key]; before != nil {
		p.repair(item.node, "enum-twice", "enum value %s is listed twice: taken once", show(item.node)).
			At(before.node.Pos(), "first listed here")
		return
	}
	p.listed[key] = item
	p.kw.enum = append(p.kw.enum, item)
}

// mendScalar is the value at n as one of the types: as it is, or what an unquoted
// text, or a quoted number, was meant to be.
func mendScalar(n *load.Node, want typeSet) (*ir.Value, bool) {
	t := jsonType(n)
	text, scalar := n.Written()
	switch {
	case t.within(want):
		return valueOf(n), true
	case !scalar || n.Kind == load.Null:
		return nil, false
	case want&tString != 0:
		return &ir.Value{Kind: ir.StringValue, Text: text}, true
	case n.Kind == load.String && isNumber(text) && (want&tNumber != 0 || want&tInteger != 0 && integral(text)):
		return &ir.Value{Kind: ir.NumberValue, Text: text}, true
	case n.Kind == load.String && want&tBoolean != 0 && (text == "true" || text == "false"):
		return &ir.Value{Kind: ir.BoolValue, Text: text}, true
	default:
		return nil, false
	}
}
