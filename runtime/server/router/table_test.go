package router

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A table is a map with texts that have much in common: their beginning, their end,
// their length, zero bytes.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(a|repos-|things-0000|\x00)?[ab\x00]{0,10}(-tail-tail)?`)
		texts := rapid.SliceOfDistinct(text, rapid.ID[string]).Draw(t, "texts")
		var table table
		want := map[string]*node{}
		for _, s := range texts {
			want[s] = &node{}
			table.add(s, want[s])
		}
		for _, s := range append(texts, rapid.SliceOf(text).Draw(t, "others")...) {
			if got := table.find(keyOf(s), s); got != want[s] {
				t.Fatalf("%q: %p, want %p", s, got, want[s])
			}
		}
	})
}

// The segments of a path are those that strings.Split gives, wherever its end is.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringMatching(`([a-c.\x00\xe9]{0,11}/){0,5}[a-c/.]{0,11}`).Draw(t, "path")
		from := 0
		for i, want := range strings.Split(path, "/") {
			end, key := cut(path, from)
			if path[from:end] != want || key != keyOf(want) {
				t.Fatalf("%q, segment %d: %q, %x, want %q, %x", path, i, path[from:end], key, want, keyOf(want))
			}
			from = end + 1
		}
		if from != len(path)+1 {
			t.Fatalf("%q ends at %d", path, from)
		}
	})
}

// Values are kept in order, however many there are.
func TestManyParams(t *testing.T) {
	for n := 1; n <= MaxParams; n++ {
		var template, path strings.Builder
		for i := range n {
			fmt.Fprintf(&template, "/{p%d}", i)
			fmt.Fprintf(&path, "/v%d", i)
		}
		var r Router
		if _, ok := r.Add(Route{Method: "GET", Path: template.String()}); !ok {
			t.Fatal(n)
		}
		var m Match
		r.Find(&m, "GET", path.String(), "")
		for i := range n {
			if v, ok := m.Param(fmt.Sprintf("p%d", i)); !ok || v != fmt.Sprintf("v%d", i) {
				t.Errorf("%d parameters: p%d is %q, %v", n, i, v, ok)
			}
		}
	}
}

// A look-up allocates nothing, and its cost does not grow with the number of routes.
func TestLookUpsAllocateNothing(t *testing.T) {
	var r Router
	for i := range 2000 {
		r.Add(Route{Method: "GET", Path: fmt.Sprintf("/teams/{team}/things-%05d/{thing}", i)})
	}
	var m Match
	if n := testing.AllocsPerRun(100, func() { r.Find(&m, "GET", "/teams/a/things-01234/b", "") }); n != 0 || !m.Found() {
		t.Errorf("%v allocations, found %v", n, m.Found())
	}
	probes := 0
	literals := &r.root.literals.find(keyOf("teams"), "teams").param.literals
	for i := range literals.slots {
		if l := &literals.slots[i]; l.next != nil {
			probes += 1 + (i-literals.slot(l.key, l.text))&(len(literals.slots)-1)
		}
	}
	if probes > 3*literals.n {
		t.Errorf("%d probes for %d literals", probes, literals.n)
	}
}
