package cache

import (
	"math"
	"strings"
	"time"
)

const (
	// maxDirectives bounds what is read of Cache-Control. A field with more is hardly
	// honest, and what is behind the bound could be no-store.
	maxDirectives = 64
	// maxDelta is the longest time that a directive tells, as RFC 9111 section 1.2.2
	// allows: 2^31 seconds, about 68 years.
	maxDelta = 1 << 31
)

// Delta is a directive with a number of seconds.
type Delta struct {
	// Set says that the directive is there, Valid that its value is a number.
	Set, Valid bool
	// For is the value; zero for an invalid one.
	For time.Duration
}

// Control is a Cache-Control field of a request or a response. The zero value has no
// directives.
type Control struct {
	NoStore, NoCache, NoTransform bool
	Public, Private               bool
	MustRevalidate                bool
	ProxyRevalidate               bool
	MustUnderstand                bool
	Immutable, OnlyIfCached       bool
	MaxAge, SharedMaxAge          Delta
	StaleWhileRevalidate          Delta
	StaleIfError                  Delta
	MinFresh, MaxStale            Delta
	// NoCacheFields and PrivateFields are those of the forms no-cache="…" and
	// private="…", in lower case.
	NoCacheFields, PrivateFields []string

	present bool // there is a directive
}

// ParseControl reads the lines of a Cache-Control field, which count as one list. It
// takes what it can: an unknown directive is nothing, of two equal ones the first
// counts, and a number that is none makes its directive invalid, which the freshness
// takes for stale. More directives than anybody needs count as no-store.
func ParseControl(lines []string) Control {
	var c Control
	n := 0
	for _, line := range lines {
		for rest := line; ; {
			name, value, has, next, ok := nextDirective(rest)
			if !ok {
				break
			}
			rest = next
			if n++; n > maxDirectives {
				c.NoStore = true
				return c
			}
			c.present = true
			c.set(name, value, has)
		}
	}
	return c
}

// nextDirective cuts one directive off a list. The name is in lower case.
func nextDirective(s string) (name, value string, has bool, rest string, ok bool) {
	s = strings.TrimLeft(s, " \t,")
	if s == "" {
		return "", "", false, "", false
	}
	end := strings.IndexAny(s, "=,")
	if end < 0 {
		return strings.ToLower(strings.TrimRight(s, " \t")), "", false, "", true
	}
	name = strings.ToLower(s[:end])
	if s[end] == ',' {
		return strings.TrimRight(name, " \t"), "", false, s[end+1:], true
	}
	value, rest = nextValue(s[end+1:])
	if trimmed := strings.TrimRight(name, " \t"); trimmed != name {
		// White space before the = is an error of the syntax, and its value no number.
		return trimmed, " ", true, rest, true
	}
	return name, value, true, rest, true
}

// nextValue is the value of a directive: a quoted string without its quotes, or all up
// to the comma.
func nextValue(s string) (value, rest string) {
	if s == "" || s[0] != '"' {
		value, rest, _ = strings.Cut(s, ",")
		return strings.TrimRight(value, " \t"), rest
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i++; i < len(s) {
				b.WriteByte(s[i])
			}
		case '"':
			after, rest, _ := strings.Cut(s[i+1:], ",")
			if strings.Trim(after, " \t") != "" {
				b.WriteByte('"') // which makes neither a number nor a name of it
			}
			return b.String(), rest
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String() + `"`, "" // the quote is open: no number, and no name of a field
}

// set takes one directive.
func (c *Control) set(name, value string, has bool) {
	switch name {
	case "no-store":
		c.NoStore = true
	case "no-cache":
		c.NoCache, c.NoCacheFields = qualified(c.NoCache, c.NoCacheFields, value, has)
	case "private":
		c.Private, c.PrivateFields = qualified(c.Private, c.PrivateFields, value, has)
	case "no-transform":
		c.NoTransform = true
	case "public":
		c.Public = true
	case "must-revalidate":
		c.MustRevalidate = true
	case "proxy-revalidate":
		c.ProxyRevalidate = true
	case "must-understand":
		c.MustUnderstand = true
	case "immutable":
		c.Immutable = true
	case "only-if-cached":
		c.OnlyIfCached = true
	case "max-stale":
		if !has && !c.MaxStale.Set {
			c.MaxStale = Delta{Set: true, Valid: true, For: math.MaxInt64}
			return
		}
		c.MaxStale.take(value)
	default:
		if d := c.delta(name); d != nil {
			d.take(value)
		}
	}
}

// delta is the directive with a number of that name; nil for others.
func (c *Control) delta(name string) *Delta {
	switch name {
	case "max-age":
		return &c.MaxAge
	case "s-maxage":
		return &c.SharedMaxAge
	case "stale-while-revalidate":
		return &c.StaleWhileRevalidate
	case "stale-if-error":
		return &c.StaleIfError
	case "min-fresh":
		return &c.MinFresh
	}
	return nil
}

// take sets the directive unless it is set already.
func (d *Delta) take(value string) {
	if d.Set {
		return
	}
	d.Set = true
	d.For, d.Valid = parseDelta(value)
}

// parseDelta reads a number of seconds, digits only; what is too large is the largest.
func parseDelta(s string) (time.Duration, bool) {
	if s == "" {
		return 0, false
	}
	n := int64(0)
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = min(n*10+int64(s[i]-'0'), maxDelta)
	}
	return time.Duration(n) * time.Second, true
}

// qualified takes no-cache or private, which hold for all or for the fields that are
// named. A list that names none holds for all.
func qualified(all bool, fields []string, value string, has bool) (bool, []string) {
	names := fieldNames(value)
	if !has || len(names) == 0 {
		return true, fields
	}
	return all, append(fields, names...)
}

// fieldNames are the names in a list, in lower case; one that is none makes the list
// empty.
func fieldNames(list string) []string {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		name = strings.ToLower(strings.Trim(name, " \t"))
		switch {
		case name == "":
		case !isToken(name):
			return nil
		default:
			names = append(names, name)
		}
	}
	return names
}

// isToken reports whether s is a token of RFC 9110.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}
