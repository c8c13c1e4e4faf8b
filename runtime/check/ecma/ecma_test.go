package ecma_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check/ecma"
)

// A row holds texts that a pattern matches, and texts that it does not.
type row struct {
	pattern string
	yes, no []string
}

func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		re, err := ecma.Compile(r.pattern)
		if err != nil {
			t.Errorf("%s: %v", r.pattern, err)
			continue
		}
		for _, s := range r.yes {
			if got := re.Match(s); got != ecma.Matches {
				t.Errorf("%s on %q: %v, want a match", r.pattern, s, got)
			}
		}
		for _, s := range r.no {
			if got := re.Match(s); got != ecma.NoMatch {
				t.Errorf("%s on %q: %v, want none", r.pattern, s, got)
			}
		}
	}
}

type list = []string

// Disjunction, quantifiers and the order of attempts (ECMA-262, 22.2.2.3 and 22.2.2.4).
func TestQuantifiers(t *testing.T) {
	check(t, []row{
		{`a|ab`, list{"abc", "a"}, list{"b", ""}},
		{`^(?:(?:a)|(?:ab))(?:(?:c)|(?:bc))$`, list{"abc", "ac", "abbc"}, list{"ab"}},
		{`^a[a-z]{2,4}$`, list{"abc", "abcde"}, list{"ab", "abcdef"}},
		{`^a[a-z]{2,4}?$`, list{"abc", "abcde"}, list{"ab", "abcdef"}},
		{`^(?:aa|aabaac|ba|b|c)*$`, list{"aabaac", ""}, list{"a"}},
		{`^(z)((a+)?(b+)?(c))*$`, list{"zaacbbbcac", "z"}, list{"zaab"}},
		{`^(a*)*$`, list{"", "aaa"}, list{"b"}},
		{`^(?:a*)*b$`, list{"aab", "b"}, list{"aa"}},
		{`^(?:|a){3}$`, list{"", "a", "aaa"}, list{"aaaa"}},
		{`^a{0}$`, list{""}, list{"a"}},
		{`^a{0,0}b$`, list{"b"}, list{"ab"}},
		{`^[ab]{4,6}$`, list{"abab", "ababab"}, list{"aba", "abababa"}},
		{`^(?:[ab]{4,6}c)+$`, list{"ababc", "ababcbababac"}, list{"abac", "ababababc"}},
		{`[ab]{5}c`, list{"cabababc", "aaaaaaac"}, list{"ababc"}},
		{`^(?:a|b{4,5})*c$`, list{"bbbbc", "abbbbabbbbbc", "bbbbbbbbc", "c"}, list{"bbbc", "bbbbbbc"}},
		{`^[^]{3}$`, list{"a\né"}, list{"ab"}},
		{`x{2,}y`, list{"xxy", "xxxxy"}, list{"xy"}},
		{`^.{8,}$`, list{"12345678", "123456789"}, list{"1234567"}},
		{`^a??$`, list{"", "a"}, list{"aa"}},
		{`^(?:ab){2,3}?$`, list{"abab", "ababab"}, list{"ab", "abababab"}},
	})
}

