package diag

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPosString(t *testing.T) {
	for _, c := range []struct {
		pos  Pos
		want string
	}{
		{Pos{"a.yaml", 3, 7}, "a.yaml:3:7"},
		{Pos{File: "a.yaml"}, "a.yaml"},
		{Pos{}, "-"},
	} {
		if got := c.pos.String(); got != c.want {
			t.Errorf("%#v: got %q, want %q", c.pos, got, c.want)
		}
	}
}

func TestListSortsAndDropsDuplicates(t *testing.T) {
	var l List
	at := func(file string, line, col int) Pos { return Pos{file, line, col} }
	l.Error(at("b", 1, 1), "c", "", "m")
	l.Warn(at("a", 10, 1), "c", "", "m")
	l.Error(at("a", 9, 2), "c", "", "z")
	l.Error(at("a", 9, 2), "c", "", "y")
	l.Error(at("a", 9, 1), "c", "", "m")
	l.Error(at("a", 9, 2), "c", "", "z")
	l.Note(at("a", 10, 1), "c", "", "m")
	var got []string
	for _, d := range l.Sorted() {
		got = append(got, d.Pos.String()+" "+d.Severity.String()+" "+d.Message)
	}
	want := []string{"a:9:1 error m", "a:9:2 error y", "a:9:2 error z", "a:10:1 warning m", "b:1:1 error m"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if l.Len() != 7 {
		t.Errorf("Len is %d, want 7", l.Len())
	}
}

func TestRepairsAreErrorsUnderStrict(t *testing.T) {
	var l List
	l.Repair(Pos{"a", 1, 1}, "c", "/p", "found %s", "x").Hintf("write %s", "y").At(Pos{"a", 2, 1}, "there")
	if l.HasErrors() {
		t.Error("a repair is no error in a lenient list")
	}
	want := Diagnostic{
		Pos: Pos{"a", 1, 1}, Severity: Warning, Code: "c", Pointer: "/p", Message: "found x", Hint: "write y",
		Related: []Related{{Pos{"a", 2, 1}, "there"}}, Repair: true,
	}
	if d := cmp.Diff([]Diagnostic{want}, l.Sorted()); d != "" {
		t.Error(d)
	}
	l.Strict = true
	want.Severity = Error
	if d := cmp.Diff([]Diagnostic{want}, l.Sorted()); d != "" {
		t.Error(d)
	}
	if !l.HasErrors() {
		t.Error("a repair is an error in a strict list")
	}
	var w List
	w.Strict = true
	w.Warn(Pos{"a", 1, 1}, "c", "", "m")
	if w.HasErrors() {
		t.Error("a warning is no error in a strict list")
	}
}

func TestListIsBounded(t *testing.T) {
	var l List
	for i := range maxKept + 5 {
		l.Warn(Pos{"a", i + 1, 1}, "c", "", "m")
	}
	l.Error(Pos{"a", 1, 1}, "c", "", "late").Hintf("still usable")
	got := l.Sorted()
	if len(got) != maxKept+1 || got[maxKept].Message != "6 more diagnostics are not shown" {
		t.Errorf("got %d diagnostics, the last %q", len(got), got[len(got)-1].Message)
	}
	if !l.HasErrors() {
		t.Error("a dropped error still is an error")
	}
}

func TestNilListDiscards(t *testing.T) {
	var l *List
	l.Error(Pos{}, "c", "", "m").Hintf("h")
	if l.HasErrors() || l.Sorted() != nil || l.Len() != 0 {
		t.Error("a nil list must hold nothing")
	}
}

func TestNearest(t *testing.T) {
	fields := []string{"parameters", "responses", "description", "operationId", "get", "put", "in", "Pet", "Pets"}
	for _, c := range []struct{ word, want string }{
		{"paramters", "parameters"},
		{"repsonses", "responses"}, // swapped: one edit
		{"operationID", "operationId"},
		{"desc", ""},
		{"gte", "get"},
		{"xyz", ""},
		{"pets", "Pets"},
		{"Peta", "Pet"}, // Pet and Pets are equally near: byte order decides
		{"", ""},
		{"a", ""},
		{strings.Repeat("x", 1000), ""},
	} {
		got, ok := Nearest(c.word, fields)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q: got %q, %v, want %q", c.word, got, ok, c.want)
		}
	}
}

