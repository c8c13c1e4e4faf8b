package json_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// thereAndBack decodes and encodes a text with a codec.
func thereAndBack[T any](t *testing.T, c json.Codec[T], texts ...string) {
	t.Helper()
	for _, text := range texts {
		var v T
		if err := json.Decode([]byte(text), &v, c, json.Mode{Strict: true}); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := json.Encode(nil, &v, c, json.Mode{})
		if err != nil || string(got) != text {
			t.Errorf("%s became %s (%v)", text, got, err)
		}
	}
}

// declined decodes texts that a codec must not accept.
func declined[T any](t *testing.T, c json.Codec[T], texts ...string) {
	t.Helper()
	for _, text := range texts {
		var v T
		if err := json.Decode([]byte(text), &v, c, json.Mode{}); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}

func TestNilCodecs(t *testing.T) {
	list := json.Slice(json.Int64)
	thereAndBack(t, json.Nil(list), `null`, `[]`, `[1,2]`)
	thereAndBack(t, json.NilMap(json.Map(json.String)), `null`, `{}`, `{"a":"b"}`)
	thereAndBack(t, json.NilPtr(json.String), `null`, `"a"`)
	thereAndBack(t, json.Slice(json.Nil(list)), `[null,[],[1]]`)
	declined(t, list, `null`)
}

func TestConstants(t *testing.T) {
	kind := json.Const(json.String, "cat", `"cat"`)
	thereAndBack(t, kind, `"cat"`)
	declined(t, kind, `"dog"`, `1`, `null`)
	var unset string
	if got, err := json.Encode(nil, &unset, kind, json.Mode{}); err != nil || string(got) != `"cat"` {
		t.Errorf("an unset constant became %s (%v)", got, err)
	}
	list := json.ConstJSON(json.Any, `{"a":[1,2]}`)
	thereAndBack(t, list, `{"a":[1,2]}`)
	var v any
	if err := json.Decode([]byte(`{ "a": [1.0, 2] }`), &v, list, json.Mode{}); err != nil {
		t.Errorf("an equal value: %v", err)
	}
	declined(t, list, `{"a":[2,1]}`, `[]`)
	thereAndBack(t, json.Nothing, `null`)
	declined(t, json.Nothing, `0`, `{}`)
	declined(t, json.Never, `0`, `null`)
}

func TestForeignCodecs(t *testing.T) {
	thereAndBack(t, json.Foreign[big.Int](true), `"12345678901234567890"`)
	thereAndBack(t, json.Foreign[big.Int](false), `12345678901234567890`)
	thereAndBack(t, json.Foreign[struct {
		A []int `json:"a"`
	}](false), `{"a":[1,2]}`)
	declined(t, json.Foreign[big.Int](true), `"x"`, `true`)
}

func TestOctets(t *testing.T) {
	thereAndBack(t, json.Octets, `""`, `"not base64!"`)
	declined(t, json.Octets, `1`)
}

func TestValueOf(t *testing.T) {
	if got := json.ValueOf(json.Slice(json.Int64), `[1,2]`); len(got) != 2 || got[1] != 2 {
		t.Errorf("got %v", got)
	}
	if got := json.ValueOf(json.Int64, `"x"`); got != 0 {
		t.Errorf("what does not fit became %d", got)
	}
}

func TestPatternProperties(t *testing.T) {
	keys := []json.KeyPattern{
		json.Matching(check.Regexp("^x-"), json.String),
		json.Matching(check.Regexp("n$"), json.Int64),
	}
	open, closed := json.MapMatching(json.Any, false, keys), json.MapMatching(json.Any, true, keys)
	thereAndBack(t, open, `{"n":1,"other":true,"x-a":"b"}`, `{}`)
	thereAndBack(t, closed, `{"n":1,"x-a":"b"}`)
	declined(t, open, `{"x-a":1}`, `{"n":"1"}`, `{"x-n":"a"}`, `{"x-n":1}`)
	var v map[string]any
	err := json.Decode([]byte(`{"x-a":1,"n":1,"z":2}`), &v, closed, json.Mode{Strict: true})
	if err == nil || !strings.Contains(err.Error(), "/x-a") || !strings.Contains(err.Error(), "/z") || strings.Contains(err.Error(), "/n") {
		t.Errorf("got %v", err)
	}
	if err := json.Decode([]byte(`{"z":2}`), &v, closed, json.Mode{}); err != nil {
		t.Errorf("a lenient reader minds what it does not know: %v", err)
	}
}

func TestVariants(t *testing.T) {
	tests := []struct {
		set  []bool
		want int
		ok   bool
	}{
		{[]bool{false, true}, 1, true}, {[]bool{true, false}, 0, true}, {[]bool{true, true}, -1, false}, {[]bool{false, false}, -1, false},
	}
	for _, tt := range tests {
		e := json.NewEncoder(nil, json.Mode{})
		if got := e.Variant("Pet", tt.set...); got != tt.want || (e.Err() == nil) != tt.ok {
			t.Errorf("%v: got %d, %v", tt.set, got, e.Err())
		}
	}
	e := json.NewEncoder(nil, json.Mode{})
	if got := e.AnyVariant("Pet", false, true, true); got != 1 || e.Err() != nil {
		t.Errorf("an anyOf with two variants: %d, %v", got, e.Err())
	}
}

func TestMergedParts(t *testing.T) {
	a, b := map[string]int64{"x": 1, "y": 2}, map[string]int64{"y": 2, "z": 3}
	part := func(m *map[string]int64) json.Marshaler { return json.As(m, json.Map(json.Int64)) }
	for _, tt := range []struct {
		parts []json.Marshaler
		want  string // empty: an error
	}{
		{[]json.Marshaler{part(&a)}, `{"x":1,"y":2}`},
		{[]json.Marshaler{part(&a), part(&b)}, `{"x":1,"y":2,"z":3}`},
		{nil, ""},
	} {
		e := json.NewEncoder(nil, json.Mode{})
		e.MergeSet("Both", tt.parts)
		got, err := e.Text()
		if (err != nil) != (tt.want == "") || err == nil && string(got) != tt.want {
			t.Errorf("got %s (%v), want %s", got, err, tt.want)
		}
	}
}

func TestTaggedOneOf(t *testing.T) {
	m := map[string]int64{"port": 80}
	e := json.NewEncoder(nil, json.Mode{})
	e.TaggedOneOf("type", "nginx", json.As(&m, json.Map(json.Int64)), []string{"apache", "nginx"})
	if got, err := e.Text(); err != nil || string(got) != `{"type":"nginx","port":80}` {
		t.Errorf("got %s (%v)", got, err)
	}
	e = json.NewEncoder(nil, json.Mode{})
	e.TaggedOneOf("type", "", json.As(&m, json.Map(json.Int64)), []string{"apache", "nginx"})
	if e.Err() == nil {
		t.Error("an unset key was written")
	}
}

// A variant is written with one of its own keys, whatever it holds.
func TestKeyed(t *testing.T) {
	foo := func(kind string) json.Marshaler {
		m := map[string]string{"a": "b", "kind": kind}
		return json.As(&m, json.Map(json.String))
	}
	for got, want := range map[string]string{"": "kite", "kite": "kite", "Kite": "Kite", "balloon": "kite"} {
		e := json.NewEncoder(nil, json.Mode{})
		e.Keyed("kind", got, foo(got), "kite", "Kite")
		if text, err := e.Text(); err != nil || string(text) != `{"a":"b","kind":"`+want+`"}` {
			t.Errorf("%q: %s (%v)", got, text, err)
		}
		e = json.NewEncoder(nil, json.Mode{})
		e.KeyedOneOf("Toy: Kite.Kind", got, foo(got), "kite", "Kite")
		text, err := e.Text()
		if known := got == "kite" || got == "Kite"; known != (err == nil) {
			t.Errorf("%q: %s (%v)", got, text, err)
		} else if !known && !strings.Contains(err.Error(), "Toy: Kite.Kind must say which of its keys it is: kite, Kite") {
			t.Errorf("%q: %v", got, err)
		}
	}
	e := json.NewEncoder(nil, json.Mode{})
	if e.Keyed("kind", "", foo("")); e.Err() == nil {
		t.Error("a variant without keys was written")
	}
}

// The variant that takes what no other does keeps what it says, if that is no other's.
func TestKeyedUnless(t *testing.T) {
	for _, test := range []struct{ got, own, want string }{
		{"", "Other", `{"kind":"-"}`}, // as the value writes itself
		{"dog", "Other", `{"kind":"dog"}`},
		{"kite", "Other", `{"kind":"Other"}`},
		{"kite", "", ""},
	} {
		m := map[string]string{"kind": "-"}
		e := json.NewEncoder(nil, json.Mode{})
		e.KeyedUnless("kind", test.got, test.own, json.As(&m, json.Map(json.String)), "kite", "Kite")
		text, err := e.Text()
		if want := test.want; (err == nil) != (want != "") || err == nil && string(text) != want {
			t.Errorf("%+v: %s (%v)", test, text, err)
		}
	}
}

func TestUniqueOf(t *testing.T) {
	f := json.UniqueOf[[]any](json.Any)
	for text, ok := range map[string]bool{`[1,2]`: true, `[1,1.0]`: false, `[{"a":1},{"a":1.0}]`: false, `[]`: true} {
		var v []any
		if err := json.Decode([]byte(text), &v, json.Slice(json.Any), json.Mode{}); err != nil {
			t.Fatal(err)
		}
		var c check.Checker
		if f(&v, &c); c.OK() != ok {
			t.Errorf("%s: %v", text, c.Violations())
		}
	}
}

func TestDefaults(t *testing.T) {
	o, n := value.Opt[int64]{}, value.NullOf[int64]()
	o.Default(3)
	n.Default(3)
	if o.Or(0) != 3 || !n.IsNull() {
		t.Errorf("got %v, %v", o, n)
	}
	o.Default(4)
	if o.Or(0) != 3 {
		t.Error("a default replaced a value")
	}
}

// A name that cannot be held against a pattern within bounds is a violation: it could
// have been made to get around the schema of the pattern.
func TestUndecidedPatternProperties(t *testing.T) {
	c := json.MapMatching(json.Any, false, []json.KeyPattern{json.Matching(check.Regexp(`^(a*)(a*)(a*)(a*)(a*)(a*)\1\2\3\4\5\6b`), json.String)})
	var v map[string]any
	text := []byte(`{"` + strings.Repeat("a", 500) + `":1}`)
	err := json.Decode(text, &v, c, json.Mode{Strict: true})
	if err == nil || !strings.Contains(err.Error(), "takes too many attempts to be held against the pattern ^(a*)") {
		t.Errorf("got %.200v", err)
	}
}
