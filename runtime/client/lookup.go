package client

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/internal/jsontree"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// values gives the values of a call that a policy names. It is used by the
// goroutine of the call.
type values struct {
	c    *call
	tree *jsontree.Value // of the request's body, once it was asked for
	bad  bool            // the body is no JSON
}

// Lookup is policy.Lookup.
func (v *values) Lookup(e policy.Expr) (policy.Value, bool) {
	r := &v.c.request
	switch e.Source {
	case policy.FromPath:
		for _, p := range r.params {
			if p.name == e.Name {
				return text(param.String.Parse(param.PathRaw(p.name, string(r.path[p.start:p.end]), param.Simple)))
			}
		}
	case policy.FromQuery:
		pairs, err := param.ParseQuery(string(r.query))
		if err != nil {
			return policy.Value{}, false
		}
		list, err := param.ParseList(pairs.Raw(e.Name, param.Form|param.Explode), param.String)
		return text(strings.Join(list, ","), err)
	case policy.FromHeader:
		if lines := r.header[http.CanonicalHeaderKey(e.Name)]; len(lines) > 0 {
			return policy.Value{Text: strings.Join(lines, ", ")}, true
		}
	case policy.FromBody:
		return v.body(e.Name)
	case policy.FromRequest:
		return v.whole()
	case policy.FromURL:
		return policy.Value{Text: v.c.url.String()}, true
	case policy.FromMethod:
		return policy.Value{Text: v.c.spec.Method}, true
	case policy.FromOperation:
		return policy.Value{Text: v.c.spec.ID}, true
	case policy.FromPrincipal:
		return policy.Value{Text: v.c.core.principal(v.c.need)}, true
	}
	return policy.Value{}, false
}

func text(s string, err error) (policy.Value, bool) { return policy.Value{Text: s}, err == nil }

// body is a value of the request's body; the pointer "" is all of it. A body
// that is not JSON stands as the SHA-256 of its bytes, in hexadecimal.
func (v *values) body(pointer string) (policy.Value, bool) {
	r := &v.c.request
	if r.kind != bytesBody {
		return policy.Value{}, false
	}
	if !content.IsJSON(r.contentType) {
		if pointer != "" {
			return policy.Value{}, false
		}
		sum := sha256.Sum256(r.body)
		return policy.Value{Text: hex.EncodeToString(sum[:])}, true
	}
	if pointer == "" {
		return policy.Value{Text: string(r.body), JSON: true}, true
	}
	if v.tree == nil && !v.bad {
		v.tree, v.bad = parseTree(r.body)
	}
	if v.bad {
		return policy.Value{}, false
	}
	return at(*v.tree, pointer)
}

func parseTree(data []byte) (*jsontree.Value, bool) {
	tree, err := jsontree.Parse(string(data))
	return &tree, err != nil
}

// whole is all that tells one request from another: method, path, query and
// body.
func (v *values) whole() (policy.Value, bool) {
	r := &v.c.request
	b := append([]byte(v.c.spec.Method), ' ')
	b = append(append(append(b, r.path...), '?'), r.query...)
	if r.kind != noBody {
		body, ok := v.body("")
		if !ok {
			return policy.Value{}, false
		}
		b = append(append(b, '\n'), body.Text...)
	}
	return policy.Value{Text: string(b)}, true
}

// at is the value at a JSON pointer.
func at(v jsontree.Value, pointer string) (policy.Value, bool) {
	for pointer != "" {
		if pointer[0] != '/' {
			return policy.Value{}, false
		}
		name, rest := pointer[1:], ""
		if i := strings.IndexByte(name, '/'); i >= 0 {
			name, rest = name[:i], name[i:]
		}
		pointer = rest
		name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
		switch v.Kind {
		case jsontree.Object:
			member, ok := v.Get(name)
			if !ok {
				return policy.Value{}, false
			}
			v = member
		case jsontree.Array:
			i, err := strconv.ParseUint(name, 10, 31)
			if err != nil || int(i) >= len(v.Items) {
				return policy.Value{}, false
			}
			v = v.Items[i]
		default:
			return policy.Value{}, false
		}
	}
	return policy.Value{Text: string(jsontree.Compact(nil, v)), JSON: true}, true
}

// answer gives the values of a response's body, for rules and hints.
type answer struct {
	data []byte
	tree *jsontree.Value
	bad  bool
}

// Lookup is policy.Lookup.
func (a *answer) Lookup(e policy.Expr) (policy.Value, bool) {
	if e.Source != policy.FromResponseBody {
		return policy.Value{}, false
	}
	if a.tree == nil && !a.bad {
		a.tree, a.bad = parseTree(a.data)
	}
	if a.bad {
		return policy.Value{}, false
	}
	return at(*a.tree, e.Name)
}
