package check_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
)

func TestPatternsMatchAsECMA262(t *testing.T) {
	for _, test := range []struct {
		pattern, yes, no string // lists, divided by spaces unless the string is the space
	}{
		{"b", "abc b", "ac"},
		{`^[a-z\/]+$`, "a/b", "A"},
		{`^\cA$`, "\x01", "A"},
		{`^\u0041\x42$`, "AB", "ab"},
		{`^\u{1F600}$`, "😀", "a"},
		{`^\uD83D\uDE00$`, "😀", "a"},
		{`^[\uD83D\uDE00-\uD83D\uDE02]$`, "😀 😂", "😃"},
		{`^(?<year>\d{4})-(?<month>\d{2})$`, "2024-02", "24-2"},
		{`^[^]$`, "a é", "ab"},
		{`^[]$|^x$`, "x", "]"},
		{`^[\-a]$`, "- a", "b"},
		{`^[A-Z-a-z]$`, "A - z", "_"},
		{`^[0-9-_.]+$`, "1-_.", "a"},
		{`^[\w-.]+$`, "a-.", "+"},
		{`^[[:alpha:]]$`, "[] a] :]", "b b]"},
		{`^[a[b]$`, "a [ b", "c"},
		{`^\d$`, "1", "١"},
		{`^\w$`, "a _", "é"},
		{`^\s$`, "\u00a0", "x"},
		{`^\s$`, "\u2028", "\u200b"},
		{`^\S+$`, "x \u200b", "\u3000"},
		{`^[\s\S]$`, "x", "xx"},
		{`^[^\S]$`, "\u00a0", "x"},
		{`^[\D]$`, "x", "1"},
		{`^.$`, "x é", "\u2028"},
		{`^.$`, "x", "\r"},
		{`\{user\}`, "{user}", "user"},
		{`^{x}$`, "{x}", "x"},
		{`^x{,2}$`, "x{,2}", "xx"},
		{`^a{2,3}?$`, "aa aaa", "a"},
		{`^(?:a|b)c$`, "ac bc", "c"},
		{`^\0$`, "\x00", "0"},
		{`^[\b]$`, "\b", "b"},
		{`\bcat\b`, "cat", "cats"},
		{`^\p{L}+$`, "é a", "1"},
		{`^\p{Letter}+$`, "é", "1"},
		{`^\p{Script=Greek}$`, "α", "a"},
		{`^\P{L}$`, "1", "a"},
		{`^(?i)abc$`, "ABC", "abd"},
		{`^(?i:a)b$`, "Ab ab", "AB"},
		{`^a|b$`, "ax xb", "xa"},
		{`a$`, "ba", "ab"},
		{`^\$\^\.\*$`, "$^.*", "a"},
		{`^[\]\\]$`, "] \\", "a"},
		{`^[\uD800-\uDFFF]$|^ok$`, "ok", "a"},
		{`^[\u0000-\uFFFF]$`, "a é", "😀"},
		{`^é+$`, "éé", "e"},
		{`^(?=.*[A-Z])(?=.*\d).{8,}$`, "Passw0rds", "passw0rds Password Pa55"},
		{`a(?!b)`, "ac a", "ab"},
		{`(?<=a)b`, "ab", "cb b"},
		{`(?<!a)b`, "cb b", "ab"},
		{`^(a|b)\1$`, "aa bb", "ab ba"},
		{`^(?<n>a|b)\k<n>$`, "aa bb", "ab ba"},
		{`^a{1001}$`, strings.Repeat("a", 1001), strings.Repeat("a", 1000)},
		{`^\01[\1]$`, "\x01\x01", "01"},
		{`^\A\w+\z$`, "word", "a-b"},
		{`^\p{Emoji_Modifier_Base}$`, "👍", "a"},
		{`^(((a{10}){10}){10})$`, strings.Repeat("a", 1000), strings.Repeat("a", 999)},
		{``, "a", ""},
	} {
		p, err := check.Compile(test.pattern)
		if err != nil {
			t.Errorf("%s: %v", test.pattern, err)
			continue
		}
		for s := range strings.FieldsSeq(test.yes) {
			if !p.Match(s) {
				t.Errorf("%s does not match %q", test.pattern, s)
			}
		}
		for _, s := range words(test.no) {
			if p.Match(s) {
				t.Errorf("%s matches %q", test.pattern, s)
			}
		}
		// Fields drops what is space itself.
		if len(strings.Fields(test.yes)) == 0 && !p.Match(test.yes) {
			t.Errorf("%s does not match %q", test.pattern, test.yes)
		}
	}
	if p, err := check.Compile(`^a$`); err != nil || p.Match("a\n") {
		t.Errorf("$ matches before a line's end: %v", err)
	}
}

