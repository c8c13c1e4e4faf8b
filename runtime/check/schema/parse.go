package schema

import (
	"errors"
	"iter"
	"math"
	"slices"
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

// doc is a JSON text and its values in their order, each behind the one that it is in.
// A text may be as large as a server allows, so a value takes no more than a cell.
type doc struct {
	src   string
	cells []cell
}

// cell is one value.
type cell struct {
	start, end int32 // in the text
	key        int32 // where the name begins, of a member
	size       int32 // cells of the value and all that is in it
	count      int32 // items or members
	kind       kind
	escaped    bool // the name has escapes
}

// val is one value of a text, or the name of a member as a value.
type val struct {
	doc  *doc
	at   int // in doc.cells
	name bool
}

func (v val) cell() *cell { return &v.doc.cells[v.at] }

func (v val) kind() kind {
	if v.name {
		return kindString
	}
	return v.cell().kind
}

func (v val) start() int { return int(v.cell().start) }

func (v val) end() int { return int(v.cell().end) }

// count is the number of items or members.
func (v val) count() int { return int(v.cell().count) }

// all walks the items or members with their places.
func (v val) all() iter.Seq2[int, val] {
	return func(yield func(int, val) bool) {
		at := v.at + 1
		for i := range v.count() {
			if !yield(i, val{doc: v.doc, at: at}) {
				return
			}
			at += int(v.doc.cells[at].size)
		}
	}
}

// key is the name of a member.
func (v val) key() string {
	p := parser{doc: v.doc, pos: int(v.cell().key)}
	return p.str()
}

// called reports whether a member has that name.
func (v val) called(name string) bool {
	c := v.cell()
	if c.escaped || strings.IndexByte(name, '"') >= 0 {
		return v.key() == name
	}
	rest := v.doc.src[c.key+1:]
	return len(rest) > len(name) && rest[len(name)] == '"' && rest[:len(name)] == name
}

// text is what a string says, and the literal of any other scalar.
func (v val) text() string {
	c := v.cell()
	switch {
	case v.name:
		return v.key()
	case c.kind == kindString:
		p := parser{doc: v.doc, pos: int(c.start)}
		return p.str()
	}
	return v.doc.src[c.start:c.end]
}

func (v val) number() value.Number { return value.Number(v.text()) }

// get returns the last member of that name: what a decoder keeps.
func (v val) get(name string) (found val, ok bool) {
	for _, m := range v.all() {
		if m.called(name) {
			found, ok = m, true
		}
	}
	return found, ok
}

// find returns the value that begins at an offset of the text.
func (d *doc) find(offset int) (val, bool) {
	i, ok := slices.BinarySearchFunc(d.cells, offset, func(c cell, offset int) int { return int(c.start) - offset })
	return val{doc: d, at: i}, ok
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
	*doc
	pos int
	err error
}

// parse reads a text, whose offsets have to fit a cell.
func parse(text string) (*doc, error) {
	p := &parser{doc: &doc{src: text}}
	if len(text) > math.MaxInt32 {
		return p.doc, errText
	}
	p.value(0, 0, false)
	if p.space(); p.err == nil && p.pos < len(text) {
		p.fail()
	}
	return p.doc, p.err
}

func (p *parser) fail() {
	if p.err == nil {
		p.err = errText
	}
	p.pos = len(p.src)
}

func (p *parser) space() {
	for p.pos < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *parser) peek() byte {
	p.space()
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

func (p *parser) take(c byte) bool {
	if p.peek() != c || p.pos >= len(p.src) {
		return false
	}
	p.pos++
	return true
}

// value reads a value behind whose name, if any, it stands.
func (p *parser) value(depth, key int, escaped bool) {
	c := p.peek()
	at := len(p.cells)
	p.cells = append(p.cells, cell{start: int32(p.pos), key: int32(key), escaped: escaped})
	k, count := kindNumber, 0
	switch {
	case depth > maxDepth:
		p.fail()
		p.err = errDepth
	case c == '{':
		k, count = kindObject, p.object(depth)
	case c == '[':
		k, count = kindArray, p.array(depth)
	case c == '"':
		k = kindString
		p.skip()
	case c == 't':
		k = kindBool
		p.word("true")
	case c == 'f':
		k = kindBool
		p.word("false")
	case c == 'n':
		k = kindNull
		p.word("null")
	default:
		p.number()
	}
	v := &p.cells[at]
	v.kind, v.end, v.count, v.size = k, int32(p.pos), int32(count), int32(len(p.cells)-at)
}

func (p *parser) word(word string) {
	if !strings.HasPrefix(p.src[p.pos:], word) {
		p.fail()
		return
	}
	p.pos += len(word)
}

func (p *parser) number() {
	start := p.pos
	for p.pos < len(p.src) && strings.IndexByte("0123456789+-.eE", p.src[p.pos]) >= 0 {
		p.pos++
	}
	if !value.Number(p.src[start:p.pos]).Valid() {
		p.fail()
	}
}

func (p *parser) array(depth int) (count int) {
	p.pos++
	if p.take(']') {
		return 0
	}
	for p.err == nil {
		p.value(depth+1, 0, false)
		count++
		if p.take(']') {
			break
		}
		if !p.take(',') {
			p.fail()
		}
	}
	return count
}

func (p *parser) object(depth int) (count int) {
	p.pos++
	if p.take('}') {
		return 0
	}
	for p.err == nil {
		if p.peek() != '"' {
			p.fail()
			break
		}
		key := p.pos
		escaped := p.skip()
		if !p.take(':') {
			p.fail()
			break
		}
		p.value(depth+1, key, escaped)
		count++
		if p.take('}') {
			break
		}
		if !p.take(',') {
			p.fail()
		}
	}
	return count
}

// skip passes over a string, from its quote on, and reports whether it has escapes.
func (p *parser) skip() (escaped bool) {
	for p.pos++; p.pos < len(p.src); p.pos++ {
		switch c := p.src[p.pos]; {
		case c == '"':
			p.pos++
			return escaped
		case c == '\\':
			escaped = true
			p.pos++
		case c < ' ':
			p.fail()
			return escaped
		}
	}
	p.fail()
	return escaped
}

// str reads a string from its quote on.
func (p *parser) str() string {
	p.pos++
	start := p.pos
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == '"':
			p.pos++
			return p.src[start : p.pos-1]
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
	out := append([]byte(nil), p.src[start:p.pos]...)
	for p.pos < len(p.src) {
		c := p.src[p.pos]
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
	if p.pos >= len(p.src) {
		p.fail()
		return out
	}
	c := p.src[p.pos]
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
	if strings.HasPrefix(p.src[p.pos:], `\u`) {
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
	if p.pos+4 > len(p.src) {
		p.fail()
		return 0
	}
	var r rune
	for _, c := range []byte(p.src[p.pos : p.pos+4]) {
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
