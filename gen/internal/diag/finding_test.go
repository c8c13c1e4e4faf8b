package diag

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// finding is one with a reason and what mends it.
func finding(tier, code string, pos Pos, message string) Finding {
	weights := map[string]Severity{"critical": Error, "major": Warning, "minor": Note, "info": Note}
	return Finding{
		Diagnostic: Diagnostic{Pos: pos, Severity: weights[tier], Code: code, Pointer: "/p", Message: message, Hint: "do it"},
		Tier:       tier, Why: "because",
	}
}

func TestWriteFindings(t *testing.T) {
	fs := []Finding{
		finding("major", "rule-a", Pos{"a.yaml", 2, 3}, "found it"),
		{Diagnostic: Diagnostic{Severity: Error, Code: "rule-b", Message: "all of it"}, Tier: "critical"},
	}
	fs[0].Related = []Related{{Pos{"b.yaml", 1, 1}, "and here"}}
	var b strings.Builder
	source := func(string) []string { return []string{"x:", "  y: 1"} }
	if err := WriteFindings(&b, fs, Options{Excerpt: source}); err != nil {
		t.Fatal(err)
	}
	want := `a.yaml:2:3: major: found it [rule-a]
    2 |   y: 1
      |   ^
    why: because
    mend: do it
    b.yaml:1:1: and here
critical: all of it [rule-b]
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
	b.Reset()
	if err := WriteFindings(&b, fs[:1], Options{Color: true}); err != nil {
		t.Fatal(err)
	}
	if want := "\x1b[1ma.yaml:2:3:\x1b[0m \x1b[1;33mmajor:\x1b[0m found it"; !strings.HasPrefix(b.String(), want) {
		t.Errorf("got %q, want %q first", b.String(), want)
	}
}

func TestWriteFindingsJSON(t *testing.T) {
	fs := []Finding{finding("minor", "rule-a", Pos{"/d/a.yaml", 2, 3}, "found <it>")}
	fs[0].Related = []Related{{Pos{"b.yaml", 1, 1}, "and here"}}
	var b strings.Builder
	if err := WriteFindingsJSON(&b, fs, Options{Dir: "/d"}); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"counts": map[string]any{"critical": 0.0, "major": 0.0, "minor": 1.0, "info": 0.0},
		"findings": []any{map[string]any{
			"severity": "minor", "rule": "rule-a", "file": "a.yaml", "line": 2.0, "column": 3.0, "pointer": "/p",
			"message": "found <it>", "why": "because", "mend": "do it", "fingerprint": Fingerprints(fs, Options{Dir: "/d"})[0],
			"related": []any{map[string]any{"file": "b.yaml", "line": 1.0, "column": 1.0, "message": "and here"}},
		}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	b.Reset()
	if err := WriteFindingsJSON(&b, nil, Options{}); err != nil || !strings.Contains(b.String(), `"findings": []`) {
		t.Errorf("nothing found is %q, %v", b.String(), err)
	}
}

// A fingerprint stays when lines move, and tells rules, files and places apart.
func TestFingerprints(t *testing.T) {
	one := finding("major", "rule", Pos{"a.yaml", 2, 3}, "m")
	moved, other, twice := one, one, one
	moved.Pos.Line, moved.Message = 90, "in other words"
	other.Pointer = "/q"
	mark := func(fs ...Finding) []string { return Fingerprints(fs, Options{}) }
	if a, b := mark(one)[0], mark(moved)[0]; a != b {
		t.Errorf("%s and %s after the lines moved", a, b)
	}
	if a, b := mark(one)[0], mark(other)[0]; a == b {
		t.Errorf("another place is %s too", a)
	}
	got := mark(one, twice)
	if got[0] == got[1] || !strings.HasSuffix(got[0], ":1") || !strings.HasSuffix(got[1], ":2") {
		t.Errorf("two of a kind are %v", got)
	}
}

func TestWriteGitHub(t *testing.T) {
	fs := []Finding{
		finding("critical", "rule-a", Pos{"/d/a,b:c.yaml", 2, 3}, "100% of\nit"),
		{Diagnostic: Diagnostic{Severity: Note, Code: "rule-b", Message: "whole"}, Tier: "info"},
	}
	var b strings.Builder
	if err := WriteGitHub(&b, fs, Options{Dir: "/d"}); err != nil {
		t.Fatal(err)
	}
	want := `::error file=a%2Cb%3Ac.yaml,line=2,col=3,title=critical%3A rule-a::100%25 of\nit%0Awhy: because%0Amend: do it
::notice title=info%3A rule-b::whole
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

// Whatever a document says, an annotation stays one line, its properties stay what
// they are, and no other command follows.
func TestGitHubCannotBeDriven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hostile := rapid.StringOfN(rapid.SampledFrom([]rune("a:,%\r\n\x1b\u2028;=::0AD")), 0, 40, -1)
		f := finding("major", "rule", Pos{"f" + hostile.Draw(t, "file"), 1, 1}, hostile.Draw(t, "message"))
		f.Hint, f.Why = hostile.Draw(t, "hint"), ""
		var b strings.Builder
		if err := WriteGitHub(&b, []Finding{f}, Options{}); err != nil {
			t.Fatal(err)
		}
		line, rest, _ := strings.Cut(b.String(), "\n")
		head, _, ok := strings.Cut(strings.TrimPrefix(line, "::"), "::")
		if rest != "" || strings.ContainsAny(line, "\r\x1b") || !ok {
			t.Fatalf("more than one line, or control characters: %q", b.String())
		}
		parts := strings.Split(strings.TrimPrefix(head, "warning "), ",")
		if len(parts) != 4 || parts[1] != "line=1" || parts[2] != "col=1" || parts[3] != "title=major%3A rule" {
			t.Fatalf("properties %q", parts)
		}
	})
}
