package lower

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// link is a Link Object to check when all operations are known. Links change
// nothing in the generated code, so what is wrong with them ends no run.
type link struct {
	node *load.Node
	what string
}

func (l *lowerer) collectLinks(n *load.Node, what string) {
	links := l.proseObject(n, "links", what)
	if links == nil {
		return
	}
	for _, m := range links.Members {
		if strings.HasPrefix(m.Key, "x-") {
			continue
		}
		node := l.follow(m.Value, linkObject).node
		if node == nil {
			continue
		}
		what := what + ": link " + m.Key
		if !node.Is(load.Object) {
			l.repairf(node, "wrong-type", "%s must be a mapping, got a %s: ignored", what, node.KindName())
			continue
		}
		l.checkFields(node, what, linkObject)
		l.links = append(l.links, link{node, what})
	}
}

// checkLinks checks that links lead to operations of the document.
func (l *lowerer) checkLinks() {
	ids := make([]string, 0, len(l.operations))
	for id := range l.operations {
		ids = append(ids, id)
	}
	for _, link := range l.links {
		id, ref := link.node.Get("operationId"), link.node.Get("operationRef")
		switch {
		case id != nil && ref != nil:
			l.repairf(link.node, "link-target", "%s: operationId and operationRef exclude each other", link.what)
		case id == nil && ref == nil:
			l.repairf(link.node, "link-target", "%s needs operationId or operationRef", link.what)
		case id != nil:
			name, _ := id.Written()
			if _, ok := l.operations[name]; ok {
				continue
			}
			d := l.repairf(id, "link-target", "%s: there is no operation %q", link.what, name)
			if near, ok := diag.Nearest(name, ids); ok {
				d.Hintf("did you mean %s?", near)
			}
		default:
			l.checkOperationRef(ref, link.what)
		}
	}
}

// checkOperationRef checks a reference within the document. Others may be relative
// to anything, and nothing follows them.
func (l *lowerer) checkOperationRef(ref *load.Node, what string) {
	text, ok := ref.Str()
	if !ok || !strings.HasPrefix(text, "#/") {
		return
	}
	var quiet diag.List
	if l.doc.Resolve(ref, text, &quiet) == nil {
		l.repairf(ref, "link-target", "%s: operationRef %q leads nowhere", what, text)
	}
}
