package load

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// mustParse parses text that must give a tree without any diagnostic.
func mustParse(t *testing.T, name, text string) *Node {
	t.Helper()
	var l diag.List
	f := Parse(name, []byte(text), &l)
	if f == nil || l.Len() > 0 {
		t.Fatalf("%s: %s", text, show(&l))
	}
	return f.Root
}

// show renders a list as one line a diagnostic, hints and related places too.
func show(l *diag.List) string {
	var b strings.Builder
	if err := diag.WriteText(&b, l.Sorted(), diag.Options{}); err != nil {
		return err.Error()
	}
	return b.String()
}

// write creates files, given as name and text in turn, and returns their folder.
func write(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		p := filepath.Join(dir, files[i])
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// loadText loads a root document that consists of text alone.
func loadText(t *testing.T, text string) (*Document, *diag.List) {
	t.Helper()
	dir := write(t, "api.yaml", text)
	l := &diag.List{}
	d := Load(context.Background(), Options{Path: filepath.Join(dir, "api.yaml")}, l)
	if d == nil {
		t.Fatal(show(l))
	}
	return d, l
}

// eachRef calls f for every string $ref below n, except inside what the
// specification knows nothing about: extensions, and data.
func eachRef(n *Node, f func(ref *Node)) {
	for _, m := range n.Members {
		switch {
		case strings.HasPrefix(m.Key, "x-"), m.Value.Parent != n:
			continue
		case m.Key == "example", m.Key == "examples" && m.Value.Kind == Array, m.Key == "default", m.Key == "enum", m.Key == "value", m.Key == "description":
			continue
		case m.Key == "$ref" && m.Value.Kind == String:
			f(m.Value)
		default:
			eachRef(m.Value, f)
		}
	}
	for _, v := range n.Items {
		if v.Parent == n {
			eachRef(v, f)
		}
	}
}

// resolveAll resolves every reference of every file that is reached. There are
// more files each time a reference leads to a new one.
func resolveAll(d *Document, l *diag.List) {
	for done := 0; ; done++ {
		files := d.Files()
		if done == len(files) {
			return
		}
		eachRef(files[done].Root, func(ref *Node) { d.Resolve(ref, ref.Text, l) })
	}
}
