package c124_test

import (
	"testing"

	"example.test/out/c124"
)

func TestSameField(t *testing.T) {
	if v := read[c124.Shirt](t, `{"size":"xl"}`, strict); v.Object == nil || v.Object2 != nil {
		t.Errorf("xl: %+v", v)
	}
	if v := read[c124.Shirt](t, `{"size":"s"}`, strict); v.Object == nil || v.Object2 == nil || v.Object2.Size != c124.ShirtObject2SizeS {
		t.Errorf("s: %+v", v)
	}
	round[c124.Shirt](t, `{"size":"xl"}`, `{"size":"s"}`)
}
