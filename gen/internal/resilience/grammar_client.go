package resilience

import (
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

var hedgeObject = &object{
	fields: []field{
		{"delay", quantileShape{}},
		{"max", integer{1, 5}},
	},
}

var fallbackObject = &object{
	fields: []field{
		{"rungs", list{item: rungShape{}, some: true}},
		{"after", list{item: failureShape{}}},
		{"reserve", duration{zero: true}},
	},
}

// rungKinds are the keys of a rung of which it has one.
var rungKinds = []string{"server", "operation", "cache", "semanticCache", "handler", "static", "empty", "queue"}

var rungObject = &object{
	fields: []field{
		{"server", serverName{}},
		{"operation", operationName},
		{"with", assignments{}},
		{"cache", &object{fields: []field{{"maxStale", duration{}}}}},
		{"semanticCache", &object{fields: []field{{"similarity", decimal{low: 0, high: 1, above: true}}}}},
		{"handler", entryName},
		{"static", &object{fields: []field{{"status", integer{100, 599}}, {"body", anything{}}}}},
		{"empty", yes{}},
		{"queue", pending{entryName}},
		{"timeout", duration{}},
		{"whenUnknown", flag{}},
	},
	alternatives: [][][]string{{{"server"}, {"operation"}, {"cache"}, {"semanticCache"}, {"handler"}, {"static"}, {"empty"}, {"queue"}}},
}

// rungShape is one way out.
type rungShape struct{}

func (rungShape) check(c *checker, n *load.Node, path string) bool {
	if !rungObject.check(c, n, path) {
		return false
	}
	kind := rungKind(n)
	switch {
	case kind == "":
		return c.fail(n, "resilience-missing", "%s does not say what it is: want one of %s", path, either(rungKinds))
	case kind != "operation" && n.Has("with"):
		return c.fail(n.Get("with"), "resilience-conflict", "%s.with is for a rung with operation", path)
	}
	return true
}

// rungKind is the key that says what a rung is.
func rungKind(n *load.Node) string {
	for _, kind := range rungKinds {
		if n.Has(kind) {
			return kind
		}
	}
	return ""
}

// serverName is a server by its name or description, or by its place in the list of
// the document's servers, from 0 on.
type serverName struct{}

func (serverName) check(c *checker, n *load.Node, path string) bool {
	if n.Is(load.Number) {
		return integer{0, 1000}.check(c, n, path)
	}
	return text{"the name or the number of a server", fitsLine}.check(c, n, path)
}

// failureShape is what a fallback is for: a kind of failure, or a status.
type failureShape struct{}

var failureWords = []string{"timeout", "connect", "breaker-open", "bulkhead-full", "rate-limited"}

func (failureShape) check(c *checker, n *load.Node, path string) bool {
	written, _ := n.Written()
	if _, _, ok := parseStatuses(written); ok && (n.Is(load.String) || n.Is(load.Number)) {
		return true
	}
	return choice{words: append(slices.Clone(failureWords), "a status such as 5xx")}.check(c, n, path)
}

// assignments are the places of a request that get another value. They stand in a
// list that replaces, so false is a value here and takes nothing out.
type assignments struct{}

func (assignments) check(c *checker, n *load.Node, path string) bool {
	if !n.Is(load.Object) {
		return c.wrongType(n, path, "a mapping of expressions to values")
	}
	all := true
	for _, m := range n.Members {
		e, err := policy.ParseExpr(m.Key)
		if err != nil || !assignable(e) {
			c.list.Error(m.Pos(), "resilience-expression", m.Value.Pointer(), "%s: key %s: want a place of the request such as $request.body#/model", path, shown(m.Key))
			all = false
			continue
		}
		if text, ok := m.Value.Str(); ok && strings.HasPrefix(text, "$") {
			all = expression{}.check(c, m.Value, path+"."+m.Key) && all
		}
	}
	return all
}

// assignable reports whether a request can be given a value there.
func assignable(e policy.Expr) bool {
	switch e.Source {
	case policy.FromPath, policy.FromQuery, policy.FromHeader, policy.FromBody:
		return true
	}
	return false
}

// cacheObject has one field that section 6 does not list: immutable, which the
// preset static is made of.
var cacheObject = &object{
	fields: []field{
		{"maxAge", duration{zero: true}},
		{"sharedMaxAge", duration{zero: true}},
		{"cdnMaxAge", duration{zero: true}},
		{"staleWhileRevalidate", duration{zero: true}},
		{"staleIfError", duration{zero: true}},
		{"immutable", flag{}},
		{"vary", list{item: headerName}},
		{"scope", choice{words: []string{"public", "private", "no-store"}}},
		{"sameForAll", flag{}},
		{"tags", list{item: templateShape{response: true}}},
		{"invalidates", mapping{operationName, mapping{parameterName, expression{response: true}}}},
		{"key", list{item: expression{}}},
		{"store", choice{words: []string{"memory", "redis"}}},
		{"maxBytes", size{}},
	},
}
