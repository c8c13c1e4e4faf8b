package c054_test

import (
	"testing"

	"example.test/out/c054"
)

func TestNumbers(t *testing.T) {
	round[c054.GetNOKBody](t, `{"big":9007199254740993,"u":18446744073709551615,"idStr":"9007199254740993","money":"10.10","ratio":0.1}`)
	refuse[c054.GetNOKBody](t, `{"big":1.5}`, lenient, "/big")
	refuse[c054.GetNOKBody](t, `{"big":"1"}`, lenient, "/big")
	if v := read[c054.GetNOKBody](t, `{"big":1e3}`, strict); v.Big.Or(0) != 1000 {
		t.Error("1e3 is an integer")
	}
}
