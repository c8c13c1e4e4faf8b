package ecma_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/check/ecma"
)

// within fails when f takes long enough to be called a hang.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("hangs")
	}
}

// Patterns that take backtracking engines exponential or cubic time are answered.
func TestLinearTime(t *testing.T) {
	long := strings.Repeat("a", 200_000)
	for pattern, c := range map[string]struct {
		text string
		want ecma.Result
	}{
		`(a+)+$`:                      {long + "!", ecma.NoMatch},
		`^(a+)+$`:                     {long + "!", ecma.NoMatch},
		`^(a|aa)+$`:                   {long + "!", ecma.NoMatch},
		`^(a|a?)+$`:                   {long + "!", ecma.NoMatch},
		`^(([a-z])+.)+[A-Z]([a-z])+$`: {long, ecma.NoMatch},
		`(.*)(.*)(.*)(.*)x`:           {long, ecma.NoMatch},
		`(?=(a+)+$)b`:                 {long, ecma.NoMatch},
		`(?<=^(a+)+)b`:                {long + "!b", ecma.NoMatch},
		`(?:(?=(?:(?=a*b)a)*b)a)*c`:   {long, ecma.NoMatch},
		`^(?:a?){50}a{50}$`:           {strings.Repeat("a", 50), ecma.Matches},
		`[a]{0,65535}b`:               {long, ecma.NoMatch},
		`^a{0,2147483647}$`:           {long, ecma.Matches},
		`^a{200000}$`:                 {long, ecma.Matches},
		`^a{199999}$`:                 {long, ecma.NoMatch},
		`a{100000,150000}b`:           {long + "b", ecma.Matches},
		`^(?:a{3,70000}b)*$`:          {long, ecma.NoMatch},
		`^a{99999999999999999999}$`:   {long, ecma.NoMatch},
	} {
		re, err := ecma.Compile(pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		within(t, func() {
			if got := re.Match(c.text); got != c.want {
				t.Errorf("%s: %v, want %v", pattern, got, c.want)
			}
		})
	}
}

// What only backtracking can search ends at the bound.
func TestGivesUp(t *testing.T) {
	long := strings.Repeat("a", 20_000)
	for _, pattern := range []string{
		`^(a*)*\1b`, `(a*)(a*)(a*)(a*)\4\3\2\1b`, `^(?:(a)|a)+\1b$`, `(?:\1|a*)*(a*)*b`, `(?<=^(a+)+\1)b`,
		`^(?:(?:a{0,300}b?){0,300}c?){0,300}d$`, `^(?:(?!(a+)+\1b)a)*b`, `(?=(a*)*)\1*b`, `(?:\1){2147483647}(a)`,
	} {
		re, err := ecma.Compile(pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		within(t, func() {
			if got := re.Match(long); got == ecma.Matches {
				t.Errorf("%s: a match", pattern)
			}
		})
	}
	re, err := ecma.Compile(`^(a*)*\1b`)
	if err != nil {
		t.Fatal(err)
	}
	if got := re.Match(long); got != ecma.Unknown {
		t.Errorf("%v, want it to be given up", got)
	}
	if got := re.Match("aab"); got != ecma.Matches {
		t.Errorf("%v after it was given up", got)
	}
}

// Counts that would not fit as states are counted.
func TestLargeCounts(t *testing.T) {
	check(t, []row{
		{`^(((a{100}){100}){10})$`, list{strings.Repeat("a", 100_000)}, list{strings.Repeat("a", 99_999)}},
		{`^(?:ab){60000}$`, list{strings.Repeat("ab", 60_000)}, list{strings.Repeat("ab", 59_999)}},
		{`^(?:ab?){0,65535}c$`, list{strings.Repeat("ab", 1000) + "c"}, list{"b"}},
		{`^(?:ab|cd){0,20000}?$`, list{strings.Repeat("abcd", 1000)}, list{"abc"}},
		{`(?<=(?:ab){3,30000})c`, list{strings.Repeat("ab", 100) + "c"}, list{"ababc"}},
	})
}

func TestLargePatterns(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("(?:", n) + "a" + strings.Repeat(")*", n) }
	var classes strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&classes, `[\p{L}%c]`, 0x4e00+i)
	}
	var folded strings.Builder
	folded.WriteString("(?i)")
	for i := range 8000 {
		fmt.Fprintf(&folded, `[a-z%c]`, 0x4e00+i)
	}
	for name, c := range map[string]struct{ pattern, want string }{
		"nested":         {deep(200), ""},
		"too nested":     {deep(201), "nested too deeply"},
		"open":           {strings.Repeat("(", 60_000), "nested too deeply"},
		"lookarounds":    {strings.Repeat("(?=", 300) + strings.Repeat(")", 300), "nested too deeply"},
		"too long":       {strings.Repeat("a", 1<<16+1), "longer than"},
		"letters":        {strings.Repeat("a", 1<<16), ""},
		"alternatives":   {strings.Repeat("ab|", 20_000), ""},
		"one set":        {strings.Repeat(`\p{L}`, 13_000), ""},
		"many sets":      {classes.String(), "sets of the pattern are too large"},
		"joined sets":    {strings.Repeat(`\p{L}|`, 10_000), ""},
		"scripts":        {strings.Repeat(`\p{scx=Zyyy}`, 5000), ""},
		"folded":         {folded.String(), ""},
		"captures":       {strings.Repeat("()", 30_000) + `\30000`, ""},
		"names":          {names(4000), ""},
		"quantifiers":    {strings.Repeat("a?", 30_000), ""},
		"counts":         {strings.Repeat("(?:a{2,3}b){9}", 4000), ""},
		"count of count": {strings.Repeat("(?:", 100) + "a" + strings.Repeat("){100}", 100), ""},
	} {
		t.Run(name, func(t *testing.T) {
			within(t, func() {
				re, err := ecma.Compile(c.pattern)
				switch {
				case c.want == "" && err != nil:
					t.Error(err)
				case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
					t.Errorf("%v, want %s", err, c.want)
				case err == nil:
					re.Match(strings.Repeat("ab", 2000)) // whatever it says, it says it
				}
			})
		})
	}
}

// names is a pattern with n names, each in an alternative and referred to.
func names(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `(?<a>b)|`)
		if i == 0 {
			b.WriteString(`\k<a>|`)
		}
	}
	return b.String()
}

func TestMatchDoesNotAllocate(t *testing.T) {
	if race {
		t.Log("the race detector drops what is pooled")
		return
	}
	for _, pattern := range []string{`^[a-z0-9-]+$`, `^(?=.*\d)(?!-).{4,}$`, `^([a-z])\1`, `[^x]{3,60}-(?<=-)`} {
		re, err := ecma.Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(200, func() { re.Match("order-4711-é") }); n != 0 {
			t.Errorf("%s: %v allocations", pattern, n)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	for _, pattern := range []string{`^(?=.*\d)[^]{4,9}$`, `^(.)(.)\2\1`} {
		re, err := ecma.Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(pattern, func(t *testing.T) {
			for i := range 8 {
				t.Run(strconv.Itoa(i), func(t *testing.T) {
					t.Parallel()
					for range 200 {
						if re.Match("abba4") != ecma.Matches || re.Match("abc") != ecma.NoMatch {
							t.Fatal("another answer")
						}
					}
				})
			}
		})
	}
}
