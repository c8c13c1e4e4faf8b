package c036_test

import (
	"testing"

	"example.test/out/c036"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
)

func TestImplicitNames(t *testing.T) {
	if v := read[c036.Toy](t, `{"kind":"Kite","tail":2}`, strict); v.Kite == nil || v.Kite.Tail != 2 || v.Balloon != nil {
		t.Errorf("kite: %+v", v)
	}
	for _, kind := range []string{"b", "Balloon"} {
		if v := read[c036.Toy](t, `{"gas":"He","kind":"`+kind+`"}`, strict); v.Balloon == nil || v.Balloon.Kind != kind {
			t.Errorf("balloon: %+v", v)
		}
	}
	refuse[c036.Toy](t, `{"kind":"x"}`, lenient, "kind", `"x"`, `"Kite"`, `"b"`)
	refuse[c036.Toy](t, `{"tail":2}`, lenient, "kind")
	write(t, &c036.Toy{Kite: &c036.Kite{Tail: 1}}, lenient, `{"kind":"Kite","tail":1}`)
	write(t, &c036.Kite{Tail: 1}, lenient, `{"kind":"Kite","tail":1}`)
	write(t, &c036.Toy{Balloon: &c036.Balloon{Gas: "He"}}, lenient, `{"kind":"b","gas":"He"}`)
	for _, v := range []*c036.Toy{{}, {Kite: &c036.Kite{}, Balloon: &c036.Balloon{}}} {
		if _, err := json.Marshal(v); err == nil {
			t.Errorf("%+v was encoded", v)
		}
	}
}
