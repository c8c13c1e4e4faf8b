package schema

import (
	"errors"
	"sync"
)

// A Set is the schemas of one document. They may refer to each other by name. Make one
// with NewSet; it is safe for concurrent use.
type Set struct {
	texts map[string]string

	once  sync.Once
	roots map[string]*node
	err   error
}

// NewSet returns the schemas in texts, which is not to be changed any more. Each text
// is a JSON Schema of draft 2020-12 with these differences:
//
//   - $ref names an entry of the set. $id, $anchor and $defs mean nothing.
//   - $dynamicRef is a list of two: the anchor, and the entry that stands for it where
//     no schema around has one. $dynamicScope of an entry maps the anchors that it
//     brings into scope to entries.
//   - $typed: true says that the types check everything but the two unevaluated
//     keywords beside it; the others only tell what has been evaluated.
//   - format is checked, where package check knows it.
//
// Nothing is read before the first value is checked.
func NewSet(texts map[string]string) *Set { return &Set{texts: texts} }

// Err compiles the set and says what is wrong with it. A set that holdfast has
// generated has no error.
func (s *Set) Err() error {
	s.once.Do(s.compile)
	return s.err
}

// Rule returns the entry called name as a rule.
func (s *Set) Rule(name string) *Rule { return &Rule{set: s, name: name} }

// Whole returns the entry called name as a rule that says everything about a value and
// all that is in it, so that rules of the values inside need not be run.
func (s *Set) Whole(name string) *Rule { return &Rule{set: s, name: name, whole: true} }

// A Rule is one schema of a Set. It is safe for concurrent use.
type Rule struct {
	set   *Set
	name  string
	whole bool
}

// Whole reports whether the rule covers the rules of the values inside.
func (r *Rule) Whole() bool { return r.whole }

// Name returns the name of the entry.
func (r *Rule) Name() string { return r.name }

// A Finding is one thing that is wrong with a value.
type Finding struct {
	// Offset is where the value begins in the text.
	Offset int
	// Member is the member of the object at Offset that it is about, when HasMember.
	Member    string
	HasMember bool
	// Rule is the keyword, Detail the rest of the sentence "the value …".
	Rule, Detail string
}

// A Text is a JSON text that rules are checked on, read once for all of them. The zero
// Text is ready for Start. Not for concurrent use.
type Text struct {
	doc     *doc
	err     error
	left    int
	size    int
	started bool
}

// The steps that the rules of one text may take together; a step visits one value with
// one schema. Without a bound, schemas whose alternatives nest take time exponential in
// the depth.
const (
	maxSteps     = 1 << 20
	stepsPerByte = 32
)

// Start reads src, unless t has been started.
func (t *Text) Start(src string) {
	if t.started {
		return
	}
	t.doc, t.err = parse(src)
	t.left, t.size, t.started = maxSteps+stepsPerByte*len(src), len(src), true
}

// Clear forgets the text.
func (t *Text) Clear() { *t = Text{} }

// Check holds the value that begins at an offset of the text to a rule. It returns what
// is wrong, up to check.MaxViolations, and where the value ends. A
// text that is no JSON, or an offset where no value begins, finds nothing: whoever
// decodes it says what is wrong.
//
// The work is bounded: the rules of a text have 2^20 steps and 32 more for each byte of it
// together, and schemas nest 4000 levels deep. Past that the value is refused
// with the rule "work" or "depth".
func (t *Text) Check(r *Rule, offset int) (found []Finding, end int) {
	if errors.Is(t.err, errDepth) {
		return []Finding{{Offset: offset, Rule: "depth", Detail: stopDetails["depth"]}}, offset
	}
	if t.err != nil || t.doc == nil {
		return nil, offset
	}
	v, ok := t.doc.find(offset)
	if !ok {
		return nil, offset
	}
	n, err := r.node()
	if err != nil {
		return []Finding{{Offset: offset, Rule: "schema", Detail: "cannot be checked: " + err.Error()}}, v.end()
	}
	e := &run{left: t.left, size: t.size}
	e.check(n, v, nil)
	t.left = e.left
	if e.stopped != "" {
		e.found = append(e.found, Finding{Offset: offset, Rule: e.stopped, Detail: stopDetails[e.stopped]})
	}
	return e.found, v.end()
}

// node is the compiled schema of a rule.
func (r *Rule) node() (*node, error) {
	if err := r.set.Err(); err != nil {
		return nil, err
	}
	n := r.set.roots[r.name]
	if n == nil {
		return nil, errors.New("there is no schema " + r.name)
	}
	return n, nil
}

var stopDetails = map[string]string{
	"work":  "takes too long to check",
	"depth": "is nested too deeply, or its schema is",
}
