package explain

import (
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// Options sets how text is rendered; the zero value suits a pipe.
type Options struct {
	Color bool
	// Width is that of the terminal in columns; 0, and what is under 80, is 80, more
	// than 160 is 160.
	Width int
}

// The widths of text: under the least no table is readable, and lines beyond the
// most are not.
const (
	leastWidth = 80
	mostWidth  = 160
)

// canvas writes lines of a width. All text goes through it, which makes visible
// what could drive a terminal.
type canvas struct {
	b     strings.Builder
	color bool
	width int
}

func newCanvas(opt Options) *canvas {
	w := opt.Width
	if w == 0 {
		w = leastWidth
	}
	return &canvas{color: opt.Color, width: max(leastWidth, min(w, mostWidth))}
}

// The styles of a terminal.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

func (c *canvas) paint(s style, text string) string {
	if !c.color || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// line writes one line.
func (c *canvas) line(s style, text string) {
	c.b.WriteString(c.paint(s, strings.TrimRight(text, " ")))
	c.b.WriteByte('\n')
}

// paragraph writes text from a column on, wrapped.
func (c *canvas) paragraph(s style, indent int, text string) {
	for _, l := range wrap(text, c.width-indent) {
		c.line(s, strings.Repeat(" ", indent)+l)
	}
}

// cell is one cell of a table.
type cell struct {
	text  string
	style style
	width int
}

// cells writes a row of cells, each wrapped to its width, two columns apart.
func (c *canvas) cells(indent int, list ...cell) {
	lines := make([][]string, len(list))
	height := 1
	for i, x := range list {
		lines[i] = wrap(x.text, x.width)
		height = max(height, len(lines[i]))
	}
	for y := range height {
		var b strings.Builder
		b.WriteString(strings.Repeat(" ", indent))
		pending := 0
		for i, x := range list {
			text := ""
			if y < len(lines[i]) {
				text = lines[i][y]
			}
			if text != "" {
				b.WriteString(strings.Repeat(" ", pending))
				b.WriteString(c.paint(x.style, text))
				pending = 0
			}
			pending += x.width - utf8.RuneCountInString(text) + 2
		}
		c.b.WriteString(b.String())
		c.b.WriteByte('\n')
	}
}

// wrap breaks text at spaces into lines of a width; a longer word is broken where
// it must be. The text is made safe for a terminal.
func wrap(text string, width int) []string {
	width = max(width, 8)
	var lines []string
	var line strings.Builder
	used := 0
	flush := func() {
		if used > 0 {
			lines = append(lines, line.String())
		}
		line.Reset()
		used = 0
	}
	for word := range strings.FieldsSeq(diag.Escape(text)) {
		n := utf8.RuneCountInString(word)
		if used > 0 && used+1+n > width {
			flush()
		}
		for n > width {
			head := string([]rune(word)[:width])
			lines = append(lines, head)
			word, n = word[len(head):], n-width
		}
		if used > 0 {
			line.WriteByte(' ')
			used++
		}
		line.WriteString(word)
		used += n
	}
	flush()
	return lines
}
