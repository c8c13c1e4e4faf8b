package gen_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/holdfast-go/holdfast/gen"
	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/hostile"
	"github.com/holdfast-go/holdfast/gen/internal/load"
)

// An altered document is linted within bounds, in every format, and what mends it is a
// valid overlay that can be applied.
func TestLintMutatedDocuments(t *testing.T) {
	docs := hostile.Documents(1<<14, lintDocs)
	if len(docs) == 0 {
		t.Fatal("there are no documents")
	}
	rounds := uint64(3)
	if testing.Short() {
		rounds = 1
	}
	dir := t.TempDir()
	for i, path := range slices.Sorted(maps.Keys(docs)) {
		for round := range rounds {
			seed := round*1000 + uint64(i)
			text := hostile.Mutate(docs[path], seed)
			hostile.Guard(t, len(text), func() { lintMutated(t, dir, text) })
			if t.Failed() {
				t.Fatalf("%s with seed %d", path, seed)
			}
		}
	}
}

func lintMutated(t *testing.T, dir string, text []byte) {
	t.Helper()
	spec, fix := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "fix.yaml")
	if err := os.WriteFile(spec, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out := lintFile(t, gen.Config{Spec: spec})
	for _, format := range gen.LintFormats {
		var b bytes.Buffer
		if err := gen.WriteLint(&b, format, "v1", out.Findings, gen.TextOptions{Excerpts: true}); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
	if out.Fix == nil {
		return
	}
	var list diag.List
	if o := load.ParseOverlay("fix.yaml", out.Fix, &list); o == nil || list.Len() > 0 {
		t.Errorf("no valid overlay: %v\n%s", list.Sorted(), out.Fix)
	}
	if err := os.WriteFile(fix, out.Fix, 0o600); err != nil {
		t.Fatal(err)
	}
	before := count(out, "critical")
	after := lintFile(t, gen.Config{Spec: spec, Overlays: []string{fix}})
	if n := count(after, "critical"); n > before {
		t.Errorf("%d critical findings before the overlay and %d after it:\n%s", before, n, out.Fix)
	}
}

func count(out *gen.Linted, tier string) int {
	n := 0
	for _, f := range out.Findings {
		if f.Tier == tier {
			n++
		}
	}
	return n
}

// Names from a document reach the overlay as names, whatever is in them.
func TestLintFixOfHostileNames(t *testing.T) {
	spec := writeTemp(t, "a.yaml", `openapi: 3.1.0
info: {title: "x\"\n# y: [", version: '1'}
paths:
  "/a'b\\c\"d/{x}":
    get:
      operationId: a
      parameters: [{name: x, in: path, required: true, schema: {type: string}}]
      x-resilience: {retry: {jitter: none, rules: {"a.b": {status: 404, do: retry}, 'on': {status: 400, do: retry}}}}
      responses: {'204': {description: ok}}
`)
	out := lintFile(t, gen.Config{Spec: spec})
	if len(of(out, "retry-client-error")) != 2 || len(of(out, "retry-jitter-none")) != 1 {
		t.Fatalf("found %+v", out.Findings)
	}
	fix := writeTemp(t, "fix.yaml", string(out.Fix))
	mended := lintFile(t, gen.Config{Spec: spec, Overlays: []string{fix}})
	for _, rule := range []string{"retry-client-error", "retry-jitter-none", "overlay-target"} {
		if left := of(mended, rule); len(left) > 0 {
			t.Errorf("still there: %+v\n%s", left, out.Fix)
		}
	}
	if n := count(mended, "critical"); n > 0 {
		t.Errorf("%d critical findings: %+v\n%s", n, mended.Findings, out.Fix)
	}
}
