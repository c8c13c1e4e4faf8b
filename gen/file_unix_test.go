//go:build unix

package gen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe that nobody writes to must not hold the run up.
func TestReadFileRefusesAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := ReadFile(path, nil)
	if err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}

// Two paths to one folder are one folder, whether it is there already or only
// the link above it.
func TestReadFileSeesThroughLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, FileName)
	for _, c := range []struct {
		out  [2]string
		same bool
	}{
		{[2]string{"real", "link"}, true},
		{[2]string{"real/new/api", "link/new/api"}, true},
		{[2]string{"real/a", "link/b"}, false},
	} {
		text := fmt.Sprintf("targets:\n- {spec: a.yaml, out: %s, package: a}\n- {spec: a.yaml, out: %s, package: b}\n", c.out[0], c.out[1])
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, list, err := ReadFile(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if same := len(list) == 1 && list[0].Code == "config-same-out"; same != c.same {
			t.Errorf("%v: %v", c.out, list)
		}
	}
}
