package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// binary is the tool, built once, with testdata/pipeline in the place of the
// generator, as the file overlay tells the go command.
var binary, overlay string

func TestMain(m *testing.M) {
	code, err := buildAndRun(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func buildAndRun(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "holdfast-test")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "holdfast")
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		return 1, err
	}
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(root, "gen", "pipeline.go"): filepath.Join(root, "cmd", "holdfast", "testdata", "pipeline", "pipeline.go"),
	}})
	if err != nil {
		return 1, err
	}
	overlay = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, replace, 0o644); err != nil {
		return 1, err
	}
	if out, err := exec.Command("go", "build", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		return 1, fmt.Errorf("building the tool: %w\n%s", err, out)
	}
	return m.Run(), nil
}

// result is what one run of the tool gave.
type result struct {
	code           int
	stdout, stderr string
}

// holdfast runs the tool in a folder.
func holdfast(t *testing.T, dir string, args ...string) result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Dir = dir
	return finished(t, cmd)
}

// finished runs a command to its end.
func finished(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// want checks the status and that both outputs contain what they should; an
// empty text demands an empty output.
func (r result) want(t *testing.T, code int, stdout, stderr string) {
	t.Helper()
	if r.code != code || !contains(r.stdout, stdout) || !contains(r.stderr, stderr) {
		t.Errorf("status %d, want %d\nstdout: %s\n  want: %s\nstderr: %s\n  want: %s", r.code, code, r.stdout, stdout, r.stderr, stderr)
	}
}

func contains(got, want string) bool {
	if want == "" {
		return got == ""
	}
	return strings.Contains(got, want)
}

// project makes a folder with the files given; it is a module of its own.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if _, ok := files["go.mod"]; !ok {
		put(t, dir, "go.mod", "module shop\n\ngo 1.26\n\nrequire github.com/holdfast-go/holdfast v0.0.0\n")
	}
	for name, text := range files {
		put(t, dir, name, text)
	}
	return dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tree reads a folder: path to content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(p)
		got[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return got
}
