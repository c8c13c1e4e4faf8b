package ecma_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/runtime/check/ecma"
)

// atoms mean the same in ECMA-262 and in the syntax of package regexp.
var atoms = []string{
	"a", "b", "c", "-", "é", "😀", `\.`, `\d`, `\D`, `\w`, `\W`, "[ab]", "[^ab]", "[a-c]", `[\d-]`, `[^\W]`, `\p{L}`, `\P{Lu}`, `\x61`, `\t`, `\bb`, `a\B`,
}

func pattern(t *rapid.T, depth int) string {
	var b strings.Builder
	for range rapid.IntRange(0, 3).Draw(t, "terms") {
		switch k := rapid.IntRange(0, 9).Draw(t, "kind"); {
		case k == 0:
			b.WriteString(rapid.SampledFrom([]string{"^", "$"}).Draw(t, "edge"))
			continue
		case k < 4 && depth > 0:
			b.WriteString("(?:" + pattern(t, depth-1) + "|" + pattern(t, depth-1) + ")")
		case k == 4 && depth > 0:
			b.WriteString("(" + pattern(t, depth-1) + ")")
		case k == 5 && depth > 0:
			b.WriteString("(?i:" + pattern(t, depth-1) + ")")
		default:
			b.WriteString(rapid.SampledFrom(atoms).Draw(t, "atom"))
		}
		b.WriteString(rapid.SampledFrom([]string{
			"", "", "", "*", "+", "?", "*?", "{2}", "{0,2}", "{1,}", "{2,4}?", "{5}", "{0,9}", "{4,}", "{3,7}",
		}).Draw(t, "quantifier"))
	}
	return b.String()
}

// Where the two languages agree, so do this package and package regexp.
func TestAgainstRegexp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pattern(t, 3)
		theirs, err := regexp.Compile(p)
		if err != nil {
			return // an edge with a quantifier
		}
		ours, err := ecma.Compile(p)
		if e, ok := errors.AsType[*ecma.Error](err); ok && e.Message == "nothing to repeat" {
			return // RE2 repeats edges
		}
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		for range 5 {
			s := rapid.StringOfN(rapid.SampledFrom([]rune("aabbcAB-.é😀 1\t")), 0, 12, -1).Draw(t, "text")
			want := ecma.NoMatch
			if theirs.MatchString(s) {
				want = ecma.Matches
			}
			if got := ours.Match(s); got != want {
				t.Fatalf("%s on %q: %v, want %v", p, s, got, want)
			}
			// A group that nothing is asked of takes the other engine.
			other, err := ecma.Compile("(?:" + p + `)()\` + lastGroup(p))
			if err != nil {
				t.Fatal(err)
			}
			if got := other.Match(s); got != want && got != ecma.Unknown {
				t.Fatalf("%s on %q, by backtracking: %v, want %v", p, s, got, want)
			}
		}
	})
}

// lastGroup is the number of the capture that comes after all of p.
func lastGroup(p string) string {
	n := strings.Count(p, "(") - strings.Count(p, "(?") + 1
	return string(rune('0' + min(n, 9)))
}

func FuzzMatch(f *testing.F) {
	for _, seed := range []string{
		`^[a-z\/]+$`, `(?<a>\d{1,3})|[^]\k<a>`, `\u{1F600}[\S-x]`, `^[a-z$`, `(?=a(?!b))(?<=c)`, `(?i)\1(a)*?\p{L}{0,65535}`,
		`(?:(?:a{0,9}){0,99}b){2}`, `\01[\b\c]{,1}(?m:^$)`, `(a*)*\1`,
	} {
		f.Add(seed, "abc")
	}
	f.Fuzz(func(t *testing.T, pattern, s string) {
		if len(pattern) > 1<<10 || len(s) > 1<<10 {
			return
		}
		re, err := ecma.Compile(pattern)
		if err != nil {
			if e, ok := errors.AsType[*ecma.Error](err); !ok || e.Offset < 0 || e.Offset > len(pattern) {
				t.Fatalf("%q: %v", pattern, err)
			}
			return
		}
		first := re.Match(s)
		if again := re.Match(s); again != first {
			t.Fatalf("%q on %q: %v, then %v", pattern, s, first, again)
		}
		// A pattern between alternatives that match nothing is the same pattern, but
		// for references to groups by number, which stay.
		same, err := ecma.Compile("[]|(?:" + pattern + ")|[]")
		if err != nil {
			if e, _ := errors.AsType[*ecma.Error](err); e.Unsupported {
				return // one group too many
			}
			t.Fatalf("%q in a group: %v", pattern, err)
		}
		if got := same.Match(s); got != first && got != ecma.Unknown && first != ecma.Unknown {
			t.Fatalf("%q on %q: %v, in a group %v", pattern, s, first, got)
		}
	})
}
