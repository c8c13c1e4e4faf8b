package ecma

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxGroups bounds the nesting of groups, and so the stack of this package.
	maxGroups = 200
	// maxLength bounds a pattern, in bytes, and so the memory that it takes.
	maxLength = 1 << 16
	// maxSpans bounds the sets of a pattern, since \p{L} alone has 650 spans. Equal
	// sets are kept once.
	maxSpans = 1 << 20
	// maxJoined is the size up to which alternatives become one set.
	maxJoined = 1 << 12
	// maxCount stands for all higher counts: no text is that long.
	maxCount = 1<<31 - 1
)

// flags are the modifiers that hold at a place of the pattern.
type flags struct {
	fold    bool // i
	lines   bool // m: ^ and $ at the ends of lines
	newline bool // s: . also takes line ends
}

// A parser reads a pattern.
type parser struct {
	src        string
	pos        int
	flags      flags
	notes      []Note
	groups     int  // captures of the whole pattern
	opened     int  // captures opened so far
	named      bool // whether the pattern has a named capture
	backrefs   bool
	names      map[string][]named
	pending    []pendingRef
	choices    []choice // the alternatives around the position
	choiceID   int
	sets       map[string]*set // by their source and their modifier
	spans      int             // of all sets
	properties map[string]ranges
}

// A named is a capture with a name, and the alternatives that it stands in.
type named struct {
	capture int
	choices []choice
}

// A choice is an alternative of a disjunction.
type choice struct{ disjunction, alternative int }

// A pendingRef is a reference to a name, which may be given only later on.
type pendingRef struct {
	node   *node
	name   string
	offset int
}

func newParser(pattern string) *parser {
	return &parser{src: pattern, names: map[string][]named{}, sets: map[string]*set{}, properties: map[string]ranges{}}
}

func (p *parser) parse() (*node, error) {
	if len(p.src) > maxLength {
		return nil, p.unsupported(0, "the pattern is longer than 65536 bytes")
	}
	if !utf8.ValidString(p.src) {
		return nil, p.fail(0, "is not valid UTF-8")
	}
	p.groups, p.named = countGroups(p.src)
	root, err := p.disjunction(0)
	if err != nil {
		return nil, err
	}
	if p.pos < len(p.src) {
		return nil, p.fail(p.pos, "unmatched )")
	}
	for _, ref := range p.pending {
		for _, n := range p.names[ref.name] {
			ref.node.refs = append(ref.node.refs, n.capture)
		}
		if len(ref.node.refs) == 0 {
			return nil, p.fail(ref.offset, "no group has this name")
		}
	}
	return root, nil
}

// captures is the number of captures that the pattern has to keep.
func (p *parser) captures() int {
	if !p.backrefs {
		return 0
	}
	return p.groups
}

// countGroups counts the captures ahead of parsing: whether \3 is a reference
// depends on what comes after it.
func countGroups(src string) (n int, hasNames bool) {
	inClass := false
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '[':
			inClass = true
		case ']':
			inClass = false
		case '(':
			rest := src[i+1:]
			name := strings.HasPrefix(rest, "?P<") ||
				strings.HasPrefix(rest, "?<") && !strings.HasPrefix(rest, "?<=") && !strings.HasPrefix(rest, "?<!")
			if !inClass && (name || !strings.HasPrefix(rest, "?")) {
				n++
				hasNames = hasNames || name
			}
		}
	}
	return n, hasNames
}

func (p *parser) fail(offset int, message string) *Error {
	return &Error{Offset: offset, Message: message}
}

func (p *parser) unsupported(offset int, message string) *Error {
	return &Error{Offset: offset, Message: message, Unsupported: true}
}

func (p *parser) foreign(offset int, message string) *Error {
	return &Error{Offset: offset, Message: message, Unsupported: true, Foreign: true}
}

func (p *parser) note(offset int, message string) {
	p.notes = append(p.notes, Note{Offset: offset, Message: message})
}

// peek returns the byte i places ahead, 0 past the end.
func (p *parser) peek(i int) byte {
	if p.pos+i < len(p.src) {
		return p.src[p.pos+i]
	}
	return 0
}

// take consumes s when it comes next.
func (p *parser) take(s string) bool {
	if !strings.HasPrefix(p.src[p.pos:], s) {
		return false
	}
	p.pos += len(s)
	return true
}

func (p *parser) rune() rune {
	r, n := utf8.DecodeRuneInString(p.src[p.pos:])
	p.pos += n
	return r
}

// disjunction reads alternatives up to the end or an unconsumed ")".
func (p *parser) disjunction(depth int) (*node, error) {
	p.choiceID++
	p.choices = append(p.choices, choice{p.choiceID, 0})
	defer func(n int, f flags) { p.choices, p.flags = p.choices[:n], f }(len(p.choices)-1, p.flags)
	var alternatives, terms []*node
	for p.pos < len(p.src) && p.peek(0) != ')' {
		if p.take("|") {
			alternatives = append(alternatives, concat(terms))
			terms = nil
			p.choices[len(p.choices)-1].alternative++
			continue
		}
		n, err := p.term(depth)
		if err != nil {
			return nil, err
		}
		if n.kind != kindEmpty {
			terms = append(terms, n)
		}
	}
	return p.alternate(append(alternatives, concat(terms))), nil
}

