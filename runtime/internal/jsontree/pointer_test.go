package jsontree

import "testing"

// TestAt follows the examples of RFC 6901, section 5, and its rules for arrays.
func TestAt(t *testing.T) {
	v, err := Parse(`{"foo":["bar","baz"],"":0,"a/b":1,"m~n":8,"deep":[{"x":[7]}],"~1":2}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ pointer, want string }{
		{"/foo", `["bar","baz"]`}, {"/foo/0", `"bar"`}, {"/", "0"}, {"/a~1b", "1"}, {"/m~0n", "8"},
		{"/deep/0/x/0", "7"}, {"/~01", "2"},
		{"foo", ""}, {"/foo/2", ""}, {"/foo/-", ""}, {"/foo/01", ""}, {"/foo/-1", ""}, {"/foo/+1", ""},
		{"/foo/0/x", ""}, {"/none", ""}, {"/foo/4294967296", ""},
	} {
		got, ok := v.At(c.pointer)
		text := ""
		if ok {
			text = string(Compact(nil, got))
		}
		if text != c.want {
			t.Errorf("At(%q) = %q, want %q", c.pointer, text, c.want)
		}
	}
	if whole, ok := v.At(""); !ok || len(whole.Members) != 6 {
		t.Errorf("At(\"\") = %v, %v, want the value itself", whole, ok)
	}
}
