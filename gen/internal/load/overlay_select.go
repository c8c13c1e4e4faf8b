package load

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/theory/jsonpath/spec"
)

// step leads from a node to one below it: to a member, or with index >= 0 to an
// element. A level above 0 is the x-resilience of an overlay, as counted from 1
// in the layers of the holder.
type step struct {
	key   string
	index int
	level int
}

// match is a node that a query selects, and the way to it.
type match struct {
	steps []step
	node  *Node
}

// id tells matches apart, levels aside.
func (m match) id() string {
	var b strings.Builder
	for _, s := range m.steps {
		b.WriteByte('/')
		if s.index >= 0 {
			b.WriteString(strconv.Itoa(s.index))
		} else {
			b.WriteString(EscapeToken(s.key))
		}
	}
	return b.String()
}

// top is the level on the way to m, 0 when there is none.
func (m match) top() int {
	level := 0
	for _, s := range m.steps {
		level = max(level, s.level)
	}
	return level
}

// errSteps ends a query that would take too long.
var errSteps = errors.New("it visits too much of the document")

// selection is one query at work. It walks our nodes itself, since a copy of a
// large document as plain values would cost more than the document; only what
// filters ask about is copied.
type selection struct {
	*query
	doc      *Document
	path     []step
	found    []match
	steps    int
	filtered int
	values   map[*Node]any
	err      error
}

// find returns the nodes that q selects, in document order as far as the
// standard demands one, each once. Where overlays have laid levels over an
// x-resilience, each level is a candidate.
func (d *Document) find(q *query) ([]match, error) {
	s := &selection{query: q, doc: d}
	s.from(d.Root.Root, 0)
	if s.err != nil {
		return nil, s.err
	}
	type place struct {
		id    string
		level int
	}
	seen := make(map[place]bool, len(s.found))
	kept := s.found[:0]
	for _, m := range s.found {
		at := place{m.id(), m.top()}
		if !seen[at] {
			seen[at] = true
			kept = append(kept, m)
		}
	}
	return kept, nil
}

// strongest leaves of several levels of one place the last, where a change has
// the final say.
func strongest(found []match) []match {
	best := make(map[string]int, len(found))
	for i, m := range found {
		id := m.id()
		if at, ok := best[id]; !ok || found[at].top() < m.top() {
			best[id] = i
		}
	}
	if len(best) == len(found) {
		return found
	}
	var kept []match
	for i, m := range found {
		if best[m.id()] == i {
			kept = append(kept, m)
		}
	}
	return kept
}

// from applies the segments from the given one on to n. Results come in the order
// of the standard: it concatenates those of each node, which is what a walk in
// depth does.
func (s *selection) from(n *Node, segment int) {
	if s.err != nil {
		return
	}
	if s.steps++; s.steps > maxSteps {
		s.err = errSteps
		return
	}
	if s.steps%4096 == 0 && s.doc.ctx.Err() != nil {
		s.err = s.doc.ctx.Err()
		return
	}
	if segment == len(s.segments) {
		if len(s.found) >= maxMatches {
			s.err = fmt.Errorf("it selects more than %d nodes", maxMatches)
			return
		}
		s.found = append(s.found, match{append([]step(nil), s.path...), n})
		return
	}
	seg := s.segments[segment]
	for _, sel := range seg.Selectors() {
		s.selector(n, sel, segment)
	}
	if seg.IsDescendant() {
		s.each(n, func(_ *Node) bool { return true }, segment)
	}
}

func (s *selection) selector(n *Node, sel spec.Selector, segment int) {
	switch sel := sel.(type) {
	case spec.Name:
		if v := n.Get(string(sel)); v != nil {
			s.member(n, Member{Key: string(sel), Value: v}, nil, segment+1)
		}
	case spec.Index:
		i := int(sel)
		if i < 0 {
			i += len(n.Items)
		}
		if v := n.Index(i); v != nil {
			s.down(step{index: i}, v, segment+1)
		}
	case spec.SliceSelector:
		s.slice(n, sel, segment)
	case spec.WildcardSelector:
		s.each(n, func(_ *Node) bool { return true }, segment+1)
	case *spec.FilterSelector:
		s.each(n, func(v *Node) bool { return s.passes(sel, v) }, segment+1)
	}
}

func (s *selection) slice(n *Node, sel spec.SliceSelector, segment int) {
	lower, upper := sel.Bounds(len(n.Items))
	switch by := sel.Step(); {
	case by > 0:
		for i := lower; i < upper; i += by {
			s.down(step{index: i}, n.Items[i], segment+1)
		}
	case by < 0:
		for i := upper; i > lower; i += by {
			s.down(step{index: i}, n.Items[i], segment+1)
		}
	}
}

// each goes down to all children of n that pass a test.
func (s *selection) each(n *Node, test func(*Node) bool, segment int) {
	for i := range n.Members {
		s.member(n, n.Members[i], test, segment)
	}
	for i, v := range n.Items {
		if test(v) {
			s.down(step{index: i}, v, segment)
		}
	}
}

// member goes down to a member of n, and where it is an x-resilience to the
// levels over it.
func (s *selection) member(n *Node, m Member, test func(*Node) bool, segment int) {
	if test == nil || test(m.Value) {
		s.down(step{key: m.Key, index: -1}, m.Value, segment)
	}
	if m.Key != Annotation {
		return
	}
	for i, layer := range s.doc.layers[n] {
		if test == nil || test(layer.Value) {
			s.down(step{key: m.Key, index: -1, level: i + 1}, layer.Value, segment)
		}
	}
}

func (s *selection) down(to step, n *Node, segment int) {
	s.path = append(s.path, to)
	s.from(n, segment)
	s.path = s.path[:len(s.path)-1]
}

// passes asks a filter about one value. The library's functions take a value that
// is not there for granted and panic; to the standard such a test is false.
func (s *selection) passes(f *spec.FilterSelector, n *Node) (yes bool) {
	if s.err != nil {
		return false
	}
	if s.filtered++; s.filtered > maxFiltered {
		s.err = errSteps
		return false
	}
	if s.filtered%256 == 0 && s.doc.ctx.Err() != nil { // one may compile an expression
		s.err = s.doc.ctx.Err()
		return false
	}
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	if s.values == nil {
		s.values = map[*Node]any{}
	}
	var root any
	if s.rooted {
		root = s.value(s.doc.Root.Root)
	}
	return f.Eval(s.value(n), root)
}

// value is n as a plain value, each container made once.
func (s *selection) value(n *Node) any {
	switch n.Kind {
	case Null:
		return nil
	case Bool:
		return n.Text == "true"
	case String:
		return n.Text
	case Number:
		f, err := strconv.ParseFloat(n.Text, 64)
		if err != nil {
			return n.Text // beyond what a number can be: equal to no number
		}
		return f
	case Array:
		if v, ok := s.values[n]; ok {
			return v
		}
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = s.value(item)
		}
		s.values[n] = list
		return list
	case Object:
	}
	if v, ok := s.values[n]; ok {
		return v
	}
	object := make(map[string]any, len(n.Members))
	for _, m := range n.Members {
		object[m.Key] = s.value(m.Value)
	}
	if over := s.doc.layers[n]; len(over) > 0 {
		object[Annotation] = s.value(over[len(over)-1].Value)
	}
	s.values[n] = object
	return object
}
