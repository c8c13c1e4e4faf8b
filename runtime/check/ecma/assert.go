package ecma

import "unicode/utf8"

// holds reports whether an assertion holds at a position of the text.
func holds(a assertion, s string, pos int) bool {
	switch a {
	case textStart:
		return pos == 0
	case textEnd:
		return pos == len(s)
	case lineStart:
		r, _ := utf8.DecodeLastRuneInString(s[:pos])
		return pos == 0 || isLineEnd(r)
	case lineEnd:
		r, _ := utf8.DecodeRuneInString(s[pos:])
		return pos == len(s) || isLineEnd(r)
	case wordEdge, notWordEdge:
		before := pos > 0 && isWord(s[pos-1])
		after := pos < len(s) && isWord(s[pos])
		return (before != after) == (a == wordEdge)
	}
	before, n := utf8.DecodeLastRuneInString(s[:pos])
	after, m := utf8.DecodeRuneInString(s[pos:])
	edge := (n > 0 && isFoldedWord(before)) != (m > 0 && isFoldedWord(after))
	return edge == (a == foldedEdge)
}

func isFoldedWord(r rune) bool {
	return r < utf8.RuneSelf && isWord(byte(r)) || r == 0x17f || r == 0x212a
}
