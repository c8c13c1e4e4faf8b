package c106_test

import (
	"testing"

	"example.test/out/c106"
)

func TestTexts(t *testing.T) {
	if got := read[c106.C](t, `{}`, strict).A.Or(""); got != "quote \" and ` and \n" {
		t.Errorf("the default is %q", got)
	}
	round[c106.C](t, `{"a":"x","b":"x\ny"}`)
}
