package emit

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
	"github.com/holdfast-go/holdfast/gen/internal/ir"
	"github.com/holdfast-go/holdfast/gen/internal/load"
	"github.com/holdfast-go/holdfast/gen/internal/lower"
)

// lowered is the intermediate form of a document on disk, which must have no errors.
func lowered(t *testing.T, path string) *ir.API {
	t.Helper()
	return loweredWith(t, path, lower.Options{})
}

func loweredWith(t *testing.T, path string, opt lower.Options) *ir.API {
	t.Helper()
	var list diag.List
	doc := load.Load(context.Background(), load.Options{Path: path}, &list)
	if doc == nil {
		t.Fatalf("%s: not loaded: %v", path, list.Sorted())
	}
	res := lower.Lower(doc, opt, &list)
	for _, d := range list.Sorted() {
		if d.Severity == diag.Error {
			t.Errorf("%s: %s", d.Pos, d.Message)
		}
	}
	return res.API
}

// TestBehaviour generates each document of testdata/behave into one module, and runs
// the tests that stand beside it.
func TestBehaviour(t *testing.T) {
	dirs, err := filepath.Glob("testdata/behave/*/spec.yaml")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	help, err := os.ReadFile("testdata/behave/help.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	m := newModule(t)
	for _, spec := range dirs {
		dir := filepath.Dir(spec)
		pkg := filepath.Base(dir)
		m.emit(lowered(t, spec), pkg)
		test, err := os.ReadFile(filepath.Join(dir, "behave_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		m.write(pkg+"/behave_test.go", string(test))
		m.write(pkg+"/help_test.go", strings.Replace(string(help), "PKG", pkg, 1))
	}
	m.run("vet", "./...")
	m.run("test", "-vet=off", "-ldflags=-w", "./...")
}
