package c050_test

import (
	"testing"

	"example.test/out/c050"
)

func TestBooleans(t *testing.T) {
	round[c050.GetBOKBody](t, `{"free":1,"list":[1,"a"]}`, `{"free":null}`, `{}`)
	refuse[c050.GetBOKBody](t, `{"never":1}`, lenient, "/never")
}
