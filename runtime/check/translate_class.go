package check

import (
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"
)

// atomEscape reads an escape outside a class, from its backslash.
func (t *translator) atomEscape() (assertion bool, err error) {
	start := t.pos
	switch c := t.peek(1); {
	case c == 'b', c == 'B':
		t.out.WriteString(t.src[t.pos : t.pos+2])
		t.pos += 2
		return true, nil
	case '1' <= c && c <= '9', c == 'k':
		return false, t.unsupported(start, "a backreference is not supported")
	}
	r, set, err := t.escape()
	switch {
	case err != nil:
		return false, err
	case set != "":
		t.out.WriteString("[" + set + "]")
	case isSurrogate(r):
		t.out.WriteString(nothing) // half a character: never in UTF-8
	default:
		t.literal(r)
	}
	return false, nil
}

// escape reads an escape that means the same inside and outside of a class: one
// character, or a set of them as the inside of an RE2 class.
func (t *translator) escape() (r rune, set string, err error) {
	start := t.pos
	t.pos++
	if t.pos >= len(t.src) {
		return 0, "", t.fail(start, `\ at the end of the pattern`)
	}
	r, size := utf8.DecodeRuneInString(t.src[t.pos:])
	t.pos += size
	switch r {
	case 'd', 'D', 'w', 'W':
		return 0, `\` + string(r), nil
	case 's':
		return 0, ecmaSpace, nil
	case 'S':
		return 0, ecmaNotSpace, nil
	case 't', 'n', 'v', 'f', 'r':
		return rune("\t\n\v\f\r"[strings.IndexRune("tnvfr", r)]), "", nil
	case '0':
		if isDigit(t.peek(0)) {
			return 0, "", t.unsupported(start, "an octal escape is not supported")
		}
		return 0, "", nil
	case 'c':
		if c := t.peek(0); isLetter(c) {
			t.pos++
			return rune(c & 0x1f), "", nil
		}
		return 0, "", t.fail(start, `\c needs a letter`)
	case 'x':
		if r, ok := t.hex(2); ok {
			return r, "", nil
		}
		return 0, "", t.fail(start, `\x needs two hexadecimal digits`)
	case 'u':
		return t.unicodeEscape(start)
	case 'p', 'P':
		return t.property(start)
	}
	if r < utf8.RuneSelf && r != '_' && isWord(r) {
		// Browsers read \A as A; whoever wrote it meant another language's anchor.
		err := t.unsupported(start, `\`+string(r)+" is not an escape of ECMA-262")
		err.foreign = true
		return 0, "", err
	}
	return r, "", nil
}

// unicodeEscape reads what follows \u: XXXX, a surrogate pair of two escapes,
// or {X…}.
func (t *translator) unicodeEscape(start int) (r rune, set string, err error) {
	if t.take("{") {
		end := strings.IndexByte(t.src[t.pos:], '}')
		if end > 0 {
			n, err := strconv.ParseUint(t.src[t.pos:t.pos+end], 16, 32)
			if err == nil && n <= utf8.MaxRune {
				t.pos += end + 1
				return rune(n), "", nil
			}
		}
		return 0, "", t.fail(start, `\u{…} needs a code point`)
	}
	r, ok := t.hex(4)
	if !ok {
		return 0, "", t.fail(start, `\u needs four hexadecimal digits`)
	}
	if 0xd800 <= r && r < 0xdc00 {
		back := t.pos
		if t.take(`\u`) {
			if low, ok := t.hex(4); ok && 0xdc00 <= low && low < 0xe000 {
				return 0x10000 + (r-0xd800)<<10 + (low - 0xdc00), "", nil
			}
		}
		t.pos = back
	}
	return r, "", nil
}

// hex reads exactly n hexadecimal digits.
func (t *translator) hex(n int) (rune, bool) {
	if t.pos+n > len(t.src) {
		return 0, false
	}
	for _, c := range []byte(t.src[t.pos : t.pos+n]) {
		if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return 0, false
		}
	}
	v, err := strconv.ParseUint(t.src[t.pos:t.pos+n], 16, 32)
	if err != nil {
		return 0, false
	}
	t.pos += n
	return rune(v), true
}

// property reads what follows \p or \P: {L}, {Letter}, {Script=Greek}.
func (t *translator) property(start int) (r rune, set string, err error) {
	end := strings.IndexByte(t.src[t.pos:], '}')
	if t.peek(0) != '{' || end < 0 {
		return 0, "", t.fail(start, `\p needs a property in braces`)
	}
	name := t.src[t.pos+1 : t.pos+end]
	t.pos += end + 1
	if key, v, ok := strings.Cut(name, "="); ok {
		switch key {
		case "Script", "sc", "Script_Extensions", "scx", "General_Category", "gc":
			name = v
		default:
			return 0, "", t.unsupported(start, "the property "+key+" is not supported")
		}
	}
	set = t.src[start:start+2] + "{" + name + "}"
	if _, err := syntax.Parse(set, syntax.Perl); err != nil {
		return 0, "", t.unsupported(start, "the property "+name+" is not supported")
	}
	return 0, set, nil
}

// class reads a character class from its "[".
func (t *translator) class() error {
	start := t.pos
	t.pos++
	negated := t.take("^")
	var set strings.Builder
	for !t.take("]") {
		if t.pos >= len(t.src) {
			return t.fail(start, "unclosed [")
		}
		if err := t.classRange(&set); err != nil {
			return err
		}
	}
	switch {
	case set.Len() > 0 && negated:
		t.out.WriteString("[^" + set.String() + "]")
	case set.Len() > 0:
		t.out.WriteString("[" + set.String() + "]")
	case negated:
		t.out.WriteString(anything)
	default:
		t.out.WriteString(nothing)
	}
	return nil
}

// classRange reads one character, set or range of a class.
func (t *translator) classRange(set *strings.Builder) error {
	start := t.pos
	low, lowSet, err := t.classAtom()
	if err != nil {
		return err
	}
	if t.peek(0) != '-' || t.peek(1) == ']' || t.peek(1) == 0 {
		writeRange(set, low, low, lowSet)
		return nil
	}
	t.pos++
	high, highSet, err := t.classAtom()
	if err != nil {
		return err
	}
	if lowSet != "" || highSet != "" {
		// [\w-.]: a set is no end of a range, so the hyphen stands for itself.
		writeRange(set, low, low, lowSet)
		writeRange(set, '-', '-', "")
		writeRange(set, high, high, highSet)
		return nil
	}
	if low > high {
		return t.fail(start, "the range is out of order")
	}
	writeRange(set, low, high, "")
	return nil
}

func (t *translator) classAtom() (r rune, set string, err error) {
	if t.peek(0) != '\\' {
		r, size := utf8.DecodeRuneInString(t.src[t.pos:])
		t.pos += size
		return r, "", nil
	}
	switch c := t.peek(1); {
	case c == 'b':
		t.pos += 2
		return '\b', "", nil
	case '1' <= c && c <= '9':
		return 0, "", t.unsupported(t.pos, "an octal escape is not supported")
	}
	return t.escape()
}

// writeRange adds a set or a range to the inside of a class. Surrogates are cut
// off: UTF-8 text has none, and RE2 refuses them.
func writeRange(b *strings.Builder, low, high rune, set string) {
	if set != "" {
		b.WriteString(set)
		return
	}
	if isSurrogate(low) {
		low = 0xe000
	}
	if isSurrogate(high) {
		high = 0xd7ff
	}
	if low > high {
		return
	}
	hex := func(r rune) {
		b.WriteString(`\x{`)
		b.WriteString(strconv.FormatInt(int64(r), 16))
		b.WriteByte('}')
	}
	hex(low)
	if high > low {
		b.WriteByte('-')
		hex(high)
	}
}

func isSurrogate(r rune) bool { return 0xd800 <= r && r < 0xe000 }
