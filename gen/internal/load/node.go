package load

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// Kind is the JSON type of a node.
type Kind uint8

// The kinds. The zero value is Null.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String returns the name of the kind as a message to a user names it.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Number:
		return "number"
	case String:
		return "string"
	case Array:
		return "list"
	case Object:
		return "mapping"
	default:
		return "unknown"
	}
}

// Node is one value of a document.
//
// The tree is shared: a YAML anchor and all of its aliases are one node, whose
// position and Parent are those of the anchor. A node is read-only once loaded
// and safe for concurrent reads. All methods accept a nil receiver, which
// stands for an absent value.
type Node struct {
	Kind   Kind
	shared bool  // an alias stands for it elsewhere
	slot   int32 // where Parent holds this node

	// Text is the value of a scalar: a string decoded, "null" ("" for an empty
	// YAML value), "true" or "false", and a number as valid JSON number text that names exactly the
	// number written (0x1F becomes 31, .5 becomes 0.5, 1e3 and 1.10 stay).
	Text string
	// written is the source text where it differs from Text; see Written.
	written string

	// Members are an object's members in document order, keys unique. Those
	// that a YAML merge key brought in stand where the merge key stood.
	Members []Member
	// Items are an array's elements.
	Items []*Node

	// Line and Col are 1-based; Col counts runes.
	Line, Col int32
	File      *File
	// Parent is the object or array that holds the node, nil for a root.
	Parent *Node

	index map[string]int32 // of Members; only for large objects
}

// Member is one member of an object. Line and Col are those of the key.
type Member struct {
	Key       string
	Line, Col int32
	Value     *Node // never nil in a parsed tree
}

// Pos returns the position of the key.
func (m Member) Pos() diag.Pos {
	if m.Value == nil {
		return diag.Pos{}
	}
	return m.Value.File.pos(m.Line, m.Col)
}

// indexFrom is the size from which an object carries an index. Below it a scan
// over the keys is faster and costs no memory.
const indexFrom = 17

// find returns the slot of key in members, or -1.
func (n *Node) find(key string) int {
	if n.index != nil {
		if i, ok := n.index[key]; ok {
			return int(i)
		}
		return -1
	}
	for i := range n.Members {
		if n.Members[i].Key == key {
			return i
		}
	}
	return -1
}

// Get returns the value of the member called key, nil when n is no object or
// has none.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	if i := n.find(key); i >= 0 {
		return n.Members[i].Value
	}
	return nil
}

// Member returns the member called key with the position of the key.
func (n *Node) Member(key string) (Member, bool) {
	if n == nil {
		return Member{}, false
	}
	if i := n.find(key); i >= 0 {
		return n.Members[i], true
	}
	return Member{}, false
}

// Has reports whether n is an object with a member called key, be it null.
func (n *Node) Has(key string) bool { return n.Get(key) != nil }

// Index returns the element i of an array, nil when there is none.
func (n *Node) Index(i int) *Node {
	if n == nil || i < 0 || i >= len(n.Items) {
		return nil
	}
	return n.Items[i]
}

// Len returns the number of members or elements; 0 for a scalar.
func (n *Node) Len() int {
	if n == nil {
		return 0
	}
	return len(n.Members) + len(n.Items)
}

// Is reports whether n is there and of kind k.
func (n *Node) Is(k Kind) bool { return n != nil && n.Kind == k }

// KindName names what stands there for a message: "string", "mapping" and so
// on, "nothing" for nil.
func (n *Node) KindName() string {
	if n == nil {
		return "nothing"
	}
	return n.Kind.String()
}

// Str returns the value of a string node. A number or boolean is no string; see
// Written for places where any scalar is meant as text.
func (n *Node) Str() (string, bool) {
	if n == nil || n.Kind != String {
		return "", false
	}
	return n.Text, true
}

// Written returns the text of a scalar as it stands in the source, without
// quotes: YAML's 0123, 1e3, no and 1.10 come back letter for letter. It is what
// a place typed as a string means. It is false for arrays, objects and nil.
func (n *Node) Written() (string, bool) {
	if n == nil || n.Kind == Array || n.Kind == Object {
		return "", false
	}
	if n.written != "" {
		return n.written, true
	}
	return n.Text, true
}

// Bool returns the value of a boolean node.
func (n *Node) Bool() (value, ok bool) {
	if n == nil || n.Kind != Bool {
		return false, false
	}
	return n.Text == "true", true
}

// Num returns the JSON text of a number node.
func (n *Node) Num() (string, bool) {
	if n == nil || n.Kind != Number {
		return "", false
	}
	return n.Text, true
}

// Pos returns the position of the value.
func (n *Node) Pos() diag.Pos {
	if n == nil {
		return diag.Pos{}
	}
	return n.File.pos(n.Line, n.Col)
}

// Key returns the name of the member whose value n is, and the position of that
// name. It is false for roots and array elements.
func (n *Node) Key() (Member, bool) {
	if n == nil || n.Parent == nil || n.Parent.Kind != Object {
		return Member{}, false
	}
	if i := n.place(); i >= 0 {
		return n.Parent.Members[i], true
	}
	return Member{}, false
}

// place returns the slot of n in its parent, -1 when the parent no longer holds
// it. The recorded slot is only a guess: a caller may build trees of its own.
func (n *Node) place() int {
	p := n.Parent
	i := int(n.slot)
	if i < 0 {
		return -1 // a layer
	}
	if p.Kind == Object {
		if i < len(p.Members) && p.Members[i].Value == n {
			return i
		}
		for i := range p.Members {
			if p.Members[i].Value == n {
				return i
			}
		}
		return -1
	}
	if i < len(p.Items) && p.Items[i] == n {
		return i
	}
	for i := range p.Items {
		if p.Items[i] == n {
			return i
		}
	}
	return -1
}

// Pointer returns the RFC 6901 pointer of n from the root of its file, "" for
// the root. A node reached through an alias has the pointer of its anchor.
func (n *Node) Pointer() string {
	if n == nil || n.Parent == nil {
		return ""
	}
	var tokens []string
	for at := n; at.Parent != nil && len(tokens) <= maxDepth; at = at.Parent {
		tokens = append(tokens, at.token())
	}
	var b strings.Builder
	for _, token := range slices.Backward(tokens) {
		b.WriteByte('/')
		b.WriteString(EscapeToken(token))
	}
	return b.String()
}