// Assertions (22.2.2.4): without the modifier m, only the ends of the text count.
func TestAssertions(t *testing.T) {
	check(t, []row{
		{`^abc$`, list{"abc"}, list{"abc\n", "\nabc", "xabc"}},
		{`(?m:^b$)`, list{"a\nb", "b\r\n", "a\u2028b\u2029c"}, list{"ab", "a\vb"}},
		{`\bfoo\b`, list{"foo", "a foo.", "éfooé"}, list{"foobar", "_foo"}},
		{`o\B`, list{"fob"}, list{"fo"}},
		{`^\B$`, list{""}, list{"a"}},
		{`(?=a)`, list{"ba"}, list{"b"}},
		{`^(?=.*[A-Z])(?=.*\d).{8,}$`, list{"Passw0rd"}, list{"passw0rd", "Pass0"}},
		{`^(?!\d+$).+$`, list{"12a"}, list{"12"}},
		{`^(?!.*--)[a-z-]+$`, list{"a-b-c"}, list{"a--b"}},
		{`(?<=\$)\d+`, list{"$5"}, list{"€5"}},
		{`(?<!\$)\b\d+`, list{"€55"}, list{"$55"}},
		{`(?<=^|,)a(?=,|$)`, list{"a", "b,a", "a,b"}, list{"ba", "ab"}},
		{`(?<=a{2,3}b)c`, list{"aabc", "aaaabc"}, list{"abc"}},
		{`(?<=(?<!x)a)b`, list{"ab", "yab"}, list{"xab"}},
		{`(?=(?!ab)a)a.`, list{"ac"}, list{"ab"}},
		{`^(?:(?=a)a|(?!a)b)+$`, list{"abab"}, list{"abc"}},
		{`(?=a)*b`, list{"b"}, list{"a"}},
		{`^(?:(?<=a)b|a)+$`, list{"ab", "aab"}, list{"b", "abb"}},
	})
}

// Backreferences (22.2.2.7, 22.2.2.9), with what a round of a quantifier forgets.
func TestBackreferences(t *testing.T) {
	check(t, []row{
		{`^(a|b)\1$`, list{"aa", "bb"}, list{"ab"}},
		{`^(?:(a)|b)*\1$`, list{"ab", "b", "aa", "baa"}, list{"c"}},
		{`^(z)((a+)?(b+)?(c))*\3$`, list{"zaacbbbc"}, list{"zb"}},
		{`^\1(a)$`, list{"a"}, list{"aa"}},
		{`^(\1a)$`, list{"a"}, list{"aa"}},
		{`^(?<q>['"]).*\k<q>$`, list{`'a'`, `"a"`}, list{`'a"`}},
		{`^\k<n>(?<n>a)$`, list{"a"}, list{"aa"}},
		{`^(?:(?<n>a)|(?<n>b))\k<n>$`, list{"aa", "bb"}, list{"ab"}},
		{`(?=(a+))a*b\1`, list{"baaabac"}, list{"aab"}},
		{`^(?=(a+))\1b$`, list{"aab"}, list{"aba"}},
		{`(.*?)a(?!(a+)b\2c)\2(.*)`, list{"baaabaac"}, list{"b"}},
		{`^(?!(a)\1)a\1b$`, list{"ab"}, list{"aab"}},
		{`(?<=\1(a))b`, list{"aab"}, list{"ab"}},
		{`(?<=(a)\1)b`, list{"ab"}, list{"b"}}, // read backward, \1 comes before its group
		{`(?<=([ab]+)([bc]+))$`, list{"abc"}, list{"a"}},
		{`^(?i:(ab)\1)$`, list{"abAB"}, list{"abb"}},
		{`^(?i:(k)\1)$`, list{"k\u212a"}, list{"kx"}},
		{`^(?:(a)|(b)){2}\1\2$`, list{"abb", "baa"}, list{"abab"}},
		{`^(a{0,2}?)\1b$`, list{"aab", "aaaab", "b"}, list{"ab"}},
		{`^(?:(?:(a)\1){2}){2}$`, list{"aaaaaaaa"}, list{"aaaaaaa"}},
		{`^(a*)*?\1b$`, list{"b", "aab"}, list{"a"}},
		{`^(é😀)\1$`, list{"é😀é😀"}, list{"é😀é"}},
	})
}

