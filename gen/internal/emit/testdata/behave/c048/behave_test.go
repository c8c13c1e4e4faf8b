package c048_test

import (
	"testing"

	"example.test/out/c048"
)

func TestClosed(t *testing.T) {
	refuse[c048.Closed](t, `{"a":1,"z":2}`, request, "/z")
	for _, mode := range []string{"request", "response"} {
		m := request
		if mode == "response" {
			m = response
		}
		read[c048.Open](t, `{"a":1,"z":2}`, m)
	}
	read[c048.Closed](t, `{"a":1,"z":2}`, response)
}
