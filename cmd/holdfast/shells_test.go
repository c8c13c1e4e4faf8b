package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Other shells take their scripts, where they are installed.
func TestCompletionInOtherShells(t *testing.T) {
	dir := t.TempDir()
	for _, shell := range []string{"zsh", "fish"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("no %s here: its script is not run", shell)
			continue
		}
		put(t, dir, shell, shipped(t, dir, "completion", shell).stdout)
		cmd := exec.CommandContext(t.Context(), path, "-n", filepath.Join(dir, shell))
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
		if shell != "fish" {
			continue
		}
		bin, err := shippedBinary()
		if err != nil {
			t.Fatal(err)
		}
		for words, want := range map[string]string{
			"ge": "generate", "generate --client": "--client-only", "generate --runtime v": "vendor", "help ver": "version", "completion po": "powershell",
		} {
			link := filepath.Join(dir, "holdfast")
			if err := os.Symlink(bin, link); err != nil && !os.IsExist(err) {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), path, "--no-config", "-c", "source "+shell+"; complete -C 'holdfast "+words+"'")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir)
			out, err := cmd.CombinedOutput()
			if got, _, _ := strings.Cut(string(out), "\t"); err != nil || strings.TrimSpace(got) != want {
				t.Errorf("fish, %q: %q, %v, want %s", words, out, err, want)
			}
		}
	}
}
