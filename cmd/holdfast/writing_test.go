package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// With -v the files that change are listed, with what is done to each.
func TestVerbose(t *testing.T) {
	dir := project(t, map[string]string{"openapi.yaml": shop, "out/old.go": header + "package out\n"})
	args := []string{"generate", "--spec", "openapi.yaml", "--out", "out", "--verbose"}
	r := shipped(t, dir, append(args, "--client-only")...)
	files := tree(t, filepath.Join(dir, "out"))
	var want strings.Builder
	names := slices.Sorted(maps.Keys(files))
	for _, name := range slices.Sorted(slices.Values(append(names, "old.go"))) {
		if name == "old.go" {
			want.WriteString("remove out/old.go\n")
			continue
		}
		want.WriteString("create out/" + name + "\n")
	}
	fmt.Fprintf(&want, "out: %d files written, 1 file removed\n", len(names))
	if r.code != 0 || r.stdout != "" || !strings.HasSuffix(r.stderr, want.String()) {
		t.Errorf("status %d, stdout %q, stderr\n%s\nwant\n%s", r.code, r.stdout, r.stderr, want.String())
	}
	shipped(t, dir, append(args, "--client-only")...).want(t, 0, "", "out: up to date\n")
	if r := shipped(t, dir, append(args, "--client-only", "--verbose=false")...); r.stderr != "" {
		t.Errorf("told without being asked: %s", r.stderr)
	}
	r = shipped(t, dir, "generate", "--spec", "openapi.yaml", "--out", "out", "-v")
	r.want(t, 0, "", "create out/server.go\n")
	if strings.Contains(r.stderr, "out/types.go") {
		t.Errorf("an unchanged file is listed:\n%s", r.stderr)
	}
}

// A fault of the document leaves the code of an earlier run as it was; with --json it is
// told in a form for programs.
func TestFaultsOfDocuments(t *testing.T) {
	dir := project(t, map[string]string{"openapi.yaml": shop})
	args := []string{"generate", "--spec", "openapi.yaml", "--out", "out"}
	shipped(t, dir, args...).want(t, 0, "", "")
	before := tree(t, filepath.Join(dir, "out"))
	put(t, dir, "openapi.yaml", strings.Replace(shop, "schemas/Report'}", "schemas/Raport'}", 1))
	for _, mode := range []string{"", "--check", "--dry-run"} {
		r := shipped(t, dir, append(slices.Clone(args), strings.Fields(mode)...)...)
		r.want(t, 1, "", "openapi.yaml:13:")
		r.want(t, 1, "", "did you mean ")
	}
	r := shipped(t, dir, append(args, "--json")...)
	for _, want := range []string{`"severity": "error"`, `"file": "openapi.yaml"`, `"line": 13`, `"hint": `, `"errors": 1`} {
		r.want(t, 1, want, "")
	}
	if after := tree(t, filepath.Join(dir, "out")); !maps.Equal(before, after) {
		t.Error("something was written")
	}
	put(t, dir, "openapi.yaml", strings.Replace(shop, "lines: {type", "items: {type", 1))
	shipped(t, dir, append(args, "--check")...).want(t, 1, "+++ b/out/types.go\n", "out is out of date")
	shipped(t, dir, append(args, "--dry-run")...).want(t, 0, "update out/types.go\n", "")
	if after := tree(t, filepath.Join(dir, "out")); !maps.Equal(before, after) {
		t.Error("something was written")
	}
}

// All or none: where one file of the user's is in the way, or a folder does not take
// files, no other one is written or removed either.
func TestAllOrNone(t *testing.T) {
	for what, files := range map[string]map[string]string{
		"a file of the user's": {"out/client.go": "package out // mine\n", "out/old.go": header + "package out\n"},
		"a folder":             {"out/params.go/keep": "x", "out/old.go": header + "package out\n"},
	} {
		files["openapi.yaml"] = shop
		dir := project(t, files)
		before := tree(t, dir)
		shipped(t, dir, "generate", "--spec", "openapi.yaml", "--out", "out").want(t, 1, "", "holdfast generate: out/")
		if after := tree(t, dir); !maps.Equal(before, after) {
			t.Errorf("%s: something was written", what)
		}
		if info, err := os.Stat(filepath.Join(dir, "out")); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", what, err)
		}
	}
}
