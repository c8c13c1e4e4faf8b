package json

import (
	"math/bits"
	"strconv"
)

// The scanners walk a text without building anything. They return where the
// value ends, or where it breaks and what is wrong there.

const (
	faultEnd     = "unexpected end of the text"
	faultControl = "a control character in a string has to be escaped"
	faultEscape  = "unknown escape in a string"
	faultHex     = `\u needs four hexadecimal digits`
	faultNumber  = "malformed number"
	faultDepth   = "nested too deeply"
)

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func isDigit(c byte) bool { return c-'0' <= 9 }

func scanSpace(s string, i int) int {
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	return i
}

// scanPlain is where the first byte from i on stands that does not stand for itself in
// a string: a quote, a backslash or a control character; or the end.
func scanPlain(s string, i int) int {
	for ; i+8 <= len(s); i += 8 {
		if found := specials(word(s, i)); found != 0 {
			return i + bits.TrailingZeros64(found)>>3
		}
	}
	for ; i < len(s); i++ {
		if special[s[i]] {
			break
		}
	}
	return i
}

// scanString walks a string from its quote.
func scanString(s string, i int) (end int, fault string) {
	for i = scanPlain(s, i+1); i < len(s); i = scanPlain(s, i+1) {
		switch c := s[i]; {
		case c == '"':
			return i + 1, ""
		case c < ' ':
			return i, faultControl
		case c == '\\':
			if i++; i == len(s) {
				return i, faultEnd
			}
			switch s[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if _, ok := hex4(s, i+1); !ok {
					return i, faultHex
				}
				i += 4
			default:
				return i, faultEscape
			}
		}
	}
	return i, faultEnd
}

// hex4 reads four hexadecimal digits at i.
func hex4(s string, i int) (rune, bool) {
	if i+4 > len(s) {
		return 0, false
	}
	var r rune
	for _, c := range []byte(s[i : i+4]) {
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = (c | 0x20) - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// scanNumber walks a number from its first byte.
func scanNumber(s string, i int) (end int, fault string) {
	if i < len(s) && s[i] == '-' {
		i++
	}
	first := i
	if i = scanDigits(s, i); i == first {
		return i, faultNumber
	}
	if s[first] == '0' && i > first+1 {
		return first + 1, faultNumber
	}
	if i < len(s) && s[i] == '.' {
		first = i + 1
		if i = scanDigits(s, first); i == first {
			return i, faultNumber
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		first = i
		if i = scanDigits(s, first); i == first {
			return i, faultNumber
		}
	}
	return i, ""
}

func scanDigits(s string, i int) int {
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i
}

// scanLiteral walks true, false and null.
func scanLiteral(s string, i int) (end int, fault string) {
	for _, word := range [...]string{"true", "false", "null"} {
		if s[i] == word[0] {
			for j := range len(word) {
				if i+j == len(s) {
					return len(s), faultEnd
				}
				if s[i+j] != word[j] {
					return i + j, unexpected(s, i+j, "in "+word)
				}
			}
			return i + len(word), ""
		}
	}
	return i, unexpected(s, i, "where a value is wanted")
}

// scanValue walks any value from its first byte, with arrays and objects up to
// depth levels deep.
func scanValue(s string, i, depth int) (end int, fault string) {
	if i >= len(s) {
		return len(s), faultEnd
	}
	switch c := s[i]; {
	case c == '"':
		return scanString(s, i)
	case c == '-' || isDigit(c):
		return scanNumber(s, i)
	case c != '{' && c != '[':
		return scanLiteral(s, i)
	case depth <= 0:
		return i, faultDepth
	case c == '{':
		return scanObject(s, i, depth)
	default:
		return scanArray(s, i, depth)
	}
}

func scanArray(s string, i, depth int) (end int, fault string) {
	i = scanSpace(s, i+1)
	if i < len(s) && s[i] == ']' {
		return i + 1, ""
	}
	for {
		if i, fault = scanValue(s, i, depth-1); fault != "" {
			return i, fault
		}
		i = scanSpace(s, i)
		switch {
		case i < len(s) && s[i] == ',':
			i = scanSpace(s, i+1)
		case i < len(s) && s[i] == ']':
			return i + 1, ""
		default:
			return i, unexpected(s, i, "after an array's item")
		}
	}
}

func scanObject(s string, i, depth int) (end int, fault string) {
	i = scanSpace(s, i+1)
	if i < len(s) && s[i] == '}' {
		return i + 1, ""
	}
	for {
		if _, i, fault = scanKey(s, i); fault != "" {
			return i, fault
		}
		if i, fault = scanValue(s, i, depth-1); fault != "" {
			return i, fault
		}
		i = scanSpace(s, i)
		switch {
		case i < len(s) && s[i] == ',':
			i = scanSpace(s, i+1)
		case i < len(s) && s[i] == '}':
			return i + 1, ""
		default:
			return i, unexpected(s, i, "after an object's member")
		}
	}
}

// scanKey walks a member's name and colon up to its value. raw is the name
// between its quotes, still escaped.
func scanKey(s string, i int) (raw string, end int, fault string) {
	if i >= len(s) || s[i] != '"' {
		return "", i, unexpected(s, i, "where a member's name is wanted")
	}
	end, fault = scanString(s, i)
	if fault != "" {
		return "", end, fault
	}
	raw = s[i+1 : end-1]
	end = scanSpace(s, end)
	if end >= len(s) || s[end] != ':' {
		return "", end, unexpected(s, end, "after a member's name")
	}
	return raw, scanSpace(s, end+1), ""
}

// unexpected names the byte at i, or the end.
func unexpected(s string, i int, where string) string {
	if i >= len(s) {
		return faultEnd
	}
	if c := s[i]; c > ' ' && c < 0x7f {
		return "unexpected " + strconv.QuoteRune(rune(c)) + " " + where
	}
	return "unexpected character " + where
}
