package load

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// Each text is small and means too much. None may crash or take long.
func TestHostileTexts(t *testing.T) {
	var bomb, merges, tower strings.Builder
	bomb.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	merges.WriteString("m0: &m0 {k: 1}\n")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&bomb, "a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10))
		fmt.Fprintf(&merges, "m%d: &m%d {k%d: [%s], <<: *m%d}\n", i, i, i, strings.Repeat(fmt.Sprintf("*m%d,", i-1), 9), i-1)
	}
	tower.WriteString("t0: &t0 x\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&tower, "t%d: &t%d %s*t%d%s\n", i, i, strings.Repeat("[", 50), i-1, strings.Repeat("]", 50))
	}
	var wide strings.Builder
	wide.WriteString("w: &w {")
	for i := range 20_000 {
		fmt.Fprintf(&wide, "k%d: 0, ", i)
	}
	wide.WriteString("}\nl:\n" + strings.Repeat("- {<<: *w}\n", 2000))
	for name, c := range map[string]struct{ text, want string }{
		"alias bomb":    {bomb.String(), "with its aliases expanded, the file holds more than"},
		"merge bomb":    {merges.String(), "with its aliases expanded, the file holds more than"},
		"wide merges":   {wide.String(), "more than"},
		"alias tower":   {tower.String(), "nested more than 1000 levels"},
		"deep JSON":     {strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), "nested more than 1000 levels"},
		"deeper JSON":   {strings.Repeat(`{"a":`, 1_000_000), "nested more than 1000 levels"},
		"deep flow":     {"x: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000), "nested more than 1000 levels"},
		"deeper flow":   {"x: " + strings.Repeat("[", 500_000), "nested more than 1000 levels"},
		"deep block":    {strings.Repeat("- ", 9000) + "x", "nested more than 1000 levels"},
		"deeper block":  {strings.Repeat("- ", 200_000) + "x", "nested more than 1000 levels"},
		"deep keys":     {strings.Repeat("? ", 200_000) + "x", "nested more than 1000 levels"},
		"many values":   {"[" + strings.Repeat("0,", maxNodes) + "0]", "holds more than"},
		"many in YAML":  {"a: [" + strings.Repeat("[],", maxNodes) + "]", "too many values"},
		"comments":      {strings.Repeat("# c\n", 200_000), "only comments"},
		"documents":     {"a: 1\n" + strings.Repeat("---\n", 100_000) + "b: 1", "a second YAML document"},
		"open quotes":   {"a: " + strings.Repeat("\"x\n", 50_001), ""},
		"broken at end": {strings.Repeat("a: {b: c}\n", 1) + strings.Repeat("- 1\n", 20_000) + "]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var l diag.List
			Parse("t", []byte(c.text), &l)
			if got := show(&l); !l.HasErrors() || !strings.Contains(got, c.want) {
				t.Errorf("got %.300s, want %s", got, c.want)
			}
		})
	}
}

// What only looks like a bomb is fine.
func TestManyAliases(t *testing.T) {
	root := mustParse(t, "t.yaml", "a: &a {x: [1, 2, 3]}\nl: ["+strings.Repeat("*a, ", 10_000)+"]\n")
	if root.Get("l").Len() != 10_000 {
		t.Errorf("got %d", root.Get("l").Len())
	}
}

// Parse never panics, never hangs, and keeps its promises about what it returns.
func FuzzParse(f *testing.F) {
	for _, text := range jsonTexts {
		f.Add(text, true)
	}
	for _, text := range []string{
		"a: &x {b: *x}", "a: &a [1]\nb: {<<: *a}", "? [a]\n: b", "a: |\n  x\n y", "!!int a", "a: [1\nb", "- - - a", "--- a\n--- b",
		"a: \"\\x\"", "%TAG ! x\n---\n!a b", "<<: {a: 1}\na: 2", "a: \u2028b\n\tc", "{a: [b, 'c]}", "*a", "&a", "? ", ": ", "- :", "{? a, : b}",
		"a: >2-\n   x", "\"a\": 'b'\n\"a\": c", "0x1F: .5", "a: [\"x\" \"y\"]", "@", "a: `", "# c\r\n\r\n...",
	} {
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, asJSON bool) {
		if len(text) > 1<<14 {
			return
		}
		name := "t.yaml"
		if asJSON {
			name = "t.json"
		}
		var l diag.List
		file := Parse(name, []byte(text), &l)
		if file == nil {
			if !l.HasErrors() {
				t.Fatal("no tree and no error")
			}
		} else {
			checkTree(t, file, file.Root, 0)
			if _, err := standardJSON(string(file.Root.JSON())); err != nil {
				t.Fatalf("JSON gives %q: %v", file.Root.JSON(), err)
			}
		}
		lines := len(diag.SplitLines(text)) + 1
		for _, d := range l.Sorted() {
			if d.Pos.Line < 1 || d.Pos.Col < 1 || d.Pos.Line > lines {
				t.Fatalf("position %s in a text of %d lines", d.Pos, lines)
			}
		}
	})
}

// checkTree checks what every consumer relies on.
func checkTree(t *testing.T, file *File, n *Node, depth int) {
	t.Helper()
	if n == nil || n.File != file || n.Line < 1 || n.Col < 1 || depth > maxDepth {
		t.Fatalf("broken node %+v at depth %d", n, depth)
	}
	if got := file.Root.At(n.Pointer()); n.Parent != nil && got != n {
		t.Fatalf("the pointer %q of a node does not lead to it", n.Pointer())
	}
	seen := map[string]bool{}
	for _, m := range n.Members {
		if seen[m.Key] {
			t.Fatalf("key %q twice", m.Key)
		}
		seen[m.Key] = true
		if n.Get(m.Key) != m.Value {
			t.Fatalf("key %q is not found", m.Key)
		}
		checkTree(t, file, m.Value, depth+1)
	}
	for _, v := range n.Items {
		checkTree(t, file, v, depth+1)
	}
}
