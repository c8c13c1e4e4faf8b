package lower

import (
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// reach walks the document from the kept operations to every schema they lead to.
// It works on nodes rather than on lowered types, since allOf and discriminator
// mappings lead to schemas that no lowered type holds.
type reach struct {
	doc     *load.Document
	schemas *load.Node
	seen    map[*load.Node]bool
	queue   []*load.Node
	quiet   diag.List // what is wrong with references has been reported
	// children are the component schemas that extend another by allOf.
	children map[*load.Node][]*load.Node
}

// reachable returns the nodes that the kept operations lead to.
func (l *lowerer) reachable(schemas *load.Node) map[*load.Node]bool {
	r := &reach{doc: l.doc, schemas: schemas, seen: map[*load.Node]bool{}, children: map[*load.Node][]*load.Node{}}
	for _, m := range schemas.Members {
		r.extends(m.Value, m.Value, 0)
	}
	for _, source := range l.sources {
		r.visit(source.Operation)
		for _, item := range source.PathItems {
			r.visit(item.Get("parameters"))
		}
	}
	for len(r.queue) > 0 {
		n := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		r.expand(n)
	}
	return r.seen
}

// extends records the schemas that child names in its allOf.
func (r *reach) extends(child, n *load.Node, depth int) {
	list := n.Get("allOf")
	if !list.Is(load.Array) || depth > 8 {
		return
	}
	for _, branch := range list.Items {
		if parent := r.resolve(branch.Get("$ref")); parent != nil {
			r.children[parent] = append(r.children[parent], child)
			continue
		}
		r.extends(child, branch, depth+1)
	}
}

func (r *reach) visit(n *load.Node) {
	if n != nil && !r.seen[n] {
		r.seen[n] = true
		r.queue = append(r.queue, n)
	}
}

func (r *reach) resolve(ref *load.Node) *load.Node {
	text, ok := ref.Str()
	if !ok {
		return nil
	}
	return r.doc.Resolve(ref, text, &r.quiet)
}

// data are members whose values are data of the user, not part of the document's
// structure: a $ref in them means nothing.
var data = map[string]bool{"example": true, "examples": true, "default": true, "enum": true, "const": true, "callbacks": false}

func (r *reach) expand(n *load.Node) {
	for _, item := range n.Items {
		r.visit(item)
	}
	for _, m := range n.Members {
		switch {
		case m.Key == "$ref":
			r.visit(r.resolve(m.Value))
		case m.Key == "discriminator":
			r.discriminator(n, m.Value)
		case strings.HasPrefix(m.Key, "x-") || r.isData(n, m.Key):
		default:
			r.visit(m.Value)
		}
	}
}

// isData tells the keyword default of a schema from a property, response or
// callback that has its name.
func (r *reach) isData(n *load.Node, key string) bool {
	if !data[key] {
		return false
	}
	holder, ok := n.Key()
	if !ok {
		return true
	}
	switch holder.Key {
	case "properties", "patternProperties", "$defs", "definitions", "responses", "headers", "content", "callbacks", "schemas":
		return false
	default:
		return true
	}
}

// discriminator follows a mapping, whose values are references or the names of
// component schemas, and without alternatives of its own the schemas that extend
// the one that holds it.
func (r *reach) discriminator(n, d *load.Node) {
	if mapping := d.Get("mapping"); mapping.Is(load.Object) {
		for _, m := range mapping.Members {
			name, _ := m.Value.Str()
			if next := r.schemas.Get(name); next != nil {
				r.visit(next)
				continue
			}
			r.visit(r.resolve(m.Value))
		}
	}
	for _, child := range r.children[n] {
		r.visit(child)
	}
}
