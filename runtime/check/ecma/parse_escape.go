package ecma

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// atomEscape reads an escape outside of a class, from its backslash.
func (p *parser) atomEscape() (*node, error) {
	start := p.pos
	switch c := p.peek(1); {
	case c == 'b':
		p.pos += 2
		return p.edge(wordEdge, foldedEdge, p.flags.fold), nil
	case c == 'B':
		p.pos += 2
		return p.edge(notWordEdge, notFoldedEdge, p.flags.fold), nil
	case c == 'A':
		return p.anchor(textStart, `\A is read as the start of the text`), nil
	case c == 'z', c == 'Z':
		return p.anchor(textEnd, `\`+string(c)+" is read as the end of the text"), nil
	case '1' <= c && c <= '9':
		if n := p.reference(); n != nil {
			return n, nil
		}
	case c == 'k' && p.named:
		p.pos += 2
		if !p.take("<") {
			return nil, p.fail(start, `\k needs a name in angle brackets`)
		}
		name, err := p.groupName(start)
		if err != nil {
			return nil, err
		}
		n := p.backref(nil)
		p.pending = append(p.pending, pendingRef{n, name, start})
		return n, nil
	}
	r, set, err := p.escape(false)
	switch {
	case err != nil:
		return nil, err
	case set != nil:
		return p.kept(p.src[start:p.pos], func() ranges { return p.cased(set) }), nil
	}
	return p.literal(r), nil
}

// anchor is an anchor of other languages. Annex B reads its letter, and no text
// would match.
func (p *parser) anchor(a assertion, message string) *node {
	p.notes = append(p.notes, Note{Offset: p.pos, Message: message, Escape: true})
	p.pos += 2
	return &node{kind: kindAssert, assert: a}
}

// reference reads a backreference by number, if there is such a group.
func (p *parser) reference() *node {
	n, end, _ := p.count(p.pos + 1)
	if n > p.groups {
		return nil
	}
	p.pos = end
	return p.backref([]int{n})
}

func (p *parser) backref(refs []int) *node {
	p.backrefs = true
	return &node{kind: kindBackref, refs: refs, fold: p.flags.fold}
}

// escape reads an escape that means about the same inside and outside of a class:
// one character, or a set of them.
func (p *parser) escape(inClass bool) (r rune, set ranges, err error) {
	start := p.pos
	p.pos++
	if p.pos >= len(p.src) {
		return 0, nil, p.fail(start, `\ at the end of the pattern`)
	}
	switch r = p.rune(); r {
	case 'd', 'D', 'w', 'W', 's', 'S':
		return 0, p.shorthand(r), nil
	case 't', 'n', 'v', 'f', 'r':
		return rune("\t\n\v\f\r"[strings.IndexRune("tnvfr", r)]), nil, nil
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return p.octal(r), nil, nil
	case 'c':
		c := p.peek(0)
		if isLetter(c) || inClass && isWord(c) {
			p.pos++
			return rune(c & 0x1f), nil, nil
		}
		p.pos = start + 1 // annex B: a backslash, and the c again
		return '\\', nil, nil
	case 'x':
		if h, ok := p.hex(2); ok {
			return h, nil, nil
		}
		return r, nil, nil
	case 'u':
		return p.unicodeEscape(start)
	case 'p', 'P':
		set, err = p.property(start, r == 'P')
		return 0, set, err
	case 'k':
		if p.named {
			return 0, nil, p.fail(start, `\k is no character beside named groups`)
		}
		return r, nil, nil
	}
	if r < utf8.RuneSelf && isLetter(byte(r)) {
		return 0, nil, p.foreign(start, `\`+string(r)+" is not an escape of ECMA-262")
	}
	return r, nil, nil
}

// shorthand returns the set of \d, \w, \s and their opposites.
func (p *parser) shorthand(r rune) ranges {
	set := digits
	switch r | 0x20 {
	case 'w':
		set = words
		if p.flags.fold {
			set = foldedWord
		}
	case 's':
		set = spaces
	}
	if r < 'a' {
		return set.negated()
	}
	return set
}

// octal reads a legacy octal escape, up to \377, whose first digit is d.
func (p *parser) octal(d rune) rune {
	n := d - '0'
	for range 2 {
		c := p.peek(0)
		if c < '0' || c > '7' || n*8+rune(c-'0') > 0o377 {
			break
		}
		n = n*8 + rune(c-'0')
		p.pos++
	}
	return n
}

// unicodeEscape reads what follows \u.
func (p *parser) unicodeEscape(start int) (rune, ranges, error) {
	braces := p.peek(0) == '{'
	if r, ok := p.codePoint(); ok {
		return r, nil, nil
	}
	if braces {
		// Annex B would repeat the letter u; nobody means that.
		return 0, nil, p.foreign(start, `\u{…} needs a code point`)
	}
	return 'u', nil, nil
}

// codePoint reads what follows \u: XXXX, a surrogate pair of two escapes, or {X…}.
func (p *parser) codePoint() (rune, bool) {
	if p.peek(0) == '{' {
		end := strings.IndexByte(p.src[p.pos:], '}')
		if end < 0 {
			return 0, false
		}
		n, err := strconv.ParseUint(p.src[p.pos+1:p.pos+end], 16, 64)
		if err != nil || n > unicode.MaxRune {
			return 0, false
		}
		p.pos += end + 1
		return rune(n), true
	}
	r, ok := p.hex(4)
	if !ok {
		return 0, false
	}
	if 0xd800 <= r && r < 0xdc00 {
		back := p.pos
		if p.take(`\u`) {
			if low, ok := p.hex(4); ok && 0xdc00 <= low && low < 0xe000 {
				return 0x10000 + (r-0xd800)<<10 + (low - 0xdc00), true
			}
		}
		p.pos = back
	}
	return r, true
}

// hex reads exactly n hexadecimal digits.
func (p *parser) hex(n int) (rune, bool) {
	if p.pos+n > len(p.src) {
		return 0, false
	}
	v := rune(0)
	for _, c := range []byte(p.src[p.pos : p.pos+n]) {
		switch {
		case isDigit(c):
			v = v<<4 + rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			v = v<<4 + rune(c|0x20-'a') + 10
		default:
			return 0, false
		}
	}
	p.pos += n
	return v, true
}

// property reads what follows \p or \P: {L}, {Letter}, {Script=Greek}, and the L
// alone of other languages.
func (p *parser) property(start int, negated bool) (ranges, error) {
	var set ranges
	if p.peek(0) != '{' {
		// Annex B reads the letter p, which nobody who wrote it meant.
		category := p.src[p.pos:min(p.pos+1, len(p.src))]
		t := unicode.Categories[category]
		if t == nil {
			return nil, p.foreign(start, `\p needs a property in braces`)
		}
		p.pos++
		p.notes = append(p.notes, Note{
			Offset: start, Escape: true, Message: p.src[start:p.pos] + " is read as " + p.src[start:start+2] + "{" + category + "}",
		})
		set = tableRanges(t)
	} else {
		end := strings.IndexByte(p.src[p.pos:], '}')
		if end < 0 {
			return nil, p.foreign(start, `\p needs a property in braces`)
		}
		name := p.src[p.pos+1 : p.pos+end]
		p.pos += end + 1
		var ok bool
		if set, ok = p.properties[name]; !ok {
			if set, ok = lookup(name); !ok {
				return nil, p.unsupported(start, "the property "+name+" is not supported")
			}
			p.properties[name] = set
		}
	}
	if negated {
		set = set.negated()
	}
	return set, nil
}
