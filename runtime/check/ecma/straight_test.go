package ecma

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Which patterns are rows that can be taken in one way only.
func TestStraight(t *testing.T) {
	for pattern, want := range map[string]bool{
		`^[A-Z]{3}-[0-9]{5}$`: true, `^\d+$`: true, `^a*b*c$`: true, `^(abc)(?:d)$`: true, `^x`: true, `^$`: true, `^`: true,
		`^[a-z]+[0-9]*[A-Z]?$`: true, `^[^/]+/[^/]+$`: true, `^a{2}a*$`: true, `(^a)$`: true, `(?i:^k)`: true,
		`[a-z]+`: false, `a$`: false, `^a*a$`: false, `^a*b*a$`: false, `^[a-z]+\w$`: false, `^a|b$`: false, `^(ab)+$`: false,
		`^\ba$`: false, `^(?=a)a$`: false, `(?m:^a$)`: false, `^a^b$`: false, `^a?[^b]$`: false, `^(a)\1$`: false,
	} {
		re, err := Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := re.straight != nil; got != want {
			t.Errorf("%s: %v, want %v", pattern, got, want)
		}
	}
}

// A row says what the machine of states says.
func TestStraightAgainstLinear(t *testing.T) {
	atoms := []string{"a", "b", "-", "é", "[ab]", "[^ab]", "[a-c]", `\d`, `\W`, `\p{L}`, "(?:a)", "(b)", "(?i:k)", "."}
	counts := []string{"", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "{2,4}", "{0}", "*?", "{2,3}?"}
	rows := 0
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteByte('^')
		for range rapid.IntRange(0, 4).Draw(t, "terms") {
			b.WriteString(rapid.SampledFrom(atoms).Draw(t, "atom") + rapid.SampledFrom(counts).Draw(t, "count"))
		}
		b.WriteString(rapid.SampledFrom([]string{"$", "$", ""}).Draw(t, "end"))
		re, err := Compile(b.String())
		if err != nil {
			t.Fatalf("%s: %v", b.String(), err)
		}
		if re.straight == nil {
			return
		}
		rows++
		root, err := newParser(b.String()).parse()
		if err != nil {
			t.Fatal(err)
		}
		machine := newLinear(root)
		for range 10 {
			s := rapid.StringOfN(rapid.SampledFrom([]rune("aabbc-é1 kK\u212a\n")), 0, 9, -1).Draw(t, "text")
			s += rapid.SampledFrom([]string{"", "", "\xff", "\xc3"}).Draw(t, "odd")
			if got, want := re.Match(s), machine.match(s); got != want {
				t.Fatalf("%s on %q: %v, want %v", b.String(), s, got, want)
			}
		}
	})
	if rows == 0 {
		t.Error("no pattern was a row")
	}
}
