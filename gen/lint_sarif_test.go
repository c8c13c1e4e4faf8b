package gen_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/holdfast-go/holdfast/gen"
)

// The logs of all documents of the rules are what OASIS says a log of SARIF 2.1.0 is. Its
// schema is not ours to keep, so that HOLDFAST_SARIF_SCHEMA names a copy: the linter of this
// repository comes with one.
func TestSARIFIsOfTheStandard(t *testing.T) {
	path := os.Getenv("HOLDFAST_SARIF_SCHEMA")
	if path == "" {
		t.Skip("HOLDFAST_SARIF_SCHEMA names no schema; .ci/run names one")
	}
	schema, err := jsonschema.NewCompiler().Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(map[string]any{"version": "2.1.0"}); err == nil {
		t.Fatal("a log without runs is one")
	}
	findings := 0
	for _, r := range gen.LintRules() {
		out := lintFile(t, gen.Config{Spec: filepath.Join(lintDocs, r.ID, "bad.yaml")})
		findings += len(out.Findings)
		var b bytes.Buffer
		if err := gen.WriteLint(&b, "sarif", "v0.0.1", out.Findings, gen.TextOptions{}); err != nil {
			t.Fatal(err)
		}
		log, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(log); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
	}
	if findings < len(gen.LintRules()) {
		t.Errorf("%d findings of %d rules", findings, len(gen.LintRules()))
	}
}
