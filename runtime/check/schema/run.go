package schema

import (
	"strings"

	"github.com/holdfast-go/holdfast/runtime/check"
)

// run is one evaluation.
type run struct {
	left    int    // steps
	size    int    // of the text
	depth   int    // of schemas in schemas
	quiet   int    // trials that are open: their findings are nobody's
	stopped string // the bound that was reached
	scope   []*node
	found   []Finding
}

// fail notes what is wrong with v; past a bound nobody knows. It returns false, for the
// caller to return.
func (r *run) fail(v val, rule, detail string) bool {
	if r.quiet == 0 && r.stopped == "" && len(r.found) < check.MaxViolations {
		r.found = append(r.found, Finding{Offset: v.start(), Rule: rule, Detail: detail})
	}
	return false
}

// missing notes that the object v lacks a member.
func (r *run) missing(v val, name, rule, detail string) bool {
	if r.quiet == 0 && r.stopped == "" && len(r.found) < check.MaxViolations {
		r.found = append(r.found, Finding{Offset: v.start(), Member: name, HasMember: true, Rule: rule, Detail: detail})
	}
	return false
}

// spend accounts for steps, and is false when there are none left.
func (r *run) spend(n int) bool {
	if r.left -= n; r.left < 0 && r.stopped == "" {
		r.stopped = "work"
	}
	return r.stopped == ""
}

// matches holds a text against a pattern. What the pattern's own bound leaves open
// leaves the verdict open: no schema may be got around by it, not even under not.
func (r *run) matches(p *check.Pattern, s string) bool {
	if !r.spend(1 + len(s)/8) {
		return false
	}
	matches, known := p.Try(s)
	if !known {
		r.stopped = "work"
	}
	return matches
}

// enough reports whether what is known settles the verdict: a trial ends with its
// first failure, a check for a reader goes on to find the others.
func (r *run) enough(ok bool) bool { return r.stopped != "" || !ok && r.quiet > 0 }

// try is check without findings.
func (r *run) try(n *node, v val, m *marks) bool {
	r.quiet++
	ok := r.check(n, v, m)
	r.quiet--
	return ok
}

// check holds v to n. m collects what n evaluates of v; nil: nobody asks.
func (r *run) check(n *node, v val, m *marks) bool {
	if !r.spend(1) {
		return false
	}
	if r.depth++; r.depth > 4*maxDepth {
		r.stopped = "depth"
	}
	defer func() { r.depth-- }()
	if r.stopped != "" {
		return false
	}
	if n.never {
		return r.fail(v, "not", "must not be present")
	}
	if n.scope != nil {
		r.scope = append(r.scope, n)
		defer func() { r.scope = r.scope[:len(r.scope)-1] }()
	}
	if !n.marks {
		return r.keywords(n, v, m)
	}
	inner := r.newMarks(v)
	ok := true
	if n.typed {
		// The types say what is wrong with the rest; here it only has to be known.
		if !r.tryKeywords(n, v, inner) {
			if m != nil {
				m.every()
			}
			return r.stopped == ""
		}
	} else {
		ok = r.keywords(n, v, inner)
	}
	ok = ok && r.rest(n, v, inner)
	if m != nil && ok {
		m.add(inner)
	}
	return ok
}

func (r *run) tryKeywords(n *node, v val, m *marks) bool {
	r.quiet++
	ok := r.keywords(n, v, m)
	r.quiet--
	return ok
}

// keywords holds v to everything but the unevaluated keywords.
func (r *run) keywords(n *node, v val, m *marks) bool {
	ok := r.values(n, v)
	if r.enough(ok) {
		return ok
	}
	switch v.kind() {
	case kindNumber:
		ok = r.number(n.numbers, v) && ok
	case kindString:
		ok = r.text(n.texts, v) && ok
	case kindArray:
		ok = r.array(n.list, v, m) && ok
	case kindObject:
		ok = r.object(n.object, v, m) && ok
	}
	if r.enough(ok) {
		return ok
	}
	return r.combined(n, v, m) && ok && r.stopped == ""
}

// values checks type, enum and const. Of a value of the wrong type nothing else is
// told.
func (r *run) values(n *node, v val) bool {
	if n.types != 0 && n.types&v.kind() == 0 &&
		(v.kind() != kindNumber || n.types&kindInteger == 0 || !v.number().IsInteger()) {
		return r.fail(v, "type", "must be "+n.types.words()+", is "+v.kind().words())
	}
	for _, a := range []*values{n.values, n.constant} {
		if a == nil {
			continue
		}
		if r.spendSize(v); r.stopped != "" {
			return false
		}
		if _, ok := a.allowed[string(appendCanonical(nil, v))]; ok {
			continue
		}
		if a == n.constant {
			return r.fail(v, "const", "must be "+a.words)
		}
		return r.fail(v, "enum", "must be one of "+a.words)
	}
	return true
}

// textPerStep is how many bytes of a text are looked through in the time of a step.
const textPerStep = 8

// spendSize accounts for writing v down.
func (r *run) spendSize(v val) {
	if v.kind() == kindArray || v.kind() == kindObject {
		// Its length is not kept; it is no longer than the whole.
		r.spend(1 + r.size/16)
		return
	}
	r.spend((v.end() - v.start()) / textPerStep)
}

