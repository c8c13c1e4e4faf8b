package json_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/check/schema"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
)

var heldSet = schema.NewSet(map[string]string{
	"not x":    `{"not": {"const": "x"}}`,
	"text":     `{"type": "string"}`,
	"pair":     `{"dependentRequired": {"a": ["b"]}}`,
	"whole":    `{"properties": {"v": {"not": {"const": "x"}}}, "additionalProperties": false}`,
	"readOnly": `{"unevaluatedProperties": false, "properties": {"id": true}}`,
})

var strict = json.Mode{Strict: true}

// violationsOf are the violations of an error: where, and of which rule.
func violationsOf(t *testing.T, err error) []string {
	t.Helper()
	var list *check.Error
	if err == nil {
		return nil
	}
	if !errors.As(err, &list) {
		t.Fatalf("%v is no list of violations", err)
	}
	var out []string
	for _, v := range list.Violations {
		out = append(out, v.Pointer+" "+v.Rule)
	}
	return out
}

// Strict decoders hold what they read to schemas, wherever the value stands; lenient
// ones leave constraints alone.
func TestHeld(t *testing.T) {
	words := json.Slice(json.Map(json.Held(json.String, heldSet.Rule("not x"))))
	for text, want := range map[string][]string{
		`[{"a": "y"}, {"b": "z"}]`: nil,
		`[{"a": "x"}, {"b": "x"}]`: {"/0/a not", "/1/b not"},
		`[{"a/b": "x"}]`:           {"/0/a~1b not"},
		`[{"a": 1}]`:               {"/0/a type"},
	} {
		var v []map[string]string
		err := json.Decode([]byte(text), &v, words, strict)
		if got := violationsOf(t, err); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	var v []map[string]string
	if err := json.Decode([]byte(`[{"a": "x"}]`), &v, words, json.Mode{}); err != nil || v[0]["a"] != "x" {
		t.Errorf("lenient: %v, %q", err, v)
	}
}

// What decoding and a schema both notice is told once.
func TestHeldAndDecoded(t *testing.T) {
	c := json.Slice(json.Held(json.String, heldSet.Rule("text")))
	var v []string
	err := json.Decode([]byte(`[1, "a", null]`), &v, c, strict)
	if got := violationsOf(t, err); !slices.Equal(got, []string{"/0 type", "/2 type"}) {
		t.Errorf("%q", got)
	}
}

// A schema decides between the alternatives of a union like any constraint.
func TestHeldInUnions(t *testing.T) {
	decode := func(text string, mode json.Mode) (got int, err error) {
		got = -1
		c := json.Codec[int]{Decode: func(d *json.Decoder, v *int) {
			u := d.Union()
			var a, b string
			json.TryValue(&u, "Plain", &a, json.Held(json.String, heldSet.Rule("not x")), nil)
			json.TryValue(&u, "Other", &b, json.ConstJSON(json.String, `"x"`), nil)
			*v = u.OneOf()
		}}
		err = json.Decode([]byte(text), &got, c, mode)
		return got, err
	}
	for text, want := range map[string]int{`"y"`: 0, `"x"`: 1} {
		for _, mode := range []json.Mode{strict, {}} {
			if got, err := decode(text, mode); got != want || err != nil {
				t.Errorf("%s: variant %d, %v; want %d", text, got, err, want)
			}
		}
	}
}

// A rule about all of a value makes those of the values inside of no use.
func TestWholeRules(t *testing.T) {
	inner := json.Held(json.String, heldSet.Rule("not x"))
	for _, whole := range []bool{true, false} {
		rule := heldSet.Rule("whole")
		if whole {
			rule = heldSet.Whole("whole")
		}
		var v []map[string]string
		err := json.Decode([]byte(`[{"v": "x"}, {"w": "x"}]`), &v, json.Slice(json.Held(json.Map(inner), rule)), strict)
		want := []string{"/0/v not", "/1/w additionalProperties"}
		if !whole {
			want = append(want, "/1/w not") // of the value, not of its being there
		}
		if got := violationsOf(t, err); !slices.Equal(got, want) {
			t.Errorf("whole %v: %q, want %q", whole, got, want)
		}
	}
}

// pairs is a generated type, as far as this file needs one.
type pairs map[string]string

func (p *pairs) EncodeJSON(e *json.Encoder) { json.EncodeMap(e, *p, json.String) }

func (p *pairs) Validate(c *check.Checker) { json.Hold(c, p, heldSet.Rule("pair")) }

// A value that was read from no text is held to its schemas by the text that it has.
func TestHoldOfValues(t *testing.T) {
	p := pairs{"a": "1"}
	if got := violationsOf(t, check.Body(&p)); !slices.Equal(got, []string{"/b dependentRequired"}) {
		t.Errorf("%q", got)
	}
	if err := check.BodyRead(&p, check.InRequest); err != nil {
		t.Errorf("what was read strictly is held again: %v", err)
	}
	p["b"] = "2"
	if err := check.Body(&p); err != nil {
		t.Error(err)
	}
	delete(p, "b")
	// A parameter is no body: nothing has held its text to the schemas.
	var c check.Checker
	c.Hold(true)
	check.Param(&c, check.InQuery, "filter", &p, (*pairs).Validate)
	list := c.Violations()
	if len(list) != 1 || list[0].In != check.InQuery || list[0].Name != "filter" || list[0].Pointer != "/b" {
		t.Errorf("%+v", list)
	}
}

// The element function of a type without methods stands where the value does.
func TestHolds(t *testing.T) {
	f := check.SliceOf(json.Holds(json.String, heldSet.Rule("not x")))
	var c check.Checker
	words := []string{"y", "x"}
	check.Slice(&c, "words", &words, f)
	if got := violationsOf(t, c.Err()); !slices.Equal(got, []string{"/words/1 not"}) {
		t.Errorf("%q", got)
	}
}

// Between two texts nothing of the rules is kept.
func TestHeldTextIsForgotten(t *testing.T) {
	c := json.Held(json.String, heldSet.Rule("not x"))
	d := json.NewDecoder([]byte(`"x"`), strict)
	var v string
	c.Decode(d, &v)
	if d.Err() == nil {
		t.Error("x is let pass")
	}
	d.Start([]byte(`"y"`), strict)
	c.Decode(d, &v)
	if err := d.Err(); err != nil {
		t.Error(err)
	}
}
