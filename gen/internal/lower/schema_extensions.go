package lower

import (
	"go/token"
	"strings"

	"golang.org/x/mod/module"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

func (p *schemaReader) readGoName(m load.Member) {
	s, ok := m.Value.Str()
	if !ok || !exportedIdentifier(s) {
		text, _ := m.Value.Written()
		p.l.list.Error(m.Value.Pos(), "go-name", m.Value.Pointer(),
			"%s: x-go-name %q is not an exported Go identifier", p.what(), clip(text))
		return
	}
	p.kw.goName = s
}

func exportedIdentifier(s string) bool { return token.IsIdentifier(s) && token.IsExported(s) }

// readGoType reads x-go-type in the forms Name, pkg.Name and import/path.Name, the
// second with x-go-type-import beside it.
func (p *schemaReader) readGoType(m load.Member) {
	s, _ := m.Value.Str()
	t, why := goTypeOf(s, p.n.Get("x-go-type-import"))
	if why != "" {
		text, _ := m.Value.Written()
		p.l.list.Error(m.Value.Pos(), "go-type", m.Value.Pointer(), "%s: x-go-type %q: %s", p.what(), clip(text), why)
		return
	}
	p.kw.goType = t
}

// goTypeOf takes the two extensions apart. All parts end up in Go source, so each
// is checked to be what it must be and nothing else.
func goTypeOf(s string, imp *load.Node) (t *ir.GoType, why string) {
	path, name := "", s
	if i := strings.LastIndexByte(s, '.'); i >= 0 {
		path, name = s[:i], s[i+1:]
	}
	if !token.IsIdentifier(name) {
		return nil, "want a type name such as big.Int"
	}
	out := &ir.GoType{Name: name}
	switch {
	case imp.Is(load.String):
		out.Import = imp.Text
	case imp != nil:
		out.Import, _ = imp.Get("path").Str()
		out.Alias, _ = imp.Get("name").Str()
		if out.Import == "" {
			return nil, "x-go-type-import needs a path"
		}
	case strings.Contains(path, "/"):
		out.Import = path
	case path != "":
		return nil, "which package is " + path + "? Add x-go-type-import: {path: …}"
	}
	if out.Import != "" && module.CheckImportPath(out.Import) != nil {
		return nil, "the import path is not one of Go"
	}
	if out.Alias != "" && (!token.IsIdentifier(out.Alias) || out.Alias == "_") {
		return nil, "the import name is not a Go identifier"
	}
	if out.Import != "" && !token.IsExported(name) {
		return nil, "a type of another package is exported"
	}
	return out, ""
}

func (p *schemaReader) readSkipPointer(m load.Member) {
	p.l.list.Warn(m.Pos(), "unknown-extension", m.Value.Pointer(),
		"%s: %s has no effect: optional members are not pointers here", p.what(), m.Key)
}

// enumNames gives the listed values the names and descriptions that extensions hold.
func (p *schemaReader) enumNames(items []*enumItem) {
	for _, key := range []string{"x-enum-varnames", "x-enumNames"} {
		m, ok := p.n.Member(key)
		if !ok {
			continue
		}
		names, ok := p.perValue(m, items)
		if !ok {
			return
		}
		for i, item := range items {
			// A name that Go cannot take as it is still tells what was meant less
			// well than the value: it is left out, and names makes one.
			if s, ok := names[i].Written(); ok && exportedIdentifier(s) {
				item.goName = s
			} else if ok && names[i] != nil {
				p.l.list.Warn(names[i].Pos(), "go-name", names[i].Pointer(),
					"%s: %s %q is not an exported Go identifier: ignored", p.what(), key, clip(s))
			}
		}
		break
	}
	for _, key := range []string{"x-enum-descriptions", "x-enumDescriptions"} {
		if m, ok := p.n.Member(key); ok {
			p.enumDocs(m, items)
		}
	}
}

// perValue is the list in m with one entry for each item. The entry of null may be
// missing.
func (p *schemaReader) perValue(m load.Member, items []*enumItem) ([]*load.Node, bool) {
	if m.Value.Kind != load.Array {
		p.repair(m.Value, "wrong-type", "%s must be a list, got %s: ignored", m.Key, nodeKind(m.Value))
		return nil, false
	}
	known := 0
	for _, item := range items {
		if item.node.Kind != load.Null {
			known++
		}
	}
	out := make([]*load.Node, 0, len(items))
	switch len(m.Value.Items) {
	case len(items):
		return m.Value.Items, true
	case known:
		next := 0
		for _, item := range items {
			if item.node.Kind == load.Null {
				out = append(out, nil)
				continue
			}
			out = append(out, m.Value.Items[next])
			next++
		}
		return out, true
	}
	p.l.list.Error(m.Pos(), "enum-names", m.Value.Pointer(), "%s: %s has %s, enum has %d",
		p.what(), m.Key, counted(len(m.Value.Items), "entry", "entries"), len(items))
	return nil, false
}

// enumDocs reads descriptions of values: a list in the order of enum, or a mapping
// by value. They are prose, so a list of another length is no more than a warning.
func (p *schemaReader) enumDocs(m load.Member, items []*enumItem) {
	switch m.Value.Kind {
	case load.Object:
		for _, item := range items {
			if text, ok := item.node.Written(); ok {
				item.doc, _ = m.Value.Get(text).Written()
			}
		}
	case load.Array:
		if len(m.Value.Items) != len(items) {
			p.l.list.Warn(m.Pos(), "enum-names", m.Value.Pointer(), "%s: %s has %s, enum has %d: ignored",
				p.what(), m.Key, counted(len(m.Value.Items), "entry", "entries"), len(items))
			return
		}
		for i, item := range items {
			item.doc, _ = m.Value.Items[i].Written()
		}
	default:
		p.repair(m.Value, "wrong-type", "%s must be a list or a mapping, got %s: ignored", m.Key, nodeKind(m.Value))
	}
}
