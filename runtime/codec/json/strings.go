package json

import (
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape decodes the inside of a string that scanString has accepted.
func unescape(raw string) string {
	first := strings.IndexByte(raw, '\\')
	if first < 0 {
		return raw
	}
	b := make([]byte, first, len(raw))
	copy(b, raw)
	for i := first; i < len(raw); {
		c := raw[i]
		if c != '\\' {
			b = append(b, c)
			i++
			continue
		}
		switch c = raw[i+1]; c {
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
			var r rune
			r, i = unescapeUnicode(raw, i)
			b = utf8.AppendRune(b, r)
			continue
		}
		b = append(b, c)
		i += 2
	}
	return string(b)
}

// unescapeUnicode reads \uXXXX at i, together with the low half of a surrogate
// pair. Half a pair is U+FFFD.
func unescapeUnicode(raw string, i int) (r rune, end int) {
	r, _ = hex4(raw, i+2)
	i += 6
	if !utf16.IsSurrogate(r) {
		return r, i
	}
	if strings.HasPrefix(raw[i:], `\u`) {
		if low, ok := hex4(raw, i+2); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, i + 6
			}
		}
	}
	return utf8.RuneError, i
}

// special marks the bytes that do not stand for themselves inside a string.
var special = func() (t [256]bool) {
	for c := range t {
		t[c] = c < ' ' || c == '"' || c == '\\'
	}
	return t
}()

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string.
func appendString(b []byte, s string) []byte {
	n := len(b)
	b = append(b, '"')
	b = append(b, s...)
	if scanASCII(s, 0) < len(s) {
		return appendEscaped(b[:n+1], s)
	}
	return append(b, '"')
}

// scanASCII is where the first byte from i on stands that is not written as it is
// without a further look: what scanPlain stops at, and what is not ASCII.
func scanASCII(s string, i int) int {
	for ; i+8 <= len(s); i += 8 {
		if found := unplain(word(s, i)); found != 0 {
			return i + bits.TrailingZeros64(found)>>3
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; special[c] || c >= utf8.RuneSelf {
			break
		}
	}
	return i
}

// appendEscaped appends the inside of a string, escaped, and its closing quote.
func appendEscaped(b []byte, s string) []byte {
	start, i := 0, scanASCII(s, 0)
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf {
			if special[c] {
				b = append(b, s[start:i]...)
				b = appendEscape(b, c)
				start = i + 1
			}
			i = scanASCII(s, i+1)
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(b, s[start:i]...)
			b = append(b, "\ufffd"...)
			start = i + size
		case r == '\u2028' || r == '\u2029':
			b = append(b, s[start:i]...)
			b = append(b, `\u202`...)
			b = append(b, hexDigits[r&0xf])
			start = i + size
		}
		i += size
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	default:
		return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
	}
}
