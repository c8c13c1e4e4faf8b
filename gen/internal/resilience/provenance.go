package resilience

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// level is one of those that lie over each other in an operation's policy.
type level struct {
	// name is what [Source.Level] has.
	name string
	// overlay says that an overlay laid it there.
	overlay bool
	// policy is the root's policy whose fields these are; empty for the level's own.
	policy string
	// source is the pointer to what holds it.
	source string
	// ofProfile says that it is one of a profile, above all others.
	ofProfile bool
	// ofAll says that it is what a profile has for all operations.
	ofAll bool
	a     *annotation
}

// fields lists the settings of one side, in the order of the language.
func (o *operation) fields(at side) []Field {
	list := lister{o: o}
	if at == clientSide {
		effect, criticality := o.commonOf("effect"), o.commonOf("criticality")
		list.add("effect", effectOf(o).String(), effect, effect, o.weights[effect], "")
		list.add("criticality", criticalityOf(o).String(), criticality, criticality, o.weights[criticality], "")
		for _, name := range []string{"dependency", "flaky"} {
			if n := o.common[name]; n != nil {
				list.add(name, compact(n), n, n, o.weights[n], "")
			}
		}
	}
	slots := o.client
	if at == serverSide {
		slots = o.server
	}
	for _, p := range primitives {
		s := slots[p.name]
		switch {
		case s == nil || p.may&at == 0:
		case !s.on:
			list.add(p.name, "off", s.at, s.at, s.weight, "")
		default:
			list.members(p.name, p.object, forSide(p.name, s.fields, at))
		}
	}
	return list.fields
}

// ofOneSide are fields of primitives of both sides that mean something on one of them
// only.
var ofOneSide = map[string]map[string]side{
	"timeout": {
		"connect": clientSide, "attempt": clientSide, "total": clientSide, "floor": clientSide, "p999": clientSide, "headroom": clientSide,
		"adaptive": clientSide, "ceiling": clientSide, "share": clientSide, "server": serverSide,
	},
	"deadline": {"propagate": clientSide, "reserve": clientSide, "header": clientSide, "trust": serverSide},
	"idempotency": {
		"key": clientSide, "scope": serverSide, "ttl": serverSide, "lease": serverSide, "within": serverSide, "fingerprint": serverSide,
		"maxBody": serverSide, "onStoreError": serverSide,
	},
	"rateLimit": {"wait": clientSide, "sync": clientSide, "at": serverSide, "trustedProxies": serverSide},
}

// forSide is a primitive without the fields that only the other side reads. What one
// field gives to another that nobody has written stands there: a server's handler has
// the time of an attempt.
func forSide(primitive string, v *value, at side) *value {
	sides := ofOneSide[primitive]
	out := v.clone()
	if primitive == "timeout" && at == serverSide && !v.get("server").written() {
		for _, from := range []string{"p999", "attempt"} {
			if f := v.get(from); f.written() {
				out.put("server", f)
				break
			}
		}
	}
	for name, s := range sides {
		if s != at {
			out.drop(name)
		}
	}
	for _, b := range membersOf(out.get("buckets")) {
		for name, s := range sides {
			if s != at {
				b.drop(name)
			}
		}
	}
	return out
}

// membersOf are the values of an object or a mapping.
func membersOf(v *value) []*value {
	if v == nil {
		return nil
	}
	return v.values
}

// commonOf is a field of the operation as a whole on the client, where the block of
// the client may say otherwise.
func (o *operation) commonOf(name string) *load.Node {
	if n := o.clientCommon[name]; n != nil {
		return n
	}
	return o.common[name]
}

// lister collects settings.
type lister struct {
	o      *operation
	fields []Field
}

func (l *lister) add(path, text string, node, at *load.Node, w weight, preset string) {
	l.fields = append(l.fields, Field{Path: path, Value: text, Source: l.o.sourceOf(node, at, w, preset)})
}

// members lists what an object has: its fields in the order of the grammar, the
// entries of a mapping as they came.
func (l *lister) members(path string, o *object, v *value) {
	keys := slices.Clone(v.keys)
	if o != nil {
		order := append([]string{"mode"}, o.names()...)
		slices.SortStableFunc(keys, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	}
	for _, k := range keys {
		var inner *object
		if o != nil {
			f, _ := o.field(k)
			inner = objectOf(f.shape)
		}
		l.value(path+"."+k, inner, v.get(k))
	}
}

func (l *lister) value(path string, o *object, v *value) {
	if !v.object {
		l.add(path, compact(v.node), v.node, v.at, v.weight, v.preset)
		return
	}
	l.members(path, o, v)
}

// objectOf is the object that a shape stands for, nil where it is none.
func objectOf(s shape) *object {
	switch s := s.(type) {
	case *object:
		return s
	case switched:
		return s.of
	case optional:
		return s.of
	case bucketShape:
		return bucketObject
	}
	return nil
}

// sourceOf says where a value comes from.
func (o *operation) sourceOf(node, at *load.Node, w weight, preset string) Source {
	if w <= 0 || int(w) > len(o.levels) {
		return Source{Level: BuiltIn, Preset: preset}
	}
	l := o.levels[w-1]
	s := Source{Level: l.name, Overlay: l.overlay, Policy: l.policy, Preset: preset}
	if at == nil {
		at = node
	}
	if at == nil && l.a != nil {
		at = l.a.node
	}
	s.Pos, s.Pointer = at.Pos(), at.Pointer()
	return s
}

// maxCompact bounds the text of one value.
const maxCompact = 400

// compact is a value as a flow of YAML, the way it is written; a long one is cut.
func compact(n *load.Node) string {
	text := compactTo(nil, n)
	if len(text) > maxCompact {
		return strings.ToValidUTF8(string(text[:maxCompact]), "") + "…"
	}
	return string(text)
}

func compactTo(b []byte, n *load.Node) []byte {
	if n == nil || len(b) > maxCompact {
		return b
	}
	switch n.Kind {
	case load.Array:
		b = append(b, '[')
		for i, item := range n.Items {
			if i > 0 {
				b = append(b, ", "...)
			}
			if b = compactTo(b, item); len(b) > maxCompact {
				break
			}
		}
		return append(b, ']')
	case load.Object:
		b = append(b, '{')
		for i, m := range n.Members {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(append(b, m.Key...), ": "...)
			if b = compactTo(b, m.Value); len(b) > maxCompact {
				break
			}
		}
		return append(b, '}')
	}
	text, _ := n.Written()
	return append(b, text...)
}
