package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// TestGoToolUnderGoGenerate is the way most projects run it: the tool stands in
// the user's go.mod, and a comment of a Go file calls it.
func TestGoToolUnderGoGenerate(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := project(t, map[string]string{
		"go.mod":        userModule(t, root),
		"holdfast.yaml": "targets: [{spec: api.yaml, out: internal/api}]\n",
		"api.yaml":      "file a.go var A int\n",
		"pkg/doc.go":    "package pkg\n\n//go:generate go tool holdfast generate\n",
	})
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "go.sum", string(sums))
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -overlay="+overlay, "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("generate", "./...")
	if got, want := tree(t, dir)["internal/api/a.go"], header+"package api\n\nvar A int\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := run("tool", "holdfast", "version"); !strings.HasPrefix(got, "holdfast (devel) go1.") {
		t.Errorf("version: %q", got)
	}
}

// requirements are those of our own module.
func requirements(t *testing.T, root string) []module.Version {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	own, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []module.Version
	for _, r := range own.Require {
		all = append(all, r.Mod)
	}
	return all
}

// userModule is a go.mod that has our tool from the checkout, and our own
// requirements, so that nothing is looked for on the network.
func userModule(t *testing.T, root string) string {
	t.Helper()
	user := new(modfile.File)
	steps := []error{
		user.AddModuleStmt("shop"),
		user.AddGoStmt("1.26.0"),
		user.AddTool(modulePath + "/cmd/holdfast"),
		user.AddRequire(modulePath, "v0.0.0"),
		user.AddReplace(modulePath, "", root, ""),
	}
	for _, r := range requirements(t, root) {
		steps = append(steps, user.AddRequire(r.Path, r.Version))
	}
	for _, err := range steps {
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := user.Format()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
