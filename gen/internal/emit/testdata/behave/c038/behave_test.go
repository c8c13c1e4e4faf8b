package c038_test

import (
	"testing"

	"example.test/out/c038"
)

func TestOddProperty(t *testing.T) {
	if v := read[c038.Node](t, `{"@type":"node-a","x":1}`, strict); v.NodeA == nil || v.NodeA.X.Or(0) != 1 {
		t.Errorf("node a: %+v", v)
	}
	round[c038.Node](t, `{"@type":"node-b","y":1}`)
	write(t, &c038.Node{NodeA: &c038.NodeA{}}, lenient, `{"@type":"node-a"}`)
}