// words splits s, but leaves a string of white space as it is.
func words(s string) []string {
	if f := strings.Fields(s); len(f) > 0 || s == "" {
		return f
	}
	return []string{s}
}

func TestBrokenPatterns(t *testing.T) {
	for _, test := range []struct {
		pattern string
		offset  int
		message string
	}{
		{`^[a-z$`, 1, "unclosed ["},
		{`ab(c`, 2, "unclosed group"},
		{`ab)c`, 2, "unmatched )"},
		{`a**`, 2, "nothing to repeat"},
		{`*a`, 0, "nothing to repeat"},
		{`a|+`, 2, "nothing to repeat"},
		{`^*`, 1, "nothing to repeat"},
		{`{2}`, 0, "nothing to repeat"},
		{`x{3,2}`, 1, "the counts are out of order"},
		{`[z-a]`, 1, "the range is out of order"},
		{`a\`, 1, `\ at the end of the pattern`},
		{`[a\`, 2, `\ at the end of the pattern`},
		{`(?<>a)`, 0, "the name of the group is broken"},
		{`(?>a)`, 0, "unknown kind of group"},
		{`(?<n>a)(?<n>b)`, 7, "two groups have the same name"},
		{`(?<n>a)\k<m>`, 7, "no group has this name"},
		{`(?<=a)*`, 6, "nothing to repeat"},
		{"a\xff", 0, "is not valid UTF-8"},
	} {
		offset, err := check.Position(test.pattern)
		var e *check.PatternError
		if !errors.As(err, &e) || offset != test.offset || e.Message != test.message || e.Unsupported {
			t.Errorf("%s: offset %d, %v", test.pattern, offset, err)
		}
		if _, err := check.Compile(test.pattern); err == nil {
			t.Errorf("%s compiles", test.pattern)
		}
		if !check.Regexp(test.pattern).Match("anything") {
			t.Errorf("%s: a pattern that does not compile refuses", test.pattern)
		}
	}
	_, err := check.Compile(`^[a-z$`)
	if got := err.Error(); got != `pattern "^[a-z$", offset 1: unclosed [` {
		t.Error(got)
	}
}

func TestUnsupportedPatterns(t *testing.T) {
	for pattern, offset := range map[string]int{
		`\Q.\E`: 0, `a\h`: 1, `\u{110000}`: 0, `\p`: 0, `x\p{L`: 1, `\p{Changes_When_Lowercased}`: 0,
		strings.Repeat("(", 300) + strings.Repeat(")", 300): 200, strings.Repeat("a", 1<<16+1): 0,
	} {
		got, err := check.Position(pattern)
		var e *check.PatternError
		if !errors.As(err, &e) || !e.Unsupported || got != offset {
			t.Errorf("%s: offset %d, %v", pattern, got, err)
		}
	}
	if offset, err := check.Position(`^a$`); offset != 0 || err != nil {
		t.Errorf("%d, %v", offset, err)
	}
}

// What cannot be decided within bounds is no match, and the violation says so.
func TestUndecidedPatterns(t *testing.T) {
	// Each group can end at any place, and none of the attempts succeeds.
	p, text := check.Regexp(`^(a*)(a*)(a*)(a*)(a*)(a*)\1\2\3\4\5\6b`), strings.Repeat("a", 500)
	if matches, known := p.Try(text); matches || known {
		t.Errorf("%v, %v", matches, known)
	}
	var c check.Checker
	c.String("at", text, &check.StringRules{Pattern: p})
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "/at: takes too many attempts to be held against the pattern ^(a*)") {
		t.Error(err)
	}
	if matches, known := p.Try("b"); !matches || !known {
		t.Errorf("%v, %v", matches, known)
	}
}

func TestNotesOfPatterns(t *testing.T) {
	for pattern, want := range map[string]string{
		`\Aa`: `\A is read as the start of the text`, `a\Z`: `\Z is read as the end of the text`,
		`\z`: `\z is read as the end of the text`, `\pL`: `\pL is read as \p{L}`,
		`(?P<n>a)`: `(?P<name>…) is read as (?<name>…)`, `a(?i)b`: `(?i) holds up to the end of the group that it stands in`,
	} {
		p, err := check.Compile(pattern)
		if err != nil || len(p.Notes()) != 1 || p.Notes()[0].Message != want {
			t.Errorf("%s: %v, %v", pattern, p.Notes(), err)
		}
	}
	if p, err := check.Compile(`^(?i:a)\p{L}$`); err != nil || p.Notes() != nil {
		t.Errorf("%v, %v", p.Notes(), err)
	}
}

func TestFormatsWithoutSuite(t *testing.T) {
	for format, cases := range map[check.Format][2]string{
		check.FormatEmail:        {`a@example.test "a\ b"@example.test a@[127.0.0.1] a@[IPv6:::1]`, "a @example.test a@ a..b@example.test a@-x.test"},
		check.FormatIP:           {"127.0.0.1 ::1", "127.0.0.01 fe80::1%eth0 x"},
		check.FormatByte:         {"aGk= aGkx", "aGk aGl= a-k="},
		check.FormatURI:          {"https://u@h:1/p?q#f urn:a:b http://[::1]/ http://[v1.x]/", "/p //h/p http://[::1 http://h:x/ http://a%2 1:x"},
		check.FormatURIReference: {"/p ?q #f a/b:c", "a\\b %zz"},
		check.FormatDateTime:     {"2024-01-02T03:04:05Z", "2024-01-02"},
	} {
		for s := range strings.FieldsSeq(strings.ReplaceAll(cases[0], `\ `, "\u00b7")) {
			if s = strings.ReplaceAll(s, "\u00b7", `\ `); !format.Match(s) {
				t.Errorf("%s refuses %q", format, s)
			}
		}
		for s := range strings.FieldsSeq(cases[1]) {
			if format.Match(s) {
				t.Errorf("%s accepts %q", format, s)
			}
		}
	}
	if _, ok := check.ParseFormat("credit-card"); ok {
		t.Error("an unknown format is known")
	}
	if !check.FormatNone.Match("x") || check.Format(200).String() != "" || !check.Format(200).Match("x") {
		t.Error("no format")
	}
	var c check.Checker
	c.String("at", "2024", &check.StringRules{Format: check.FormatDateTime, Pattern: check.Regexp("^a")})
	if got := c.Err().Error(); got != "/at: must match the pattern ^a; /at: must be an RFC 3339 date-time" {
		t.Error(got)
	}
}

func FuzzPattern(f *testing.F) {
	for _, seed := range []string{`^[a-z\/]+$`, `(?<a>\d{1,3})|[^]`, `\u{1F600}[\S-x]`, `^[a-z$`, `(?=a)`} {
		f.Add(seed, "abc")
	}
	f.Fuzz(func(t *testing.T, pattern, s string) {
		p, err := check.Compile(pattern)
		p.Match(s)
		if err == nil {
			return
		}
		var e *check.PatternError
		if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(pattern) {
			t.Fatalf("%q: %v", pattern, err)
		}
	})
}

func FuzzFormat(f *testing.F) {
	f.Add("https://u@h:1/p?q#f")
	f.Add(`"a"@[IPv6:::1]`)
	f.Add("{+x*,y:3}%41")
	f.Fuzz(func(_ *testing.T, s string) {
		for format := range check.Format(32) {
			format.Match(s)
		}
	})
}
