package lower

import (
	"slices"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// routes remembers which templates have been met, to find those that match the
// same requests.
type routes struct {
	// shapes has the first template with each method, by the shape of templates. The
	// first alone: a thousand equal templates are no half million pairs.
	shapes map[string]map[string]*pathItem
}

// add registers the methods of item. Two templates that differ only in the names
// of their parameters are one route, as long as their methods differ; a method
// that both have cannot be dispatched. Templates that differ in a fragment are left
// to fragments.
func (r *routes) add(l *lowerer, item *pathItem, found []method) {
	if item.template.fragment != "" {
		return
	}
	if r.shapes == nil {
		r.shapes = map[string]map[string]*pathItem{}
	}
	shape := item.template.shape()
	first := r.shapes[shape]
	if first == nil {
		first = map[string]*pathItem{}
		r.shapes[shape] = first
	}
	var said []*pathItem
	for _, m := range found {
		other := first[m.name]
		switch {
		case other == nil:
			first[m.name] = item
		case !slices.Contains(said, other):
			said = append(said, other)
			clash(l, other, item, m.name)
		}
	}
}

// clash reports that two templates match the same requests of a method.
func clash(l *lowerer, a, b *pathItem, method string) {
	l.list.Error(b.pos, "path-duplicate", b.nodes[0].Pointer(),
		"paths %s and %s are the same after the names of parameters are removed, and both have %s", a.key, b.key, method).
		At(a.pos, "%s is here", a.key).
		Hintf("keep one of them, or give them different methods")
}

// fragments finds the operations that differ from another only after the # of their
// path. A fragment is never sent, so a server cannot tell them apart: all requests
// go to the one whose path has no fragment, else to the first.
func (l *lowerer) fragments(items map[*ir.Operation]*pathItem) {
	first := map[string]*ir.Operation{}
	key := func(op *ir.Operation) string { return op.Method + " " + items[op].template.shape() }
	for _, plain := range []bool{true, false} {
		for _, op := range l.api.Operations {
			if have := first[key(op)]; (op.Fragment == "") == plain && have == nil {
				first[key(op)] = op
			}
		}
	}
	for _, op := range l.api.Operations {
		if op.Fragment == "" {
			continue
		}
		node := l.sources[op].Operation
		front := first[key(op)]
		if front == op {
			l.list.Repair(op.Pos, "path-fragment", node.Pointer(), "%s %s: #%s is never sent: left out of the path",
				op.Method, items[op].key, op.Fragment)
			continue
		}
		op.Behind = front
		l.list.Repair(op.Pos, "path-fragment", node.Pointer(),
			"%s %s: #%s is never sent: a client has both operations, a server gives every request to that of %s",
			op.Method, items[op].key, op.Fragment, items[front].key).
			At(front.Pos, "%s is here", items[front].key)
	}
}
