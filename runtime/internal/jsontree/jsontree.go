// Package jsontree reads small JSON texts into a tree that keeps numbers as
// they are written. It serves canonical forms and problem details, where a
// codec's speed is not needed and a float64 would lose digits.
package jsontree

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Kind is the type of a value.
type Kind uint8

// The types of JSON.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// Value is one JSON value.
type Value struct {
	Kind Kind
	// Text is a string's characters, and the literal of a number, a boolean or
	// null.
	Text    string
	Items   []Value
	Members []Member
	// Offset is where the value begins in the text, in bytes.
	Offset int
}

// Member is one member of an object, in the order of the text.
type Member struct {
	Name  string
	Value Value
	// Offset is where the name begins in the text, in bytes.
	Offset int
}

// maxDepth bounds nesting, so that a hostile text cannot exhaust the stack.
const maxDepth = 512

var errSyntax = errors.New("not valid JSON")

// SyntaxError is a text that is no JSON, for those who show the place.
type SyntaxError struct {
	What string
	// Offset is where, in bytes.
	Offset int
}

// Error says what is wrong and at which byte.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%v: %s at byte %d", errSyntax, e.What, e.Offset)
}

// Unwrap makes all of them one error to errors.Is.
func (e *SyntaxError) Unwrap() error { return errSyntax }

// Parse reads one value and nothing after it. Objects with two members of one
// name, text that is not UTF-8 and lone surrogates are errors: none of them has
// one meaning everywhere.
func Parse(text string) (Value, error) {
	if !utf8.ValidString(text) {
		return Value{}, &SyntaxError{"not UTF-8", notUTF8(text)}
	}
	p := parser{text: text}
	v, err := p.value(0)
	if err != nil {
		return Value{}, err
	}
	p.space()
	if p.pos != len(text) {
		return Value{}, p.fail("text after the value")
	}
	return v, nil
}

// notUTF8 is the offset of the first byte that is not UTF-8.
func notUTF8(text string) int {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i
			}
		}
	}
	return 0
}

// Get is an object's member, the zero Value and false where there is none.
func (v Value) Get(name string) (Value, bool) {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return v.Members[i].Value, true
		}
	}
	return Value{}, false
}

// parser walks the text once.
type parser struct {
	text string
	pos  int
}

func (p *parser) fail(what string) error {
	return &SyntaxError{what, p.pos}
}

func (p *parser) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// peek is the next byte after white space, zero at the end.
func (p *parser) peek() byte {
	p.space()
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

// take consumes the byte c when it is next.
func (p *parser) take(c byte) bool {
	if p.peek() != c || p.pos >= len(p.text) {
		return false
	}
	p.pos++
	return true
}

func (p *parser) value(depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, p.fail("nested too deeply")
	}
	c := p.peek()
	start := p.pos
	v, err := p.valueOf(c, depth)
	v.Offset = start
	return v, err
}

