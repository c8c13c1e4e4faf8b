package json_test

import (
	"reflect"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/value"
)

func TestComposedCodecs(t *testing.T) {
	scores := json.Slice(json.Map(json.Null(json.Int32)))
	const text = `[{"a":1,"b":null},{},{"c":-3}]`
	var v []map[string]value.Null[int32]
	if err := json.Decode([]byte(text), &v, scores, json.Mode{}); err != nil {
		t.Fatal(err)
	}
	want := []map[string]value.Null[int32]{{"a": value.NotNull(int32(1)), "b": {}}, {}, {"c": value.NotNull(int32(-3))}}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("%+v", v)
	}
	if got, err := json.Encode([]byte("x"), &v, scores, json.Mode{}); err != nil || string(got) != "x"+text {
		t.Errorf("%s, %v", got, err)
	}
	expect(t, problems(t, `[{"a":"1"},{"b":{}},[]]`, func(d *json.Decoder) { scores.Decode(d, &v) }, json.Mode{}),
		"/0/a: must be an integer, is a string", "/1/b: must be an integer, is an object", "/2: must be an object, is an array")

	v = []map[string]value.Null[int32]{{"old": {}}}
	shared := v
	if err := json.Decode([]byte(`[]`), &v, scores, json.Mode{}); err != nil || v == nil || len(v) != 0 || len(shared[0]) != 1 {
		t.Errorf("%#v, %v", v, err)
	}
	// Elements start from nothing, also in maps.
	lines := json.Map(json.Of[line]())
	var m map[string]line
	err := json.Decode([]byte(`{"a":{"sku":"s","qty":1},"b":{"sku":"t"}}`), &m, lines, json.Mode{})
	if err == nil || err.Error() != "json: /b/qty: is missing" || m["b"].Qty != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	p := json.Ptr(json.String)
	var s *string
	if err := json.Decode([]byte(`"x"`), &s, p, json.Mode{}); err != nil || *s != "x" {
		t.Error(err)
	}
}

func TestTuples(t *testing.T) {
	read := func(d *json.Decoder) {
		var n int64
		var s string
		for d.Array(); d.NextItem(); {
			switch d.Index() {
			case 0:
				n = d.Int64()
			case 1:
				s = d.String()
			default:
				d.TooMany(2)
			}
		}
		_, _ = n, s
	}
	expect(t, problems(t, `[1,"a"]`, read, json.Mode{}))
	expect(t, problems(t, `[1,"a",[2],3]`, read, json.Mode{}),
		"/2: is one item too many: the array has at most 2", "/3: is one item too many: the array has at most 2")
	expect(t, problems(t, `[[],{"a":[1]}]`, read, json.Mode{}), "/0: must be an integer, is an array", "/1: must be a string, is an object")
}

func TestGeneratedChecks(t *testing.T) {
	expect(t, problems(t, `{"never":1,"n":5}`, func(d *json.Decoder) {
		for d.Object(); d.NextKey(); {
			switch d.Key() {
			case "never":
				d.Never()
			case "n":
				d.Const(d.Int64() == 4, "4")
				d.Fail("other", "is reported once only")
			}
		}
		d.Missing("m")
		d.Fail("minProperties", "must have at least 3 properties, has 2")
	}, json.Mode{}), "/m: is missing", ": must have at least 3 properties, has 2", "/never: must not be present", "/n: must be 4")
	expect(t, problems(t, `1`, func(d *json.Decoder) { d.ReadNull() }, json.Mode{}), ": must be null, is a number")
	expect(t, problems(t, `null`, func(d *json.Decoder) { d.ReadNull() }, json.Mode{}))
	expect(t, problems(t, `{}`, func(d *json.Decoder) { d.Mismatch("boolean, string, number or array") }, json.Mode{}),
		": must be boolean, string, number or array, is an object")
}
