package router

import "strings"

// segment is what stands between two slashes of a template: literal texts and
// parameters in turn. Without parameters literals has one text; otherwise one
// more than there are parameters, any of which may be empty.
type segment struct {
	literals []string // decoded
}

func (s segment) params() int { return len(s.literals) - 1 }

// whole reports whether the segment is nothing but one parameter.
func (s segment) whole() bool {
	return len(s.literals) == 2 && s.literals[0] == "" && s.literals[1] == ""
}

// weight is the number of bytes of literal text.
func (s segment) weight() int {
	n := 0
	for _, l := range s.literals {
		n += len(l)
	}
	return n
}

func (s segment) equal(o segment) bool {
	if len(s.literals) != len(o.literals) {
		return false
	}
	for i := range s.literals {
		if s.literals[i] != o.literals[i] {
			return false
		}
	}
	return true
}

// verb reports whether literal text that begins with a colon follows a
// parameter, as in {id}:apply.
func (s segment) verb() bool {
	for _, l := range s.literals[1:] {
		if strings.HasPrefix(l, ":") {
			return true
		}
	}
	return false
}

// parse takes a template apart. Braces are looked for before slashes, since
// nothing keeps a name from holding one.
func parse(template string) (segments []segment, names []string) {
	rest := strings.TrimPrefix(template, "/")
	current := segment{literals: []string{""}}
	text := func(s string) {
		last := len(current.literals) - 1
		current.literals[last] += s
	}
	flush := func() {
		last := len(current.literals) - 1
		current.literals[last] = decode(current.literals[last])
		segments = append(segments, current)
		current = segment{literals: []string{""}}
	}
	for rest != "" {
		i := strings.IndexAny(rest, "/{")
		if i < 0 {
			text(rest)
			break
		}
		text(rest[:i])
		if rest[i] == '/' {
			flush()
			rest = rest[i+1:]
			continue
		}
		name, after, ok := strings.Cut(rest[i+1:], "}")
		if !ok || name == "" || strings.ContainsRune(name, '{') {
			text("{")
			rest = rest[i+1:]
			continue
		}
		last := len(current.literals) - 1
		current.literals[last] = decode(current.literals[last])
		current.literals = append(current.literals, "")
		names = append(names, name)
		rest = after
	}
	flush()
	return segments, names
}

// decode is a literal without its percent triplets. Those of reserved
// characters are left, since %2F and / are not the same in a path, and so is
// what is no triplet.
func decode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if c, ok := triplet(s[i:]); ok && !isReserved(c) {
			b = append(b, c)
			i += 2
			continue
		}
		b = append(b, s[i])
	}
	return string(b)
}

// triplet is the byte that a text's percent triplet stands for.
func triplet(s string) (byte, bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	high, low := unhex(s[1]), unhex(s[2])
	return byte(high<<4 | low), high >= 0 && low >= 0
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
