package schema

import (
	"errors"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/runtime/value"
)

// kind is a set of the types of JSON Schema; integer is told from the value.
type kind uint8

const (
	kindNull kind = 1 << iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
	kindInteger // in a schema's type only
)

// val is one JSON value. Numbers keep their text, so that none is rounded.
type val struct {
	kind    kind
	start   int // in the text
	end     int
	text    string
	items   []val
	members []member
}

type member struct {
	name  string
	value val
}

func (v *val) number() value.Number { return value.Number(v.text) }

// get returns the last member of that name: what a decoder keeps.
func (v *val) get(name string) *val {
	for i := len(v.members) - 1; i >= 0; i-- {
		if v.members[i].name == name {
			return &v.members[i].value
		}
	}
	return nil
}

// at returns the value that begins at an offset of the text, nil where none does.
func (v *val) at(offset int) *val {
	for v.start != offset {
		var next *val
		if v.kind == kindArray {
			i := sort.Search(len(v.items), func(i int) bool { return v.items[i].start > offset })
			if i > 0 {
				next = &v.items[i-1]
			}
		} else {
			i := sort.Search(len(v.members), func(i int) bool { return v.members[i].value.start > offset })
			if i > 0 {
				next = &v.members[i-1].value
			}
		}
		if next == nil || offset >= next.end {
			return nil
		}
		v = next
	}
	return v
}

// maxDepth bounds the nesting of values, and of schemas that lead on without going
// into a value.
const maxDepth = 1000

var (
	errDepth = errors.New("is nested more than 1000 levels deep")
	errText  = errors.New("is no JSON value")
)

// parser reads a text once. It takes some that RFC 8259 refuses: those a decoder has
// refused before.
type parser struct {
	text string
	pos  int
	err  error
}

func parse(text string) (val, error) {
	p := &parser{text: text}
	v := p.value(0)
	if p.space(); p.err == nil && p.pos < len(text) {
		p.fail()
	}
	return v, p.err
}

func (p *parser) fail() {
	if p.err == nil {
		p.err = errText
	}
	p.pos = len(p.text)
}

func (p *parser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *parser) peek() byte {
	p.space()
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *parser) take(c byte) bool {
	if p.peek() != c || p.pos >= len(p.text) {
		return false
	}
	p.pos++
	return true
}

func (p *parser) value(depth int) val {
	c := p.peek()
	v := val{start: p.pos}
	switch {
	case depth > maxDepth:
		p.fail()
		p.err = errDepth
	case c == '{':
		v.kind = kindObject
		v.members = p.object(depth)
	case c == '[':
		v.kind = kindArray
		v.items = p.array(depth)
	case c == '"':
		v.kind, v.text = kindString, p.str()
	case c == 't':
		v.kind, v.text = kindBool, p.word("true")
	case c == 'f':
		v.kind, v.text = kindBool, p.word("false")
	case c == 'n':
		v.kind, v.text = kindNull, p.word("null")
	default:
		v.kind, v.text = kindNumber, p.number()
	}
	v.end = p.pos
	return v
}

func (p *parser) word(word string) string {
	if !strings.HasPrefix(p.text[p.pos:], word) {
		p.fail()
		return ""
	}
	p.pos += len(word)
	return word
}

func (p *parser) number() string {
	start := p.pos
	for p.pos < len(p.text) && strings.IndexByte("0123456789+-.eE", p.text[p.pos]) >= 0 {
		p.pos++
	}
	text := p.text[start:p.pos]
	if !value.Number(text).Valid() {
		p.fail()
	}
	return text
}

func (p *parser) array(depth int) []val {
	p.pos++
	items := []val{}
	if p.take(']') {
		return items
	}
	for p.err == nil {
		items = append(items, p.value(depth+1))
		if p.take(']') {
			return items
		}
		if !p.take(',') {
			p.fail()
		}
	}
	return items
}

func (p *parser) object(depth int) []member {
	p.pos++
	members := []member{}
	if p.take('}') {
		return members
	}
	for p.err == nil {
		if p.peek() != '"' {
			p.fail()
			break
		}
		m := member{name: p.str()}
		if !p.take(':') {
			p.fail()
			break
		}
		m.value = p.value(depth + 1)
		members = append(members, m)
		if p.take('}') {
			break
		}
		if !p.take(',') {
			p.fail()
		}
	}
	return members
}

// str reads a string from its quote on.
func (p *parser) str() string {
	p.pos++
	start := p.pos
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == '"':
			p.pos++
			return p.text[start : p.pos-1]
		case c == '\\':
			return p.escaped(start)
		case c < ' ':
			p.fail()
			return ""
		}
		p.pos++
	}
	p.fail()
	return ""
}

// escaped reads a string on from its first escape.
func (p *parser) escaped(start int) string {
	out := append([]byte(nil), p.text[start:p.pos]...)
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		p.pos++
		switch {
		case c == '"':
			return string(out)
		case c < ' ':
			p.fail()
			return ""
		case c == '\\':
			out = p.escape(out)
		default:
			out = append(out, c)
		}
	}
	p.fail()
	return ""
}

func (p *parser) escape(out []byte) []byte {
	if p.pos >= len(p.text) {
		p.fail()
		return out
	}
	c := p.text[p.pos]
	p.pos++
	switch c {
	case '"', '\\', '/':
		return append(out, c)
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'u':
		return utf8.AppendRune(out, p.unicode())
	}
	p.fail()
	return out
}

// unicode reads the digits of \uXXXX and of the second half of a pair. Half a pair is
// U+FFFD, as decoders have it.
func (p *parser) unicode() rune {
	r := p.hex()
	if !utf16.IsSurrogate(r) {
		return r
	}
	if strings.HasPrefix(p.text[p.pos:], `\u`) {
		at := p.pos
		p.pos += 2
		if pair := utf16.DecodeRune(r, p.hex()); pair != utf8.RuneError {
			return pair
		}
		p.pos = at
	}
	return utf8.RuneError
}

func (p *parser) hex() rune {
	if p.pos+4 > len(p.text) {
		p.fail()
		return 0
	}
	var r rune
	for _, c := range []byte(p.text[p.pos : p.pos+4]) {
		i := strings.IndexByte("0123456789abcdef", c|0x20)
		if c < 0x20 || i < 0 || c|0x20 != c && c < 'A' {
			p.fail()
			return 0
		}
		r = r<<4 | rune(i)
	}
	p.pos += 4
	return r
}
