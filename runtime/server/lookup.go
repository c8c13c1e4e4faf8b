package server

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/internal/lookup"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// values gives the values of a request that a policy names.
type values struct {
	x    *exchange
	tree lookup.Tree // of the body
	// trusted are the proxies that are believed about the address.
	trusted []netip.Prefix
}

// Lookup is policy.Lookup.
func (v *values) Lookup(e policy.Expr) (policy.Value, bool) {
	x := v.x
	switch e.Source {
	case policy.FromPath:
		if raw, ok := x.request.match.Param(e.Name); ok {
			return lookup.Text(param.String.Parse(param.PathRaw(e.Name, raw, param.Simple)))
		}
	case policy.FromQuery:
		list, err := param.ParseList(x.request.pairs().Raw(e.Name, param.Form|param.Explode), param.String)
		return lookup.Text(strings.Join(list, ","), err)
	case policy.FromHeader:
		if lines := x.r.Header.Values(e.Name); len(lines) > 0 {
			return policy.Value{Text: strings.Join(lines, ", ")}, true
		}
	case policy.FromBody:
		return v.body(e.Name)
	case policy.FromRequest:
		return v.whole()
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
		return policy.Value{Text: address(x.r, v.proxies())}, true
	case policy.FromFunc:
		if f := x.h.funcs[e.Name]; f != nil {
			return policy.Value{Text: f(x.call)}, true
		}
	}
	return policy.Value{}, false
}

// proxies are those of the limit that asks, or of the handler.
func (v *values) proxies() []netip.Prefix {
	if v.trusted != nil {
		return v.trusted
	}
	return v.x.h.trusted
}

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

// body is a value of the request's body, which must be in memory.
func (v *values) body(pointer string) (policy.Value, bool) {
	b := &v.x.request.body
	if !b.whole {
		return policy.Value{}, false
	}
	return v.tree.Body(b.data, b.media, pointer)
}

// whole is all that tells one request from another.
func (v *values) whole() (policy.Value, bool) {
	u := v.x.r.URL
	if !v.x.request.body.present {
		return lookup.Request(v.x.r.Method, u.EscapedPath(), u.RawQuery, nil), true
	}
	body, ok := v.body("")
	return lookup.Request(v.x.r.Method, u.EscapedPath(), u.RawQuery, &body), ok
}
