package policyfile

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/runtime/internal/jsontree"
)

// Bounds of a file. They keep a wrong path (a core dump, a log) and a hostile text
// from costing anything.
const (
	MaxBytes = 1 << 20
	MaxNodes = 100_000
	MaxDepth = 64
)

// Kind is the type of a value.
type Kind uint8

// The types of values.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
)

// Node is one value of a file, with its place.
type Node struct {
	Kind Kind
	// Text is a string's characters, and the literal of a number, a boolean or
	// null.
	Text    string
	Items   []*Node
	Members []Member
	// Line and Column count from 1; columns count bytes.
	Line, Column int
}

// Member is one member of an object, in the order of the file.
type Member struct {
	Name         string
	Line, Column int
	Value        *Node
}

// Get is an object's member; nil where there is none, or n is nil or no object.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Members {
		if n.Members[i].Name == name {
			return n.Members[i].Value
		}
	}
	return nil
}

// Decoder reads a file. What it gives has at most [MaxNodes] values, at most
// [MaxDepth] of them inside each other, and no object with two members of one name.
type Decoder func(data []byte) (*Node, error)

// SyntaxError is a text that a Decoder cannot read.
type SyntaxError struct {
	Line, Column int
	Message      string
}

// Error names the place and what is wrong there.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
}

// JSON is the Decoder of JSON.
func JSON(data []byte) (*Node, error) {
	text := strings.TrimPrefix(string(data), "\ufeff") // editors of some systems put it there
	v, err := jsontree.Parse(text)
	if err != nil {
		at := &SyntaxError{Line: 1, Column: 1, Message: err.Error()}
		if syntax, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
			at.Line, at.Column = place(text, syntax.Offset)
			at.Message = "not valid JSON: " + syntax.What
		}
		return nil, at
	}
	r := jsonReader{text: text, line: 1}
	n := r.node(v, 0)
	if r.tooMuch != nil {
		return nil, r.tooMuch
	}
	return n, nil
}

// place is the line and column of an offset.
func place(text string, offset int) (line, column int) {
	before := text[:min(offset, len(text))]
	return 1 + strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n')
}

// jsonReader turns a JSON tree into nodes. Offsets come in their order, so each line
// is counted once.
type jsonReader struct {
	text    string
	line    int
	begin   int // of the line
	counted int
	nodes   int
	tooMuch *SyntaxError
}

func (r *jsonReader) place(offset int) (line, column int) {
	for ; r.counted < offset; r.counted++ {
		if r.text[r.counted] == '\n' {
			r.line, r.begin = r.line+1, r.counted+1
		}
	}
	return r.line, offset - r.begin + 1
}

func (r *jsonReader) node(v jsontree.Value, depth int) *Node {
	n := &Node{Kind: kinds[v.Kind], Text: v.Text}
	n.Line, n.Column = r.place(v.Offset)
	r.nodes++
	switch {
	case r.tooMuch != nil:
		return n
	case depth > MaxDepth:
		r.tooMuch = &SyntaxError{n.Line, n.Column, "nested too deeply"}
		return n
	case r.nodes > MaxNodes:
		r.tooMuch = &SyntaxError{n.Line, n.Column, "too many values"}
		return n
	}
	for i := range v.Items {
		n.Items = append(n.Items, r.node(v.Items[i], depth+1))
	}
	for i := range v.Members {
		m := Member{Name: v.Members[i].Name}
		m.Line, m.Column = r.place(v.Members[i].Offset)
		m.Value = r.node(v.Members[i].Value, depth+1)
		n.Members = append(n.Members, m)
	}
	return n
}

var kinds = [...]Kind{
	jsontree.Null: Null, jsontree.Bool: Bool, jsontree.Number: Number, jsontree.String: String, jsontree.Array: List,
	jsontree.Object: Object,
}

// maxShown bounds, in characters, what a message shows of a file.
const maxShown = 40

// shown is text of a file in a message.
func shown(text string) string {
	if utf8.RuneCountInString(text) > maxShown {
		return fmt.Sprintf("%q…", string([]rune(text)[:maxShown]))
	}
	return fmt.Sprintf("%q", text)
}

// found says what stands at a node.
func (n *Node) found() string {
	switch n.Kind {
	case String:
		return shown(n.Text)
	case Number:
		if len(n.Text) > maxShown {
			return n.Text[:maxShown] + "…"
		}
		return n.Text
	case List:
		return "a list"
	case Object:
		return "an object"
	}
	return n.Text
}
