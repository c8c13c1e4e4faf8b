// Package language_test holds the fields of the language against the golden packages: each
// field, and each value that it chooses among, is written in one of their documents and has
// a test there that fails when it is ignored. It speaks of the primitives in audited alone.
package language_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

// audited are the primitives whose fields all have a row.
var audited = []string{"idempotency"}

// row is where a field is shown: a golden package, whose document has its name, and a test.
type row struct{ pkg, test string }

// shown has a row for each field, and one for each value of a field that has few.
var shown = map[string]row{
	"idempotency.enabled=false":       {"keys", "TestModes"},
	"idempotency.mode=enforce":        {"keys", "TestStrict"},
	"idempotency.mode=shadow":         {"keys", "TestModes"},
	"idempotency.mode=off":            {"keys", "TestOffAsksNoStore"},
	"idempotency.header":              {"keys", "TestPerCall"},
	"idempotency.quoted=true":         {"keys", "TestPerCall"},
	"idempotency.quoted=false":        {"keys", "TestUnquoted"},
	"idempotency.key=caller":          {"keys", "TestUnquoted"},
	"idempotency.key=derived":         {"payments", "TestDerivedKey"},
	"idempotency.key=per-call":        {"keys", "TestPerCall"},
	"idempotency.from":                {"payments", "TestDerivedKey"},
	"idempotency.scope":               {"keys", "TestScope"},
	"idempotency.required=true":       {"keys", "TestStrict"},
	"idempotency.required=false":      {"keys", "TestRequired"},
	"idempotency.ttl":                 {"keys", "TestTTL"},
	"idempotency.lease":               {"keys", "TestLease"},
	"idempotency.within=lease":        {"keys", "TestStrict"},
	"idempotency.within=transaction":  {"orders", "TestUndone"},
	"idempotency.fingerprint=request": {"keys", "TestStrict"},
	"idempotency.fingerprint=from":    {"payments", "TestKeyOfAnotherRequest"},
	"idempotency.maxBody":             {"keys", "TestMaxBody"},
	"idempotency.onStoreError=deny":   {"keys", "TestStrict"},
	"idempotency.onStoreError=allow":  {"keys", "TestOnStoreError"},
}

// definition is what the audit reads of a definition of the schema.
type definition struct {
	Properties map[string]definition `json:"properties"`
	Enum       []any                 `json:"enum"`
	Ref        string                `json:"$ref"`
	Type       any                   `json:"type"`
}

// fields are the fields and values of a primitive by the written schema.
func fields(t *testing.T, primitive string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "spec-extensions", "x-resilience.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]definition `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	for name, d := range schema.Defs[primitive].Properties {
		path := primitive + "." + name
		if name == "mode" {
			d = schema.Defs["mode"]
		}
		switch {
		case name == "description": // a note for readers, without an effect
		case name == "enabled": // true is what writing the primitive says
			all = append(all, path+"=false")
		case d.Type == "boolean":
			all = append(all, path+"=true", path+"=false")
		case len(d.Enum) > 0:
			for _, v := range d.Enum {
				if v != false { // YAML 1.1 for off
					all = append(all, fmt.Sprintf("%s=%v", path, v))
				}
			}
		default:
			all = append(all, path)
		}
	}
	return all
}

// written are the fields that the document of a golden package writes, as fields names them.
func written(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "specs", pkg+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var document any
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	note(found, "", document)
	return found
}

// note adds the fields below a value; within is the primitive whose fields it has.
func note(found map[string]bool, within string, v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			note(found, "", e)
		}
	case map[string]any:
		for name, value := range v {
			if within != "" {
				found[within+"."+name] = true
				found[fmt.Sprintf("%s.%s=%v", within, name, value)] = true
			}
			inner := ""
			if slices.Contains(audited, name) {
				inner = name
			}
			note(found, inner, value)
		}
	}
}

// testsOf are the names of the tests of a golden package.
func testsOf(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Recv == nil {
				found[f.Name.Name] = true
			}
		}
	}
	return found
}

// TestEveryFieldIsShown finds fields and values that were added without a test of what
// they do, and rows whose test or whose document has gone.
func TestEveryFieldIsShown(t *testing.T) {
	known := map[string]bool{}
	for _, primitive := range audited {
		all := fields(t, primitive)
		if len(all) == 0 {
			t.Errorf("the schema has no fields of %s", primitive)
		}
		for _, f := range all {
			known[f] = true
			if _, has := shown[f]; !has {
				t.Errorf("%s has no row: name the test that fails when it is ignored", f)
			}
		}
	}
	for _, f := range slices.Sorted(maps.Keys(shown)) {
		r := shown[f]
		if !known[f] {
			t.Errorf("%s has a row and is none of the language's", f)
		}
		if !testsOf(t, r.pkg)[r.test] {
			t.Errorf("%s: there is no %s in golden/%s", f, r.test, r.pkg)
		}
		if !written(t, r.pkg)[f] {
			t.Errorf("%s: the document of golden/%s does not write it", f, r.pkg)
		}
	}
}
