package load

import "slices"

// Annotation is the name of the members that [Document.Layers] keeps apart.
const Annotation = "x-resilience"

// Layers returns the x-resilience members that overlays laid over a holder: the
// root, a tag, a path item or an operation. The weakest comes first. The holder's
// own member, which is weaker than all of them, is not among them; where the
// document had none, the first overlay's has become the holder's own. Keys and
// values have the positions of the overlays that they come from. The result is
// nil for a holder with no more than its own.
func (d *Document) Layers(holder *Node) []Member { return d.layers[holder] }

// layerSlot marks the value of a layer: its Parent is the holder, which does not
// hold it.
const layerSlot = -1

// methods are the fields of a path item that are operations.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// holds reports whether an x-resilience of the object at the end of the steps is
// an annotation of the language. Elsewhere, as among the properties of a schema,
// the name is one like any other.
func holds(steps []step) bool {
	if len(steps) == 0 {
		return true
	}
	for _, s := range steps {
		if s.level > 0 {
			return false // within an annotation
		}
	}
	switch steps[0].key {
	case "tags":
		return len(steps) == 2
	case "paths", "webhooks":
		return len(steps) > 1 && holdsPathItem(steps[2:])
	case "components":
		if len(steps) < 3 {
			return false
		}
		switch steps[1].key {
		case "pathItems":
			return holdsPathItem(steps[3:])
		case "callbacks":
			return len(steps) > 3 && holdsPathItem(steps[4:])
		}
	}
	return false
}

// holdsPathItem is holds for the steps below a path item.
func holdsPathItem(steps []step) bool {
	switch {
	case len(steps) == 0:
		return true
	case slices.Contains(methods, steps[0].key):
		steps = steps[1:]
	case steps[0].key == "additionalOperations" && len(steps) > 1:
		steps = steps[2:]
	default:
		return false
	}
	if len(steps) == 0 {
		return true
	}
	// callbacks, a name, an expression: a path item
	return steps[0].key == "callbacks" && len(steps) > 2 && holdsPathItem(steps[3:])
}
