package sample

import (
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
)

// Texts are found for the patterns that documents have, lookarounds and references
// included.
func TestTextsOfLookarounds(t *testing.T) {
	for _, pattern := range []string{
		`^(?=.*[A-Z])(?=.*\d).{8,}$`,
		`^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[!@#])[A-Za-z\d!@#]{8,20}$`,
		`^(?=(?:\D*\d){7,15}$)\+[1-9]\d{0,2}\.?\d+$`,
		`(?!^\d+$)^.+$`,
		`^[a-zA-Z0-9]((?![_-]{2,})[a-zA-Z0-9-_])+[a-zA-Z0-9]$`,
		`^[a-zA-Z]((?!--|__)[a-zA-Z0-9-_])+$`,
		`(?<=id-)[0-9]{4}$`,
		`^(['"])[a-z]+\1$`,
		`^(?<x>a|b)-\k<x>$`,
		`^([(]\)a)\1$`,
		`^0x[0-9a-f]{4000}$`, `^[0-9]{3,2000}a$`, `^\d{1500,}$`, `^0x[a-fA-F0-9]{0,2147483648}$`,
	} {
		p, err := check.Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			s, ok := matching([]string{pattern}, n, p.Match, "a")
			if pattern == `(?<=id-)[0-9]{4}$` {
				continue // what stands before the match is not written
			}
			if !ok || !p.Match(s) {
				t.Errorf("%s: %q", pattern, s)
			}
		}
	}
}

func TestDividesDeepPatterns(t *testing.T) {
	for _, pattern := range []string{
		strings.Repeat("(", 500) + "a" + strings.Repeat(")", 500) + `\1`, strings.Repeat("(a", 600) + strings.Repeat(`\1`, 100),
		strings.Repeat("(?=", 600), strings.Repeat("(?<", 600), strings.Repeat("(", 1<<20),
	} {
		taken, asked := divide(pattern)
		if len(taken) > maxDivided*maxDivided {
			t.Errorf("%.20s: %d bytes", pattern, len(taken))
		}
		requested(asked, 1)
	}
}

// Patterns are texts of a document: whatever they are, they are taken apart.
func FuzzDivide(f *testing.F) {
	for _, seed := range []string{`(?=a)b`, `(?`, `(?<`, `\\k<`, `[`, `[\\`, `((a)\\2`, `(?<n>(?<!a))\\k<n>`, `\\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		if len(pattern) > 200 {
			return
		}
		taken, asked := divide(pattern)
		if strings.Contains(taken, "(?=") && !strings.ContainsAny(pattern, "[\\") {
			t.Errorf("%q: %q, %q", pattern, taken, asked)
		}
		requested(asked, 1)
	})
}
