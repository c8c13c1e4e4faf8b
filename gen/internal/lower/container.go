package lower

import (
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// container reads a mapping of named things, such as paths, headers or content. None
// of them is an object that a reference may stand for, yet documents split over files
// write {$ref: ./paths.yaml} in their place: the members of the other mapping are
// taken, after its own.
func (l *lowerer) container(n *load.Node, what string) *load.Node {
	ref := n.Get("$ref")
	text, ok := ref.Str()
	if !ok {
		return n
	}
	if known, ok := l.containers[n]; ok {
		return known
	}
	merged := &load.Node{Kind: load.Object, Line: n.Line, Col: n.Col, File: n.File, Parent: n.Parent}
	for _, m := range n.Members {
		if m.Key != "$ref" {
			merged.Members = append(merged.Members, m)
		}
	}
	l.containers[n] = merged // a reference back to n adds nothing
	next := l.doc.Resolve(ref, text, l.list)
	switch {
	case next == nil:
		return merged
	case next.Kind != load.Object:
		l.errorf(ref, "ref-kind", "want a mapping for %s, %q is a %s", what, text, next.KindName())
		return merged
	}
	l.repairf(ref, "ref-kind", "%s: the standard has no reference here: the members of %q are taken", what, text)
	for _, m := range l.container(next, what).Members {
		if !n.Has(m.Key) {
			merged.Members = append(merged.Members, m)
		}
	}
	return merged
}

// listElsewhere is container for lists.
func (l *lowerer) listElsewhere(n *load.Node, what string) *load.Node {
	ref := n.Get("$ref")
	text, ok := ref.Str()
	if !ok {
		l.wrongKind(n, what, load.Array)
		return nil
	}
	next := l.doc.Resolve(ref, text, l.list)
	switch {
	case next == nil:
		return nil
	case next.Kind != load.Array:
		l.errorf(ref, "ref-kind", "want a list for %s, %q is a %s", what, text, next.KindName())
		return nil
	}
	l.repairf(ref, "ref-kind", "%s: the standard has no reference here: %q is taken", what, text)
	return next
}
