package lower

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// reference reads $ref. It reports whether there is one.
func (p *schemaReader) reference() bool {
	m, ok := p.n.Member("$ref")
	if !ok {
		p.recursive()
		return false
	}
	text, ok := m.Value.Str()
	if !ok {
		p.repair(m.Value, "wrong-type", "$ref must be a string, got %s: ignored", nodeKind(m.Value))
		return false
	}
	p.kw.ref = m.Value
	p.kw.target = p.l.schemaAt(m.Value, text)
	if p.l.doc.Version < load.V31 {
		p.hiddenSiblings()
		p.kw.always = p.kw.target == nil
	}
	return true
}

// recursive reads $recursiveRef of draft 2019-09: "#" is the innermost schema around
// this one that has $recursiveAnchor, else the outermost.
func (p *schemaReader) recursive() {
	m, ok := p.n.Member("$recursiveRef")
	if !ok {
		return
	}
	target := p.n
	for at := p.n; ; {
		s, inside := p.l.schemas.steps[at]
		if !inside {
			break
		}
		at, target = s.parent, s.parent
		if on, _ := at.Get("$recursiveAnchor").Bool(); on {
			break
		}
	}
	p.repair(m.Value, "earlier-keyword", "$recursiveRef ended with draft 2019-09: taken as a reference to %s", p.l.short(target, 0))
	p.kw.ref, p.kw.target = m.Value, target
}

// hiddenSiblings warns about what 3.0 ignores beside a reference.
func (p *schemaReader) hiddenSiblings() {
	var names []string
	for _, m := range p.n.Members {
		if m.Key == "$ref" || strings.HasPrefix(m.Key, "x-") && !strings.HasPrefix(m.Key, "x-go-") {
			continue
		}
		names = append(names, m.Key)
	}
	if len(names) == 0 {
		return
	}
	p.l.list.Warn(keyPos(p.n), "ref-sibling", p.n.Pointer(),
		"%s: %s beside a $ref is ignored in OpenAPI 3.0", p.what(), clip(strings.Join(names, ", "))).
		Hintf("put the $ref into allOf, or use OpenAPI 3.1")
}

// schemaAt resolves a reference to a schema. nil: reported.
func (l *lowerer) schemaAt(ref *load.Node, text string) *load.Node {
	n := l.doc.Resolve(ref, text, l.list)
	if n == nil {
		return nil
	}
	if section, _ := componentPlace(n); section != "" && section != "schemas" {
		inner := schemaWithin(n)
		if inner == nil {
			l.errorf(ref, "ref-kind", "want a schema, %q is %s", text, sections[section].article())
			return nil
		}
		l.repairf(ref, "ref-kind", "want a schema, %q is %s: its schema is taken", text, sections[section].article())
		n = inner
	}
	n = l.canonical(n)
	l.adopt(n)
	return n
}

// schemaWithin is the schema of a parameter, header, body or response, if it has
// just one.
func schemaWithin(n *load.Node) *load.Node {
	if s := n.Get("schema"); s.Is(load.Object) {
		return s
	}
	if content := n.Get("content"); content.Is(load.Object) && content.Len() == 1 {
		if s := content.Members[0].Value.Get("schema"); s.Is(load.Object) {
			return s
		}
	}
	return nil
}

// componentsElsewhere reads a $ref that stands where the components themselves are
// due: {schemas: {$ref: ./schemas.yaml}}.
func (l *lowerer) componentsElsewhere(ref *load.Node) {
	list := l.doc.Resolve(ref, ref.Text, l.list)
	if list == nil {
		return
	}
	if !list.Is(load.Object) {
		l.repairf(ref, "ref-kind", "components.schemas: a $ref has no place here, and %q is no mapping: ignored", clip(ref.Text))
		return
	}
	l.repairf(ref, "ref-kind", "components.schemas: a $ref has no place here: the schemas of %q are taken", clip(ref.Text))
	for _, m := range list.Members {
		if !l.doc.Root.Root.Get("components").Get("schemas").Has(m.Key) {
			l.component(m.Value, m.Key)
		}
	}
}

// discriminator is the object of that name.
type discriminator struct {
	node     *load.Node
	property string
	mapping  []mapped
	fallback *load.Node // defaultMapping, 3.2
}

// mapped is one entry of a mapping.
type mapped struct {
	key    string
	node   *load.Node // where the target is named
	target *load.Node
}

func (p *schemaReader) readDiscriminator(m load.Member) {
	d := &discriminator{node: m.Value}
	if s, ok := m.Value.Str(); ok {
		p.repair(m.Value, "wrong-type", "discriminator must be a mapping, got the string %q: taken as propertyName", clip(s))
		d.property = s
		p.kw.disc = d
		return
	}
	property := m.Value.Get("propertyName")
	name, ok := property.Str()
	if !ok || name == "" {
		p.repair(m.Value, "discriminator", "discriminator needs a propertyName: ignored")
		return
	}
	d.property = name
	p.kw.disc = d
	mapping := m.Value.Get("mapping")
	if mapping != nil && mapping.Kind != load.Object {
		p.repair(mapping, "wrong-type", "mapping must be a mapping, got %s: ignored", nodeKind(mapping))
		mapping = nil
	}
	if mapping != nil {
		for _, entry := range mapping.Members {
			if target := p.mappingTarget("mapping "+quote(entry.Key), entry.Value); target != nil {
				d.mapping = append(d.mapping, mapped{entry.Key, entry.Value, target})
			}
		}
	}
	if f := m.Value.Get("defaultMapping"); f != nil {
		d.fallback = p.mappingTarget("defaultMapping", f)
	}
}

// mappingTarget is the schema that an entry of a mapping names: by key of the
// components, or by reference. A bare name that is a key counts as one.
func (p *schemaReader) mappingTarget(what string, n *load.Node) *load.Node {
	text, ok := n.Written()
	if !ok || n.Kind == load.Null {
		p.repair(n, "wrong-type", "%s must name a schema, got %s: ignored", what, nodeKind(n))
		return nil
	}
	for _, file := range []*load.File{n.Home(), p.l.doc.Root} {
		if target := file.Root.Get("components").Get("schemas").Get(text); target != nil {
			target = p.l.canonical(target)
			p.l.adopt(target)
			return target
		}
	}
	var found diag.List
	if target := p.l.doc.Resolve(n, text, &found); target != nil {
		target = p.l.canonical(target)
		p.l.adopt(target)
		return target
	}
	d := p.l.list.Error(n.Pos(), "discriminator-mapping", n.Pointer(),
		"%s: discriminator %s refers to %q, which does not exist", p.what(), what, text)
	for _, why := range found.Sorted() {
		d.Hint = why.Hint
	}
	return nil
}

func quote(s string) string { return `"` + clip(s) + `"` }
