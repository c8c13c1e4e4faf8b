package c042_test

import (
	"testing"

	"example.test/out/c042"
)

func TestOverlap(t *testing.T) {
	v := read[c042.Contact](t, `{"phone":"1","mail":"m@example.test"}`, strict)
	if v.Phone == nil || v.Mail == nil || v.Phone.Phone != "1" || v.Mail.Mail != "m@example.test" {
		t.Fatalf("both: %+v", v)
	}
	round[c042.Contact](t, `{"phone":"1","mail":"m@example.test"}`, `{"phone":"1"}`, `{"mail":"m"}`)
	refuse[c042.Contact](t, `{}`, lenient, "none of Phone, Mail")
}
