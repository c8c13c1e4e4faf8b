package load

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

const fuzzed = `openapi: 3.1.0
info: &i {title: A, tags: [a, b, {c: 1}], n: null, b: true}
x-copy: *i
x-resilience: {a: {b: 1}}
paths: {/a: {get: &op {x-resilience: {a: 1}, d: 1.5}, put: *op, post: {<<: *op, e: 1}}}
`

// Whatever an overlay says, it is applied or refused in a moment, and the tree that
// it leaves is one: parents, slots and pointers agree.
func FuzzOverlay(f *testing.F) {
	for _, actions := range []string{
		"- {target: $, update: {x-resilience: {c: 1}, info: {title: B}}}\n- {target: \"$['x-resilience']\", remove: true}",
		"- {target: $..get, update: {x-resilience: 1}}\n- {target: $..get, update: {x-resilience: 2}}\n- {target: $..a, remove: true}",
		"- {target: $.paths['/a'], copy: $.paths}\n- {target: '$..[?@.a == 1]', remove: true}",
		"- {target: $.info.tags, update: [1, {a: 2}]}\n- {target: '$.info.tags[::-2]', remove: true}",
		"- {target: $.x-copy.tags, update: 1}\n- {target: '$..[?match(@.a, @.b)]', update: {z: 1}}",
		"- {target: '$..*', remove: true}",
		"- {target: '$..[?length(@) > 1 && (@.a || !@.b)]', update: {z: {}}}",
		"- {target: $, copy: $}\n- {target: $, copy: $}\n- {target: $.info, copy: $}\n- {target: $..info, copy: $}",
	} {
		f.Add(overlayHead + actions)
	}
	f.Add("overlay: 1.0.0\nextends: x\nactions: [{}]")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return // the time is that of the YAML parser then
		}
		list := &diag.List{}
		file := Parse("api.yaml", []byte(fuzzed), list)
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		d := &Document{ctx: ctx, Root: file, files: []*File{file}}
		o := ParseOverlay("o.yaml", []byte(text), list)
		if o == nil {
			if !list.HasErrors() {
				t.Fatal("refused without a word")
			}
			return
		}
		d.apply(o, list)
		if ctx.Err() != nil {
			t.Fatal("it takes for ever")
		}
		if strings.Contains(text, "<<") {
			return // what stands inline below a merge key has no pointer
		}
		checkSound(t, d, file.Root)
	})
}

// checkSound demands of the tree at n what the rest of the generator builds upon.
func checkSound(t *testing.T, d *Document, n *Node) {
	t.Helper()
	seen := map[string]bool{}
	for i, m := range n.Members {
		if seen[m.Key] || m.Value == nil || n.find(m.Key) != i {
			t.Fatalf("member %q of %s is twice there or not found", m.Key, n.Pointer())
		}
		seen[m.Key] = true
		checkChild(t, d, m.Value)
	}
	for _, item := range n.Items {
		checkChild(t, d, item)
	}
	over := d.Layers(n)
	if len(over) > 0 && !n.Has(Annotation) {
		t.Fatalf("%s has levels over nothing", n.Pointer())
	}
	for _, m := range over {
		if m.Value.Parent != n {
			t.Fatalf("a level over %s belongs elsewhere", n.Pointer())
		}
		checkSound(t, d, m.Value)
	}
}

func checkChild(t *testing.T, d *Document, n *Node) {
	t.Helper()
	if at := d.Root.Root.At(n.Pointer()); !strings.Contains(n.Pointer(), Annotation) && (at == nil || string(at.JSON()) != string(n.JSON())) {
		t.Fatalf("%s leads to %s, not to %s", n.Pointer(), at.JSON(), n.JSON())
	}
	checkSound(t, d, n)
}