// words are the types for a message: "a string or null".
func (k kind) words() string {
	var words []string
	for _, n := range kindNames {
		switch {
		case k&n.kind == 0:
		case n.kind == kindNull:
			words = append(words, "null")
		case n.kind == kindInteger || n.kind == kindArray || n.kind == kindObject:
			words = append(words, "an "+n.name)
		default:
			words = append(words, "a "+n.name)
		}
	}
	if len(words) > 1 {
		last := len(words) - 1
		return strings.Join(words[:last], ", ") + " or " + words[last]
	}
	return strings.Join(words, "")
}

// combined applies the schemas that are about v itself. What they evaluate counts only
// where they hold.
func (r *run) combined(n *node, v val, m *marks) bool {
	ok := true
	if n.ref != nil {
		ok = r.branch(r.target(n), v, m)
	}
	for _, b := range n.allOf {
		if r.enough(ok) {
			return ok
		}
		ok = r.branch(b, v, m) && ok
	}
	for _, check := range []func(*node, val, *marks) bool{r.anyOf, r.oneOf, r.negation, r.condition} {
		if r.enough(ok) {
			return ok
		}
		ok = check(n, v, m) && ok
	}
	return ok
}

// target is what a reference means: of a dynamic one the outermost schema on the way
// here that has the anchor.
func (r *run) target(n *node) *node {
	if n.dynamic == "" {
		return n.ref
	}
	for _, s := range r.scope {
		if t := s.scope[n.dynamic]; t != nil {
			return t
		}
	}
	return n.ref
}

func (r *run) branch(n *node, v val, m *marks) bool {
	if m == nil {
		return r.check(n, v, nil)
	}
	inner := r.newMarks(v)
	ok := r.check(n, v, inner)
	if ok {
		m.add(inner)
	}
	return ok
}

func (r *run) tryBranch(n *node, v val, m *marks) bool {
	r.quiet++
	ok := r.branch(n, v, m)
	r.quiet--
	return ok
}

func (r *run) anyOf(n *node, v val, m *marks) bool {
	if len(n.anyOf) == 0 {
		return true
	}
	some := false
	for _, b := range n.anyOf {
		some = r.tryBranch(b, v, m) || some
		if some && m == nil {
			return true
		}
	}
	return some || r.fail(v, "anyOf", "matches none of the alternatives")
}

func (r *run) oneOf(n *node, v val, m *marks) bool {
	if len(n.oneOf) == 0 {
		return true
	}
	matches := 0
	for _, b := range n.oneOf {
		if r.tryBranch(b, v, m) {
			matches++
		}
	}
	switch matches {
	case 1:
		return true
	case 0:
		return r.fail(v, "oneOf", "matches none of the alternatives")
	}
	return r.fail(v, "oneOf", "matches "+decimal(matches)+" of the alternatives, must match only one")
}

func (r *run) negation(n *node, v val, _ *marks) bool {
	if n.not == nil || !r.try(n.not, v, nil) {
		return true
	}
	return r.fail(v, "not", "must not match what its schema excludes")
}

func (r *run) condition(n *node, v val, m *marks) bool {
	if n.when == nil {
		return true
	}
	then := n.other
	if r.tryBranch(n.when, v, m) {
		then = n.then
	}
	return then == nil || r.branch(then, v, m)
}

// marks is what has been evaluated of an array or an object: the items and members
// that no unevaluated keyword applies to any more.
type marks struct {
	all bool
	set []bool // by the place of the item or member
}

// newMarks accounts for its size: each schema that a large value is held to has marks of
// its own.
func (r *run) newMarks(v val) *marks {
	r.spend(v.count() / textPerStep)
	return &marks{set: make([]bool, v.count())}
}

func (m *marks) one(i int) {
	if m != nil && i < len(m.set) {
		m.set[i] = true
	}
}

func (m *marks) every() {
	if m != nil {
		m.all = true
	}
}

func (m *marks) has(i int) bool { return m.all || m.set[i] }

func (m *marks) add(n *marks) {
	m.all = m.all || n.all
	for i, on := range n.set {
		m.set[i] = m.set[i] || on
	}
}

// rest applies the unevaluated keywords to what m does not have.
func (r *run) rest(n *node, v val, m *marks) bool {
	rest, rule := n.restItems, "unevaluatedItems"
	switch v.kind() {
	case kindArray:
	case kindObject:
		rest, rule = n.restMembers, "unevaluatedProperties"
	default:
		return true
	}
	if rest == nil {
		return true
	}
	ok := true
	for i, part := range v.all() {
		if r.enough(ok) {
			break
		}
		if !m.has(i) {
			ok = r.unevaluated(rest, v, part, rule) && ok
		}
	}
	m.every()
	return ok
}

func (r *run) unevaluated(n *node, owner, v val, rule string) bool {
	switch {
	case !n.never:
		return r.check(n, v, nil)
	case rule == "unevaluatedItems":
		return r.fail(v, rule, "is one item too many")
	default:
		return r.missing(owner, v.key(), rule, "is not a known property")
	}
}
