package c006_test

import (
	"testing"

	"example.test/out/c006"
)

func TestNullMember(t *testing.T) {
	if v := read[c006.Price](t, `{"currency":null}`, strict); !v.Currency.IsNull() {
		t.Error("null is lost")
	}
	round[c006.Price](t, `{"currency":null}`, `{"currency":"eur"}`)
	refuse[c006.Price](t, `{"currency":"null"}`, strict, "/currency")
	refuse[c006.Price](t, `{}`, lenient, "/currency")
}
