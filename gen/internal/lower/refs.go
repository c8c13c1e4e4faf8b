package lower

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// target is what a place in a document means after its references.
type target struct {
	node      *load.Node
	component string // name of a shared object that a reference led to; see sharedName
	// Summary and description written beside the first reference (OpenAPI 3.1).
	summary, description string
}

// follow follows the chain of $ref at n to the object at its end: n itself when it is
// no reference, nothing when the chain is broken, cyclic, or ends at something that is
// not what is wanted. The end of each chain is remembered for all its links, so that
// following every link of a long chain stays cheap.
func (l *lowerer) follow(n *load.Node, want object) target {
	out := target{node: n}
	if !n.Is(load.Object) || !n.Has("$ref") {
		return out
	}
	l.refSiblings(n, want, &out)
	out.node = l.chainEnd(n, want)
	if out.node == nil {
		return target{}
	}
	out.component = sharedName(out.node)
	return out
}

type chainKey struct {
	node *load.Node
	want object
}

// chainEnd is the end of the chain of references that begins at n, nil when it has
// none; what is wrong is reported once.
func (l *lowerer) chainEnd(n *load.Node, want object) *load.Node {
	var chain []*load.Node
	place := map[*load.Node]int{}
	var end *load.Node
	for at := n; ; {
		if known, ok := l.chains[chainKey{at, want}]; ok {
			end = known
			break
		}
		ref := at.Get("$ref")
		if !at.Is(load.Object) || ref == nil {
			end = at
			break
		}
		if i, seen := place[at]; seen {
			l.refCycle(chain[i:])
			break
		}
		place[at] = len(chain)
		chain = append(chain, at)
		next := l.reference(ref, want)
		if next == nil {
			break
		}
		at = next
	}
	for _, link := range chain {
		l.chains[chainKey{link, want}] = end
	}
	return end
}

// reference resolves one $ref.
func (l *lowerer) reference(ref *load.Node, want object) *load.Node {
	text, ok := ref.Str()
	if !ok {
		l.wrongKind(ref, "$ref", load.String)
		return nil
	}
	next := l.doc.Resolve(ref, text, l.list)
	if next == nil || !l.wanted(ref, text, next, want) {
		return nil
	}
	return next
}

// refCycle reports references that lead to each other and to nothing else.
func (l *lowerer) refCycle(chain []*load.Node) {
	const most = 10 // of a long circle the beginning tells enough
	var names []string
	for _, n := range chain[:min(len(chain), most)] {
		names = append(names, l.nodeID(n))
	}
	if len(chain) > most {
		names = append(names, "…")
	}
	d := l.errorf(chain[0].Get("$ref"), "ref-cycle", "references lead in a circle: %s", strings.Join(append(names, names[0]), " -> "))
	for _, n := range chain[1:min(len(chain), most)] {
		d.At(n.Get("$ref").Pos(), "%s refers on from here", l.nodeID(n))
	}
}

// refSiblings reads what stands beside a $ref. A Reference Object of 3.0 has no
// other fields: they are to be ignored. From 3.1 on summary and description
// override those of the target. A path item may hold anything beside its $ref.
func (l *lowerer) refSiblings(n *load.Node, want object, out *target) {
	if want == pathItemObject {
		return
	}
	for _, m := range n.Members {
		switch {
		case m.Key == "$ref" || strings.HasPrefix(m.Key, "x-"):
		case l.doc.Version >= load.V31 && (m.Key == "summary" || m.Key == "description"):
			s, _ := m.Value.Written()
			if m.Key == "summary" {
				out.summary = s
			} else {
				out.description = s
			}
		default:
			l.list.Warn(m.Pos(), "ref-sibling", m.Value.Pointer(), "field %q beside a $ref is ignored", m.Key)
		}
	}
}

