package gen_test

import (
	"os"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen"
)

// A document may have had another name, and an overlay that came since is part of the
// difference.
func TestExplainRevisionBeforeARename(t *testing.T) {
	t.Chdir(t.TempDir())
	const doc = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\nx-resilience: {version: 1, defaults: {timeout: 2s, retry: none}}\n" +
		"paths: {/a: {get: {operationId: a, responses: {'204': {description: ok}}}}}\n"
	if err := os.Mkdir("api", 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, "api/old.yaml", doc)
	runGit(t, "init", "-q")
	commit(t)
	runGit(t, "tag", "v1")
	runGit(t, "mv", "api/old.yaml", "api/new.yaml")
	change(t, "api/new.yaml", "timeout: 2s", "timeout: 3s")
	write(t, "o.yaml", "overlay: 1.1.0\ninfo: {title: o, version: '1'}\nactions: [{target: \"$.paths['/a'].get\", update: {x-resilience: {criticality: critical}}}]\n")
	cfg := gen.Config{Spec: "api/new.yaml", Overlays: []string{"o.yaml"}}
	old, err := gen.ExplainRevision(t.Context(), cfg, "v1:api/old.yaml")
	if err != nil {
		t.Fatal(err, old.Diagnostics)
	}
	d, lines := diffed(t, old, cfg)
	if d.Old != "v1:api/old.yaml" || d.New != "api/new.yaml" {
		t.Errorf("%s -> %s", d.Old, d.New)
	}
	got := strings.Join(lines["a"], "; ")
	for _, want := range []string{"client criticality standard -> critical", "client timeout.attempt 2s -> 3s"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}

// The history of a shallow clone ends somewhere.
func TestExplainRevisionOfAShallowClone(t *testing.T) {
	dir := shopFolder(t)
	runGit(t, "init", "-q")
	commit(t)
	change(t, "shop.yaml", "attempt: 2s", "attempt: 3s")
	commit(t)
	runGit(t, "clone", "-q", "--depth", "1", "file://"+dir, "clone")
	t.Chdir("clone")
	_, err := gen.ExplainRevision(t.Context(), shopConfig(false), "HEAD~1")
	if err == nil || !strings.Contains(err.Error(), "this clone is shallow") {
		t.Error(err)
	}
}
