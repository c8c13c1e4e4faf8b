package lower

import (
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// The keywords in this file have no part in the Go types. What they say is written down
// as rules: see schema_rule.go.

// readLogic reads a keyword whose value is one schema that values are held to.
func (p *schemaReader) readLogic(m load.Member) {
	kw := p.kw
	at := map[string]**load.Node{
		"not": &kw.not, "if": &kw.when, "then": &kw.then, "else": &kw.other, "contains": &kw.contains,
		"propertyNames": &kw.names, "unevaluatedItems": &kw.restItems, "unevaluatedProperties": &kw.restMembers,
	}[m.Key]
	if !m.Value.Is(load.Object) && !m.Value.Is(load.Bool) {
		p.repair(m.Value, "wrong-type", "%s must be a schema, got %s: ignored", m.Key, nodeKind(m.Value))
		return
	}
	p.child(m.Value, stepRule, m.Key, 0)
	*at = m.Value
}

// readCount reads minContains and maxContains.
func (p *schemaReader) readCount(m load.Member) {
	text, ok := p.number(m)
	if !ok {
		return
	}
	n, ok := smallInt(text)
	switch {
	case !ok:
		p.repair(m.Value, "bad-size", "%s must be an integer from 0 up, got %s: ignored", m.Key, clip(text))
	case m.Key == "minContains":
		p.kw.minContains = &n
	default:
		p.kw.maxContains = &n
	}
}

// readDemands reads dependentRequired and dependentSchemas.
func (p *schemaReader) readDemands(m load.Member) {
	if m.Value.Kind != load.Object {
		p.repair(m.Value, "wrong-type", "%s must be a mapping, got %s: ignored", m.Key, nodeKind(m.Value))
		return
	}
	for _, f := range m.Value.Members {
		p.demand(f, m.Key == "dependentRequired")
	}
}

// readDependencies reads the keyword that draft 2019-09 made two of.
func (p *schemaReader) readDependencies(m load.Member) {
	if m.Value.Kind != load.Object {
		p.repair(m.Value, "wrong-type", "%s must be a mapping, got %s: ignored", m.Key, nodeKind(m.Value))
		return
	}
	p.repair(m.Value, "earlier-keyword", "dependencies ended with draft 7: taken as dependentRequired and dependentSchemas")
	for _, f := range m.Value.Members {
		p.demand(f, f.Value.Is(load.Array))
	}
}

func (p *schemaReader) demand(f load.Member, list bool) {
	d := demand{member: f.Key}
	switch {
	case !list && (f.Value.Is(load.Object) || f.Value.Is(load.Bool)):
		p.child(f.Value, stepRule, "with "+f.Key, 0)
		d.node = f.Value
	case list && f.Value.Is(load.Array):
		for _, item := range f.Value.Items {
			name, ok := item.Str()
			if !ok {
				p.repair(item, "wrong-type", "an entry must be a string, got %s: ignored", nodeKind(item))
				continue
			}
			d.names = append(d.names, name)
		}
	default:
		p.repair(f.Value, "wrong-type", "what %s depends on cannot be %s: ignored", quote(f.Key), nodeKind(f.Value))
		return
	}
	p.kw.demands = append(p.kw.demands, d)
}

// readAfterItems reads additionalItems, which said of earlier drafts what items says of
// those after prefixItems: see readItems.
func (p *schemaReader) readAfterItems(m load.Member) {
	if p.n.Get("items").Is(load.Array) {
		p.repair(m.Value, "earlier-keyword", "additionalItems is items from OpenAPI 3.1 on: taken as there")
		return
	}
	p.l.list.Note(m.Pos(), "earlier-keyword", m.Value.Pointer(), "%s: additionalItems without a list as items means nothing", p.what())
}

// readDynamic reads $dynamicRef. Where only one schema has the anchor it is a reference
// like any other. Else the value may be held to each of them, so it has no type.
func (p *schemaReader) readDynamic(m load.Member) {
	text, ok := p.text(m)
	if !ok {
		return
	}
	target := p.l.schemaAt(m.Value, text)
	if target == nil {
		return
	}
	anchor, _ := target.Get("$dynamicAnchor").Str()
	if anchor == "" || fragment(text) != anchor || !p.l.doc.ManyAnchors(anchor) {
		if p.kw.target == nil {
			p.kw.ref, p.kw.target = m.Value, target
			return
		}
		p.kw.allOf = append(p.kw.allOf, target)
		return
	}
	p.kw.dynamic, p.kw.dynamicTarget = anchor, target
}

func fragment(ref string) string {
	for i := range len(ref) {
		if ref[i] == '#' {
			return ref[i+1:]
		}
	}
	return ""
}

// finishRules notes what the types will not check.
func (p *schemaReader) finishRules() {
	kw := p.kw
	var parts portion
	for _, has := range []struct {
		on   bool
		part portion
	}{
		{kw.not != nil, partNot},
		{kw.when != nil && (kw.then != nil || kw.other != nil), partIf},
		{kw.contains != nil, partContains},
		{kw.names != nil, partNames},
		{len(kw.demands) > 0, partDemands},
		{kw.bareOne, partOneOf},
		{kw.bareAny, partAnyOf},
	} {
		if has.on {
			parts |= has.part
		}
	}
	if parts != 0 {
		kw.checks.Rules = p.l.rulesOf(kw, parts)
	}
	if kw.restItems != nil {
		kw.checks.Rules = appendRules(kw.checks.Rules, p.l.rulesOf(kw, partRest))
	}
}
