package gen

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every form of an operation, in each combination of sides, builds and vets, and comes
// out as the same bytes again. The packages stand in one module, since each start of
// the go tool is dear.
func TestOperationsInEachCombinationOfSides(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	mod := "module example.test/every\n\ngo 1.26.0\n\nrequire (\n\tgithub.com/google/go-cmp v0.7.0\n" +
		"\tgithub.com/holdfast-go/holdfast v0.0.0\n)\n\n" +
		"replace github.com/holdfast-go/holdfast => " + root + "\n"
	for name, data := range map[string][]byte{"go.mod": []byte(mod), "go.sum": sum} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, sides := range map[string][2]bool{
		"both": {true, true}, "client": {true, false}, "server": {false, true}, "models": {false, false},
	} {
		cfg := Config{
			Spec: filepath.Join(root, "testdata/operations/every.yaml"), Out: filepath.Join(dir, name), Package: "api",
			Client: sides[0], Server: sides[1],
		}
		if out, err := Run(context.Background(), cfg); err != nil {
			t.Fatalf("%s: %v\n%v", name, err, out.Diagnostics)
		}
		again := cfg
		again.Out = filepath.Join(dir, "again", name)
		if _, err := Run(context.Background(), again); err != nil {
			t.Fatal(err)
		}
		sameFiles(t, cfg.Out, again.Out)
	}
	if err := os.RemoveAll(filepath.Join(dir, "again")); err != nil {
		t.Fatal(err)
	}
	behaviour, err := os.ReadFile(filepath.Join(root, "testdata/operations/every_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "both", "every_test.go"), behaviour, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"vet", "./..."}, {"test", "-vet=off", "-ldflags=-w", "./both"}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
}

// sameFiles compares two folders.
func sameFiles(t *testing.T, a, b string) {
	t.Helper()
	entries, err := os.ReadDir(a)
	if err != nil {
		t.Fatal(err)
	}
	others, err := os.ReadDir(b)
	if err != nil || len(others) != len(entries) {
		t.Fatalf("%s has %d files, %s %d: %v", a, len(entries), b, len(others), err)
	}
	for _, e := range entries {
		x, err := os.ReadFile(filepath.Join(a, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(filepath.Join(b, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x, y) {
			t.Errorf("%s comes out in two ways", e.Name())
		}
	}
}

// A side that is left out leaves nothing of its runtime behind.
func TestSidesLeaveNothingBehind(t *testing.T) {
	for name, tt := range map[string]struct {
		client, server bool
		without        []string
	}{
		"client": {true, false, []string{"runtime/server"}},
		"server": {false, true, []string{"runtime/client"}},
		"models": {false, false, []string{"runtime/client", "runtime/server", "runtime/policy", "runtime/codec/param", "runtime/security"}},
	} {
		dir := filepath.Join(t.TempDir(), "notes")
		cfg := Config{Spec: "../testdata/specs/notes.yaml", Out: dir, Client: tt.client, Server: tt.server}
		if out, err := Run(context.Background(), cfg); err != nil {
			t.Fatalf("%s: %v\n%v", name, err, out.Diagnostics)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			for _, pkg := range tt.without {
				if strings.Contains(string(data), `holdfast/`+pkg+`"`) {
					t.Errorf("%s: %s imports %s", name, e.Name(), pkg)
				}
			}
		}
	}
}
