package json_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
)

// bag reads any object and demands the members of its table.
type bag struct{ r *json.Required }

func (v *bag) DecodeJSON(d *json.Decoder) {
	for d.Members(v.r); d.NextKey(); {
		d.Skip()
	}
}

func TestMembers(t *testing.T) {
	r := &json.Required{Names: []string{"a", "b", "c"}, ReadOnly: 1 << 0, WriteOnly: 1 << 2}
	request, response := json.Mode{Direction: json.Request}, json.Mode{Direction: json.Response}
	tests := []struct {
		text    string
		mode    json.Mode
		missing string
	}{
		{`{"a":1,"b":2,"c":3}`, json.Mode{}, ""},
		{`{"c":1,"b":2,"a":3,"x":4}`, json.Mode{}, ""},
		{`{"x":0,"b":{"a":1,"c":1}}`, json.Mode{}, "/a /c"},
		{`{"b":2}`, request, "/c"},
		{`{"b":2}`, response, "/a"},
		{`{}`, json.Mode{}, "/a /b /c"},
		{`{"a":1,"a":1,"a":1}`, json.Mode{}, "/b /c"},
	}
	for _, tt := range tests {
		if got := missing(t, tt.text, r, tt.mode); got != tt.missing {
			t.Errorf("%s: missing %q, want %q", tt.text, got, tt.missing)
		}
	}
	// What is no object lacks nothing.
	err := json.Unmarshal([]byte(`[1]`), &bag{r})
	if err == nil || strings.Contains(err.Error(), "missing") {
		t.Errorf("an array: %v", err)
	}
}

// missing lists the members that are reported as missing.
func missing(t *testing.T, text string, r *json.Required, mode json.Mode) string {
	t.Helper()
	d := json.NewDecoder([]byte(text), mode)
	(&bag{r}).DecodeJSON(d)
	var out []string
	for _, v := range d.Violations() {
		if v.Rule != "required" {
			t.Errorf("%s: %v", text, v)
		}
		out = append(out, v.Pointer)
	}
	return strings.Join(out, " ")
}

// TestMembersPastOneTable demands 150 members.
func TestMembersPastOneTable(t *testing.T) {
	var names, members []string
	for i := range 150 {
		names = append(names, fmt.Sprintf("m%d", i))
		members = append(members, fmt.Sprintf(`"m%d":%d`, 149-i, i))
	}
	r := &json.Required{Names: names[:64], More: &json.Required{
		Names: names[64:128], ReadOnly: 1 << 63, More: &json.Required{Names: names[128:]},
	}}
	if got := missing(t, "{"+strings.Join(members, ",")+"}", r, json.Mode{}); got != "" {
		t.Errorf("all there: missing %q", got)
	}
	for i, m := range members {
		rest := append(append([]string{}, members[:i]...), members[i+1:]...)
		text := "{" + strings.Join(rest, ",") + "}"
		name := "/" + strings.Trim(strings.SplitN(m, ":", 2)[0], `"`)
		if got := missing(t, text, r, json.Mode{}); got != name {
			t.Errorf("without %s: missing %q", name, got)
		}
		want := name
		if name == "/m127" {
			want = "" // read-only
		}
		if got := missing(t, text, r, json.Mode{Direction: json.Request}); got != want {
			t.Errorf("a request without %s: missing %q", name, got)
		}
	}
}

// A Decoder on which no object was opened does not panic.
func TestNextKeyOnNothing(t *testing.T) {
	var d json.Decoder
	if d.NextKey() {
		t.Error("there is a member in nothing")
	}
	e := json.NewDecoder([]byte(`"a":1`), json.Mode{})
	e.NextKey()
}

// few reads one member and leaves the others to the decoder.
type few struct{ A, B int64 }

func (v *few) DecodeJSON(d *json.Decoder) {
	for d.Object(); d.NextKey(); {
		switch d.Key() {
		case "a":
			v.A = d.Int64()
		case "b":
			v.B = d.Int64()
		}
	}
}

func TestUnreadMembersArePassedOver(t *testing.T) {
	const text = ` { "x" : {"a":7,"y":[1,{"b":8}]} , "a":1, "z":null,"":"", "b" : 2 ,"last": [ ] } `
	var v few
	if err := json.Unmarshal([]byte(text), &v); err != nil || v != (few{1, 2}) {
		t.Errorf("got %+v, %v", v, err)
	}
	for _, bad := range []string{`{"x":}`, `{"x":1`, `{"x":[1}`, `{"x":nul}`, `{"x":{"y":01}}`} {
		if err := json.Unmarshal([]byte(bad), &v); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}
