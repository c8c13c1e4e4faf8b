package load

import (
	"strings"
	"unicode/utf8"
)

// cursor translates the positions of the YAML parser into ours. The parser
// follows YAML 1.1 and counts a new line at NEL, LS and PS as well (U+0085,
// U+2028, U+2029), which editors do not and descriptions do hold. Positions are
// asked for in document order, so one walk over the text serves them all.
type cursor struct {
	src         string // empty when both count alike
	off         int
	line, col   int // the parser's, of off
	own, ownCol int32
}

func newCursor(src string) cursor {
	c := cursor{line: 1, col: 1, own: 1, ownCol: 1}
	for _, r := range []string{"\u0085", "\u2028", "\u2029"} {
		if strings.Contains(src, r) {
			c.src = src
		}
	}
	return c
}

// place returns our line and column of the parser's. A position before the last
// one asked for is returned unchanged.
func (c *cursor) place(line, col int) (int32, int32) {
	if c.src == "" || line < c.line || line == c.line && col < c.col {
		return int32(line), int32(col)
	}
	for c.off < len(c.src) && (c.line < line || c.line == line && c.col < col) {
		c.step()
	}
	return c.own, c.ownCol
}

func (c *cursor) step() {
	r, n := utf8.DecodeRuneInString(c.src[c.off:])
	c.off += n
	switch r {
	case '\r':
		if c.off < len(c.src) && c.src[c.off] == '\n' {
			c.off++
		}
		fallthrough
	case '\n':
		c.line, c.col, c.own, c.ownCol = c.line+1, 1, c.own+1, 1
	case '\u0085', '\u2028', '\u2029':
		c.line, c.col, c.ownCol = c.line+1, 1, c.ownCol+1
	default:
		c.col++
		c.ownCol++
	}
}
