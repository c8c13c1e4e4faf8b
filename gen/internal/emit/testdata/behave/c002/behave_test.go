package c002_test

import (
	"testing"

	"example.test/out/c002"
)

func TestPunctuation(t *testing.T) {
	all := map[c002.Op]bool{}
	for text, op := range map[string]c002.Op{
		"=": c002.OpEq, "!=": c002.OpNotEq, "<": c002.OpLt, "<=": c002.OpLtEq, ">": c002.OpGt, ">=": c002.OpGtEq, "*": c002.OpStar, "": c002.OpEmpty,
	} {
		if string(op) != text {
			t.Errorf("constant %q, want %q", op, text)
		}
		all[op] = true
	}
	if len(all) != 8 {
		t.Errorf("%d constants, want 8", len(all))
	}
	if v, ok := read[c002.Rule](t, `{"op":""}`, strict).Op.Get(); !ok || v != c002.OpEmpty {
		t.Error("the empty value is lost")
	}
	if read[c002.Rule](t, `{}`, strict).Op.IsSet() {
		t.Error("an absent value is there")
	}
	round[c002.Rule](t, `{}`, `{"op":""}`, `{"op":"!="}`)
}
