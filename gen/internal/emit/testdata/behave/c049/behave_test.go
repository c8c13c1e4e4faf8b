package c049_test

import (
	"testing"

	"example.test/out/c049"
)

func TestEmpty(t *testing.T) {
	var bare map[string]any = c049.Bare{"a": nil}
	_ = bare
	var anything c049.Anything = []any{1}
	_ = anything
	round[c049.Bare](t, `{"a":null,"b":[1,{"c":null}]}`, `{}`)
}