// The bounded distance agrees with the plain recurrence.
func TestDistanceMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// A word of one letter has no neighbours, so both have two at least.
		word := rapid.StringMatching(`[abc]{2,7}`)
		a, b := []rune(word.Draw(t, "a")), []rune(word.Draw(t, "b"))
		limit := rapid.IntRange(0, 8).Draw(t, "limit")
		want, got := slowDistance(a, b), distance(a, b, limit)
		if want <= limit && got != want || want > limit && got <= limit {
			t.Fatalf("distance(%q, %q, %d) is %d, want %d", string(a), string(b), limit, got, want)
		}
	})
}

func slowDistance(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	i, j := len(a)-1, len(b)-1
	d := slowDistance(a[:i], b[:j])
	if a[i] != b[j] {
		d++
	}
	d = min(d, slowDistance(a[:i], b)+1, slowDistance(a, b[:j])+1)
	if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
		d = min(d, slowDistance(a[:i-1], b[:j-1])+1)
	}
	return d
}

func TestEscape(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain é 日本 😀", "plain é 日本 😀"},
		{"a\nb\r\tc", `a\nb\r\tc`},
		{"\x1b[31mred\x07\x7f", `\x1b[31mred\x07\x7f`},
		{"csi \u009b1m", `csi \u009b1m`},
		{"rtl \u202e \u2066 zero\u200bwidth \ufeff", `rtl \u202e \u2066 zero\u200bwidth \ufeff`},
		{"sep\u2028\u2029", `sep\u2028\u2029`},
		{"bad \xff\xc3", `bad \xff\xc3`},
		{"tag \U000e0041", `tag \U000e0041`},
	} {
		if got := Escape(c.in); got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
	}
}

