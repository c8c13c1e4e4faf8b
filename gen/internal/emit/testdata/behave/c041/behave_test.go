package c041_test

import (
	"testing"

	"example.test/out/c041"
)

func TestTrials(t *testing.T) {
	for _, mode := range []struct{ m int }{{0}, {1}} {
		m := lenient
		if mode.m == 1 {
			m = strict
		}
		if v := read[c041.Thing](t, `{"id":"1","foo":"f"}`, m); v.HasFoo == nil || v.HasBar != nil {
			t.Errorf("foo: %+v", v)
		}
		if v := read[c041.Thing](t, `{"id":"1","bar":"b","extra":1}`, m); v.HasBar == nil || v.HasFoo != nil {
			t.Errorf("bar: %+v", v)
		}
		refuse[c041.Thing](t, `{"id":"1"}`, m, "none of HasFoo, HasBar: missing foo / missing bar")
		refuse[c041.Thing](t, `{"id":"1","foo":"f","bar":"b"}`, m, "matches HasFoo and HasBar")
	}
	round[c041.Thing](t, `{"id":"1","foo":"f"}`, `{"bar":"b"}`)
}
