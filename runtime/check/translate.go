package check

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// maxRepeat is RE2's bound on a repeat count.
	maxRepeat = 1000
	// maxGroups bounds the nesting of groups; RE2 stops at 1000 levels of its own.
	maxGroups = 200

	// ecmaDot is the class of "." without the s flag: all but the line terminators.
	ecmaDot = `[^\n\r\x{2028}\x{2029}]`
	// ecmaSpace is \s: WhiteSpace and LineTerminator of ECMA-262, without brackets.
	ecmaSpace = `\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	// ecmaNotSpace is \S, spelled out since a class cannot hold a negated class.
	ecmaNotSpace = `\x00-\x08\x0e-\x1f!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}` +
		`\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
	anything = `[\x00-\x{10ffff}]`
	nothing  = `[^\x00-\x{10ffff}]`
)

// translate turns an ECMA-262 pattern into one of RE2 that matches the same
// strings. It parses the whole grammar, since the two languages read the same
// characters differently: "[]a]", "[[:alpha:]]", "\s", ".", "$".
func translate(ecma string) (string, error) {
	t := &translator{src: ecma}
	if !utf8.ValidString(ecma) {
		return "", t.fail(0, "is not valid UTF-8")
	}
	if err := t.disjunction(0); err != nil {
		return "", err
	}
	if t.pos < len(t.src) {
		return "", t.fail(t.pos, "unmatched )")
	}
	return t.out.String(), nil
}

type translator struct {
	src string
	pos int
	out strings.Builder
}

func (t *translator) fail(offset int, message string) *PatternError {
	return &PatternError{Pattern: t.src, Offset: offset, Message: message}
}

func (t *translator) unsupported(offset int, message string) *PatternError {
	return &PatternError{Pattern: t.src, Offset: offset, Message: message, Unsupported: true}
}

// peek returns the byte i places ahead, 0 past the end.
func (t *translator) peek(i int) byte {
	if t.pos+i < len(t.src) {
		return t.src[t.pos+i]
	}
	return 0
}

// take consumes s when it comes next.
func (t *translator) take(s string) bool {
	if !strings.HasPrefix(t.src[t.pos:], s) {
		return false
	}
	t.pos += len(s)
	return true
}

// disjunction reads alternatives up to the end or an unconsumed ")".
func (t *translator) disjunction(depth int) error {
	for t.pos < len(t.src) && t.peek(0) != ')' {
		if t.take("|") {
			t.out.WriteByte('|')
			continue
		}
		if err := t.term(depth); err != nil {
			return err
		}
	}
	return nil
}

// term reads one assertion, or one atom and its quantifier.
func (t *translator) term(depth int) error {
	switch start := t.pos; t.src[t.pos] {
	case '^', '$':
		t.out.WriteByte(t.src[t.pos])
		t.pos++
		return nil
	case '*', '+', '?':
		return t.fail(start, "nothing to repeat")
	case '{':
		if _, _, _, ok := t.counts(); ok {
			return t.fail(start, "nothing to repeat")
		}
		t.pos++
		t.literal('{')
	case '(':
		repeatable, err := t.group(depth)
		if err != nil || !repeatable {
			return err
		}
	case '[':
		if err := t.class(); err != nil {
			return err
		}
	case '.':
		t.pos++
		t.out.WriteString(ecmaDot)
	case '\\':
		assertion, err := t.atomEscape()
		if err != nil || assertion {
			return err
		}
	default:
		r, size := utf8.DecodeRuneInString(t.src[t.pos:])
		t.pos += size
		t.literal(r)
	}
	return t.quantifier()
}

// group reads a group from its "(". A flag group such as (?i) is no atom.
func (t *translator) group(depth int) (repeatable bool, err error) {
	start := t.pos
	if depth == maxGroups {
		return false, t.unsupported(start, "groups are nested too deeply")
	}
	t.pos++
	switch {
	case !t.take("?"), t.take(":"):
		// Nothing reads the captures, so every group is a plain one.
		t.out.WriteString("(?:")
	case t.peek(0) == '=', t.peek(0) == '!':
		return false, t.unsupported(start, "lookahead is not supported")
	case t.peek(0) == '<' && (t.peek(1) == '=' || t.peek(1) == '!'):
		return false, t.unsupported(start, "lookbehind is not supported")
	case t.take("<"), t.take("P<"):
		end := strings.IndexByte(t.src[t.pos:], '>')
		if end <= 0 || strings.ContainsAny(t.src[t.pos:t.pos+end], "()[]{}\\|^*+?. ") {
			return false, t.fail(start, "the name of the group is broken")
		}
		t.pos += end + 1
		t.out.WriteString("(?:")
	case t.take("i)"):
		// Not of ECMA-262, and its meaning is never in doubt.
		t.out.WriteString("(?i)")
		return false, nil
	case t.take("i:"):
		t.out.WriteString("(?i:")
	default:
		return false, t.fail(start, "unknown kind of group")
	}
	if err := t.disjunction(depth + 1); err != nil {
		return false, err
	}
	if !t.take(")") {
		return false, t.fail(start, "unclosed group")
	}
	t.out.WriteByte(')')
	return true, nil
}

// quantifier reads the quantifier of the atom just written, if it has one.
func (t *translator) quantifier() error {
	start := t.pos
	switch t.peek(0) {
	case '*', '+', '?':
		t.pos++
	case '{':
		low, high, end, ok := t.counts()
		if !ok {
			return nil
		}
		if high >= 0 && low > high {
			return t.fail(start, "the counts are out of order")
		}
		if low > maxRepeat || high > maxRepeat {
			return t.unsupported(start, "a repeat count above 1000 is not supported; use minLength and maxLength")
		}
		t.pos = end
	default:
		return nil
	}
	t.take("?") // lazy: no difference to whether it matches
	t.out.WriteString(t.src[start:t.pos])
	return nil
}

// counts reads {n}, {n,} or {n,m} at the position without consuming it; high
// is -1 for no bound. Other braces are literal, as browsers have it.
func (t *translator) counts() (low, high, end int, ok bool) {
	i := t.pos + 1
	low, i, ok = t.count(i)
	if !ok {
		return 0, 0, 0, false
	}
	high = low
	if i < len(t.src) && t.src[i] == ',' {
		i++
		if high, i, ok = t.count(i); !ok {
			high = -1
		}
	}
	if i >= len(t.src) || t.src[i] != '}' {
		return 0, 0, 0, false
	}
	return low, high, i + 1, true
}

func (t *translator) count(i int) (n, end int, ok bool) {
	end = i
	for end < len(t.src) && isDigit(t.src[end]) {
		n = min(n*10+int(t.src[end]-'0'), 1<<30)
		end++
	}
	return n, end, end > i
}

// literal writes one character that stands for itself.
func (t *translator) literal(r rune) {
	if isWord(r) {
		t.out.WriteRune(r)
		return
	}
	t.out.WriteString(`\x{`)
	t.out.WriteString(strconv.FormatInt(int64(r), 16))
	t.out.WriteByte('}')
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isWord(r rune) bool {
	return r < utf8.RuneSelf && (isDigit(byte(r)) || isLetter(byte(r)) || r == '_')
}
