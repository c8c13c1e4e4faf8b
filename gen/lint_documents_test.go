package gen_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/gen"
	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

const lintDocs = "../testdata/lint"

func lintFile(t *testing.T, cfg gen.Config) *gen.Linted {
	t.Helper()
	out, err := gen.Lint(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// of are the findings of a rule.
func of(out *gen.Linted, rule string) []gen.Finding {
	return slices.DeleteFunc(slices.Clone(out.Findings), func(f gen.Finding) bool { return f.Code != rule })
}

// marked is the place that a document marks with "# finding at: TEXT": the column is
// that of TEXT in the line.
func marked(t *testing.T, path string) diag.Pos {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var at diag.Pos
	for i, line := range strings.Split(string(data), "\n") {
		code, text, ok := strings.Cut(line, " # finding at: ")
		if !ok {
			continue
		}
		if at.Line != 0 {
			t.Fatalf("%s: two places are marked", path)
		}
		col := strings.Index(code, text)
		if col < 0 {
			t.Fatalf("%s:%d: no %q in the line", path, i+1, text)
		}
		at = diag.Pos{File: path, Line: i + 1, Col: utf8.RuneCountInString(code[:col]) + 1}
	}
	if at.Line == 0 {
		t.Fatalf("%s: no place is marked", path)
	}
	return at
}

// Each rule has a document that it finds something in, at the marked place, and one
// without critical and major findings, that differs in the fault.
func TestLintDocuments(t *testing.T) {
	rules := map[string]bool{}
	for _, r := range gen.LintRules() {
		rules[r.ID] = true
		t.Run(r.ID, func(t *testing.T) {
			bad, good := filepath.Join(lintDocs, r.ID, "bad.yaml"), filepath.Join(lintDocs, r.ID, "good.yaml")
			found := of(lintFile(t, gen.Config{Spec: bad}), r.ID)
			switch want := marked(t, bad); {
			case len(found) != 1:
				t.Errorf("bad.yaml: %d findings, want 1: %+v", len(found), found)
			case found[0].Pos != want:
				t.Errorf("bad.yaml: found at %v, want %v", found[0].Pos, want)
			case found[0].Tier != r.Severity.String():
				t.Errorf("bad.yaml: %s, want %s", found[0].Tier, r.Severity)
			case found[0].Why == "" || found[0].Hint == "":
				t.Errorf("bad.yaml: no reason, or nothing that mends it: %+v", found[0])
			}
			for _, f := range lintFile(t, gen.Config{Spec: good}).Findings {
				if f.Code == r.ID || f.Tier == "critical" || f.Tier == "major" {
					t.Errorf("good.yaml: %v: %s: %s", f.Pos, f.Code, f.Message)
				}
			}
		})
	}
	dirs, err := os.ReadDir(lintDocs)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		if !rules[d.Name()] {
			t.Errorf("%s/%s: there is no such rule", lintDocs, d.Name())
		}
	}
}

// An overlay of lint, applied, makes the findings go that it says it mends.
func TestLintFixes(t *testing.T) {
	for _, r := range gen.LintRules() {
		bad := filepath.Join(lintDocs, r.ID, "bad.yaml")
		out := lintFile(t, gen.Config{Spec: bad})
		if !r.Fixes {
			if strings.Contains(string(out.Fix), r.ID) {
				t.Errorf("%s: mended, and the table says otherwise", r.ID)
			}
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			if out.Fix == nil || out.Fixed == 0 {
				t.Fatal("nothing is mended")
			}
			var list diag.List
			if o := load.ParseOverlay("fix.yaml", out.Fix, &list); o == nil || list.Len() > 0 || o.Version != load.Overlay11 {
				t.Fatalf("no valid overlay of version 1.1: %v\n%s", list.Sorted(), out.Fix)
			}
			fix := filepath.Join(t.TempDir(), "fix.yaml")
			if err := os.WriteFile(fix, out.Fix, 0o600); err != nil {
				t.Fatal(err)
			}
			mended := lintFile(t, gen.Config{Spec: bad, Overlays: []string{fix}})
			if left := of(mended, r.ID); len(left) > 0 {
				t.Errorf("still there: %+v\n%s", left, out.Fix)
			}
			for _, f := range mended.Findings {
				if f.Tier == "critical" {
					t.Errorf("new: %v: %s\n%s", f.Pos, f.Message, out.Fix)
				}
			}
		})
	}
}

// A waiver of the root's defaults and one of the settings accept each finding.
func TestLintWaivers(t *testing.T) {
	for _, r := range gen.LintRules() {
		t.Run(r.ID, func(t *testing.T) {
			bad := filepath.Join(lintDocs, r.ID, "bad.yaml")
			waive := filepath.Join(t.TempDir(), "waive.yaml")
			text := "overlay: 1.1.0\ninfo: {title: waivers, version: 1.0.0}\nactions:\n" +
				"  - {target: $, update: {x-resilience: {version: 1, defaults: {waive: {" + r.ID + ": it is meant}}}}}\n"
			if err := os.WriteFile(waive, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, cfg := range []gen.Config{
				{Spec: bad, Overlays: []string{waive}},
				{Spec: bad, Lint: gen.LintSettings{Waive: map[string]string{r.ID: "it is meant"}}},
			} {
				out := lintFile(t, cfg)
				if left := of(out, r.ID); len(left) > 0 || out.Waived == 0 {
					t.Errorf("overlays %v: %d waived, and left: %+v", cfg.Overlays, out.Waived, left)
				}
				for _, f := range of(out, "waiver-unused") {
					if !strings.Contains(f.Message, "retry-jitter-none") {
						t.Errorf("the waiver counts as unused: %s", f.Message)
					}
				}
			}
		})
	}
}
