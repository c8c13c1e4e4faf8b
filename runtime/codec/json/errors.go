package json

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/check"
)

// The causes of a SyntaxError that a caller may want to tell apart.
var (
	ErrEmpty    = errors.New("the text is empty where a JSON value is wanted")
	ErrBOM      = errors.New("the text begins with a byte order mark, which JSON does not allow")
	ErrUTF8     = errors.New("the text is not valid UTF-8")
	ErrTrailing = errors.New("unexpected data after the JSON value")
	ErrDepth    = errors.New("arrays and objects are nested too deeply")
	ErrWork     = errors.New("unions are nested too deeply to tell which type a value has")
)

// A SyntaxError says that a text is not the JSON that RFC 8259 allows, or that
// it exceeds a bound. Its cause is one of the Err values, if any.
type SyntaxError struct {
	Offset       int // in bytes
	Line, Column int // from 1; the column counts bytes
	Pointer      string
	Message      string

	cause error
}

// Error returns the message with its place. It repeats at most one character
// of the text.
func (e *SyntaxError) Error() string {
	return "json: line " + strconv.Itoa(e.Line) + ", column " + strconv.Itoa(e.Column) + ": " + e.Message
}

// Unwrap returns the cause.
func (e *SyntaxError) Unwrap() error { return e.cause }

// An InvalidError says that a JSON text does not fit the schema. errors.As
// finds a *check.Error in it.
type InvalidError struct{ Violations []check.Violation }

// Error lists the first violations, each with its JSON pointer.
func (e *InvalidError) Error() string {
	return "json: " + (&check.Error{Violations: e.Violations}).Error()
}

// Unwrap returns the violations as package check reports its own.
func (e *InvalidError) Unwrap() error { return &check.Error{Violations: e.Violations} }

// finding is a violation whose place is still an offset.
type finding struct {
	offset int    // where the value begins
	member bool   // it is about a member of the object there
	name   string // of the member
	rule   string
	detail string
	soft   bool // found only because of Mode.Strict
}

// errAbort ends the trial of a union's variant at its first violation.
var errAbort = errors.New("json: the variant does not match")

// Fail notes that the value read last breaks a rule: a keyword of JSON Schema,
// and the rest of the sentence "the value …". Of one value only the first
// violation is kept. After a loop over an array or an object that is the value
// read last.
func (d *Decoder) Fail(rule, detail string) {
	d.add(finding{offset: d.start, rule: rule, detail: detail})
}

// FailStrict is Fail where d is strict, and nothing otherwise.
func (d *Decoder) FailStrict(rule, detail string) {
	if d.mode.Strict {
		d.add(finding{offset: d.start, rule: rule, detail: detail, soft: true})
	}
}

// Enum notes, where d is strict, that the value read last is not among those of
// an enum. allowed lists them as the document does: "a", "b". The message
// repeats the value when it is a scalar, since a reader of the list has to see
// which of his words is not on it.
func (d *Decoder) Enum(known bool, allowed string) {
	if known || !d.mode.Strict || d.err != nil {
		return
	}
	detail := "must be one of " + allowed
	if text := d.src[d.start:d.pos]; text != "" && text[0] != '{' && text[0] != '[' {
		detail = "is " + echo(text) + ", " + detail
	}
	d.FailStrict("enum", detail)
}

// maxEcho is how much of a value a message repeats.
const maxEcho = 40

// echo is the text of a scalar for a message: a long one is cut.
func echo(text string) string {
	if len(text) <= maxEcho {
		return text
	}
	return strings.ToValidUTF8(text[:maxEcho], "") + "…"
}

// Const notes that the value read last is not the one that it has to be.
func (d *Decoder) Const(same bool, want string) {
	if !same {
		d.Fail("const", "must be "+want)
	}
}

// Reject passes over the value of a member that a closed object does not
// declare; where d is strict it is a violation.
func (d *Decoder) Reject() {
	if d.mode.Strict {
		d.add(finding{offset: d.pos, rule: "additionalProperties", detail: "is not a known property", soft: true})
	}
	d.Skip()
}

// Never passes over the value of a member whose schema is false, a violation.
func (d *Decoder) Never() {
	d.add(finding{offset: d.pos, rule: "not", detail: "must not be present"})
	d.Skip()
}

