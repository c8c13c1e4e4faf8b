package policyfile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Problem is one thing that is wrong with a file.
type Problem struct {
	// Line and Column count from 1; zero where the place is the whole file.
	Line, Column int
	// Pointer is the JSON pointer of the place.
	Pointer string
	// Message says what was found and what is allowed.
	Message string
}

// maxProblems bounds what is kept of a file that is wrong throughout.
const maxProblems = 50

// Error is all that is wrong with a file.
type Error struct {
	// File is its path.
	File string
	// Problems are sorted by their place; of very many the first are kept.
	Problems []Problem
	// Err is why the file could not be read; there are no Problems then.
	Err error
}

// Error lists the problems, one a line, as file:line:column: pointer: message.
func (e *Error) Error() string {
	if e.Err != nil {
		return "policy file " + e.File + ": " + e.Err.Error()
	}
	var b strings.Builder
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
		}
		b.WriteString(": ")
		if p.Pointer != "" {
			b.WriteString(visible(p.Pointer) + ": ")
		}
		b.WriteString(p.Message)
	}
	return b.String()
}

// visible writes signs that would move a terminal's cursor, or hide what follows, as Go
// does in a text: names of a file are whatever somebody wrote.
func visible(s string) string {
	quoted := strconv.Quote(s)
	quoted = quoted[1 : len(quoted)-1]
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(quoted)
}

// Unwrap is why the file could not be read.
func (e *Error) Unwrap() error { return e.Err }

// problems collects what is wrong, each thing once: one entry may be wrong for many
// operations.
type problems struct{ list []Problem }

func (p *problems) addf(line, column int, pointer, format string, args ...any) {
	one := Problem{Line: line, Column: column, Pointer: pointer, Message: fmt.Sprintf(format, args...)}
	if len(p.list) < maxProblems && !slices.Contains(p.list, one) {
		p.list = append(p.list, one)
	}
}

// err is the problems as an error of a file, nil where there are none.
func (p *problems) err(file string) error {
	if len(p.list) == 0 {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return &Error{File: file, Problems: p.list}
}

// pointerEscaper writes a name as a part of a JSON pointer (RFC 6901).
var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// below is the pointer of a member.
func below(pointer, name string) string { return pointer + "/" + pointerEscaper.Replace(name) }

// nearest is the question before a list of what may be written: ": did you mean x?", or a
// colon alone.
func nearest(name string, known []string) string {
	if hint := didYouMean(name, known); hint != "" {
		return hint
	}
	return ":"
}

// didYouMean is the hint for a name that is nearly one of those known; empty without one.
func didYouMean(name string, known []string) string {
	best, least := "", 1+min(2, len(name)/3)
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return ": did you mean " + best + "?"
}

// maxCompared bounds the names that are compared letter by letter.
const maxCompared = 64

// distance is the number of letters to add, drop, change or swap with the next one
// that lead from a to b (the restricted Damerau–Levenshtein distance).
func distance(a, b string) int {
	if len(a) > maxCompared || len(b) > maxCompared {
		return maxCompared
	}
	var rows [3][maxCompared + 1]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, above, twoAbove := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			d := above[j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			d = min(d, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, twoAbove[j-2]+1)
			}
			row[j] = d
		}
	}
	return rows[len(a)%3][len(b)]
}
