package load

import (
	"slices"
	"strings"
)

// flowScan is what a rough walk over YAML text finds. It is used only after the
// parser has refused the text, to say which bracket or quote is to blame: it
// knows quotes, comments, brackets and block scalars, and nothing else.
type flowScan struct {
	open     []int // offsets of the brackets open where the walk stopped
	stop     int   // where it stopped
	mismatch bool  // at a closing bracket of the wrong kind
	quote    int   // offset of the quote that is open at the end, or -1
}

// closers returns the text that closes what is open at the end of text.
func (s flowScan) closers(text string) string {
	var b strings.Builder
	if s.quote >= 0 {
		b.WriteByte(text[s.quote])
	}
	for _, off := range slices.Backward(s.open) {
		if text[off] == '{' {
			b.WriteByte('}')
		} else {
			b.WriteByte(']')
		}
	}
	return b.String()
}

type flowScanner struct {
	src    string
	off    int
	indent int // of the line on which the outermost bracket opened
	result flowScan
}

// scanFlow walks src until its end, until a bracket closes one of another kind,
// or until a line inside brackets is indented no more than the line that opened
// them, which YAML forbids: there the author believed them closed.
func scanFlow(src string) flowScan {
	s := &flowScanner{src: src, result: flowScan{quote: -1}}
	for s.off < len(src) && s.line() {
	}
	if s.result.stop == 0 {
		s.result.stop = len(src)
	}
	return s.result
}

// line scans one line, or more when a string spans lines. It is false when the
// walk is over.
func (s *flowScanner) line() bool {
	start := s.off
	for s.off < len(s.src) && s.src[s.off] == ' ' {
		s.off++
	}
	indent := s.off - start
	if len(s.result.open) > 0 && indent <= s.indent && s.off < len(s.src) && !strings.ContainsRune("\r\n}]#", rune(s.src[s.off])) {
		s.result.stop = s.off
		return false
	}
	if len(s.result.open) == 0 {
		// "- key: {" belongs to the column of the key. A root has no parent.
		for strings.HasPrefix(s.src[s.off:], "- ") {
			s.off++
			for s.off < len(s.src) && s.src[s.off] == ' ' {
				s.off++
			}
		}
		s.indent = s.off - start
		if s.indent == 0 && s.off < len(s.src) && (s.src[s.off] == '{' || s.src[s.off] == '[') {
			s.indent = -1
		}
	}
	return s.tokens()
}

// tokens scans to the end of the line.
func (s *flowScanner) tokens() bool {
	fresh := true // a value may start here
	for s.off < len(s.src) {
		c := s.src[s.off]
		switch {
		case c == '\n' || c == '\r':
			s.off++
			return true
		case c == ' ' || c == '\t':
			s.off++
			continue
		case c == '#' && (s.off == 0 || s.src[s.off-1] == ' ' || s.src[s.off-1] == '\t' || s.src[s.off-1] == '\n'):
			s.skipLine()
			continue
		case fresh && (c == '"' || c == '\''):
			if !s.quoted(c) {
				return false
			}
			continue
		case fresh && (c == '{' || c == '['):
			s.result.open = append(s.result.open, s.off)
			s.off++
			continue
		case len(s.result.open) > 0 && (c == '}' || c == ']'):
			if !s.close(c) {
				return false
			}
			fresh = len(s.result.open) > 0
			continue
		case fresh && len(s.result.open) == 0 && (c == '|' || c == '>'):
			s.blockScalar()
			return true
		case fresh && (c == '&' || c == '!'):
			for s.off < len(s.src) && !strings.ContainsRune(" \t\r\n,[]{}", rune(s.src[s.off])) {
				s.off++
			}
			continue
		}
		s.off++
		fresh = s.separates(c)
	}
	return true
}

// separates reports whether a value may start after the character c, just read.
func (s *flowScanner) separates(c byte) bool {
	inFlow := len(s.result.open) > 0
	if inFlow && c == ',' {
		return true
	}
	if c != ':' && c != '-' && c != '?' {
		return false
	}
	if s.off >= len(s.src) {
		return true
	}
	next := s.src[s.off]
	return next == ' ' || next == '\n' || next == '\r' || inFlow && c == ':' && strings.IndexByte(`"'{[`, next) >= 0
}

func (s *flowScanner) close(c byte) bool {
	last := len(s.result.open) - 1
	if (s.src[s.result.open[last]] == '{') != (c == '}') {
		s.result.stop, s.result.mismatch = s.off, true
		return false
	}
	s.result.open = s.result.open[:last]
	s.off++
	return true
}

// quoted skips a string in quotes. It is false when the string has no end.
func (s *flowScanner) quoted(q byte) bool {
	start := s.off
	for s.off++; s.off < len(s.src); s.off++ {
		switch c := s.src[s.off]; {
		case c == '\\' && q == '"':
			s.off++
		case c == q && q == '\'' && s.off+1 < len(s.src) && s.src[s.off+1] == '\'':
			s.off++
		case c == q:
			s.off++
			return true
		}
	}
	s.off = len(s.src)
	s.result.quote, s.result.stop = start, len(s.src)
	return false
}

func (s *flowScanner) skipLine() {
	for s.off < len(s.src) && s.src[s.off] != '\n' && s.src[s.off] != '\r' {
		s.off++
	}
}

// blockScalar skips the header of a block scalar and all lines that are blank
// or indented more than the line with the header.
func (s *flowScanner) blockScalar() {
	s.skipLine()
	for s.off < len(s.src) {
		start := s.off
		for s.off < len(s.src) && (s.src[s.off] == '\n' || s.src[s.off] == '\r') {
			s.off++
		}
		begin := s.off
		for s.off < len(s.src) && s.src[s.off] == ' ' {
			s.off++
		}
		blank := s.off >= len(s.src) || s.src[s.off] == '\n' || s.src[s.off] == '\r'
		if !blank && s.off-begin <= s.indent {
			s.off = begin
			return
		}
		s.skipLine()
		if s.off == start {
			return
		}
	}
}
