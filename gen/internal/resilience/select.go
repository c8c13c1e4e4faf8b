package resilience

import (
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// rule is one of the root's apply rules: a policy for the operations that it selects.
type rule struct {
	index   int // in its root object
	overlay bool
	node    *load.Node
	to      selector
	a       *annotation
	matched bool
}

// selector says which operations a rule is for. Every field that is given must match;
// within a list, one entry has to, but parameters must all be there.
type selector struct {
	paths, methods, tags, operations, parameters []string
	// where are fields of the Operation Object.
	where []load.Member
}

var selectorKeys = []string{"paths", "methods", "tags", "operations", "parameters", "where"}

// rootApply reads the rules of one root object.
func (r *reader) rootApply(n *load.Node, overlay bool) {
	if n == nil {
		return
	}
	path := key + ".apply"
	if !n.Is(load.Array) {
		r.wrongType(n, path, "a list of rules")
		return
	}
	for i, item := range n.Items {
		at := path + "[" + strconv.Itoa(i) + "]"
		if !item.Is(load.Object) {
			r.wrongType(item, at, "a mapping with to and policy")
			continue
		}
		if made := r.rule(item, at); made != nil {
			made.index, made.overlay = i, overlay
			r.rules = append(r.rules, made)
		}
	}
}

// rule reads one rule, nil where it is of no use.
func (r *reader) rule(n *load.Node, path string) *rule {
	out := &rule{node: n}
	strange := false // what is missing is then most likely what has the strange name
	for _, m := range n.Members {
		if !skipped(m.Key) && m.Key != "to" && m.Key != "policy" {
			r.unknownKey(m, path, []string{"to", "policy"})
			strange = true
		}
	}
	to, given := n.Get("to"), n.Get("policy")
	var ok bool
	switch {
	case to == nil && strange:
	case to == nil:
		ok = r.fail(n, "resilience-missing", "%s: to is missing: want the operations that it is for", path)
	case !to.Is(load.Object):
		ok = r.wrongType(to, path+".to", "a mapping")
	default:
		ok = r.selector(to, path+".to", &out.to)
	}
	if given == nil && strange {
		return nil
	}
	if given == nil {
		r.fail(n, "resilience-missing", "%s: policy is missing: want a policy or the name of one", path)
		return nil
	}
	out.a = r.annotation(given, path+".policy")
	if !ok {
		return nil
	}
	return out
}

func (r *reader) selector(n *load.Node, path string, to *selector) bool {
	lists := map[string]*[]string{
		"paths": &to.paths, "methods": &to.methods, "tags": &to.tags, "operations": &to.operations, "parameters": &to.parameters,
	}
	ok, given := true, false
	for _, m := range n.Members {
		at := path + "." + m.Key
		switch {
		case skipped(m.Key):
			continue
		case m.Key == "where":
			ok = r.where(m.Value, at, to) && ok
		case lists[m.Key] != nil:
			good := (list{item: selectorText, some: true, single: true}).check(&r.checker, m.Value, at)
			for _, item := range items(m.Value) {
				*lists[m.Key] = append(*lists[m.Key], item.Text)
			}
			ok = good && ok
		default:
			r.unknownKey(m, path, selectorKeys)
			ok = false
		}
		given = true
	}
	if !given {
		return r.fail(n, "resilience-range", "%s is empty: want at least one of %s; what is for all operations stands under defaults", path, either(selectorKeys))
	}
	return ok
}

func (r *reader) where(n *load.Node, path string, to *selector) bool {
	switch {
	case !n.Is(load.Object):
		return r.wrongType(n, path, "a mapping of fields of the operation to their values")
	case len(n.Members) == 0:
		return r.fail(n, "resilience-range", "%s is empty: want at least one field", path)
	}
	to.where = n.Members
	return true
}

// maxGlob bounds a pattern, whose time to match grows with its length.
const maxGlob = 1000

var selectorText = text{"a text that is not empty", func(s string) bool { return s != "" && len(s) <= maxGlob }}

// matches reports whether a rule is for an operation. A webhook has no path, and a
// callback only an expression for one: paths select neither.
func (r *rule) matches(o *operation) bool {
	to := &r.to
	if len(to.paths) > 0 && (o.group != ofPaths || !slices.ContainsFunc(to.paths, func(g string) bool { return globPath(g, o.op.Path) })) {
		return false
	}
	if len(to.methods) > 0 && !slices.ContainsFunc(to.methods, func(m string) bool { return strings.EqualFold(m, o.op.Method) }) {
		return false
	}
	if len(to.tags) > 0 && !slices.ContainsFunc(to.tags, func(t string) bool { return slices.Contains(o.op.Tags, t) }) {
		return false
	}
	if len(to.operations) > 0 && !slices.ContainsFunc(to.operations, func(g string) bool { return glob(g, o.id()) }) {
		return false
	}
	for _, name := range to.parameters {
		if !slices.ContainsFunc(o.op.Params, func(p *ir.Param) bool { return p.Name == name }) {
			return false
		}
	}
	for _, m := range to.where {
		if !sameJSON(o.node.Get(m.Key), m.Value) {
			return false
		}
	}
	return true
}

// id is the operationId, or method and path where there is none.
func (o *operation) id() string {
	if o.op.ID != "" {
		return o.op.ID
	}
	return o.op.Method + " " + o.op.Path
}

// glob matches a text against a pattern in which * stands for anything.
func glob(pattern, text string) bool {
	return globWith(pattern, text, func(string) bool { return true })
}

// globPath matches a path: * stays within a segment, ** does not.
func globPath(pattern, path string) bool {
	const across = "\x00" // no path has it
	return globWith(strings.ReplaceAll(pattern, "**", across), path, func(s string) bool { return !strings.Contains(s, "/") })
}

// globWith matches with * standing for texts that fit and NUL for any text. It takes
// the time of pattern times text at most.
func globWith(pattern, text string, fits func(string) bool) bool {
	// reach are the ends of text that the pattern so far can come to.
	reach := make([]bool, len(text)+1)
	reach[0] = true
	for i := range len(pattern) {
		next := make([]bool, len(text)+1)
		switch c := pattern[i]; c {
		case '*', 0:
			open := false
			for j := range next {
				if j > 0 && c == '*' && !fits(text[j-1:j]) {
					open = false
				}
				open = open || reach[j]
				next[j] = open
			}
		default:
			for j := range len(text) {
				next[j+1] = reach[j] && text[j] == c
			}
		}
		reach = next
	}
	return reach[len(text)]
}

// sameJSON reports whether two values are the same JSON. null stands for a field that
// is not there as well.
func sameJSON(a, b *load.Node) bool {
	steps := maxCompared
	return sameWithin(a, b, &steps)
}

// maxCompared bounds a comparison: the aliases of a document can make a small text a
// huge value.
const maxCompared = 100_000

func sameWithin(a, b *load.Node, steps *int) bool {
	if *steps--; *steps < 0 {
		return false
	}
	if a == nil || b == nil || a.Is(load.Null) || b.Is(load.Null) {
		return (a == nil || a.Is(load.Null)) && (b == nil || b.Is(load.Null))
	}
	if a.Kind != b.Kind || a.Len() != b.Len() {
		return false
	}
	for i := range a.Items {
		if !sameWithin(a.Items[i], b.Items[i], steps) {
			return false
		}
	}
	for _, m := range a.Members {
		if !b.Has(m.Key) || !sameWithin(m.Value, b.Get(m.Key), steps) {
			return false
		}
	}
	if a.Is(load.Number) {
		x, okX := a.Float64()
		y, okY := b.Float64()
		return a.Text == b.Text || okX && okY && x == y
	}
	return a.Text == b.Text
}

// unmatched warns of rules that select nothing. Where this run leaves operations out,
// a rule may be for those.
func (m *merger) unmatched() {
	if m.leftOut {
		return
	}
	for _, r := range m.rules {
		if !r.matched {
			m.list.Repair(r.node.Pos(), "resilience-apply", r.node.Pointer(), "%s.apply[%d] is for no operation of the document", key, r.index)
		}
	}
}
