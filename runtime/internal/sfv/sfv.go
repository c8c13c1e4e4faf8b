// Package sfv reads dictionaries of structured field values (RFC 9651) as strictly as
// the standard asks: one error anywhere, and the whole field is none.
package sfv

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind is the type of a value.
type Kind uint8

// Kinds. The zero value is that of a member without a value, which is true.
const (
	Boolean Kind = iota
	Integer
	Decimal
	String
	Token
	Bytes
	Date
	Display
	InnerList // whose items are checked and not kept
)

// Value is that of a member. The zero value is the Boolean false.
type Value struct {
	Kind Kind
	// Number is an Integer, the seconds of a Date, or 1 for the Boolean true.
	Number int64
	// Text is what a String, a Token or a Display string says, the content of Bytes, and
	// the digits of a Decimal.
	Text string
}

// True reports whether the value is the Boolean true.
func (v Value) True() bool { return v.Kind == Boolean && v.Number == 1 }

// Member is one of a dictionary.
type Member struct {
	Key   string
	Value Value
}

// ErrSyntax is the error of a field that is no dictionary.
var ErrSyntax = errors.New("sfv: no dictionary")

// Dictionary reads the lines of a field, which count as one list (RFC 9651 section
// 4.2.2). Parameters are checked and not kept. Of two members with one key the last
// counts, at the place of the first. A field without members is nil and no error.
func Dictionary(lines []string) ([]Member, error) {
	p := parser{strings.Trim(strings.Join(lines, ","), " ")}
	if p.rest == "" {
		return nil, nil
	}
	var list []Member
	at := map[string]int{}
	for {
		m, ok := p.member()
		if !ok {
			return nil, ErrSyntax
		}
		if i, is := at[m.Key]; is {
			list[i] = m
		} else {
			at[m.Key] = len(list)
			list = append(list, m)
		}
		p.skip(" \t")
		if p.rest == "" {
			return list, nil
		}
		if !p.take(',') {
			return nil, ErrSyntax
		}
		if p.skip(" \t"); p.rest == "" {
			return nil, ErrSyntax // a comma after the last member
		}
	}
}

// parser holds what is left to read.
type parser struct{ rest string }

// skip drops leading characters of a set.
func (p *parser) skip(set string) { p.rest = strings.TrimLeft(p.rest, set) }

