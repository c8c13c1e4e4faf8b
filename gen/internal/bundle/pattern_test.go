package bundle

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/output"
	"github.com/holdfast-go/holdfast/runtime"
)

// TestVendoredPatternsRun copies what a program needs that checks patterns, and runs
// it: their engine is a package that generated code does not import itself.
func TestVendoredPatternsRun(t *testing.T) {
	files, err := Vendor([]output.File{{Path: "main.go", Data: []byte(head + `
package main

import (
	"os"

	"github.com/holdfast-go/holdfast/runtime/check"
)

func main() {
	p := check.Regexp("^(?=.*[A-Z])(?<!x)(a|b)\\1.{0,65535}$")
	if !p.Match("aaC") || p.Match("abC") || p.Match("aac") {
		os.Exit(1)
	}
}
`)}}, Options{Sources: runtime.Sources, ImportPath: "shop/api"})
	if err != nil {
		t.Fatal(err)
	}
	if files, err = output.Prepare(files); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	plan, err := output.NewPlan(filepath.Join(dir, "api"), files, Dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module shop\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "./api")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
