package json

import "github.com/holdfast-go/holdfast/runtime/check"

// Direction says which way a message travels. It decides on readOnly and
// writeOnly members.
type Direction uint8

// The directions; the zero Direction is AnyDirection, in which no member is
// special.
const (
	AnyDirection Direction = iota
	Request
	Response
)

// ReadOnly reports whether readOnly members travel this way. In a request they
// do not: the client leaves them out, the server does not demand them and
// ignores those that are sent, so that no caller can set them.
func (d Direction) ReadOnly() bool { return d != Request }

// WriteOnly reports whether writeOnly members travel this way. In a response
// they do not.
func (d Direction) WriteOnly() bool { return d != Response }

// way is the direction as package check has it.
func (d Direction) way() check.Way {
	switch d {
	case Request:
		return check.InRequest
	case Response:
		return check.InResponse
	}
	return check.AnyWay
}

// DefaultMaxDepth bounds the nesting where Mode.MaxDepth is 0.
const DefaultMaxDepth = 1000

// Mode says how strictly to read and what to leave out. The zero Mode is
// lenient and of any direction.
type Mode struct {
	Direction Direction
	// Strict makes violations of what a client had better tolerate: unknown
	// enum values, undeclared members of closed objects, repeated members.
	Strict bool
	// Patch is for messages that change what there is, such as those of RFC 7396:
	// a member that is absent stays absent, for it leaves the value alone. Without
	// it such a member gets its default, where the document has one.
	Patch bool
	// MaxDepth bounds the nesting of arrays and objects; 0 means
	// DefaultMaxDepth. Past a few thousand the stack is what counts.
	MaxDepth int
}

func (m Mode) maxDepth() int {
	if m.MaxDepth > 0 {
		return m.MaxDepth
	}
	return DefaultMaxDepth
}

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds; KindInvalid is no value at all.
const (
	KindInvalid Kind = iota
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

// String returns the kind with its article: "a string".
func (k Kind) String() string {
	switch k {
	case KindNull:
		return "null"
	case KindBool:
		return "a boolean"
	case KindNumber:
		return "a number"
	case KindString:
		return "a string"
	case KindArray:
		return "an array"
	case KindObject:
		return "an object"
	default:
		return "no JSON value"
	}
}

func kindOf(c byte) Kind {
	switch {
	case c == '"':
		return KindString
	case c == '{':
		return KindObject
	case c == '[':
		return KindArray
	case c == '-', isDigit(c):
		return KindNumber
	case c == 't', c == 'f':
		return KindBool
	case c == 'n':
		return KindNull
	default:
		return KindInvalid
	}
}
