package json_test

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
)

// bag reads any object and demands the members of its table.
type bag struct{ r *json.Members }

func (v *bag) DecodeJSON(d *json.Decoder) {
	for d.Members(v.r); d.NextKey(); {
		d.Skip()
	}
}

func TestMembers(t *testing.T) {
	r := &json.Members{Names: []string{"a", "b", "c"}, Required: 1<<3 - 1, ReadOnly: 1 << 0, WriteOnly: 1 << 2}
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
func missing(t *testing.T, text string, r *json.Members, mode json.Mode) string {
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
	r := &json.Members{Names: names[:64], Required: ^uint64(0), More: &json.Members{
		Names: names[64:128], Required: ^uint64(0), ReadOnly: 1 << 63, More: &json.Members{Names: names[128:], Required: 1<<22 - 1},
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

// TestMembersOptional: what is in the table and not required may be missing.
func TestMembersOptional(t *testing.T) {
	r := &json.Members{Names: []string{"a", "b", "c"}, Required: 1 << 1}
	for text, want := range map[string]string{
		`{"a":1,"b":2,"c":3}`: "", `{"b":2}`: "", ` { "b" : 2 , "c" : 3 } `: "", `{"c":3,"b":2}`: "", `{"a":1,"c":3}`: "/b", `{}`: "/b",
	} {
		if got := missing(t, text, r, json.Mode{Strict: true}); got != want {
			t.Errorf("%s: missing %q, want %q", text, got, want)
		}
	}
}

// TestMembersWritten: a name is compared as it is written only where it can be, and
// what is malformed is refused wherever the table would have it.
func TestMembersWritten(t *testing.T) {
	names := []string{"plain", `say "hi"`, `back\slash`, "line\n", "", "été", "a\u2028b"}
	r := &json.Members{Names: names, Required: 1<<7 - 1}
	var text strings.Builder
	for i, name := range names {
		quoted, err := stdjson.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, ",%s:%d", quoted, i)
	}
	if got := missing(t, "{"+text.String()[1:]+"}", r, json.Mode{Strict: true}); got != "" {
		t.Errorf("missing %q", got)
	}
	for _, text := range []string{
		`{"plain":1,"say "hi"":2}`, `{"plain":1,"say \"hi\"":2,"back\slash":3}`, "{\"plain\":1,\"line\n\":3}",
		`{"plain"1}`, `{"plain" 1}`, `{,"plain":1}`, `{"plain":1,}`, `{"plain":1"":2}`, `{"plain:1}`, `{"plain":`, `{"plain"`,
		`{"plain":1,,"":2}`, `{plain:1}`,
	} {
		d := json.NewDecoder([]byte(text), json.Mode{})
		(&bag{r}).DecodeJSON(d)
		d.End()
		if _, broken := errors.AsType[*json.SyntaxError](d.Err()); !broken {
			t.Errorf("%s: %v", text, d.Err())
		}
	}
}

// TestMembersTwice: a strict reader sees a member that comes again, in its place, out
// of it, and one that the table does not have.
func TestMembersTwice(t *testing.T) {
	names := make([]string, 130)
	for i := range names {
		names[i] = fmt.Sprintf("m%d", i)
	}
	r := &json.Members{Names: names[:64], More: &json.Members{Names: names[64:128], More: &json.Members{Names: names[128:]}}}
	for _, name := range []string{"m0", "m1", "m63", "m64", "m127", "m128", "m129", "other"} {
		for _, form := range []string{`{"m0":0,"%[1]s":1,"%[1]s":2}`, `{"%[1]s":1,"m1":0,"%[1]s":2}`, `{"%[1]s":1,"x":{"%[1]s":2},"%[1]s":3,"m2":4}`} {
			text := fmt.Sprintf(form, name)
			want := 1
			if strings.Count(text, `"`+name+`":`) == 3 && !strings.Contains(form, "x") {
				want = 2 // it is there three times
			}
			d := json.NewDecoder([]byte(text), json.Mode{Strict: true})
			(&bag{r}).DecodeJSON(d)
			d.End()
			if got := len(d.Violations()); got != want {
				t.Errorf("%s: %v", text, d.Violations())
			}
			d = json.NewDecoder([]byte(text), json.Mode{})
			(&bag{r}).DecodeJSON(d)
			d.End()
			if d.Err() != nil {
				t.Errorf("%s: lenient: %v", text, d.Err())
			}
		}
	}
}
