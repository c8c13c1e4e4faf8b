package diag

import (
	"bytes"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// Options sets how diagnostics are rendered. The zero value is plain text
// without excerpts, as a pipe or a log wants it.
type Options struct {
	// Color adds ANSI colours. Only for a terminal.
	Color bool
	// Excerpt returns the lines of a source file by the name that positions
	// carry; nil or an empty result leaves the excerpt out. See SourceLines.
	Excerpt func(file string) []string
	// Width is the number of terminal cells that a line of an excerpt may
	// take; 0 means 100.
	Width int
	// Dir, when set, is an absolute folder: files below it are named relative
	// to it.
	Dir string
}

const (
	defaultWidth = 100
	minWidth     = 20
	tabWidth     = 4
)

// ANSI sequences.
const (
	ansiReset  = "\x1b[0m"
	ansiBold   = "\x1b[1m"
	ansiRed    = "\x1b[1;31m"
	ansiYellow = "\x1b[1;33m"
	ansiCyan   = "\x1b[1;36m"
)

// WriteText writes one block a diagnostic:
//
//	file:line:col: message
//	   12 | the source line
//	      |     ^
//	    hint: what to do
//	    file:line:col: a related place
//
// A warning has "warning: " before its message and a note "note: ". Text that
// comes from the document is escaped, so that it can neither add lines nor drive
// the terminal. The error is that of w.
func WriteText(w io.Writer, ds []Diagnostic, opt Options) error {
	p := newPrinter(opt)
	for i := range ds {
		p.diagnostic(&ds[i])
		if _, err := w.Write(p.buf.Bytes()); err != nil {
			return err
		}
		p.buf.Reset()
	}
	return nil
}

type printer struct {
	opt Options
	buf bytes.Buffer

	// Where the last excerpt was: diagnostics come sorted.
	last       Pos
	lastOffset int
}

func newPrinter(opt Options) *printer {
	if opt.Width <= 0 {
		opt.Width = defaultWidth
	}
	opt.Width = max(opt.Width, minWidth)
	return &printer{opt: opt}
}

func (p *printer) diagnostic(d *Diagnostic) {
	if d.Pos.IsValid() {
		p.paint(ansiBold, p.place(d.Pos)+":")
		p.buf.WriteByte(' ')
	}
	switch d.Severity {
	case Warning:
		p.paint(ansiYellow, "warning:")
		p.buf.WriteByte(' ')
	case Note:
		p.paint(ansiCyan, "note:")
		p.buf.WriteByte(' ')
	case Error:
	}
	p.buf.WriteString(Escape(d.Message))
	p.buf.WriteByte('\n')
	p.excerpt(d)
	if d.Hint != "" {
		p.buf.WriteString("    ")
		p.paint(ansiCyan, "hint:")
		p.buf.WriteString(" " + Escape(d.Hint) + "\n")
	}
	for _, r := range d.Related {
		p.buf.WriteString("    " + p.place(r.Pos) + ": " + Escape(r.Message) + "\n")
	}
}

func (p *printer) place(pos Pos) string {
	pos.File = relative(p.opt.Dir, pos.File)
	return Escape(pos.String())
}

func (p *printer) paint(color, text string) {
	if !p.opt.Color {
		p.buf.WriteString(text)
		return
	}
	p.buf.WriteString(color + text + ansiReset)
}

// excerpt writes the line of d with a caret under the column.
func (p *printer) excerpt(d *Diagnostic) {
	if p.opt.Excerpt == nil || d.Pos.Line <= 0 || d.Pos.Col <= 0 {
		return
	}
	lines := p.opt.Excerpt(d.Pos.File)
	if d.Pos.Line > len(lines) {
		return
	}
	number := strconv.Itoa(d.Pos.Line)
	gutter := strings.Repeat(" ", max(5-len(number), 1))
	text, caret := cut(lines[d.Pos.Line-1], p.offset(lines[d.Pos.Line-1], d.Pos), p.opt.Width)
	p.paint(ansiCyan, gutter+number+" |")
	p.buf.WriteString(" " + text + "\n")
	p.paint(ansiCyan, strings.Repeat(" ", len(gutter)+len(number))+" |")
	p.buf.WriteString(" " + strings.Repeat(" ", caret))
	color := ansiRed
	switch d.Severity {
	case Warning:
		color = ansiYellow
	case Note:
		color = ansiCyan
	case Error:
	}
	p.paint(color, "^")
	p.buf.WriteByte('\n')
}

// offset returns the byte offset of pos in its line.
func (p *printer) offset(line string, pos Pos) int {
	fromCol, from := 1, 0
	if p.last.File == pos.File && p.last.Line == pos.Line && p.last.Col <= pos.Col {
		fromCol, from = p.last.Col, p.lastOffset
	}
	p.last, p.lastOffset = pos, offset(line, fromCol, from, pos.Col)
	return p.lastOffset
}

// relative names file relative to dir when it is inside.
func relative(dir, file string) string {
	if dir == "" || !filepath.IsAbs(file) {
		return file
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return file
	}
	return rel
}
