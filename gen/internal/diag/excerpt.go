package diag

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

const ellipsis = "..."

// cell is one character of an excerpt as it is shown.
type cell struct {
	text  string
	width int
}

// offset returns the byte offset of a 1-based column of line, counting on from a
// known column: minified documents are one line of megabytes, which must not be
// counted anew for each of its diagnostics.
func offset(line string, fromCol, fromOffset, col int) int {
	for ; fromCol < col && fromOffset < len(line); fromCol++ {
		_, n := utf8.DecodeRuneInString(line[fromOffset:])
		fromOffset += n
	}
	return fromOffset
}

// cut returns a line as shown in at most limit cells, with tabs expanded and
// control characters escaped, and the cell under which the caret for the byte
// offset start stands. A long line is cut around it. The work is bounded by
// limit, not by the line.
func cut(line string, start, limit int) (text string, caret int) {
	// Tab stops depend on the distance from the start of the line, which is out
	// of reach in a long one; there a tab is simply shown in full width.
	left := cellsBefore(line[:start], 2*limit)
	right := cellsAfter(line[start:], limit+1)
	leftWidth, rightWidth := total(left.cells), total(right.cells)
	if !left.more && !right.more && leftWidth+rightWidth <= limit {
		return join(left.cells) + join(right.cells), leftWidth
	}
	// The column gets the middle unless the right side leaves room to the left.
	before := max(limit/2, limit-rightWidth)
	keepLeft, droppedLeft := lastCells(left.cells, before, left.more)
	if droppedLeft {
		text = ellipsis
	}
	keepRight, droppedRight := firstCells(right.cells, limit-len(text)-total(keepLeft), right.more)
	caret = len(text) + total(keepLeft)
	text += join(keepLeft) + join(keepRight)
	if droppedRight {
		text += ellipsis
	}
	return text, caret
}

// run is a stretch of cells; more says that the line goes on beyond it.
type run struct {
	cells []cell
	more  bool
}

// cellsBefore lays out s up to its end: all of it if it is short, else its last
// limit characters.
func cellsBefore(s string, limit int) run {
	start, n := len(s), 0
	for start > 0 && n < limit {
		_, size := utf8.DecodeLastRuneInString(s[:start])
		start -= size
		n++
	}
	r := run{more: start > 0}
	at := 0
	for s = s[start:]; s != ""; {
		var c cell
		c, s = nextCell(s, at)
		r.cells = append(r.cells, c)
		at += c.width
	}
	return r
}

// cellsAfter lays out s from its start until limit cells are full.
func cellsAfter(s string, limit int) run {
	var r run
	at := 0
	for s != "" && at < limit {
		var c cell
		c, s = nextCell(s, at)
		r.cells = append(r.cells, c)
		at += c.width
	}
	r.more = s != ""
	return r
}

func nextCell(s string, at int) (cell, string) {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == '\t':
		w := tabWidth - at%tabWidth
		return cell{strings.Repeat(" ", w), w}, s[n:]
	case printable(r):
		return cell{s[:n], width(r)}, s[n:]
	default:
		text := escapeRune(r, n, s[0])
		return cell{text, len(text)}, s[n:]
	}
}

// lastCells keeps the end of cells so that it fits limit, the ellipsis for what
// was dropped included.
func lastCells(cells []cell, limit int, more bool) (kept []cell, dropped bool) {
	if !more && total(cells) <= limit {
		return cells, false
	}
	limit -= len(ellipsis)
	i := len(cells)
	for w := 0; i > 0 && w+cells[i-1].width <= limit; i-- {
		w += cells[i-1].width
	}
	return cells[i:], true
}

// firstCells is lastCells for the start of cells.
func firstCells(cells []cell, limit int, more bool) (kept []cell, dropped bool) {
	if !more && total(cells) <= limit {
		return cells, false
	}
	limit -= len(ellipsis)
	i := 0
	for w := 0; i < len(cells) && w+cells[i].width <= limit; i++ {
		w += cells[i].width
	}
	return cells[:i], true
}

func total(cells []cell) int {
	w := 0
	for _, c := range cells {
		w += c.width
	}
	return w
}

func join(cells []cell) string {
	var b strings.Builder
	for _, c := range cells {
		b.WriteString(c.text)
	}
	return b.String()
}

// SplitLines splits source text the way positions count lines: at LF, CRLF and
// a lone CR, and nowhere else.
func SplitLines(text string) []string {
	var lines []string
	for {
		i := strings.IndexAny(text, "\r\n")
		if i < 0 {
			return append(lines, text)
		}
		lines = append(lines, text[:i])
		if text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			i++
		}
		text = text[i+1:]
	}
}

// SourceLines returns a function for [Options.Excerpt] that reads local files,
// each once and at most maxBytes of it. What is not a readable regular file, a
// URL for one, has no lines. It suits a run that ended before a document was
// loaded as well as one that did not. The function is not for concurrent use.
func SourceLines(maxBytes int64) func(file string) []string {
	read := map[string][]string{}
	return func(file string) []string {
		lines, ok := read[file]
		if !ok {
			lines = readLines(file, maxBytes)
			read[file] = lines
		}
		return lines
	}
}

func readLines(name string, maxBytes int64) []string {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil // opening a pipe could block for ever
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes))
	if err != nil {
		return nil
	}
	return SplitLines(strings.TrimPrefix(string(data), "\ufeff"))
}
