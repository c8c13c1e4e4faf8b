package names

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// meaning names the signs that tell keys apart on purpose, as in "<=" or "+1".
var meaning = map[rune]string{
	'<': "Lt", '>': "Gt", '=': "Eq", '+': "Plus", '*': "Star", '%': "Percent",
	'&': "And", '^': "Caret", '?': "Question",
}

// separators names the characters that usually only part words. These names are
// used when nothing else is there, or to tell two keys apart.
var separators = map[rune]string{
	'-': "Dash", '_': "Underscore", ' ': "Space", '.': "Dot", '/': "Slash", ':': "Colon",
	';': "Semicolon", ',': "Comma", '$': "Dollar", '@': "At", '#': "Hash", '~': "Tilde",
	'\'': "Quote", '"': "DoubleQuote", '`': "Backtick", '(': "LParen", ')': "RParen",
	'[': "LBracket", ']': "RBracket", '{': "LBrace", '}': "RBrace", '\\': "Backslash",
	'|': "Pipe", '!': "Not", '\t': "Tab", '\n': "Newline", '\r': "Return",
}

// sign is the word for the character at i, which is no letter, digit or mark; empty
// when it only parts words.
func (s *splitter) sign(i int) string {
	r := s.runes[i]
	if w, ok := meaning[r]; ok {
		return w
	}
	next := s.at(i + 1)
	switch {
	case r == '-' && i == 0 && (unicode.IsLetter(next) || unicode.IsDigit(next)),
		r == '-' && unicode.IsDigit(next) && !wordy(s.at(i-1)):
		return "Minus"
	case r == '!' && (i == 0 && next != 0 || next == '='):
		return "Not"
	case separators[r] == "" && unicode.IsSymbol(r):
		return codePoint(r)
	}
	return ""
}

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// spell names one character that is no letter or digit.
func spell(r rune) string {
	if w, ok := meaning[r]; ok {
		return w
	}
	if w, ok := separators[r]; ok {
		return w
	}
	return codePoint(r)
}

func codePoint(r rune) string { return fmt.Sprintf("U%04X", r) }

// spellAll names each character of a key that has neither letters nor digits. The
// empty key gives the empty string.
func spellAll(key string) string {
	var b strings.Builder
	for _, r := range key {
		join(&b, spell(r))
	}
	return b.String()
}

// Spelled is the second form of a key's identifier: each separator is a word, and a
// key that begins in lower case without having separators ends in Lower. It equals
// [Exported] when that tells nothing more.
func Spelled(key string) string {
	name := spelled(key)
	if r, _ := utf8.DecodeRuneInString(name); !unicode.IsUpper(r) {
		return "X" + name
	}
	return name
}

// spelled is Spelled without the care for the first character.
func spelled(key string) string {
	var b strings.Builder
	var run []rune
	seps := false
	flush := func() {
		if len(run) > 0 {
			join(&b, camel(string(run)))
			run = run[:0]
		}
	}
	for _, r := range key {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			run = append(run, r)
			continue
		}
		flush()
		seps = true
		join(&b, spell(r))
	}
	flush()
	if b.Len() == 0 {
		return "Empty"
	}
	if first, _ := utf8.DecodeRuneInString(key); unicode.IsLower(first) && !seps {
		b.WriteString("Lower")
	}
	return b.String()
}
