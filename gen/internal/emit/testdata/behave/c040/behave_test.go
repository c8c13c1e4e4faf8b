package c040_test

import (
	"testing"

	"example.test/out/c040"
)

func TestKinds(t *testing.T) {
	round[c040.Hold](t, `true`, `"auto"`, `12`, `1.5`, `[1]`, `[]`, `false`, `0`)
	for _, text := range []string{`{}`, `null`} {
		refuse[c040.Hold](t, text, lenient, "a boolean, a string, a number or an array")
	}
	refuse[c040.Hold](t, `"manual"`, strict, `"auto"`)
}
