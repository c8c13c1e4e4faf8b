package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// maxKept bounds the diagnostics that a list keeps. A hostile document can earn
// one for each of millions of nodes; nobody reads past the first few hundred.
const maxKept = 10_000

// List collects diagnostics. The zero value is an empty, lenient list ready to
// use. A nil *List discards what it is given. A List is not for concurrent use.
type List struct {
	// Strict turns repairs into errors. It is read when the list is read, so
	// it may be set at any time before.
	Strict bool

	kept    []*Diagnostic
	dropped int
	errors  int // errors that do not depend on Strict, dropped ones included
	repairs int
}

// Add appends a copy of d and returns a pointer to that copy, so that a hint or
// a related place can follow. The pointer stays valid for the life of the list.
func (l *List) Add(d Diagnostic) *Diagnostic {
	p := &d
	if l == nil {
		return p
	}
	switch {
	case d.Repair:
		l.repairs++
	case d.Severity == Error:
		l.errors++
	}
	if len(l.kept) >= maxKept {
		l.dropped++
		return p
	}
	l.kept = append(l.kept, p)
	return p
}

// Error adds an error. The pointer is the JSON pointer of the node in its file.
func (l *List) Error(pos Pos, code, pointer, format string, args ...any) *Diagnostic {
	return l.Add(Diagnostic{
		Pos: pos, Severity: Error, Code: code, Pointer: pointer,
		Message: fmt.Sprintf(format, args...),
	})
}

// Warn adds a warning, strict list or not.
func (l *List) Warn(pos Pos, code, pointer, format string, args ...any) *Diagnostic {
	return l.Add(Diagnostic{
		Pos: pos, Severity: Warning, Code: code, Pointer: pointer,
		Message: fmt.Sprintf(format, args...),
	})
}

// Note adds a note.
func (l *List) Note(pos Pos, code, pointer, format string, args ...any) *Diagnostic {
	return l.Add(Diagnostic{
		Pos: pos, Severity: Note, Code: code, Pointer: pointer,
		Message: fmt.Sprintf(format, args...),
	})
}

// Repair adds a departure from the standard that the caller repaired. The
// message should say what was found and what was assumed. It is a warning, and
// an error in a strict list.
func (l *List) Repair(pos Pos, code, pointer, format string, args ...any) *Diagnostic {
	return l.Add(Diagnostic{
		Pos: pos, Severity: Warning, Code: code, Pointer: pointer, Repair: true,
		Message: fmt.Sprintf(format, args...),
	})
}

// Len returns the number of diagnostics added, duplicates included.
func (l *List) Len() int {
	if l == nil {
		return 0
	}
	return len(l.kept) + l.dropped
}

// Since returns the diagnostics that were added after the first n, as far as they are
// kept, so that what is known later can be added to them.
func (l *List) Since(n int) []*Diagnostic {
	if l == nil || n > len(l.kept) {
		return nil
	}
	return l.kept[n:]
}

// HasErrors reports whether the run must end without output.
func (l *List) HasErrors() bool {
	return l != nil && (l.errors > 0 || l.Strict && l.repairs > 0)
}

// Sorted returns the diagnostics by file, line, column and message, without
// duplicates. Repairs carry the severity that the list's strictness gives them.
// When the list had to drop some, a last note says how many. The result is
// independent of the list, except that Related slices are shared.
func (l *List) Sorted() []Diagnostic {
	if l == nil {
		return nil
	}
	out := make([]Diagnostic, 0, len(l.kept)+1)
	for _, d := range l.kept {
		c := *d
		if c.Repair && l.Strict {
			c.Severity = Error
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b Diagnostic) int {
		return cmp.Or(
			a.Pos.Compare(b.Pos),
			strings.Compare(a.Message, b.Message),
			cmp.Compare(a.Severity, b.Severity),
		)
	})
	// The same fault reached by two ways is one fault; the graver one stays.
	out = slices.CompactFunc(out, func(a, b Diagnostic) bool {
		return a.Pos == b.Pos && a.Message == b.Message
	})
	if l.dropped > 0 {
		out = append(out, Diagnostic{
			Severity: Note, Code: "too-many-diagnostics",
			Message: fmt.Sprintf("%d more diagnostics are not shown", l.dropped),
		})
	}
	return out
}
