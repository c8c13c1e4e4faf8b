package c024_test

import (
	"testing"

	"example.test/out/c024"
)

func TestTypeLists(t *testing.T) {
	round[c024.Room](t,
		`{"number":null,"floor":null,"code":7}`, `{"number":"1","floor":-3,"code":"7"}`, `{"number":null,"floor":2,"code":7,"nothing":null}`)
	refuse[c024.Room](t, `{"number":null,"floor":null,"code":true}`, lenient, "/code", "an integer or a string")
	refuse[c024.Room](t, `{"number":null,"floor":null,"code":7,"nothing":1}`, lenient, "/nothing", "null")
}
