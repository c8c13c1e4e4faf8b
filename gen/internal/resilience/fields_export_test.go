package resilience

import "slices"

// FieldPaths are all fields of all primitives: retry.maxAttempts, retry.rules.status.
// Those of a mapping's and of a list's entries stand below it.
func FieldPaths() []string {
	var out []string
	for _, p := range primitives {
		out = append(out, p.name+".mode")
		out = fieldsBelow(out, p.name, p.object)
	}
	slices.Sort(out)
	return out
}

func fieldsBelow(out []string, path string, o *object) []string {
	for _, name := range o.names() {
		f, _ := o.field(name)
		if inner := innerObject(f.shape); inner != nil {
			out = fieldsBelow(out, path+"."+name, inner)
			continue
		}
		out = append(out, path+"."+name)
	}
	return out
}

// innerObject is the object that a shape is, or is made of.
func innerObject(s shape) *object {
	switch s := s.(type) {
	case *object:
		return s
	case optional:
		return s.of
	case switched:
		return s.of
	case list:
		return innerObject(s.item)
	case mapping:
		return innerObject(s.value)
	case bucketShape:
		return bucketObject
	case rungShape:
		return rungObject
	case criterionShape:
		return criterionObject
	}
	return nil
}
