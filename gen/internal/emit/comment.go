package emit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

// wrapAt is the width that comment text is wrapped at, without the slashes.
const wrapAt = 90

// comment makes a comment of text from a document: each line of the result begins
// with "// ", whatever the text holds. It is null for text without a visible
// character.
func comment(paragraphs ...string) *jen.Statement {
	text := commentText(paragraphs...)
	if text == "" {
		return jen.Null()
	}
	return jen.Comment(text)
}

// commentText is the comment as text, empty when there is nothing to say. The
// paragraphs are parted by an empty comment line.
func commentText(paragraphs ...string) string {
	var lines []string
	for _, p := range paragraphs {
		body := cleanLines(p)
		if len(body) == 0 {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, body...)
	}
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("//")
		if line != "" {
			b.WriteByte(' ')
			b.WriteString(line)
		}
	}
	return b.String()
}

// cleanLines cuts text into lines that are safe behind "// ": without control
// characters, without what the Go tools read as a directive, wrapped, and without
// empty lines at the ends or two of them in a row.
func cleanLines(text string) []string {
	if strings.Contains(text, "\r") {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(cleanLine(line), " ")
		if line == "" {
			if len(lines) > 0 && lines[len(lines)-1] != "" {
				lines = append(lines, "")
			}
			continue
		}
		lines = append(lines, wrapLine(defuse(line))...)
	}
	if n := len(lines); n > 0 && lines[n-1] == "" {
		lines = lines[:n-1]
	}
	return lines
}

// cleanLine replaces what has no place in a source file or deceives its reader:
// control characters, line and paragraph separators, marks that turn the direction
// of writing, and invalid UTF-8.
func cleanLine(line string) string {
	plain := true
	for i := range len(line) {
		if line[i] < ' ' || line[i] >= utf8.RuneSelf || line[i] == 0x7f {
			plain = false
			break
		}
	}
	if plain {
		return line
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r == '\u2028' || r == '\u2029' || r == 0xFEFF || unicode.IsControl(r):
			return ' '
		case unicode.In(r, unicode.Bidi_Control):
			return -1
		}
		return r
	}, strings.ToValidUTF8(line, "\uFFFD"))
}

// defuse keeps a line from being read as an instruction: the old form of a build
// constraint is one even behind "// ", and go vet minds it anywhere; linters mind the
// words of a directive there.
func defuse(line string) string {
	trimmed := strings.TrimLeft(line, " ")
	if strings.HasPrefix(trimmed, "+build") || strings.HasPrefix(trimmed, "go:") {
		return `\` + trimmed
	}
	return line
}

// wrapLine breaks a long line at spaces. What follows a break keeps the indent of the
// line, so that code blocks and lists stay what they are.
func wrapLine(line string) []string {
	if len(line) <= wrapAt {
		return []string{line}
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	if len(indent) > wrapAt/2 {
		indent = ""
	}
	var out []string
	cur := append(make([]byte, 0, 2*wrapAt), indent...)
	width := utf8.RuneCountInString(indent)
	empty := true
	for word := range strings.FieldsSeq(line) {
		n := utf8.RuneCountInString(word)
		if !empty && width+1+n > wrapAt {
			out = append(out, string(cur))
			cur, width, empty = append(cur[:0], indent...), len(indent), true
			word = defuse(word)
		}
		if !empty {
			cur = append(cur, ' ')
			width++
		}
		cur = append(cur, word...)
		width += n
		empty = false
	}
	return append(out, string(cur))
}

// describe makes the doc comment of name out of what the document says; fallback is
// the sentence for a document that says nothing, and more are paragraphs of ours.
//
//	// Order: what a customer wants.
//	//
//	// Deprecated: the document marks it as deprecated.
func describe(name string, doc ir.Doc, fallback string, more ...string) *jen.Statement {
	text := docText(doc)
	if text == "" {
		text = fallback
	} else {
		text = name + ": " + text
	}
	paragraphs := append([]string{text}, more...)
	if doc.ExternalURL != "" {
		paragraphs = append(paragraphs, "See "+doc.ExternalURL)
	}
	if doc.Deprecated {
		paragraphs = append(paragraphs, deprecated)
	}
	return comment(paragraphs...)
}

const deprecated = "Deprecated: the document marks it as deprecated."

// docText is what a document says about a thing: its description, else its summary,
// else its title.
func docText(doc ir.Doc) string {
	for _, text := range []string{doc.Description, doc.Summary, doc.Title} {
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
	return ""
}
