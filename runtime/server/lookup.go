package server

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/internal/jsontree"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// lookup gives the values of a request that a policy names.
type lookup struct {
	x    *exchange
	tree *jsontree.Value // of the body, once it was asked for
}

// Lookup is policy.Lookup.
func (l *lookup) Lookup(e policy.Expr) (policy.Value, bool) {
	x := l.x
	switch e.Source {
	case policy.FromPath:
		if raw, ok := x.request.match.Param(e.Name); ok {
			return text(param.String.Parse(param.PathRaw(e.Name, raw, param.Simple)))
		}
	case policy.FromQuery:
		list, err := param.ParseList(x.request.pairs().Raw(e.Name, param.Form|param.Explode), param.String)
		return text(strings.Join(list, ","), err)
	case policy.FromHeader:
		if lines := x.r.Header.Values(e.Name); len(lines) > 0 {
			return policy.Value{Text: strings.Join(lines, ", ")}, true
		}
	case policy.FromBody:
		return l.body(e.Name)
	case policy.FromRequest:
		return l.whole()
	case policy.FromURL:
		return policy.Value{Text: x.r.URL.String()}, true
	case policy.FromMethod:
		return policy.Value{Text: x.r.Method}, true
	case policy.FromOperation:
		return policy.Value{Text: x.op()}, true
	case policy.FromPrincipal:
		if x.call.known {
			return policy.Value{Text: x.call.principal.ID}, true
		}
	case policy.FromClaim:
		return claim(x.call.principal.Claims[e.Name])
	case policy.FromIP:
		return policy.Value{Text: address(x.r, x.h.trusted)}, true
	}
	return policy.Value{}, false
}

func text(s string, err error) (policy.Value, bool) { return policy.Value{Text: s}, err == nil }

// claim is the value of a claim as tokens carry them.
func claim(v any) (policy.Value, bool) {
	switch v := v.(type) {
	case string:
		return policy.Value{Text: v}, true
	case bool:
		return policy.Value{Text: strconv.FormatBool(v), JSON: true}, true
	case int:
		return policy.Value{Text: strconv.Itoa(v), JSON: true}, true
	case int64:
		return policy.Value{Text: strconv.FormatInt(v, 10), JSON: true}, true
	case float64:
		return policy.Value{Text: strconv.FormatFloat(v, 'f', -1, 64), JSON: true}, true
	case value.Number:
		return policy.Value{Text: string(v), JSON: true}, true
	case interface{ String() string }: // json.Number, and what else has a text
		return policy.Value{Text: v.String()}, true
	}
	return policy.Value{}, false
}

// body is a value of the request's body; the pointer "" is all of it. A body that
// is not JSON stands as the SHA-256 of its bytes, in hexadecimal.
func (l *lookup) body(pointer string) (policy.Value, bool) {
	b := &l.x.request.body
	if !b.whole {
		return policy.Value{}, false
	}
	if !content.IsJSON(b.media) {
		if pointer != "" {
			return policy.Value{}, false
		}
		sum := sha256.Sum256(b.data)
		return policy.Value{Text: hex.EncodeToString(sum[:])}, true
	}
	if pointer == "" {
		return policy.Value{Text: string(b.data), JSON: true}, true
	}
	if l.tree == nil {
		tree, err := jsontree.Parse(string(b.data))
		if err != nil {
			return policy.Value{}, false
		}
		l.tree = &tree
	}
	return at(*l.tree, pointer)
}

// whole is all that tells one request from another: method, path, query and body.
func (l *lookup) whole() (policy.Value, bool) {
	r := l.x.r
	b := append([]byte(r.Method), ' ')
	b = append(append(append(b, r.URL.EscapedPath()...), '?'), r.URL.RawQuery...)
	if l.x.request.body.present {
		body, ok := l.body("")
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
