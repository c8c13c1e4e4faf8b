package router

import (
	"slices"
	"strings"
)

// node is the place in the tree behind a number of segments.
type node struct {
	literals table
	names    []string // of literals, sorted: for segments that are escaped
	mixed    []branch // those with more literal text first
	verbs    bool     // one of mixed is {id}:verb
	param    *node    // behind a segment that is one parameter

	routes  []leaf // that end here
	methods []string
	allow   string
}

// leaf is a route at the place where it ends.
type leaf struct {
	method string
	pairs  []string // of its query
	index  int
}

// branch is a mixed segment and the place behind it.
type branch struct {
	segment segment
	next    *node
}

// step is the place behind a segment of a template; it is made where it is
// missing.
func (n *node) step(s segment) *node {
	switch {
	case s.params() == 0:
		text := s.literals[0]
		next := n.literals.find(keyOf(text), text)
		if next == nil {
			next = &node{}
			n.literals.add(text, next)
			n.names = append(n.names, text)
			slices.Sort(n.names)
		}
		return next
	case s.whole():
		if n.param == nil {
			n.param = &node{}
		}
		return n.param
	}
	for _, b := range n.mixed {
		if b.segment.equal(s) {
			return b.next
		}
	}
	next := &node{}
	n.mixed = append(n.mixed, branch{s, next})
	n.verbs = n.verbs || s.verb()
	slices.SortStableFunc(n.mixed, func(a, b branch) int {
		if d := b.segment.weight() - a.segment.weight(); d != 0 {
			return d
		}
		if d := a.segment.params() - b.segment.params(); d != 0 {
			return d
		}
		// Any order that does not depend on that of the routes.
		return slices.Compare(b.segment.literals, a.segment.literals)
	})
	return next
}

// find is the place where a path ends, the most specific one that has routes; the path
// is looked at from an index on. Every place of the tree is tried once at most. What it
// notes of a place that leads nowhere it leaves to whoever goes on with another one.
// escaped says that the path has percent triplets.
func (n *node) find(path string, from int, m *Match, escaped bool) *node {
	for {
		end, key := cut(path, from)
		text := path[from:end]
		before := m.n
		var next *node
		if escaped && hasTriplet(text) {
			next = n.escaped(text)
		} else {
			next = n.literals.find(key, text)
		}
		from = end + 1 // past the end of the path behind the last segment
		switch {
		case next == nil:
		case n.param == nil && len(n.mixed) == 0:
			// There is no other way.
			if n = next; from > len(path) {
				return n.end()
			}
			continue
		default:
			if found := next.on(path, from, m, escaped); found != nil {
				return found
			}
			m.n = before
		}
		if text == "" {
			return nil // a parameter is never empty
		}
		for i := range n.mixed {
			b := &n.mixed[i]
			if !b.segment.match(text, m) {
				continue
			}
			if found := b.next.on(path, from, m, escaped); found != nil {
				return found
			}
			m.n = before
		}
		if n.param == nil || n.verbs && hasColon(text) || !m.add(text) {
			return nil
		}
		if n = n.param; from > len(path) {
			return n.end()
		}
	}
}

// on goes on with what is left of a path.
func (n *node) on(path string, from int, m *Match, escaped bool) *node {
	if from > len(path) {
		return n.end()
	}
	return n.find(path, from, m, escaped)
}

// end is the place itself, if a path may end there.
func (n *node) end() *node {
	if len(n.routes) == 0 {
		return nil
	}
	return n
}

// hasTriplet reports whether a segment has a percent sign.
func hasTriplet(text string) bool { return strings.IndexByte(text, '%') >= 0 }

// escaped is the place behind a literal that is written with percent triplets.
func (n *node) escaped(text string) *node {
	for _, name := range n.names {
		if sameText(text, name, false) {
			return n.literals.find(keyOf(name), name)
		}
	}
	return nil
}

// hasColon reports whether a colon stands in a segment as it is. Where the
// document has custom methods ({id}:apply) it divides the method from the
// identifier, and one that belongs to the identifier is escaped.
func hasColon(text string) bool {
	for i := range len(text) {
		if text[i] == ':' {
			return true
		}
	}
	return false
}

