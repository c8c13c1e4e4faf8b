package load

import (
	"strconv"
	"strings"
)

// EscapeToken escapes one reference token of a JSON pointer (RFC 6901).
func EscapeToken(s string) string {
	if !strings.ContainsAny(s, "~/") {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
}

// UnescapeToken is the inverse of EscapeToken. A tilde that starts no escape
// stays as it is.
func UnescapeToken(s string) string {
	if !strings.Contains(s, "~") {
		return s
	}
	// ~1 first: ~01 must become ~1, not a slash.
	return strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
}

// At returns the node that the JSON pointer names below n, nil when there is
// none. The pointer "" names n itself.
func (n *Node) At(pointer string) *Node {
	if pointer == "" {
		return n
	}
	if pointer[0] != '/' {
		return nil
	}
	at := n
	for token := range strings.SplitSeq(pointer[1:], "/") {
		if at = at.child(UnescapeToken(token)); at == nil {
			return nil
		}
	}
	return at
}

// child returns the member or element that an unescaped pointer token names.
func (n *Node) child(token string) *Node {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case Object:
		return n.Get(token)
	case Array:
		if i, ok := arrayIndex(token); ok {
			return n.Index(i)
		}
	case Null, Bool, Number, String:
	}
	return nil
}

// arrayIndex parses a token as RFC 6901 has array indices: digits, no leading zero.
func arrayIndex(token string) (int, bool) {
	if token == "" || len(token) > 9 || len(token) > 1 && token[0] == '0' {
		return 0, false
	}
	n := 0
	for i := range len(token) {
		c := token[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// token returns the unescaped pointer token of n in its parent.
func (n *Node) token() string {
	i := n.place()
	switch {
	case n.Parent.Kind == Array:
		return strconv.Itoa(max(i, 0))
	case n.slot == layerSlot:
		return Annotation
	case i < 0:
		return "<<" // a mapping written below a merge key: its members moved up
	default:
		return n.Parent.Members[i].Key
	}
}
