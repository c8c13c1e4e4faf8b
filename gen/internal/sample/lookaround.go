package sample

import (
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
)

const (
	// maxCount is the highest count that package syntax takes.
	maxCount = 1000
	// maxDivided is the length up to which a pattern is taken apart, in bytes: each
	// group is looked at from its start to its end.
	maxDivided = 1 << 11
)

// divide takes apart a pattern that syntax does not parse: what it takes, without
// its lookarounds and with the groups themselves instead of references to them, and
// the patterns that its lookaheads ask for. That is a guess at a text, which is
// checked against the whole pattern.
func divide(pattern string) (taken string, asked []string) {
	if len(pattern) > maxDivided {
		return pattern, nil
	}
	var b strings.Builder
	groups := map[string]string{}
	count, atom := 0, ""
	for i := 0; i < len(pattern); {
		end := i + token(pattern[i:])
		part := pattern[i:end]
		switch {
		case strings.HasPrefix(part, "(?<=") || strings.HasPrefix(part, "(?<!") || strings.HasPrefix(part, "(?!"):
			i += closing(pattern[i:])
			continue
		case strings.HasPrefix(part, "(?="):
			end = i + closing(pattern[i:])
			asked = append(asked, strings.TrimSuffix(pattern[i+len("(?="):end], ")"))
			i = end
			continue
		case part == "(" || strings.HasPrefix(part, "(?<"):
			count++
			// As it is written: a reference within a group is beyond what is guessed.
			inside := strings.TrimSuffix(pattern[end:i+closing(pattern[i:])], ")")
			groups["\\"+string(rune('0'+count))] = inside
			groups["\\k"+strings.TrimPrefix(part, "(?")] = inside
		}
		if again, ok := groups[part]; ok {
			part = "(?:" + again + ")"
		}
		if counts := large.FindStringSubmatch(pattern[i:]); counts != nil && atom != "" {
			part = repeated(atom, counts)
			end = i + len(counts[0])
		}
		atom = part
		if len(part) == 1 && strings.IndexByte("()|*+?^$", part[0]) >= 0 {
			atom = "" // a group is not repeated that often
		}
		b.WriteString(part)
		i = end
	}
	return b.String(), asked
}

// large are counts above the bound that syntax sets.
var large = regexp.MustCompile(`^\{(\d{1,9})(?:(,)(\d{0,19}))?\}`)

// repeated is what follows an atom so that there is as much of it as counts ask for.
func repeated(atom string, counts []string) string {
	least, err := strconv.Atoi(counts[1])
	switch {
	case err != nil || least > maxText:
		return counts[0]
	case least <= maxCount && (counts[2] == "" || counts[3] == "" || len(counts[3]) < 4):
		return counts[0] // not large
	}
	var out strings.Builder
	out.WriteString("{" + strconv.Itoa(min(least, maxCount)) + "}")
	for left := least - maxCount; left > 0; left -= maxCount {
		out.WriteString(atom + "{" + strconv.Itoa(min(left, maxCount)) + "}")
	}
	if counts[2] != "" {
		out.WriteString(atom + "*") // the upper count is checked on the text
	}
	return out.String()
}

// token is the length of the next token of a pattern: a class, an escape, the
// opening of a group, or one byte.
func token(s string) int {
	switch {
	case s[0] == '[':
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case ']':
				return i + 1
			}
		}
		return len(s)
	case strings.HasPrefix(s, `\k<`):
		return 1 + max(strings.IndexByte(s, '>'), 1)
	case s[0] == '\\':
		return min(2, len(s))
	case strings.HasPrefix(s, "(?<=") || strings.HasPrefix(s, "(?<!"):
		return len("(?<=")
	case strings.HasPrefix(s, "(?<"):
		return 1 + max(strings.IndexByte(s, '>'), 2)
	case strings.HasPrefix(s, "(?"):
		return min(len("(?="), len(s))
	}
	return 1
}

// closing is the length of the group that s begins with.
func closing(s string) int {
	depth := 0
	for i := 0; i < len(s); {
		n := token(s[i:])
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		i += n
		if depth == 0 {
			return i
		}
	}
	return len(s)
}

// requested is a text that holds what lookaheads ask for.
func requested(asked []string, n int) string {
	var b strings.Builder
	for _, p := range asked {
		taken, _ := divide(p)
		re, err := syntax.Parse(ours(taken), syntax.Perl)
		if err != nil {
			continue
		}
		w := writer{n: n}
		w.node(re.Simplify())
		b.WriteString(w.String())
	}
	return b.String()
}