// add notes the value of the next parameter.
func (m *Match) add(value string) bool {
	if m.n == MaxParams {
		return false
	}
	m.set(m.n, value)
	m.n++
	return true
}

// match takes a segment of a path apart by its literal texts and notes the
// values of its parameters. From the right, each text is looked for as far
// right as it goes (v1.2.json is v1.2 and json); that leaves most to what is on
// its left, so nothing has to be tried twice.
func (s segment) match(text string, m *Match) bool {
	first, n := s.literals[0], s.params()
	start, ok := prefix(text, first)
	if !ok || m.n+n > MaxParams {
		return false
	}
	end, ok := suffix(text, s.literals[n])
	if !ok {
		return false
	}
	for i := n - 1; i >= 1; i-- {
		from, to, ok := lastIndex(text, s.literals[i], start+1, end-1)
		if !ok {
			return false
		}
		m.set(m.n+i, text[to:end])
		end = from
	}
	if end <= start {
		return false
	}
	m.set(m.n, text[start:end])
	m.n += n
	return true
}

// prefix is where the text goes on behind a literal.
func prefix(text, literal string) (int, bool) {
	at := 0
	for i := range len(literal) {
		c, n := next(text[at:], false)
		if n == 0 || c != literal[i] {
			return 0, false
		}
		at += n
	}
	return at, true
}

// suffix is where a literal at the end of the text begins.
func suffix(text, literal string) (int, bool) {
	if literal == "" {
		return len(text), true
	}
	// A literal of n bytes takes n to 3n bytes.
	for at := len(text) - len(literal); at >= 0 && at >= len(text)-3*len(literal); at-- {
		if n, ok := prefix(text[at:], literal); ok && at+n == len(text) && !within(text, at) {
			return at, true
		}
	}
	return 0, false
}

// lastIndex is where the last literal that lies in text[low:high] begins and
// ends. Empty text divides in front of the last byte.
func lastIndex(text, literal string, low, high int) (from, to int, ok bool) {
	for at := high - max(len(literal), 0); at >= low; at-- {
		if within(text, at) {
			continue
		}
		if n, ok := prefix(text[at:], literal); ok && at+n <= high {
			return at, at + n, true
		}
	}
	return 0, 0, false
}

// within reports whether a position lies inside a percent triplet.
func within(text string, at int) bool {
	for back := 1; back <= 2 && back <= at; back++ {
		if _, ok := triplet(text[at-back:]); ok {
			return true
		}
	}
	return false
}

// next is the first byte of an escaped text and how much of it that takes. A
// triplet stands for its byte where that is the same to every reader: for
// unreserved characters, and for what could not stand there unescaped. An escaped
// delimiter (%3A) is never a delimiter unless reserved is set.
func next(text string, reserved bool) (c byte, n int) {
	if text == "" {
		return 0, 0
	}
	if text[0] != '%' {
		return text[0], 1
	}
	c, ok := triplet(text)
	switch {
	case !ok:
		return '%', 1
	case !reserved && isReserved(c):
		return escapedDelimiter, 3
	}
	return c, 3
}

// escapedDelimiter is a byte that no literal has, for it is none of UTF-8.
const escapedDelimiter = 0xff

// isReserved reports whether a character is one that RFC 3986 reserves.
func isReserved(c byte) bool {
	switch c {
	case ':', '/', '?', '#', '[', ']', '@', '!', '$', '&', '\'', '(', ')', '*', '+', ',', ';', '=':
		return true
	}
	return false
}

// sameText compares an escaped text with a literal that is not escaped; with
// reserved set, as queries are compared, + is a space and the literal is
// escaped as well.
func sameText(text, literal string, reserved bool) bool {
	for text != "" {
		c, n := next(text, reserved)
		text = text[n:]
		l, k := byte(0), 0
		if reserved {
			if l, k = next(literal, true); k == 1 && l == '+' {
				l = ' '
			}
			if n == 1 && c == '+' {
				c = ' '
			}
		} else if literal != "" {
			l, k = literal[0], 1
		}
		if k == 0 || l != c {
			return false
		}
		literal = literal[k:]
	}
	return literal == ""
}
