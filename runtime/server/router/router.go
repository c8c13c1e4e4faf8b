// Package router finds the route of a request by its path, as OpenAPI's path
// templates mean it.
//
// Parameters stand anywhere in a segment ({id}:apply, {name}.{ext}, v{major})
// and have any name. A path is matched segment by segment in its escaped form,
// so that %2F stays part of a parameter. Trailing slashes count, the root is
// only the root, a parameter is never empty, and nothing is redirected or
// cleaned.
//
// Where several templates fit, the most specific one wins, looked at from the
// left: literal text before a mixed segment, a mixed segment with more literal
// text before one with less, and a whole parameter last. Templates that differ
// in nothing but the names of their parameters are one path. The path is found
// before the method is looked at, as OpenAPI has it: what the most specific template
// does not declare is not allowed, whatever a less specific one declares. Where a
// segment has custom methods ({id}:apply), a colon in an identifier has to be
// escaped. A match allocates nothing; no path and no set of routes makes it panic.
package router

import (
	"slices"
	"strings"
)

// MaxParams bounds the parameters of one path.
const MaxParams = 32

// Route is one method of one path.
type Route struct {
	Method string
	// Path is the template, percent-encoded or not. Braces that do not enclose
	// a name are literal text.
	Path string
	// Query are name=value pairs, joined by &, that the request's query must
	// hold. Of the routes of a path and method, the one with most such pairs
	// that fits is taken.
	Query string
}

// Router is a set of routes. The zero Router is empty. It is safe for concurrent
// use when nothing is added any more.
type Router struct {
	root   node
	routes []entry
}

// entry is a route with what its template says.
type entry struct {
	Route
	names []string // of its parameters, from the left
	pairs []string // of its query
}

// Add adds a route and returns its number, counted from 0. It is false for a
// route that is there already, which then keeps its place, and for one with more
// than MaxParams parameters, which would never be found.
func (t *Router) Add(r Route) (int, bool) {
	segments, names := parse(r.Path)
	e := entry{Route: r, names: names}
	for pair := range strings.SplitSeq(r.Query, "&") {
		if pair != "" {
			e.pairs = append(e.pairs, pair)
		}
	}
	if len(names) > MaxParams {
		return -1, false
	}
	n := &t.root
	for _, s := range segments {
		n = n.step(s)
	}
	for _, other := range n.routes {
		if other.method == r.Method && samePairs(other.pairs, e.pairs) {
			return other.index, false
		}
	}
	index := len(t.routes)
	t.routes = append(t.routes, e)
	n.routes = append(n.routes, leaf{r.Method, e.pairs, index})
	// The route that asks most of the query is tried first.
	slices.SortStableFunc(n.routes, func(a, b leaf) int { return len(b.pairs) - len(a.pairs) })
	n.methods = append(n.methods, r.Method)
	slices.Sort(n.methods)
	n.methods = slices.Compact(n.methods)
	n.allow = strings.Join(n.methods, ", ")
	return index, true
}

func samePairs(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// Match is what was found for a request. The zero Match is nothing. It refers to
// the path that it was made from.
type Match struct {
	// Route is the number of the route, -1 when the path has none of the
	// request's method.
	Route int
	// Allow are the methods that the path declares, sorted and joined as the
	// header of that name has them. Empty: no such path.
	Allow string

	names []string
	n     int
	few   [fewParams]string // the values of the first parameters
	more  []string          // and of the others
}

// fewParams is how many parameters a Match has room for without an allocation, so that
// it stays small: it is a part of what is made ready for each request.
const fewParams = 8

// value is that of a parameter, counted from 0.
func (m *Match) value(i int) string {
	if i < fewParams {
		return m.few[i]
	}
	return m.more[i-fewParams]
}

// set notes the value of a parameter.
func (m *Match) set(i int, value string) {
	if i < fewParams {
		m.few[i] = value
		return
	}
	if m.more == nil {
		m.more = make([]string, MaxParams-fewParams)
	}
	m.more[i-fewParams] = value
}

// Found reports whether there is a route.
func (m *Match) Found() bool { return m.Allow != "" && m.Route >= 0 }

// Param is the escaped text of a parameter; false where the route has none of
// that name.
func (m *Match) Param(name string) (string, bool) {
	for i, n := range m.names {
		if n == name && i < m.n {
			return m.value(i), true
		}
	}
	return "", false
}

// Find looks up an escaped path such as URL.EscapedPath gives it, and a raw query. HEAD
// is answered by GET where the path does not declare it.
func (t *Router) Find(m *Match, method, path, query string) {
	m.Route, m.Allow, m.names, m.n = -1, "", nil, 0
	if path == "" || path[0] != '/' {
		return
	}
	n := t.root.find(path, 1, m, strings.IndexByte(path, '%') >= 0)
	if n == nil {
		m.n = 0
		return
	}
	m.Allow = n.allow
	m.Route = n.choose(method, query)
	if m.Route < 0 && method == "HEAD" {
		m.Route = n.choose("GET", query)
	}
	if m.Route >= 0 {
		m.names = t.routes[m.Route].names
	}
}

// choose is the route of a method, the first one whose query is there.
func (n *node) choose(method, query string) int {
	for i := range n.routes {
		if r := &n.routes[i]; r.method == method && (len(r.pairs) == 0 || holds(query, r.pairs)) {
			return r.index
		}
	}
	return -1
}

// holds reports whether a raw query has all of the pairs, compared as they are
// written or decoded.
func holds(query string, pairs []string) bool {
	for _, p := range pairs {
		if !hasPair(query, p) {
			return false
		}
	}
	return true
}

func hasPair(query, pair string) bool {
	name, value, _ := strings.Cut(pair, "=")
	for query != "" {
		var one string
		one, query, _ = strings.Cut(query, "&")
		n, v, _ := strings.Cut(one, "=")
		if sameText(n, name, true) && sameText(v, value, true) {
			return true
		}
	}
	return false
}