func render(t *testing.T, ds []Diagnostic, opt Options) string {
	t.Helper()
	var b strings.Builder
	if err := WriteText(&b, ds, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriteText(t *testing.T) {
	ds := []Diagnostic{
		{Pos: Pos{"a.yaml", 2, 3}, Message: `unknown field "tpye"`, Hint: `did you mean "type"?`, Related: []Related{{Pos{"b.yaml", 1, 1}, "first here"}}},
		{Pos: Pos{"a.yaml", 3, 1}, Severity: Warning, Message: "odd"},
		{Severity: Note, Message: "nothing to do"},
	}
	want := `a.yaml:2:3: unknown field "tpye"
    hint: did you mean "type"?
    b.yaml:1:1: first here
a.yaml:3:1: warning: odd
note: nothing to do
`
	if d := cmp.Diff(want, render(t, ds, Options{})); d != "" {
		t.Error(d)
	}
	source := func(string) []string { return []string{"x:", "\ttpye: é\x1b", "日本: 1"} }
	want = `a.yaml:2:3: unknown field "tpye"
    2 |     tpye: é\x1b
      |      ^
    hint: did you mean "type"?
    b.yaml:1:1: first here
a.yaml:3:1: warning: odd
    3 | 日本: 1
      | ^
note: nothing to do
`
	if d := cmp.Diff(want, render(t, ds, Options{Excerpt: source})); d != "" {
		t.Error(d)
	}
	wide := []Diagnostic{{Pos: Pos{"a.yaml", 3, 3}, Message: "m"}, {Pos: Pos{"a.yaml", 9, 1}, Message: "gone"}}
	want = "a.yaml:3:3: m\n    3 | 日本: 1\n      |     ^\na.yaml:9:1: gone\n"
	if d := cmp.Diff(want, render(t, wide, Options{Excerpt: source})); d != "" {
		t.Error(d)
	}
}

func TestWriteTextCannotBeDriven(t *testing.T) {
	ds := []Diagnostic{{
		Pos: Pos{"a\x1b]0;x\x07.yaml", 1, 2}, Message: "key \"\x1b[2J\nfake.yaml:1:1: ok\"", Hint: "\x9b\u202e",
		Related: []Related{{Pos{"r\r", 1, 1}, "\x00"}},
	}}
	got := render(t, ds, Options{Excerpt: func(string) []string { return []string{"a\x1b[31m\u202eb"} }})
	for _, r := range got {
		if r != '\n' && !printable(r) {
			t.Errorf("%U reaches the terminal in %q", r, got)
		}
	}
	if n := strings.Count(got, "\n"); n != 5 {
		t.Errorf("%d lines, want 5:\n%s", n, got)
	}
}

func TestColor(t *testing.T) {
	got := render(t, []Diagnostic{{Pos: Pos{"a", 1, 1}, Severity: Warning, Message: "m"}}, Options{Color: true})
	if want := "\x1b[1ma:1:1:\x1b[0m \x1b[1;33mwarning:\x1b[0m m\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDirShortensNames(t *testing.T) {
	ds := []Diagnostic{
		{Pos: Pos{"/home/u/api/a.yaml", 1, 1}, Message: "in"},
		{Pos: Pos{"/home/other.yaml", 1, 1}, Message: "out"},
		{Pos: Pos{"rel.yaml", 1, 1}, Message: "rel"},
	}
	want := "api/a.yaml:1:1: in\n/home/other.yaml:1:1: out\nrel.yaml:1:1: rel\n"
	if got := render(t, ds, Options{Dir: "/home/u"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Whatever the line and column, the excerpt fits and the caret stands under the
// character.
func TestCut(t *testing.T) {
	long := strings.Repeat("a", 500) + "X" + strings.Repeat("b", 500)
	for _, c := range []struct {
		name, line string
		col        int
		want       string
		caret      int
	}{
		{"short", "hello", 2, "hello", 1},
		{"past the end", "hi", 3, "hi", 2},
		{"middle", long, 501, "...aaaaaaaX" + "bbbbbb...", 10},
		{"start", long, 1, strings.Repeat("a", 17) + "...", 0},
		{"end", long, 1001, "..." + strings.Repeat("b", 17), 19},
	} {
		text, caret := cut(c.line, offset(c.line, 1, 0, c.col), 20)
		if text != c.want || caret != c.caret {
			t.Errorf("%s: got %q caret %d, want %q caret %d", c.name, text, caret, c.want, c.caret)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringOfN(rapid.RuneFrom([]rune("ab\té日\x1b\u202e")), 0, 300, -1).Draw(t, "line")
		runes := []rune(line)
		col := rapid.IntRange(1, len(runes)+1).Draw(t, "col")
		limit := rapid.IntRange(minWidth, 120).Draw(t, "limit")
		text, caret := cut(line, offset(line, 1, 0, col), limit)
		cells := 0
		var under rune
		for _, r := range text {
			if cells == caret {
				under = r
			}
			cells += width(r)
		}
		// One escape may overhang: a character is never cut in two.
		if cells > limit || caret > limit {
			t.Fatalf("%d cells, caret at %d, limit %d: %q", cells, caret, limit, text)
		}
		if col <= len(runes) && printable(runes[col-1]) && under != runes[col-1] {
			t.Fatalf("caret under %q, want %q: %q", under, runes[col-1], text)
		}
	})
}

func TestSplitLines(t *testing.T) {
	got := SplitLines("a\nb\r\nc\rd\u2028e\n")
	if d := cmp.Diff([]string{"a", "b", "c", "d\u2028e", ""}, got); d != "" {
		t.Error(d)
	}
}

func TestSourceLines(t *testing.T) {
	dir := t.TempDir()
	lines := SourceLines(1 << 20)
	if got := lines(dir); got != nil {
		t.Errorf("a folder has lines: %q", got)
	}
	if got := lines(dir + "/absent"); got != nil {
		t.Errorf("an absent file has lines: %q", got)
	}
	if got := lines("diag_test.go"); len(got) < 10 || got[0] != "package diag" {
		t.Errorf("own source starts with %q", got[:min(len(got), 1)])
	}
}

func TestWriteJSON(t *testing.T) {
	ds := []Diagnostic{
		{Pos: Pos{"/d/a.yaml", 2, 3}, Code: "x", Pointer: "/a", Message: "m <é>", Hint: "h", Related: []Related{{Pos{"b", 1, 2}, "r"}}, Repair: true},
		{Severity: Warning, Code: "y", Message: "w"},
	}
	var b strings.Builder
	if err := WriteJSON(&b, ds, Options{Dir: "/d"}); err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"errors": 1.0, "warnings": 1.0,
		"diagnostics": []any{
			map[string]any{
				"severity": "error", "code": "x", "file": "a.yaml", "line": 2.0, "column": 3.0, "pointer": "/a",
				"message": "m <é>", "hint": "h", "repair": true,
				"related": []any{map[string]any{"file": "b", "line": 1.0, "column": 2.0, "message": "r"}},
			},
			map[string]any{"severity": "warning", "code": "y", "pointer": "", "message": "w"},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	b.Reset()
	if err := WriteJSON(&b, nil, Options{}); err != nil || !strings.Contains(b.String(), `"diagnostics": []`) {
		t.Errorf("an empty report is %q, %v", b.String(), err)
	}
}