// TooMany passes over an array's item that no schema allows, a violation.
func (d *Decoder) TooMany(limit int) {
	d.add(finding{offset: d.pos, rule: "items", detail: "is one item too many: the array has at most " + strconv.Itoa(limit)})
	d.Skip()
}

// Mismatch notes that the value at which d stands is not of the wanted kind,
// such as "a boolean, a string or a number", and passes over it.
func (d *Decoder) Mismatch(want string) {
	if d.err != nil {
		return
	}
	kind := d.PeekKind()
	d.start = d.pos
	if kind != KindInvalid {
		d.add(finding{offset: d.pos, rule: "type", detail: "must be " + want + ", is " + kind.String()})
	}
	d.Skip()
}

// Missing notes that the object just read lacks a member, for conditions that
// Require does not know.
func (d *Decoder) Missing(name string) {
	d.add(finding{offset: d.start, member: true, name: name, rule: "required", detail: "is missing"})
}

// sameFault reports whether two findings that follow each other are about one thing,
// which decoding and a schema have both noticed.
func sameFault(a, b finding) bool {
	return a.offset == b.offset && a.member == b.member && a.name == b.name && (!a.member || a.rule == b.rule)
}

func (d *Decoder) add(f finding) {
	if d.err != nil {
		return
	}
	if n := len(d.found); n > 0 && !f.member && !d.found[n-1].member && d.found[n-1].offset == f.offset {
		return // one thing wrong with a value is enough
	}
	d.findings(f)
	if !f.soft {
		d.abort()
	}
}

func (d *Decoder) findings(f finding) {
	// A trial always has room for one: whether it has found something counts.
	if n := len(d.found); n < check.MaxViolations || d.trials > 0 && n < 2*check.MaxViolations {
		d.found = append(d.found, f)
	}
}

// abort ends a trial: a variant that does not match is not read any further.
func (d *Decoder) abort() {
	if d.trials > 0 && d.err == nil {
		d.err = errAbort
		d.aborted = d.pos
		d.pos = len(d.src)
	}
}

// syntax ends decoding.
func (d *Decoder) syntax(offset int, message string, cause error) {
	if d.err == nil {
		d.err = &SyntaxError{Offset: offset, Message: message, cause: cause}
		d.pos = len(d.src)
	}
}

// fault ends decoding with what a scanner found.
func (d *Decoder) fault(offset int, message string) {
	var cause error
	if message == faultDepth {
		cause = ErrDepth
	}
	d.syntax(offset, message, cause)
}

func (d *Decoder) unexpected(where string) {
	d.syntax(d.pos, unexpected(d.src, d.pos, where), nil)
}

// Err returns what went wrong so far: nil, a *SyntaxError or an *InvalidError.
func (d *Decoder) Err() error {
	if d.err == nil {
		if len(d.found) == 0 {
			return nil
		}
		return &InvalidError{Violations: d.Violations()}
	}
	if e, ok := errors.AsType[*SyntaxError](d.err); ok && e.Line == 0 {
		before := d.src[:e.Offset]
		e.Line = 1 + strings.Count(before, "\n")
		e.Column = e.Offset - strings.LastIndexByte(before, '\n')
		e.Pointer = pointers(d.src, 0, []int{e.Offset})[0]
	}
	return d.err
}

// Violations returns the violations found so far, in the order of the text.
// Only here are their JSON pointers worked out.
func (d *Decoder) Violations() []check.Violation {
	if len(d.found) == 0 {
		return nil
	}
	found := slices.Clone(d.found)
	slices.SortStableFunc(found, func(a, b finding) int { return a.offset - b.offset })
	if d.held {
		found = slices.CompactFunc(found, sameFault)
	}
	offsets := make([]int, len(found))
	for i, f := range found {
		offsets[i] = f.offset
	}
	where := pointers(d.src, 0, offsets)
	list := make([]check.Violation, len(found))
	for i, f := range found {
		pointer := where[i]
		if f.member {
			pointer = string(check.AppendPointer([]byte(pointer), f.name))
		}
		list[i] = check.Violation{In: check.InBody, Pointer: pointer, Rule: f.rule, Detail: f.detail}
	}
	if d.held {
		list = slices.CompactFunc(list, func(a, b check.Violation) bool { return a.Pointer == b.Pointer && a.Detail == b.Detail })
	}
	return list
}
