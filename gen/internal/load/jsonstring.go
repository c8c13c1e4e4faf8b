package load

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads the string whose opening quote is at the offset. Without escapes it
// is a part of the source.
func (r *jsonReader) str() (string, bool) {
	line, col := r.line, r.col()
	r.off++
	start := r.off
	for r.off < len(r.src) {
		switch c := r.src[r.off]; {
		case c == '"':
			s := r.src[start:r.off]
			r.off++
			return s, true
		case c == '\\':
			return r.escaped(start, line, col)
		case c < 0x20:
			r.control(c)
			return "", false
		case c&0xc0 == 0x80:
			r.extra++
		}
		r.off++
	}
	r.unclosed(`"`, line, col)
	return "", false
}

// escaped goes on reading a string that started at start, from its first escape.
func (r *jsonReader) escaped(start int, line, col int32) (string, bool) {
	var b strings.Builder
	b.WriteString(r.src[start:r.off])
	for r.off < len(r.src) {
		switch c := r.src[r.off]; {
		case c == '"':
			r.off++
			return b.String(), true
		case c == '\\':
			if !r.escape(&b) {
				return "", false
			}
			continue
		case c < 0x20:
			r.control(c)
			return "", false
		default:
			if c&0xc0 == 0x80 {
				r.extra++
			}
			b.WriteByte(c)
		}
		r.off++
	}
	r.unclosed(`"`, line, col)
	return "", false
}

func (r *jsonReader) control(c byte) {
	switch c {
	case '\n', '\r':
		r.fail(`the line ends inside a string: the closing quote is missing, or the break must be written as \n`)
	case '\t':
		r.fail(`a tab inside a string must be written as \t`)
	default:
		r.fail(`the control character %q inside a string must be written as \u%04x`, c, c)
	}
}

// escape decodes the escape sequence at the offset. As in encoding/json, half of
// a surrogate pair becomes U+FFFD.
func (r *jsonReader) escape(b *strings.Builder) bool {
	if r.off+1 >= len(r.src) {
		r.off = len(r.src)
		return true // the caller reports the missing quote
	}
	var c byte
	switch e := r.src[r.off+1]; e {
	case '"', '\\', '/':
		c = e
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		return r.unicode(b)
	default:
		next, _ := utf8.DecodeRuneInString(r.src[r.off+1:])
		r.fail("JSON has no escape sequence \\%c", next)
		return false
	}
	b.WriteByte(c)
	r.off += 2
	return true
}

func (r *jsonReader) unicode(b *strings.Builder) bool {
	c := hex4(r.src, r.off+2)
	if c < 0 {
		r.fail(`\u must be followed by four hexadecimal digits`)
		return false
	}
	r.off += 6
	if utf16.IsSurrogate(c) {
		low := rune(-1)
		if strings.HasPrefix(r.src[r.off:], `\u`) {
			low = hex4(r.src, r.off+2)
		}
		c = utf16.DecodeRune(c, low) // U+FFFD unless it is a pair
		if c != utf8.RuneError {
			r.off += 6
		}
	}
	b.WriteRune(c)
	return true
}

// hex4 returns the value of the four hexadecimal digits at src[i:], or -1.
func hex4(src string, i int) rune {
	if i+4 > len(src) {
		return -1
	}
	var v rune
	for _, c := range []byte(src[i : i+4]) {
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			v = v<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			v = v<<4 | rune(c-'A'+10)
		default:
			return -1
		}
	}
	return v
}