// take drops one character if it is next.
func (p *parser) take(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// peek is the next character, zero at the end: no field has that one.
func (p *parser) peek() byte {
	if p.rest == "" {
		return 0
	}
	return p.rest[0]
}

// while cuts off the leading characters that belong.
func (p *parser) while(belongs func(c byte) bool) string {
	n := 0
	for n < len(p.rest) && belongs(p.rest[n]) {
		n++
	}
	got := p.rest[:n]
	p.rest = p.rest[n:]
	return got
}

func (p *parser) member() (m Member, ok bool) {
	if m.Key, ok = p.key(); !ok {
		return m, false
	}
	switch {
	case !p.take('='):
		m.Value = Value{Kind: Boolean, Number: 1}
	case p.peek() == '(':
		m.Value.Kind = InnerList
		ok = p.innerList()
	default:
		m.Value, ok = p.bare()
	}
	return m, ok && p.parameters()
}

func (p *parser) key() (string, bool) {
	if c := p.peek(); !lower(c) && c != '*' {
		return "", false
	}
	return p.while(func(c byte) bool {
		return lower(c) || digit(c) || c == '_' || c == '-' || c == '.' || c == '*'
	}), true
}

func (p *parser) parameters() bool {
	for p.take(';') {
		p.skip(" ")
		if _, ok := p.key(); !ok {
			return false
		}
		if p.take('=') {
			if _, ok := p.bare(); !ok {
				return false
			}
		}
	}
	return true
}

// innerList reads items between parentheses, with a space between any two.
func (p *parser) innerList() bool {
	p.take('(')
	for {
		p.skip(" ")
		if p.take(')') {
			return true
		}
		if _, ok := p.bare(); !ok || !p.parameters() {
			return false
		}
		if c := p.peek(); c != ' ' && c != ')' {
			return false
		}
	}
}

// bare reads a value without parameters, whose first character tells its type.
func (p *parser) bare() (Value, bool) {
	switch c := p.peek(); {
	case c == '-' || digit(c):
		return p.number()
	case c == '"':
		text, ok := p.quoted()
		return Value{Kind: String, Text: text}, ok
	case c == '*' || lower(c) || c >= 'A' && c <= 'Z':
		return Value{Kind: Token, Text: p.while(token)}, true
	case c == ':':
		return p.bytes()
	case c == '?':
		p.take('?')
		v := Value{Kind: Boolean}
		if p.take('1') {
			v.Number = 1
			return v, true
		}
		return v, p.take('0')
	case c == '@':
		p.take('@')
		v, ok := p.number()
		ok = ok && v.Kind == Integer
		v.Kind = Date
		return v, ok
	case c == '%':
		return p.display()
	}
	return Value{}, false
}

// number reads up to 15 digits, or up to 12 with a point and one to three more.
func (p *parser) number() (Value, bool) {
	sign := ""
	if p.take('-') {
		sign = "-"
	}
	whole := p.while(digit)
	if whole == "" || len(whole) > 15 {
		return Value{}, false
	}
	if !p.take('.') {
		n, err := strconv.ParseInt(sign+whole, 10, 64)
		return Value{Kind: Integer, Number: n}, err == nil
	}
	part := p.while(digit)
	return Value{Kind: Decimal, Text: sign + whole + "." + part}, len(whole) <= 12 && part != "" && len(part) <= 3
}

// quoted reads a string of visible ASCII characters and spaces.
func (p *parser) quoted() (string, bool) {
	var b []byte
	for i := 1; i < len(p.rest); i++ {
		c := p.rest[i]
		switch {
		case c == '"':
			p.rest = p.rest[i+1:]
			return string(b), true
		case c == '\\':
			if i++; i == len(p.rest) || p.rest[i] != '"' && p.rest[i] != '\\' {
				return "", false
			}
			c = p.rest[i]
		case c < ' ' || c > '~':
			return "", false
		}
		b = append(b, c)
	}
	return "", false
}

func (p *parser) bytes() (Value, bool) {
	text, rest, closed := strings.Cut(p.rest[1:], ":")
	if !closed || strings.ContainsAny(text, "\r\n") {
		return Value{}, false // which Go's reader of base64 would skip
	}
	p.rest = rest
	// Padding may be left out, and bits after the last byte need not be zero.
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	return Value{Kind: Bytes, Text: string(raw)}, err == nil
}

// display reads a string of Unicode whose bytes beyond ASCII are written as %xx.
func (p *parser) display() (Value, bool) {
	p.take('%')
	if !p.take('"') {
		return Value{}, false
	}
	var b []byte
	for i := 0; i < len(p.rest); i++ {
		c := p.rest[i]
		switch {
		case c == '"':
			p.rest = p.rest[i+1:]
			return Value{Kind: Display, Text: string(b)}, utf8.Valid(b)
		case c < ' ' || c > '~':
			return Value{}, false
		case c == '%':
			if i+2 >= len(p.rest) || !hexLower(p.rest[i+1]) || !hexLower(p.rest[i+2]) {
				return Value{}, false
			}
			n, err := strconv.ParseUint(p.rest[i+1:i+3], 16, 8)
			if err != nil {
				return Value{}, false
			}
			c, i = byte(n), i+2
		}
		b = append(b, c)
	}
	return Value{}, false
}

func lower(c byte) bool    { return c >= 'a' && c <= 'z' }
func digit(c byte) bool    { return c >= '0' && c <= '9' }
func hexLower(c byte) bool { return digit(c) || c >= 'a' && c <= 'f' }

// token reports whether a character may stand in a token of structured fields.
func token(c byte) bool {
	return lower(c) || digit(c) || c >= 'A' && c <= 'Z' || c != 0 && strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
}
