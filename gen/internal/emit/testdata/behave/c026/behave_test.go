package c026_test

import (
	"testing"

	"example.test/out/c026"
)

func TestNullElements(t *testing.T) {
	const text = `{"scores":[1,null,3],"labels":{"a":null,"b":"x"},"free":{"n":null,"o":{"a":[1.50]}}}`
	round[c026.Scores](t, text)
	v := read[c026.Scores](t, text, strict)
	if !v.Scores[1].IsNull() || v.Scores[2].Or(0) != 3 {
		t.Error("scores")
	}
	if x, ok := v.Free["n"]; !ok || x != nil {
		t.Error("null in free is lost")
	}
	write(t, &c026.Scores{}, lenient, `{"scores":[],"labels":{},"free":{}}`)
}
