package check

import (
	"bytes"
	"strconv"
	"strings"
)

// The places of a Violation.
const (
	InBody   = "body"
	InQuery  = "query"
	InPath   = "path"
	InHeader = "header"
	InCookie = "cookie"
)

// MaxViolations bounds how many violations one walk or one decoding reports.
const MaxViolations = 100

// A Violation is one way in which an input breaks its schema.
type Violation struct {
	In      string // InBody, InQuery, InPath, InHeader or InCookie
	Name    string // the parameter's name; empty for the body
	Pointer string // RFC 6901 pointer inside the body or the parameter's value; "" is the whole
	Rule    string // the schema's keyword: type, required, minLength, enum …
	Detail  string // what is wrong, as the rest of a sentence: "must be at least 3 characters, is 1"
}

// String returns the place and the detail in one line.
func (v Violation) String() string {
	var b strings.Builder
	if v.In != "" && v.In != InBody {
		b.WriteString(v.In)
		b.WriteByte(' ')
		b.WriteString(v.Name)
		if v.Pointer != "" {
			b.WriteByte(' ')
		}
	} else if v.Pointer == "" {
		b.WriteString("the value")
	}
	b.WriteString(v.Pointer)
	b.WriteString(": ")
	b.WriteString(v.Detail)
	return b.String()
}

// Error is a non-empty list of violations.
type Error struct{ Violations []Violation }

// shown is how many violations the text of an error spells out.
const shown = 5

// Error lists the first violations and counts the rest.
func (e *Error) Error() string {
	var b strings.Builder
	for i, v := range e.Violations {
		if i == shown {
			b.WriteString("; and ")
			b.WriteString(strconv.Itoa(len(e.Violations) - shown))
			b.WriteString(" more")
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(v.String())
	}
	return b.String()
}

// The bounds of a pointer, in bytes: names come from whoever sent the message, and
// each violation repeats those on its way.
const (
	maxStep    = 256
	maxPointer = 4 << 10
)

// AppendPointer appends "/" and name to a JSON pointer, with ~ and / escaped
// as RFC 6901 says. Pointers are for people to read and go into answers, so a
// name longer than 256 bytes is cut, and a pointer of 4 KiB ends in "/…".
func AppendPointer(pointer []byte, name string) []byte {
	if len(pointer) >= maxPointer {
		if !bytes.HasSuffix(pointer, []byte("/…")) {
			pointer = append(pointer, "/…"...)
		}
		return pointer
	}
	rest := ""
	if len(name) > maxStep {
		name, rest = strings.ToValidUTF8(name[:maxStep], ""), "…"
	}
	pointer = append(pointer, '/')
	for i := range len(name) {
		switch name[i] {
		case '~':
			pointer = append(pointer, "~0"...)
		case '/':
			pointer = append(pointer, "~1"...)
		default:
			pointer = append(pointer, name[i])
		}
	}
	return append(pointer, rest...)
}
