package param

// class is a set of ASCII bytes.
type class [2]uint64

func classOf(chars string) class {
	var c class
	for i := range len(chars) {
		c[chars[i]>>6] |= 1 << (chars[i] & 63)
	}
	return c
}

func (c *class) has(b byte) bool { return b < 0x80 && c[b>>6]&(1<<(b&63)) != 0 }

const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

// What stands as it is at a place; everything else is percent-encoded. The
// reserved sets leave out what ends or splits a value there, and brackets,
// which RFC 3986 keeps for hosts.
var (
	plainChars    = classOf(unreserved)
	reservedQuery = classOf(unreserved + ":/?@!$'()*,;=")
	reservedPath  = classOf(unreserved + ":/@!$&'()*+,;=")
)

// escaper writes texts for one place.
type escaper struct {
	place    place
	reserved bool // AllowReserved
	// split are bytes that would be taken for a delimiter if they stood in an
	// item: escaped where the place escapes, refused where it does not.
	split string
}

// chars is text in either form, so that numbers need no string.
type chars interface{ string | []byte }

// appendItem appends the text of one scalar, item or name.
func appendItem[T chars](e escaper, dst []byte, text T) ([]byte, error) {
	switch e.place {
	case inHeader:
		return appendHeader(e, dst, text)
	case inCookie:
		return appendCookie(e, dst, text)
	}
	return appendEscaped(e, dst, text), nil
}

const upperHex = "0123456789ABCDEF"

func appendEscaped[T chars](e escaper, dst []byte, text T) []byte {
	keep := &plainChars
	if e.reserved {
		keep = &reservedQuery
		if e.place == inPath {
			keep = &reservedPath
		}
	}
	for i := range len(text) {
		c := text[i]
		switch {
		case keep.has(c) && !e.splits(c):
			dst = append(dst, c)
		case c == ' ' && e.place == inForm:
			dst = append(dst, '+')
		case c == '%' && e.reserved && i+2 < len(text) && unhex(text[i+1]) >= 0 && unhex(text[i+2]) >= 0:
			dst = append(dst, c)
		default:
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return dst
}

func (e escaper) splits(c byte) bool {
	for i := range len(e.split) {
		if e.split[i] == c {
			return true
		}
	}
	return false
}

// appendHeader writes a field value. HTTP strips white space around it, so
// what has some there would arrive as another text.
func appendHeader[T chars](e escaper, dst []byte, text T) ([]byte, error) {
	for i := range len(text) {
		c := text[i]
		if c < ' ' && c != '\t' || c == 0x7f {
			return dst, fail("style", "holds a line break or another control character, which a header cannot carry")
		}
		if e.splits(c) {
			return dst, fail("style", "holds the delimiter of its items")
		}
	}
	if len(text) > 0 && (isBlank(text[0]) || isBlank(text[len(text)-1])) {
		return dst, fail("style", "begins or ends with white space, which a header does not carry")
	}
	return append(dst, text...), nil
}

// appendCookie writes a cookie's value as it is: cookies have no escapes that
// all readers know, so what cannot stand there is refused rather than quoted
// or dropped.
func appendCookie[T chars](e escaper, dst []byte, text T) ([]byte, error) {
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c >= 0x7f || c == '"' || c == ';' || c == '\\' {
			return dst, fail("style", "holds a character that a cookie cannot carry")
		}
		if e.splits(c) {
			return dst, fail("style", "holds the delimiter of its items")
		}
	}
	if len(text) > 0 && (text[0] == ' ' || text[len(text)-1] == ' ') {
		return dst, fail("style", "begins or ends with a space, which a cookie does not carry")
	}
	return append(dst, text...), nil
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// isTriplet reports whether s starts with a percent-encoded byte.
func isTriplet(s string) bool {
	return len(s) >= 3 && s[0] == '%' && unhex(s[1]) >= 0 && unhex(s[2]) >= 0
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// unescape decodes percent triplets, and + as a space where the place does
// that. It fails on a % that begins none. Text without either is returned as
// it is.
func unescape(s string, plus bool) (string, error) {
	first := 0
	for first < len(s) && s[first] != '%' && (s[first] != '+' || !plus) {
		first++
	}
	if first == len(s) {
		return s, nil
	}
	out := append(make([]byte, 0, len(s)), s[:first]...)
	for i := first; i < len(s); i++ {
		switch c := s[i]; {
		case c == '+' && plus:
			out = append(out, ' ')
		case c != '%':
			out = append(out, c)
		case isTriplet(s[i:]):
			out = append(out, byte(unhex(s[i+1])<<4|unhex(s[i+2])))
			i += 2
		default:
			return "", fail("style", "holds a % that begins no percent-encoded byte")
		}
	}
	return string(out), nil
}