// alternate joins alternatives. Those of one character become one set, which is
// the same, since only whether a pattern matches is asked for.
func (p *parser) alternate(subs []*node) *node {
	if len(subs) == 1 {
		return subs[0]
	}
	var b ranges
	for _, sub := range subs {
		if sub.kind != kindSet || len(b) > maxJoined {
			return &node{kind: kindAlternate, subs: subs}
		}
		b = append(b, sub.set.ranges...)
	}
	return p.oneOf(b)
}

// term reads one assertion, or one atom and its quantifier.
func (p *parser) term(depth int) (*node, error) {
	start := p.pos
	if p.spans > maxSpans {
		return nil, p.unsupported(start, "the sets of the pattern are too large")
	}
	var n *node
	var err error
	switch p.src[p.pos] {
	case '^':
		p.pos++
		return p.edge(textStart, lineStart, p.flags.lines), nil
	case '$':
		p.pos++
		return p.edge(textEnd, lineEnd, p.flags.lines), nil
	case '*', '+', '?':
		return nil, p.fail(start, "nothing to repeat")
	case '{':
		if _, _, _, ok := p.counts(); ok {
			return nil, p.fail(start, "nothing to repeat")
		}
		p.pos++
		n = p.literal('{')
	case '(':
		if n, err = p.group(depth); err != nil || n == nil {
			return empty, err
		}
		if behind := p.src[start:]; strings.HasPrefix(behind, "(?<=") || strings.HasPrefix(behind, "(?<!") {
			return n, nil // annex B lets lookahead be repeated, not lookbehind
		}
	case '[':
		n, err = p.class()
	case '.':
		p.pos++
		if p.flags.newline {
			n = p.kept("[^]", func() ranges { return anything })
		} else {
			n = p.kept("all but line ends", lineEnds.negated) // not ".", which is the character
		}
	case '\\':
		n, err = p.atomEscape()
		if err == nil && n.kind == kindAssert {
			return n, nil
		}
	default:
		n = p.literal(p.rune())
	}
	if err != nil {
		return nil, err
	}
	return p.quantifier(n)
}

// edge is an assertion, or what the modifier makes of it.
func (p *parser) edge(plain, modified assertion, modifier bool) *node {
	if modifier {
		plain = modified
	}
	return &node{kind: kindAssert, assert: plain}
}

// literal is a character that stands for itself.
func (p *parser) literal(r rune) *node {
	return p.kept(string(r), func() ranges {
		if isSurrogate(r) {
			return nil // half a character: never in UTF-8
		}
		return p.cased(ranges{{r, r}})
	})
}

// cased adds the other case to r where the modifier asks for it.
func (p *parser) cased(r ranges) ranges {
	if !p.flags.fold {
		return r
	}
	p.spans += min(r.size(), len(cased()))
	return r.folded()
}

// kept is the set with a source, made the first time that it is read.
func (p *parser) kept(source string, read func() ranges) *node {
	if p.flags.fold {
		source += " i"
	}
	s := p.sets[source]
	if s == nil {
		n := p.oneOf(read())
		p.sets[source] = n.set
		return n
	}
	return &node{kind: kindSet, set: s}
}

func (p *parser) oneOf(r ranges) *node {
	s := newSet(r)
	p.spans += len(r)
	return &node{kind: kindSet, set: s}
}

// quantifier reads the quantifier of n, if it has one.
func (p *parser) quantifier(n *node) (*node, error) {
	start := p.pos
	low, high := 0, unbounded
	switch p.peek(0) {
	case '*':
		p.pos++
	case '+':
		p.pos++
		low = 1
	case '?':
		p.pos++
		high = 1
	case '{':
		var end int
		var ok bool
		if low, high, end, ok = p.counts(); !ok {
			return n, nil
		}
		if high != unbounded && low > high {
			return nil, p.fail(start, "the counts are out of order")
		}
		p.pos = end
	default:
		return n, nil
	}
	return &node{kind: kindRepeat, subs: []*node{n}, min: low, max: high, lazy: p.take("?")}, nil
}

// counts reads {n}, {n,} or {n,m} at the position without consuming it. Other
// braces are literal, as annex B has it.
func (p *parser) counts() (low, high, end int, ok bool) {
	low, i, ok := p.count(p.pos + 1)
	if !ok {
		return 0, 0, 0, false
	}
	high = low
	if i < len(p.src) && p.src[i] == ',' {
		i++
		if high, i, ok = p.count(i); !ok {
			high = unbounded
		}
	}
	if i >= len(p.src) || p.src[i] != '}' {
		return 0, 0, 0, false
	}
	return low, high, i + 1, true
}

func (p *parser) count(i int) (n, end int, ok bool) {
	end = i
	for end < len(p.src) && isDigit(p.src[end]) {
		n = int(min(int64(n)*10+int64(p.src[end]-'0'), maxCount))
		end++
	}
	return n, end, end > i
}

// bothTakePart reports whether two captures can be part of one match: they are
// not in different alternatives of any disjunction.
func bothTakePart(a, b []choice) bool {
	return !slices.ContainsFunc(a, func(x choice) bool {
		return slices.ContainsFunc(b, func(y choice) bool {
			return x.disjunction == y.disjunction && x.alternative != y.alternative
		})
	})
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isWord(c byte) bool { return isDigit(c) || isLetter(c) || c == '_' }

func isSurrogate(r rune) bool { return 0xd800 <= r && r < 0xe000 }
