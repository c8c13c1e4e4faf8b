package resilience_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/lower"
	"github.com/holdfast-go/holdfast/gen/internal/resilience"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// sharedDir has what is not part of the project.
const sharedDir = "../../../../shared"

// annotated is a published document under an overlay of the design.
func annotated(t *testing.T, name, document string) (applied, bool) {
	t.Helper()
	overlay := filepath.Join(sharedDir, "design/examples", name+".overlay.yaml")
	if _, err := os.Stat(overlay); err != nil {
		t.Logf("NOT RUN: the overlays are not at %s", overlay)
		return applied{}, false
	}
	var ignored, list diag.List
	doc := load.Load(context.Background(), load.Options{Path: filepath.Join(sharedDir, document), Overlays: []string{overlay}}, &ignored)
	if doc == nil {
		t.Fatal(ignored.Sorted())
	}
	got := lower.Lower(doc, lower.Options{}, &ignored)
	resilience.Apply(doc, got.API, nodes(got), &list, resilience.Pending())
	return applied{t: t, api: got.API, list: list.Sorted()}, true
}

// The design's annotations of published documents are accepted, and come to what they
// say.
func TestExamples(t *testing.T) {
	for name, document := range map[string]string{
		"internal": "design/examples/internal.yaml", "train": "corpus/specs/train_travel.yaml",
		"openai": "corpus/specs/openai.yaml", "github": "corpus/specs/github.json",
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := annotated(t, name, document)
			if !ok {
				return
			}
			for _, d := range got.list {
				if d.Severity == diag.Error {
					t.Errorf("%s: %s", d.Pos, d.Message)
				}
			}
			for _, op := range got.api.Operations {
				spec := policy.Spec{ID: op.Key, Client: op.Policy.Client, Server: op.Policy.Server}
				if err := spec.Validate(); err != nil {
					t.Errorf("%s: %v", op.Key, err)
				}
			}
		})
	}
}
