package load

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// jsonReader reads RFC 8259 text into nodes. It works on one string, of which
// unescaped strings and numbers of the tree are parts, so that a large document
// costs little more than its nodes.
type jsonReader struct {
	*builder
	src string
	off int

	// The position is kept in passing: line breaks occur only between tokens,
	// and only strings hold characters of several bytes.
	line      int32
	lineStart int // offset of the line's first byte
	extra     int // bytes on the line so far that start no character

	members []Member // stacks of the containers that are still open
	items   []*Node
	fault   *fault
}

// readJSON reads the text of file. The fault says why it is no JSON.
func readJSON(b *builder) (*Node, *fault) {
	r := &jsonReader{builder: b, src: b.file.source, line: 1}
	r.space()
	root := r.value(1)
	if root == nil {
		return nil, r.fault
	}
	r.space()
	if r.off < len(r.src) {
		r.fail("the document ends before this, but %s follows", r.here())
		return nil, r.fault
	}
	return root, nil
}

func (r *jsonReader) col() int32 { return int32(r.off - r.lineStart - r.extra + 1) }

// fail records a fault at the current offset and returns nil.
func (r *jsonReader) fail(format string, args ...any) *Node {
	r.fault = &fault{line: r.line, col: r.col(), code: "json-syntax", message: fmt.Sprintf(format, args...)}
	return nil
}

// unclosed reports that the text ends inside the container opened at line, col.
func (r *jsonReader) unclosed(open string, line, col int32) *Node {
	end := r.file.pos(r.line, r.col())
	r.fault = unclosed(open, line, col, end, "the file ends here")
	return nil
}

// here names the character at the current offset for a message.
func (r *jsonReader) here() string {
	if r.off >= len(r.src) {
		return "the end of the file"
	}
	c, _ := utf8.DecodeRuneInString(r.src[r.off:])
	switch {
	case c == '/' || c == '#':
		return fmt.Sprintf("%q (JSON has no comments)", c)
	case c == '\'':
		return `"'" (JSON strings stand in double quotes)`
	default:
		return fmt.Sprintf("%q", c)
	}
}

func (r *jsonReader) space() {
	for r.off < len(r.src) {
		switch r.src[r.off] {
		case ' ', '\t':
			r.off++
			continue
		case '\r':
			if r.off+1 < len(r.src) && r.src[r.off+1] == '\n' {
				r.off++
			}
		case '\n':
		default:
			return
		}
		r.off++
		r.line++
		r.lineStart, r.extra = r.off, 0
	}
}

// value reads one value; the offset is at its first byte.
func (r *jsonReader) value(depth int) *Node {
	if r.off >= len(r.src) {
		return r.fail("expected a value, found %s", r.here())
	}
	switch c := r.src[r.off]; {
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case c == '"':
		n := r.scalar(String)
		if n == nil {
			return nil
		}
		text, ok := r.str()
		if !ok {
			return nil
		}
		n.Text = text
		return n
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	default:
		return r.literal()
	}
}

// scalar starts a node at the current offset.
func (r *jsonReader) scalar(kind Kind) *Node {
	n := r.node(kind, r.line, r.col())
	if n == nil {
		r.fault = r.tooMany(r.line, r.col())
	}
	return n
}

func (r *jsonReader) object(depth int) *Node {
	n := r.container(Object, depth)
	if n == nil {
		return nil
	}
	base := len(r.members)
	r.off++
	r.space()
	if r.peek() == '}' {
		r.off++
		return n
	}
	for {
		if !r.member(n, depth) {
			return nil
		}
		r.space()
		switch r.peek() {
		case ',':
			r.off++
			r.space()
			continue
		case '}':
			r.off++
			r.setMembers(n, r.uniqueKeys(n, r.members[base:]))
			r.members = r.members[:base]
			return n
		}
		if r.off >= len(r.src) {
			return r.unclosed("{", n.Line, n.Col)
		}
		return r.fail(`expected "," or "}" after the value of %q, found %s`,
			clip(r.members[len(r.members)-1].Key), r.here())
	}
}

