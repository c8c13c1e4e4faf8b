// Package lookup reads the values that a policy names from a message. Client and
// server share it, since both must read a request in one way: a key that the
// client derives is the one that the server compares.
package lookup

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/internal/jsontree"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Text is the value that a parameter's text has, if it could be read.
func Text(s string, err error) (policy.Value, bool) { return policy.Value{Text: s}, err == nil }

// Tree is a JSON text that is parsed when a value of it is first asked for. The
// zero value holds nothing; it is used by one goroutine at a time.
type Tree struct {
	root *jsontree.Value
	bad  bool
}

// At is the value at a JSON pointer of the text, which is the same at each call.
func (t *Tree) At(data []byte, pointer string) (policy.Value, bool) {
	if t.root == nil && !t.bad {
		root, err := jsontree.Parse(string(data))
		t.root, t.bad = &root, err != nil
	}
	if t.bad {
		return policy.Value{}, false
	}
	v, ok := t.root.At(pointer)
	if !ok {
		return policy.Value{}, false
	}
	return policy.Value{Text: string(jsontree.Compact(nil, v)), JSON: true}, true
}

// Body is the value at a JSON pointer of a body that is held in memory; the
// pointer "" is all of it. A body that is not JSON stands as the SHA-256 of its
// bytes, in hexadecimal.
func (t *Tree) Body(data []byte, media, pointer string) (policy.Value, bool) {
	switch {
	case content.IsJSON(media) && pointer == "":
		return policy.Value{Text: string(data), JSON: true}, true
	case content.IsJSON(media):
		return t.At(data, pointer)
	case pointer == "":
		sum := sha256.Sum256(data)
		return policy.Value{Text: hex.EncodeToString(sum[:])}, true
	}
	return policy.Value{}, false
}

// Request is all that tells one request from another: method, path, query and
// what Body gives of its body, which is nil where the request has none.
func Request(method, path, query string, body *policy.Value) policy.Value {
	text := method + " " + path + "?" + query
	if body != nil {
		text += "\n" + body.Text
	}
	return policy.Value{Text: text}
}
