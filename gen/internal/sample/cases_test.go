package sample

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/lower"
)

// lowered is the intermediate form of a document on disk; nil where it cannot be read.
func lowered(path string) *ir.API {
	var list diag.List
	doc := load.Load(context.Background(), load.Options{Path: path}, &list)
	if doc == nil {
		return nil
	}
	return lower.Lower(doc, lower.Options{}, &list).API
}

// eachValue calls f for everything in a document that a sample is needed of.
func eachValue(api *ir.API, f func(what string, value func() *ir.Value)) {
	for _, op := range slices.Concat(api.Operations, api.Webhooks) {
		for _, p := range op.Params {
			f(op.Key+" "+p.In+" "+p.Name, func() *ir.Value { return Param(p) })
		}
		if op.Body != nil {
			for _, c := range op.Body.Contents {
				f(op.Key+" body "+c.MediaType, func() *ir.Value { return Value(c.Use, Request) })
			}
		}
		for _, r := range op.Responses {
			for _, c := range r.Contents {
				f(op.Key+" "+r.Status+" "+c.MediaType, func() *ir.Value { return Value(c.Use, Response) })
			}
		}
	}
}

// Every small document of testdata has a sample for each of its values, twice the same.
func TestEachCaseHasSamples(t *testing.T) {
	paths, err := filepath.Glob("../../../testdata/cases/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, path := range paths {
		api := lowered(path)
		if api == nil {
			t.Errorf("%s cannot be read", path)
			continue
		}
		eachValue(api, func(what string, value func() *ir.Value) {
			v := value()
			if v == nil {
				t.Errorf("%s: no sample of %s", filepath.Base(path), what)
			}
			if diff := cmp.Diff(v, value()); diff != "" {
				t.Errorf("%s: %s differs from run to run: %s", filepath.Base(path), what, diff)
			}
		})
	}
}

// Published documents, where they are at hand: at least 99 of 100 values have a sample.
// The others are alternatives that their document does not tell apart.
func TestPublishedDocumentsHaveSamples(t *testing.T) {
	const dir = "../../../../shared/corpus/specs"
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Logf("NOT TESTED: no published documents at %s", dir)
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			entry, err := os.ReadFile(filepath.Join(path, "ENTRY"))
			if err != nil {
				t.Fatal(err)
			}
			path = filepath.Join(path, strings.TrimSpace(string(entry)))
		}
		api := lowered(path)
		if api == nil {
			t.Errorf("%s cannot be read", path)
			continue
		}
		var all int
		var missing []string
		eachValue(api, func(what string, value func() *ir.Value) {
			all++
			if value() == nil {
				missing = append(missing, what)
			}
		})
		if len(missing)*100 > all {
			t.Errorf("%s: no sample of %d of %d values: %q", e.Name(), len(missing), all, missing)
		}
	}
}