// member reads "name": value onto the stack.
func (r *jsonReader) member(n *Node, depth int) bool {
	switch {
	case r.off >= len(r.src):
		r.unclosed("{", n.Line, n.Col)
		return false
	case r.peek() == '}':
		r.fail(`"}" follows a comma: a member is missing or the comma is one too many`)
		return false
	case r.peek() != '"':
		r.fail("expected a member name in double quotes, found %s", r.here())
		return false
	}
	m := Member{Line: r.line, Col: r.col()}
	var ok bool
	if m.Key, ok = r.str(); !ok {
		return false
	}
	r.space()
	if r.peek() != ':' {
		r.fail(`expected ":" after the name %q, found %s`, clip(m.Key), r.here())
		return false
	}
	r.off++
	r.space()
	if m.Value = r.value(depth + 1); m.Value == nil {
		return false
	}
	r.members = append(r.members, m)
	return true
}

func (r *jsonReader) array(depth int) *Node {
	n := r.container(Array, depth)
	if n == nil {
		return nil
	}
	base := len(r.items)
	r.off++
	r.space()
	if r.peek() == ']' {
		r.off++
		return n
	}
	for {
		if r.off >= len(r.src) {
			return r.unclosed("[", n.Line, n.Col)
		}
		if r.peek() == ']' {
			return r.fail(`"]" follows a comma: an element is missing or the comma is one too many`)
		}
		v := r.value(depth + 1)
		if v == nil {
			return nil
		}
		r.items = append(r.items, v)
		r.space()
		switch r.peek() {
		case ',':
			r.off++
			r.space()
			continue
		case ']':
			r.off++
			r.setItems(n, r.items[base:])
			r.items = r.items[:base]
			return n
		}
		if r.off >= len(r.src) {
			return r.unclosed("[", n.Line, n.Col)
		}
		return r.fail(`expected "," or "]" after an element, found %s`, r.here())
	}
}

// container starts an object or array node.
func (r *jsonReader) container(kind Kind, depth int) *Node {
	if depth > maxDepth {
		r.fault = tooDeep(r.line, r.col())
		return nil
	}
	return r.scalar(kind)
}

// peek returns the byte at the offset, 0 at the end.
func (r *jsonReader) peek() byte {
	if r.off < len(r.src) {
		return r.src[r.off]
	}
	return 0
}

func (r *jsonReader) literal() *Node {
	kind, word := Null, ""
	switch r.src[r.off] {
	case 't':
		kind, word = Bool, "true"
	case 'f':
		kind, word = Bool, "false"
	case 'n':
		kind, word = Null, "null"
	}
	if word == "" || !strings.HasPrefix(r.src[r.off:], word) {
		return r.fail("expected a value, found %s", r.here())
	}
	n := r.scalar(kind)
	if n != nil {
		n.Text = word
		r.off += len(word)
	}
	return n
}

func (r *jsonReader) number() *Node {
	end, bad := scanNumber(r.src, r.off)
	if bad != "" {
		return r.fail("%q is no JSON number: %s", clip(r.src[r.off:min(end+1, len(r.src))]), bad)
	}
	n := r.scalar(Number)
	if n != nil {
		n.Text = r.src[r.off:end]
		r.off = end
	}
	return n
}

// scanNumber returns the end of the JSON number at src[i:] and, when there is
// none, what is wrong with the text up to there.
func scanNumber(src string, i int) (end int, bad string) {
	digits := func() bool {
		start := i
		for i < len(src) && src[i] >= '0' && src[i] <= '9' {
			i++
		}
		return i > start
	}
	if i < len(src) && src[i] == '-' {
		i++
	}
	start := i
	if !digits() {
		return i, "a digit is missing"
	}
	if src[start] == '0' && i > start+1 {
		return i - 1, "it starts with a zero"
	}
	if i < len(src) && src[i] == '.' {
		i++
		if !digits() {
			return i, "a digit is missing after the point"
		}
	}
	if i < len(src) && (src[i] == 'e' || src[i] == 'E') {
		i++
		if i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		if !digits() {
			return i, "a digit is missing in the exponent"
		}
	}
	return i, ""
}
