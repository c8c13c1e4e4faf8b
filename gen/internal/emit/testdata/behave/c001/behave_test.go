package c001_test

import (
	"testing"

	"example.test/out/c001"
)

func TestSigns(t *testing.T) {
	levels := map[c001.Level]string{c001.Level1: "1", c001.LevelMinus1: "-1", c001.LevelPlus1: "+1", c001.Level10: "10"}
	if len(levels) != 4 {
		t.Errorf("constants meet: %v", levels)
	}
	for got, want := range levels {
		if string(got) != want {
			t.Errorf("constant %q, want %q", got, want)
		}
	}
	if c001.OffsetMinus1 != -1 || c001.Offset0 != 0 || c001.Offset1 != 1 {
		t.Error("offsets")
	}
	write(t, &c001.Reading{Level: c001.LevelMinus1, Offset: c001.OffsetMinus1}, lenient, `{"level":"-1","offset":-1}`)
	refuse[c001.Reading](t, `{"level":"-2","offset":0}`, strict, "/level", `"-1"`)
	if v := read[c001.Reading](t, `{"level":"-2","offset":0}`, lenient); v.Level != "-2" || v.Level.Known() {
		t.Errorf("an unknown value became %q", v.Level)
	}
}
