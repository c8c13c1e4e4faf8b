package idempotency

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/runtime/internal/jsontree"
)

// appendCanonical appends a value as RFC 8785 has it, with numbers as they are
// written: a number that went through a float64 would no longer be the caller's.
func appendCanonical(dst []byte, v jsontree.Value) []byte {
	switch v.Kind {
	case jsontree.String:
		return jsontree.AppendString(dst, v.Text)
	case jsontree.Array:
		return appendItems(dst, v.Items, ",", appendCanonical)
	case jsontree.Object:
		return appendMembers(dst, v.Members, byUTF16, ",", ":", jsontree.AppendString, appendCanonical)
	}
	return append(dst, v.Text...)
}

// appendPython appends a value as Python's json.dumps(…, sort_keys=True) does:
// sorted by code points, with spaces, and with everything beyond ASCII escaped.
func appendPython(dst []byte, v jsontree.Value) []byte {
	switch v.Kind {
	case jsontree.String:
		return appendASCII(dst, v.Text)
	case jsontree.Array:
		return appendItems(dst, v.Items, ", ", appendPython)
	case jsontree.Object:
		return appendMembers(dst, v.Members, strings.Compare, ", ", ": ", appendASCII, appendPython)
	}
	return append(dst, v.Text...)
}

func appendItems(dst []byte, items []jsontree.Value, comma string, value func([]byte, jsontree.Value) []byte) []byte {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, comma...)
		}
		dst = value(dst, item)
	}
	return append(dst, ']')
}

func appendMembers(dst []byte, members []jsontree.Member, compare func(a, b string) int, comma, colon string,
	name func([]byte, string) []byte, value func([]byte, jsontree.Value) []byte,
) []byte {
	sorted := slices.Clone(members)
	slices.SortFunc(sorted, func(a, b jsontree.Member) int { return compare(a.Name, b.Name) })
	dst = append(dst, '{')
	for i := range sorted {
		if i > 0 {
			dst = append(dst, comma...)
		}
		dst = append(name(dst, sorted[i].Name), colon...)
		dst = value(dst, sorted[i].Value)
	}
	return append(dst, '}')
}

// byUTF16 compares by UTF-16 code units, RFC 8785, 3.2.3. It differs from the
// order of code points where characters beyond the basic plane, whose surrogates
// are D800 to DFFF, meet those from E000 on.
func byUTF16(a, b string) int {
	for a != "" && b != "" {
		ra, na := utf8.DecodeRuneInString(a)
		rb, nb := utf8.DecodeRuneInString(b)
		if ra != rb {
			return unit(ra) - unit(rb) + tie(ra, rb)
		}
		a, b = a[na:], b[nb:]
	}
	return len(a) - len(b)
}

// unit is the first UTF-16 code unit of a character.
func unit(r rune) int {
	if high, _ := utf16.EncodeRune(r); high != utf8.RuneError {
		return int(high)
	}
	return int(r)
}

// tie tells two characters apart that share their first unit, by their second,
// which is in the order of the characters.
func tie(a, b rune) int {
	if unit(a) != unit(b) {
		return 0
	}
	return int(a - b)
}

const hexDigits = "0123456789abcdef"

// appendASCII appends a JSON string with everything beyond ASCII as \uXXXX.
func appendASCII(dst []byte, s string) []byte {
	for _, r := range string(jsontree.AppendString(nil, s)) {
		switch {
		case r < utf8.RuneSelf:
			dst = append(dst, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			dst = appendEscape(appendEscape(dst, high), low)
		default:
			dst = appendEscape(dst, r)
		}
	}
	return dst
}

func appendEscape(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}
