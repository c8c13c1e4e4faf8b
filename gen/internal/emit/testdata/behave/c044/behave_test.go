package c044_test

import (
	"strings"
	"testing"

	"example.test/out/c044"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
)

func TestDepth(t *testing.T) {
	var parent *c044.Person = new(c044.Person).Parent
	_ = parent
	const depth = 999
	text := strings.Repeat(`{"name":"n","parent":`, depth) + `{"name":"last"}` + strings.Repeat(`}`, depth)
	v := read[c044.Person](t, text, strict)
	n := 0
	for p := v; p.Parent != nil; p = p.Parent {
		n++
	}
	if n != depth {
		t.Errorf("depth %d, want %d", n, depth)
	}
	write(t, v, lenient, text)
	round[c044.Person](t, `{"name":"a","house":{"head":{"name":"b"}}}`)
	loop := &c044.Person{Name: "l"}
	loop.Parent = loop
	if _, err := json.Marshal(loop); err == nil {
		t.Error("a value that holds itself was encoded")
	}
}
