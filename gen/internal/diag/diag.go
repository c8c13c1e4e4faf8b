// Package diag holds what the generator has to tell about a document: where,
// how bad, what was found and what to do about it.
//
// Every stage of a run writes into one [List]. Nothing is printed before the
// run is over, so all faults of a document come out together, in the order of
// their positions and with duplicates removed.
package diag

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Pos is a place in a source file. Line and Col are 1-based and Col counts
// runes, not bytes. A zero Line means the file as a whole; the zero value means
// no place at all.
type Pos struct {
	File string
	Line int
	Col  int
}

// IsValid reports whether p names a file.
func (p Pos) IsValid() bool { return p.File != "" }

// String returns "file:line:col", only "file" when no line is known, and "-"
// for the zero value. The file name is returned as it is: a writer to a
// terminal must pass it through [Escape].
func (p Pos) String() string {
	switch {
	case p.File == "":
		return "-"
	case p.Line <= 0:
		return p.File
	default:
		return p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Col)
	}
}

// Compare orders positions by file, line and column.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(
		strings.Compare(p.File, q.File),
		cmp.Compare(p.Line, q.Line),
		cmp.Compare(p.Col, q.Col),
	)
}

// Severity says what a diagnostic does to the run. The zero value is Error, so
// that a forgotten severity can never let a broken document through.
type Severity uint8

// The severities, from the gravest to the mildest.
const (
	// Error ends the run: nothing is written.
	Error Severity = iota
	// Warning is reported and the run goes on.
	Warning
	// Note is information only.
	Note
)

// String returns "error", "warning" or "note".
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Note:
		return "note"
	default:
		return "severity(" + strconv.Itoa(int(s)) + ")"
	}
}

// Related is a second place that belongs to a diagnostic, such as the first of
// two definitions.
type Related struct {
	Pos     Pos
	Message string
}

// Diagnostic is one finding. It is plain data; [List] hands out pointers only
// so that a hint and related places can be added where the finding is made.
type Diagnostic struct {
	// Pos is where the fault stands.
	Pos Pos
	// Severity is the weight. For a repair, read it from [List.Sorted], which
	// applies the list's strictness.
	Severity Severity
	// Code is the kebab-case id of the rule, such as "unknown-field". It stays
	// the same when the wording changes.
	Code string
	// Pointer is the JSON pointer of the node inside its file; empty for the
	// root and where no node exists, as after a syntax error.
	Pointer string
	// Message says what was found and what is allowed, without the position.
	Message string
	// Hint says what to do; empty if the message says it all.
	Hint string
	// Related lists the other places involved.
	Related []Related
	// Repair marks a departure from the standard that was repaired: a warning,
	// or an error in a strict list.
	Repair bool
}

// Hintf sets the hint and returns d.
func (d *Diagnostic) Hintf(format string, args ...any) *Diagnostic {
	d.Hint = fmt.Sprintf(format, args...)
	return d
}

// At adds a related place and returns d.
func (d *Diagnostic) At(pos Pos, format string, args ...any) *Diagnostic {
	d.Related = append(d.Related, Related{Pos: pos, Message: fmt.Sprintf(format, args...)})
	return d
}
