package client

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/internal/lookup"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// values gives the values of a call that a policy names. It is used by the
// goroutine of the call.
type values struct {
	c    *call
	tree lookup.Tree // of the request's body
}

// Lookup is policy.Lookup.
func (v *values) Lookup(e policy.Expr) (policy.Value, bool) {
	r := &v.c.request
	switch e.Source {
	case policy.FromPath:
		for _, p := range r.params {
			if p.name == e.Name {
				return lookup.Text(param.String.Parse(param.PathRaw(p.name, string(r.path[p.start:p.end]), param.Simple)))
			}
		}
	case policy.FromQuery:
		pairs, err := param.ParseQuery(string(r.query))
		if err != nil {
			return policy.Value{}, false
		}
		list, err := param.ParseList(pairs.Raw(e.Name, param.Form|param.Explode), param.String)
		return lookup.Text(strings.Join(list, ","), err)
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
	case policy.FromFunc:
		text, ok := v.c.ask(e.Name)
		return policy.Value{Text: text}, ok
	case policy.FromPrincipal:
		return policy.Value{Text: v.c.core.principal(v.c.need)}, true
	}
	return policy.Value{}, false
}

// body is a value of the request's body, which must be in memory.
func (v *values) body(pointer string) (policy.Value, bool) {
	r := &v.c.request
	if r.kind != bytesBody {
		return policy.Value{}, false
	}
	return v.tree.Body(r.body, r.contentType, pointer)
}

// whole is all that tells one request from another.
func (v *values) whole() (policy.Value, bool) {
	r := &v.c.request
	if r.kind == noBody {
		return lookup.Request(v.c.spec.Method, string(r.path), string(r.query), nil), true
	}
	body, ok := v.body("")
	return lookup.Request(v.c.spec.Method, string(r.path), string(r.query), &body), ok
}

// outcome gives the values of a call that has its answer: those of the request, and those
// of the response. It is good until the response's buffer is given back.
type outcome struct {
	c    *call
	tree lookup.Tree // of the response's body
}

// Lookup is policy.Lookup. A body that was handed over or skipped has no values.
func (o *outcome) Lookup(e policy.Expr) (policy.Value, bool) {
	r := &o.c.response
	switch e.Source {
	case policy.FromStatus:
		return policy.Value{Text: strconv.Itoa(r.status)}, r.status != 0
	case policy.FromResponseHeader:
		lines := r.header[http.CanonicalHeaderKey(e.Name)]
		return policy.Value{Text: strings.Join(lines, ", ")}, len(lines) > 0
	case policy.FromResponseBody:
		if !r.whole || r.open || len(r.data) == 0 {
			return policy.Value{}, false
		}
		return o.tree.Body(r.data, r.contentType, e.Name)
	default:
		return o.c.values.Lookup(e)
	}
}

// answer gives the values of a response's body, for rules and hints.
type answer struct {
	data []byte
	tree lookup.Tree
}

// Lookup is policy.Lookup.
func (a *answer) Lookup(e policy.Expr) (policy.Value, bool) {
	if e.Source != policy.FromResponseBody {
		return policy.Value{}, false
	}
	return a.tree.At(a.data, e.Name)
}
