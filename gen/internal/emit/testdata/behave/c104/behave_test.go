package c104_test

import (
	"testing"

	"example.test/out/c104"
)

func TestStringsAndArrays(t *testing.T) {
	good := []string{
		`{"slug":"a/b"}`, `{"part":"abc"}`, `{"name":"éé"}`, `{"name":"😀😀"}`, `{"set":[1,2]}`, `{"set":[1,"1"]}`, `{"pw":"Passw0rd"}`,
	}
	for _, text := range good {
		invalid(t, read[c104.VBody](t, text, request))
	}
	for text, pointer := range map[string]string{
		`{}`: "", `{"slug":"A"}`: "/slug", `{"pw":"passw0rd"}`: "/pw", `{"pw":"Pass0"}`: "/pw", `{"part":"xyz"}`: "/part", `{"name":""}`: "/name", `{"name":"abc"}`: "/name",
		`{"set":[]}`: "/set", `{"set":[1,2,3,4]}`: "/set", `{"set":[1,1.0]}`: "/set", `{"set":[{"a":1,"b":2},{"b":2,"a":1}]}`: "/set",
	} {
		invalid(t, read[c104.VBody](t, text, request), pointer)
	}
}
