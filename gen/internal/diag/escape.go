package diag

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape returns s fit for one line of a terminal: control characters, line and
// paragraph separators, characters that change the direction of text or have no
// width, and bytes that are no UTF-8 come out as visible escapes such as \x1b and \u202e.
// All else is kept, a backslash included, so the result is for reading, not for
// parsing back.
func Escape(s string) string {
	clean := true
	for _, r := range s {
		if !printable(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		b.WriteString(escapeRune(r, n, s[i]))
		i += n
	}
	return b.String()
}

// escapeRune returns the visible form of the rune r, decoded from n bytes of
// which first is the first.
func escapeRune(r rune, n int, first byte) string {
	switch {
	case r == utf8.RuneError && n <= 1:
		return fmt.Sprintf(`\x%02x`, first)
	case printable(r):
		return string(r)
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	default:
		return fmt.Sprintf(`\U%08x`, r)
	}
}

// printable reports whether r may reach a terminal as it is. U+FFFD stands for
// broken bytes in a range loop and takes the slow path, where the two are told
// apart; a genuine one is shown as \ufffd, which loses nothing.
func printable(r rune) bool {
	if r >= 0x20 && r < 0x7f {
		return true
	}
	if r < 0xa0 || r == utf8.RuneError {
		return false
	}
	// Cf holds the bidirectional controls, zero-width characters, the byte
	// order mark and tags; Zl and Zp are the line and paragraph separators.
	return !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs)
}

// width returns the number of terminal cells that a printable rune takes. It
// knows the common wide blocks; a wrong guess only shifts a caret.
func width(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && r <= 0x115f,
		r >= 0x2e80 && r <= 0xa4cf,
		r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f,
		r >= 0xff00 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1f64f,
		r >= 0x1f900 && r <= 0x1f9ff,
		r >= 0x20000 && r <= 0x3fffd:
		return 2
	default:
		return 1
	}
}
