package lookup

import (
	"testing"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

func TestBody(t *testing.T) {
	// The digest is that of FIPS 180-2, appendix B.1.
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	for _, c := range []struct {
		data, media, pointer string
		want                 policy.Value
		ok                   bool
	}{
		{`{"a":[1.50]}`, "application/json", "/a/0", policy.Value{Text: "1.50", JSON: true}, true},
		{`{"a": 1}`, "application/vnd.x+json; charset=utf-8", "", policy.Value{Text: `{"a": 1}`, JSON: true}, true},
		{`{"a":1}`, "application/json", "/b", policy.Value{}, false},
		{`{"a":`, "application/json", "/a", policy.Value{}, false},
		{"abc", "text/plain", "", policy.Value{Text: abc}, true},
		{"abc", "text/plain", "/a", policy.Value{}, false},
	} {
		var tree Tree
		for range 2 { // the second answer comes from the tree that is kept
			if got, ok := tree.Body([]byte(c.data), c.media, c.pointer); got != c.want || ok != c.ok {
				t.Errorf("Body(%q, %q, %q) = %v, %v", c.data, c.media, c.pointer, got, ok)
			}
		}
	}
}

func TestRequest(t *testing.T) {
	if got := Request("GET", "/a", "b=1", nil).Text; got != "GET /a?b=1" {
		t.Errorf("without a body: %q", got)
	}
	if got := Request("PUT", "/a", "", &policy.Value{Text: "x"}).Text; got != "PUT /a?\nx" {
		t.Errorf("with a body: %q", got)
	}
}
