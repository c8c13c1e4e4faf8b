package resilience_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/lower"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Published documents have no annotations: each operation gets the built-in
// policy, and nothing is reported. They are other people's and not part of the
// project.
func TestPublishedDocuments(t *testing.T) {
	const dir = "../../../../shared/corpus/specs"
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Logf("NOT RUN: the published documents are not at %s", dir)
		return
	}
	count := 0
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || e.IsDir() || info.Size() > 1<<20 {
			continue // large ones add time and no case
		}
		count++
		var ignored, list diag.List
		doc := load.Load(context.Background(), load.Options{Path: filepath.Join(dir, e.Name())}, &ignored)
		if doc == nil {
			continue
		}
		got := lower.Lower(doc, lower.Options{}, &ignored)
		resilience.Apply(doc, got.API, nodes(got), &list)
		for _, d := range list.Sorted() {
			t.Errorf("%s: %s", d.Pos, d.Message)
		}
		for _, op := range got.API.Operations {
			spec := policy.Spec{ID: op.Key, Client: op.Policy.Client, Server: op.Policy.Server}
			if err := spec.Validate(); err != nil {
				t.Errorf("%s: %s: %v", e.Name(), op.Key, err)
			}
			if len(op.Policy.Words) != 1 || !strings.Contains(op.Policy.Words[0], " within ") && !strings.HasPrefix(op.Policy.Words[0], "One try") {
				t.Errorf("%s: %s: %q", e.Name(), op.Key, op.Policy.Words)
			}
		}
	}
	if count < 20 {
		t.Errorf("only %d documents", count)
	}
}

// The annotated documents of this project.
func TestOwnDocuments(t *testing.T) {
	for _, pattern := range []string{"../../../testdata/specs/*.yaml", "../../../testdata/cases/*.yaml", "../../../gen/demo/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(data), "x-resilience") {
				continue
			}
			for _, d := range applyFile(t, path).list {
				if strings.HasPrefix(d.Code, "resilience") {
					t.Errorf("%s: %s", d.Pos, d.Message)
				}
			}
		}
	}
}