// valueOf reads the value whose first byte is c.
func (p *parser) valueOf(c byte, depth int) (Value, error) {
	switch {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		s, err := p.str()
		return Value{Kind: String, Text: s}, err
	case c == 't':
		return p.literal("true", Bool)
	case c == 'f':
		return p.literal("false", Bool)
	case c == 'n':
		return p.literal("null", Null)
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	return Value{}, p.fail("a value is expected")
}

func (p *parser) literal(word string, kind Kind) (Value, error) {
	if len(p.text)-p.pos < len(word) || p.text[p.pos:p.pos+len(word)] != word {
		return Value{}, p.fail("a value is expected")
	}
	p.pos += len(word)
	return Value{Kind: kind, Text: word}, nil
}

func (p *parser) number() (Value, error) {
	start := p.pos
	if p.text[p.pos] == '-' {
		p.pos++
	}
	zero := p.pos < len(p.text) && p.text[p.pos] == '0'
	n := p.digits()
	if n == 0 || zero && n > 1 {
		return Value{}, p.fail("a number is expected")
	}
	if p.pos < len(p.text) && p.text[p.pos] == '.' {
		p.pos++
		if p.digits() == 0 {
			return Value{}, p.fail("a digit is expected")
		}
	}
	if p.pos < len(p.text) && (p.text[p.pos] == 'e' || p.text[p.pos] == 'E') {
		p.pos++
		if p.pos < len(p.text) && (p.text[p.pos] == '+' || p.text[p.pos] == '-') {
			p.pos++
		}
		if p.digits() == 0 {
			return Value{}, p.fail("a digit is expected")
		}
	}
	return Value{Kind: Number, Text: p.text[start:p.pos]}, nil
}

func (p *parser) digits() int {
	start := p.pos
	for p.pos < len(p.text) && p.text[p.pos] >= '0' && p.text[p.pos] <= '9' {
		p.pos++
	}
	return p.pos - start
}

func (p *parser) array(depth int) (Value, error) {
	v := Value{Kind: Array}
	p.pos++
	if p.take(']') {
		return v, nil
	}
	for {
		item, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.Items = append(v.Items, item)
		if p.take(']') {
			return v, nil
		}
		if !p.take(',') {
			return Value{}, p.fail("a comma is expected")
		}
	}
}

func (p *parser) object(depth int) (Value, error) {
	v := Value{Kind: Object}
	p.pos++
	if p.take('}') {
		return v, nil
	}
	seen := map[string]struct{}{}
	for {
		if p.peek() != '"' {
			return Value{}, p.fail("a name is expected")
		}
		at := p.pos
		name, err := p.str()
		if err != nil {
			return Value{}, err
		}
		if _, twice := seen[name]; twice {
			p.pos = at
			return Value{}, p.fail("two members of one name")
		}
		seen[name] = struct{}{}
		if !p.take(':') {
			return Value{}, p.fail("a colon is expected")
		}
		member, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.Members = append(v.Members, Member{Name: name, Value: member, Offset: at})
		if p.take('}') {
			return v, nil
		}
		if !p.take(',') {
			return Value{}, p.fail("a comma is expected")
		}
	}
}

// str reads a string whose opening quote is next.
func (p *parser) str() (string, error) {
	p.pos++
	start := p.pos
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == '"':
			s := p.text[start:p.pos]
			p.pos++
			return s, nil
		case c == '\\':
			return p.escaped(start)
		case c < ' ':
			return "", p.fail("a control character in a string")
		}
		p.pos++
	}
	return "", p.fail("a string without an end")
}

// escaped reads the rest of a string from its first escape on.
func (p *parser) escaped(start int) (string, error) {
	out := append([]byte(nil), p.text[start:p.pos]...)
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == '"':
			p.pos++
			return string(out), nil
		case c < ' ':
			return "", p.fail("a control character in a string")
		case c != '\\':
			out = append(out, c)
			p.pos++
		default:
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			out = utf8.AppendRune(out, r)
		}
	}
	return "", p.fail("a string without an end")
}

// escape reads one escape sequence whose backslash is next.
func (p *parser) escape() (rune, error) {
	p.pos++
	if p.pos >= len(p.text) {
		return 0, p.fail("a string without an end")
	}
	c := p.text[p.pos]
	p.pos++
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		return p.unicode()
	}
	return 0, p.fail("an unknown escape")
}

// unicode reads the digits of \uXXXX, and the second half of a pair.
func (p *parser) unicode() (rune, error) {
	r, ok := p.hex4()
	if !ok {
		return 0, p.fail("four hexadecimal digits are expected")
	}
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	if len(p.text)-p.pos >= 2 && p.text[p.pos] == '\\' && p.text[p.pos+1] == 'u' {
		p.pos += 2
		if low, ok := p.hex4(); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, nil
			}
		}
	}
	return 0, p.fail("half a surrogate pair")
}

func (p *parser) hex4() (rune, bool) {
	if len(p.text)-p.pos < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(p.text[p.pos:p.pos+4], 16, 16)
	if err != nil {
		return 0, false
	}
	p.pos += 4
	return rune(n), true
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string with the escapes of RFC 8785: the two
// that JSON demands, the short forms, and \u00xx for other control characters.
// Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += size
			continue
		}
		i++
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			if c < ' ' {
				dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
				continue
			}
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// Compact appends v without spaces, members in their order and numbers as they
// are written.
func Compact(dst []byte, v Value) []byte {
	switch v.Kind {
	case String:
		return AppendString(dst, v.Text)
	case Array:
		dst = append(dst, '[')
		for i := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = Compact(dst, v.Items[i])
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i := range v.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendString(dst, v.Members[i].Name), ':')
			dst = Compact(dst, v.Members[i].Value)
		}
		return append(dst, '}')
	}
	return append(dst, v.Text...)
}
