// Package etag reads and writes the entity tags of RFC 9110, section 8.8.3. Client and
// server share it, so that a version becomes the same tag on both sides.
package etag

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Tag is an entity tag.
type Tag struct {
	Weak bool
	// Opaque is the text between the quotes.
	Opaque string
}

// String is the tag as headers have it.
func (t Tag) String() string {
	if t.Weak {
		return `W/"` + t.Opaque + `"`
	}
	return `"` + t.Opaque + `"`
}

// List is the value of If-Match or If-None-Match.
type List struct {
	// Any stands for *, which is any tag at all.
	Any  bool
	Tags []Tag
}

// IsZero reports a header that is not there.
func (l *List) IsZero() bool { return !l.Any && len(l.Tags) == 0 }

// Strong reports whether one of the tags is the given one by the strong comparison, by
// which a weak tag equals nothing: that of If-Match.
func (l *List) Strong(t Tag) bool {
	for _, o := range l.Tags {
		if !o.Weak && !t.Weak && o.Opaque == t.Opaque {
			return true
		}
	}
	return l.Any
}

// Weakly reports whether one of the tags is the given one by the weak comparison: that
// of If-None-Match.
func (l *List) Weakly(t Tag) bool {
	for _, o := range l.Tags {
		if o.Opaque == t.Opaque {
			return true
		}
	}
	return l.Any
}

// ParseList reads the lines of If-Match or If-None-Match. It is false for what is no
// list of tags. Without lines the list is empty.
func ParseList(lines []string) (List, bool) {
	var l List
	for _, line := range lines {
		for rest := trim(line); rest != ""; {
			if rest[0] == ',' { // an empty element
				rest = trim(rest[1:])
				continue
			}
			if rest == "*" && l.IsZero() && len(lines) == 1 {
				return List{Any: true}, true
			}
			t, after, ok := cut(rest)
			if !ok {
				return List{}, false
			}
			l.Tags = append(l.Tags, t)
			if rest = trim(after); rest != "" && rest[0] != ',' {
				return List{}, false
			}
		}
	}
	return l, len(lines) == 0 || len(l.Tags) > 0
}

// Parse reads one tag.
func Parse(s string) (Tag, bool) {
	t, rest, ok := cut(trim(s))
	return t, ok && rest == ""
}

func trim(s string) string { return strings.Trim(s, " \t") }

// cut takes the tag off that a text begins with.
func cut(s string) (t Tag, rest string, ok bool) {
	if after, weak := strings.CutPrefix(s, "W/"); weak {
		s, t.Weak = after, true
	}
	if s == "" || s[0] != '"' {
		return Tag{}, "", false
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			t.Opaque = s[1:i]
			return t, s[i+1:], true
		case c < '!' || c == 0x7f:
			return Tag{}, "", false
		}
	}
	return Tag{}, "", false
}

// Of is the strong tag of a version. A version may be any text: what a tag cannot hold
// is percent-encoded, so that no two versions have one tag.
func Of(version string) Tag {
	clean := true
	for i := range len(version) {
		clean = clean && plain(version[i])
	}
	if clean {
		return Tag{Opaque: version}
	}
	const digits = "0123456789ABCDEF"
	b := make([]byte, 0, len(version)+16)
	for i := range len(version) {
		if c := version[i]; plain(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return Tag{Opaque: string(b)}
}

func plain(c byte) bool { return c >= '!' && c <= '~' && c != '"' && c != '%' }

// Version is the version that a tag was made of by Of. For a tag that somebody else has
// made it is its text.
func (t Tag) Version() string {
	if strings.IndexByte(t.Opaque, '%') < 0 {
		return t.Opaque
	}
	b := make([]byte, 0, len(t.Opaque))
	for i := 0; i < len(t.Opaque); i++ {
		if t.Opaque[i] != '%' {
			b = append(b, t.Opaque[i])
			continue
		}
		if i+2 >= len(t.Opaque) {
			return t.Opaque
		}
		high, low := hex(t.Opaque[i+1]), hex(t.Opaque[i+2])
		if high < 0 || low < 0 {
			return t.Opaque
		}
		b = append(b, byte(high<<4|low))
		i += 2
	}
	return string(b)
}

func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// OfContent is the strong tag of a content of a type.
func OfContent(mediaType string, content []byte) Tag {
	h := sha256.New()
	_, _ = h.Write([]byte(mediaType))
	_, _ = h.Write([]byte{0}) // no media type has one
	_, _ = h.Write(content)
	var sum [sha256.Size]byte
	return Tag{Opaque: base64.RawURLEncoding.EncodeToString(h.Sum(sum[:0])[:16])}
}
