// Package language_test holds the fields of the language against the golden packages: each
// field, each value that it chooses among and each short form is written in one of their
// documents and has a test there that fails when it is ignored.
package language_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// row is where a field is shown: a folder from the root of the repository, and a test in it.
// The document of a golden package has its name and must write the field.
type row struct{ pkg, test string }

// shown has all rows.
func shown(t *testing.T) map[string]row {
	t.Helper()
	all := map[string]row{}
	for _, part := range []map[string]row{ofCalls, ofStreams, ofAnswers, ofLoad, ofKeys, ofLevels} {
		for field, r := range part {
			if _, twice := all[field]; twice {
				t.Errorf("%s has two rows", field)
			}
			all[field] = r
		}
	}
	return all
}

// testsOf are the names of the tests of a package.
var testsOf = remembered(func(pkg string) map[string]bool {
	paths, err := filepath.Glob(filepath.Join("..", "..", pkg, "*_test.go"))
	if err != nil {
		panic(err)
	}
	found := map[string]bool{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			panic(err)
		}
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				found[f.Name.Name] = true
			}
		}
	}
	return found
})

// remembered keeps what f gives for a text; it is safe for concurrent use.
func remembered[T any](f func(string) T) func(string) T {
	var kept sync.Map
	return func(name string) T {
		if v, has := kept.Load(name); has {
			return v.(T)
		}
		v := f(name)
		kept.Store(name, v)
		return v
	}
}

// written are the fields that the document of a golden package writes.
var written = remembered(func(name string) map[string]bool {
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "specs", name+".yaml"))
	if err != nil {
		panic(err)
	}
	return grammar().writes(text)
})

// TestEveryFieldIsShown finds fields and values that were added without a test of what
// they do, and rows whose test or whose document has gone.
func TestEveryFieldIsShown(t *testing.T) {
	rows := shown(t)
	known := map[string]bool{}
	for _, field := range grammar().fields() {
		known[field] = true
		if _, has := rows[field]; !has {
			t.Errorf("%s has no row: name the test that fails when it is ignored", field)
		}
	}
	if len(known) < 200 {
		t.Fatalf("the schema has %d fields only: it is not read as it is written", len(known))
	}
	for _, field := range slices.Sorted(maps.Keys(rows)) {
		r := rows[field]
		if !known[field] {
			t.Errorf("%s has a row and is none of the language's", field)
		}
		if !testsOf(r.pkg)[r.test] {
			t.Errorf("%s: there is no %s in %s", field, r.test, r.pkg)
		}
		if name, is := strings.CutPrefix(r.pkg, "golden/"); is && !written(name)[field] {
			t.Errorf("%s: the document of %s does not write it", field, r.pkg)
		}
	}
}