// wanted reports whether next, which ref names, can be what is wanted there, and
// reports an error if not. The place tells where it can; elsewhere the form does.
func (l *lowerer) wanted(ref *load.Node, text string, next *load.Node, want object) bool {
	is := kindOf(next)
	if section, _ := componentPlace(next); section == "" && is == schemaObject && want == headerObject {
		is = "" // a header with its type written as in Swagger 2
	}
	switch {
	case next.Has("$ref") && is == "":
		return true // the end of the chain will tell
	case is == want || is == "" && next.Is(load.Object):
		return true
	case is == "":
		l.errorf(ref, "ref-kind", "want %s, %q is a %s", want.article(), text, next.KindName())
	default:
		l.errorf(ref, "ref-kind", "want %s, %q is %s", want.article(), text, is.article())
	}
	return false
}

// kindOf says what an object is that stands in components, or that has the form
// of a schema or a parameter wherever it stands; empty when that is not certain.
func kindOf(n *load.Node) object {
	if section, _ := componentPlace(n); section != "" {
		return sections[section]
	}
	if n.Has("in") && n.Has("name") && !n.Has("type") {
		return parameterObject
	}
	t, _ := n.Get("type").Str()
	switch t {
	case "object", "array", "string", "integer", "number", "boolean":
		if !n.Has("schema") && !n.Has("content") && !n.Has("in") {
			return schemaObject
		}
	}
	return ""
}

// componentPlace returns the section and key of a node that is a member of a
// section of the components of its file.
func componentPlace(n *load.Node) (section, key string) {
	m, ok := n.Key()
	if !ok {
		return "", ""
	}
	s, ok := n.Parent.Key()
	if !ok {
		return "", ""
	}
	c, ok := n.Parent.Parent.Key()
	if !ok || c.Key != "components" || n.Parent.Parent.Parent.Parent != nil {
		return "", ""
	}
	if _, ok := sections[s.Key]; !ok {
		return "", ""
	}
	return s.Key, m.Key
}

// sharedName names an object that references share: its key in components, the
// last word of its pointer, or the stem of a file that is that object. An object
// inside paths belongs to the operation around it and has no name of its own.
func sharedName(n *load.Node) string {
	if _, key := componentPlace(n); key != "" {
		return key
	}
	if n == nil || n.Parent == nil {
		return fileStem(n)
	}
	for at := n; at != nil; at = at.Parent {
		if m, ok := at.Key(); ok && (m.Key == "paths" || m.Key == "webhooks") && at.Parent.Parent == nil {
			return ""
		}
	}
	m, _ := n.Key()
	return m.Key
}

func fileStem(n *load.Node) string {
	if n == nil || n.File == nil {
		return ""
	}
	name := path.Base(filepath.ToSlash(n.Home().Name))
	return strings.TrimSuffix(name, path.Ext(name))
}

// nodeID is the stable name of a node, as ir.Type.ID has it: the file, relative
// to the root document's folder and empty for the root document, then the pointer.
func (l *lowerer) nodeID(n *load.Node) string {
	return l.fileID(n.Home()) + "#" + n.Pointer()
}

func (l *lowerer) fileID(f *load.File) string {
	root := l.doc.Root
	if f == root || f == nil {
		return ""
	}
	if f.Path == "" || root.Path == "" || strings.Contains(f.Path, "://") {
		return f.Name
	}
	rel, err := filepath.Rel(filepath.Dir(root.Path), f.Path)
	if err != nil {
		return f.Name
	}
	return filepath.ToSlash(rel)
}

// docOf reads the prose of n. beside is what a reference to n overrides.
func (l *lowerer) docOf(n *load.Node, what string, beside target) ir.Doc {
	d := ir.Doc{
		Summary:     l.prose(n, "summary", what),
		Description: l.prose(n, "description", what),
		Deprecated:  l.flag(n, "deprecated", what, false),
	}
	if beside.summary != "" {
		d.Summary = beside.summary
	}
	if beside.description != "" {
		d.Description = beside.description
	}
	d.ExternalURL = l.externalDocs(n, what)
	return d
}

func (l *lowerer) externalDocs(n *load.Node, what string) string {
	docs := l.proseObject(n, "externalDocs", what)
	if docs == nil {
		return ""
	}
	what = fieldOf(what, "externalDocs")
	l.checkFields(docs, what, externalDocsObject)
	return l.prose(docs, "url", what)
}