// Classes and escapes (22.2.2.9.3 and on).
func TestCharacters(t *testing.T) {
	spaces := list{"\t", "\n", "\v", "\f", "\r", " ", "\u00a0", "\u1680", "\u2003", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\ufeff"}
	check(t, []row{
		{`^\s$`, spaces, list{"\u180e", "\u200b", "\u0085", "x"}},
		{`^\S$`, list{"\u180e", "\u200b", "\u0085", "x"}, spaces},
		{`^.$`, list{"x", "\u0085", "😀", "\v"}, list{"\n", "\r", "\u2028", "\u2029", ""}},
		{`^(?s:.)$`, list{"x", "\n", "\u2029"}, list{""}},
		{`^\d$`, list{"0", "9"}, list{"٣", "a"}},
		{`^\w$`, list{"a", "Z", "_", "5"}, list{"é", "ſ", "-"}},
		{`^(?i:\w)$`, list{"a", "ſ", "\u212a"}, list{"é"}},
		{`^(?i:\W)$`, list{"é"}, list{"s", "ſ", "\u212a"}},
		{`^(?i:[^x])$`, list{"y"}, list{"x", "X"}},
		{`^(?i:σ)$`, list{"σ", "ς", "Σ"}, list{"s"}},
		{`^(?i:\u212a)$`, list{"k", "K"}, list{"x"}},
		{`^(?i)straße$`, list{"STRAẞE", "straße"}, list{"STRASSE"}},
		{`^(?i:a(?-i:b))$`, list{"ab", "Ab"}, list{"aB"}},
		{`^a(?i)b|C$`, list{"aB", "xc"}, list{"Ab", "d"}},
		{`^[]$`, nil, list{"", "]"}},
		{`^[^]$`, list{"x", "\n", "😀"}, list{""}},
		{`^[\b]$`, list{"\b"}, list{"b"}},
		{`^[a\-z]$`, list{"a", "-", "z"}, list{"b"}},
		{`^\u{1F600}\uD83D\uDE00\u0061$`, list{"😀😀a"}, list{"😀a"}},
		{`^[😀-😂]$`, list{"😁"}, list{"😃", "\xf0"}},
		{`^[\uD800\uDC00-\uDBFF\uDFFF]$`, list{"😀", "\U00010000"}, list{"\uffff"}},
		{`\uD83D`, nil, list{"😀"}},
		{`^\cJ\cj[\cJ]$`, list{"\n\n\n"}, list{"J"}},
		{`^\x41\0\t\n\v\f\r$`, list{"A\x00\t\n\v\f\r"}, list{"A0"}},
		{`^\/\.\*\$\^\\$`, list{`/.*$^\`}, list{"x"}},
		{`^[\u0020-\uD7FF\uE000-\uFFFD\uD800\uDC00-\uDBFF\uDFFF\r\n\t]*$`, list{"a😀\n", ""}, list{"\x01", "\uffff"}},
		{`^\ufffd$`, list{"\xff"}, list{"\xff\xff"}},
	})
}

// Properties (22.2.2.9.7, tables 66 to 68).
func TestProperties(t *testing.T) {
	check(t, []row{
		{`^\p{L}\p{Letter}\p{General_Category=L}\p{gc=Lu}$`, list{"éaßÉ"}, list{"1aaA", "aaaa"}},
		{`^\P{L}[\P{L}]$`, list{"1-"}, list{"a1"}},
		{`^\p{Nd}\p{digit}\p{punct}$`, list{"٣1!"}, list{"aa!"}},
		{`^\p{Script=Greek}\p{sc=Grek}$`, list{"αΩ"}, list{"ab"}},
		{`^\p{Script_Extensions=Greek}$`, list{"α", "\u0342"}, list{"a"}},
		{`^\p{Script=Greek}$`, list{"α"}, list{"\u0342"}},
		{`^\p{scx=Deva}$`, list{"क", "।"}, list{"a"}},
		{`^\p{scx=Common}$`, list{"+"}, list{"।", "a"}},
		{`^\p{Any}\p{ASCII}\p{Assigned}$`, list{"\u0378aa"}, list{"aéa", "aa\u0378"}},
		{`^\p{Alphabetic}\p{Alpha}$`, list{"aͅ"}, list{"1a"}},
		{`^\p{Lowercase}\p{Upper}$`, list{"aA", "ªⒶ"}, list{"AA"}},
		{`^\p{White_Space}\p{space}$`, list{" \u0085"}, list{"\ufeff "}},
		{`^\p{ID_Start}\p{IDC}*$`, list{"aé1_", "℘"}, list{"_a", "1"}},
		{`^\p{XID_Start}$`, list{"a"}, list{"\u037a", "\u0e33"}},
		{`^\p{Emoji}\p{Emoji_Presentation}\p{ExtPict}$`, list{"1😀©"}, list{"a😀©", "11©"}},
		{`^\p{Regional_Indicator}{2}$`, list{"🇩🇪"}, list{"DE"}},
		{`^\p{Math}\p{Dash}\p{Hex_Digit}$`, list{"+-f"}, list{"a-f"}},
		{`^\p{Cased}\p{Case_Ignorable}$`, list{"a'"}, list{"1'"}},
		{`^\p{Grapheme_Extend}\p{Grapheme_Base}$`, list{"\u0301a"}, list{"aa"}},
		{`^\p{Default_Ignorable_Code_Point}$`, list{"\u00ad"}, list{"a"}},
		{`^\p{Bidi_Mirrored}$`, list{"("}, list{"a"}},
	})
}

// Annex B, 1.2: what the u flag refuses has its legacy meaning.
func TestLegacySyntax(t *testing.T) {
	check(t, []row{
		{`^\-\_\:\"\@\ $`, list{`-_:"@ `}, list{`\-`}},
		{`^{}]$`, list{"{}]"}, list{"x"}},
		{`^x{,2}y{a}z{1$`, list{"x{,2}y{a}z{1"}, list{"xx"}},
		{`^[\w-.]+$`, list{"a-."}, list{"a+"}},
		{`^[a-\d]+$`, list{"a-5"}, list{"b"}},
		{`^\1(a)\2$`, list{"a\x02"}, list{"aa"}},
		{`^\07\101\377\400\8$`, list{"\aA\u00ff 08"}, list{"7"}},
		{`^[\1\101\8]+$`, list{"\x01A8"}, list{"1"}},
		{`^\c1[\c1\c_][\c]$`, list{"\\c1\x11c", "\\c1\x1f\\"}, list{"1"}},
		{`^\xg\u12\k$`, list{"xgu12k"}, list{"g"}},
		{`^(?=a){2}(?!b)+a$`, list{"a"}, list{"b"}},
		{`^(?:(?=a)){0}b$`, list{"b"}, list{"a"}},
	})
}

func TestOtherLanguages(t *testing.T) {
	check(t, []row{
		{`\Aab\z`, list{"ab"}, list{"xab", "abx", "A"}},
		{`a\Z`, list{"ba"}, list{"ab"}},
		{`^\pL\PN$`, list{"éa"}, list{"é1", "11"}},
		{`^(?P<a>x)\1$`, list{"xx"}, list{"x"}},
		{`^(?i)a(?:(?-i)b)c$`, list{"AbC"}, list{"ABC"}},
		{`^\p{Greek}$`, list{"α"}, list{"a"}},
	})
	re, err := ecma.Compile(`x\A(?i)\pN`)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []ecma.Note{{1, "", true}, {3, "", false}, {7, "", true}} {
		if got := re.Notes()[i]; got.Offset != want.Offset || got.Escape != want.Escape || got.Message == "" {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if re.String() != `x\A(?i)\pN` {
		t.Error(re)
	}
}

func TestErrors(t *testing.T) {
	for pattern, want := range map[string]ecma.Error{
		`^[a-z$`:                    {Offset: 1, Message: "unclosed ["},
		`ab(c`:                      {Offset: 2, Message: "unclosed group"},
		`ab)c`:                      {Offset: 2, Message: "unmatched )"},
		`a**`:                       {Offset: 2, Message: "nothing to repeat"},
		`a++`:                       {Offset: 2, Message: "nothing to repeat"},
		`^*`:                        {Offset: 1, Message: "nothing to repeat"},
		`\b+`:                       {Offset: 2, Message: "nothing to repeat"},
		`(?<=a)?`:                   {Offset: 6, Message: "nothing to repeat"},
		`{2}`:                       {Offset: 0, Message: "nothing to repeat"},
		`x{3,2}`:                    {Offset: 1, Message: "the counts are out of order"},
		`[z-a]`:                     {Offset: 1, Message: "the range is out of order"},
		`a\`:                        {Offset: 1, Message: `\ at the end of the pattern`},
		`(?>a)`:                     {Offset: 0, Message: "unknown kind of group"},
		`(?ii:a)`:                   {Offset: 0, Message: "a modifier of the group is there twice"},
		`(?i-:a)`:                   {Offset: 0, Message: ""},
		`(?-:a)`:                    {Offset: 0, Message: "unknown kind of group"},
		`(?i`:                       {Offset: 0, Message: "unknown kind of group"},
		`(?<>a)`:                    {Offset: 0, Message: "the name of the group is broken"},
		`(?<1>a)`:                   {Offset: 0, Message: "the name of the group is broken"},
		`(?<a-b>)`:                  {Offset: 0, Message: "the name of the group is broken"},
		`(?<a`:                      {Offset: 0, Message: "the name of the group is broken"},
		`(?<\x>)`:                   {Offset: 0, Message: "the name of the group is broken"},
		`(?<\uX>)`:                  {Offset: 3, Message: `\u needs four hexadecimal digits`},
		`(?<n>a)(?<n>b)`:            {Offset: 7, Message: "two groups have the same name"},
		`(?<n>a)|(b(?<n>c))(?<n>d)`: {Offset: 18, Message: "two groups have the same name"},
		`(?<n>a)\k<m>`:              {Offset: 7, Message: "no group has this name"},
		`(?<n>a)\k`:                 {Offset: 7, Message: `\k needs a name in angle brackets`},
		`(?<n>a)[\k]`:               {Offset: 8, Message: `\k is no character beside named groups`},
		"a\xff":                     {Offset: 0, Message: "is not valid UTF-8"},
		`\Q`:                        {Offset: 0, Message: `\Q is not an escape of ECMA-262`, Unsupported: true, Foreign: true},
		`[\A]`:                      {Offset: 1, Message: `\A is not an escape of ECMA-262`, Unsupported: true, Foreign: true},
		`\u{110000}`:                {Offset: 0, Message: `\u{…} needs a code point`, Unsupported: true, Foreign: true},
		`\u{}`:                      {Offset: 0, Message: `\u{…} needs a code point`, Unsupported: true, Foreign: true},
		`\u{1`:                      {Offset: 0, Message: `\u{…} needs a code point`, Unsupported: true, Foreign: true},
		`\p`:                        {Offset: 0, Message: `\p needs a property in braces`, Unsupported: true, Foreign: true},
		`\p{L`:                      {Offset: 0, Message: `\p needs a property in braces`, Unsupported: true, Foreign: true},
		`\p{Nothing}`:               {Offset: 0, Message: "the property Nothing is not supported", Unsupported: true},
		`\p{Other_Math}`:            {Offset: 0, Message: "the property Other_Math is not supported", Unsupported: true},
		`\p{Hyphen}`:                {Offset: 0, Message: "the property Hyphen is not supported", Unsupported: true},
		`\p{x=L}`:                   {Offset: 0, Message: "the property x=L is not supported", Unsupported: true},
		`\p{scx=x}`:                 {Offset: 0, Message: "the property scx=x is not supported", Unsupported: true},
		`\p{gc=x}`:                  {Offset: 0, Message: "the property gc=x is not supported", Unsupported: true},
	} {
		_, err := ecma.Compile(pattern)
		if want.Message == "" {
			if err != nil {
				t.Errorf("%s: %v", pattern, err)
			}
			continue
		}
		e, ok := errors.AsType[*ecma.Error](err)
		if !ok || *e != want {
			t.Errorf("%s: %+v, want %+v", pattern, err, want)
		}
	}
	if _, err := ecma.Compile("a("); err == nil || !strings.HasPrefix(err.Error(), "offset 1: ") {
		t.Error(err)
	}
}
