package json_test

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// stdMaxDepth is encoding/json's own bound.
const stdMaxDepth = 10_000

var deepMode = json.Mode{MaxDepth: stdMaxDepth}

func seed(f *testing.F) {
	f.Helper()
	for _, text := range accepted {
		f.Add([]byte(text))
	}
	for _, text := range refused {
		f.Add([]byte(text))
	}
	for _, text := range []string{
		orderText, `{"id":1,"lines":[{"sku":"a"}],"labels":{"\u0061/~":1}}`, `{"foo":"f","bar":1}`, `{"value":1e3,"kids":[{},{"next":{}}]}`,
		`0.1`, `1.7976931348623157e308`, `4.9e-324`, `2.2250738585072011e-308`, `1e23`, `123456789012345678901234567890`,
	} {
		f.Add([]byte(text))
	}
}

// FuzzDecode holds every way of reading against encoding/json: which texts are
// JSON, and what they mean.
func FuzzDecode(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		valid := utf8.Valid(data) && stdjson.Valid(data)
		for name, read := range through {
			for _, mode := range []json.Mode{deepMode, {MaxDepth: stdMaxDepth, Strict: true, Direction: json.Request}} {
				d := json.NewDecoder(data, mode)
				read(d)
				d.End()
				var broken *json.SyntaxError
				err := d.Err()
				if errors.As(err, &broken); (broken == nil) != valid && !errors.Is(err, json.ErrWork) {
					t.Fatalf("%s, %+v: %q: %v, encoding/json says %v", name, mode, data, err, valid)
				}
				if broken != nil && (broken.Offset < 0 || broken.Offset > len(data) || broken.Line < 1 || broken.Column < 1) {
					t.Fatalf("%q: %+v", data, broken)
				}
				if valid {
					checkPointers(t, data, d)
				}
			}
		}
		if !valid {
			return
		}
		var got any
		if err := json.Decode(data, &got, json.Any, deepMode); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		want := decodeStd(t, data)
		if !same(got, want) {
			t.Fatalf("%q: %#v, encoding/json has %#v", data, got, want)
		}
		checkFloats(t, data, want)
	})
}

func decodeStd(t *testing.T, data []byte) any {
	t.Helper()
	std := stdjson.NewDecoder(bytes.NewReader(data))
	std.UseNumber()
	var v any
	if err := std.Decode(&v); err != nil {
		t.Fatal(err)
	}
	if _, err := std.Token(); err != io.EOF {
		t.Fatal(err)
	}
	return v
}

// same compares what Any returns with what encoding/json does.
func same(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok || len(got) != len(want) {
			return false
		}
		for name, v := range want {
			if w, ok := got[name]; !ok || !same(w, v) {
				return false
			}
		}
		return true
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			return false
		}
		for i := range want {
			if !same(got[i], want[i]) {
				return false
			}
		}
		return true
	case stdjson.Number:
		return got == value.Number(want)
	default:
		return got == want
	}
}

// checkFloats compares numbers bit by bit, and integers with math.
func checkFloats(t *testing.T, data []byte, v any) {
	t.Helper()
	n, ok := v.(stdjson.Number)
	if !ok {
		return
	}
	var got, want float64
	err, stdErr := json.Decode(data, &got, json.Float64, json.Mode{}), stdjson.Unmarshal(data, &want)
	if (err == nil) != (stdErr == nil) || err == nil && math.Float64bits(got) != math.Float64bits(want) {
		t.Fatalf("%s: %v (%v), encoding/json has %v (%v)", n, got, err, want, stdErr)
	}
	var got32, want32 float32
	err, stdErr = json.Decode(data, &got32, json.Float32, json.Mode{}), stdjson.Unmarshal(data, &want32)
	if (err == nil) != (stdErr == nil) || err == nil && math.Float32bits(got32) != math.Float32bits(want32) {
		t.Fatalf("%s: %v (%v), encoding/json has %v (%v)", n, got32, err, want32, stdErr)
	}
	var integer, stdInteger int64
	err, stdErr = json.Decode(data, &integer, json.Int64, json.Mode{}), stdjson.Unmarshal(data, &stdInteger)
	if stdErr == nil && (err != nil || integer != stdInteger) {
		t.Fatalf("%s: %d (%v), encoding/json has %d", n, integer, err, stdInteger)
	}
	if stdErr == nil || err != nil {
		return
	}
	// encoding/json refuses 1.0 and 1e3, which are integers.
	if exact, convErr := value.Number(n).Int64(); convErr != nil || exact != integer {
		t.Fatalf("%s: %d, %v", n, integer, convErr)
	}
}

// checkPointers follows the pointer of each violation into the text. In a text
// that has a member twice, and in the tree once, it may lead nowhere.
func checkPointers(t *testing.T, data []byte, d *json.Decoder) {
	t.Helper()
	violations := d.Violations()
	if len(violations) == 0 || repeated(data) {
		return
	}
	root := decodeStd(t, data)
	for _, v := range violations {
		steps := strings.Split(v.Pointer, "/")[1:]
		if v.Rule == "required" || v.Rule == "discriminator" {
			steps = steps[:len(steps)-1] // the member is not there
		}
		at := root
		for _, step := range steps {
			next, ok := child(at, step)
			if !ok {
				t.Fatalf("%q: %q leads nowhere (%s)", data, v.Pointer, v.Detail)
			}
			at = next
		}
	}
}

func child(v any, step string) (any, bool) {
	step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
	switch v := v.(type) {
	case map[string]any:
		c, ok := v[step]
		return c, ok
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i < len(v) {
			return v[i], true
		}
	}
	return nil, false
}

// repeated reports whether an object of the text has a member twice.
func repeated(data []byte) bool {
	d := json.NewDecoder(data, json.Mode{Strict: true, MaxDepth: stdMaxDepth})
	d.Any()
	return d.Err() != nil
}

// FuzzRoundTrip: what was read is written, and reads back as the same.
func FuzzRoundTrip(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		roundTrip(t, data, json.Any)
		roundTrip(t, data, json.Of[order]())
		roundTrip(t, data, json.Of[contact]())
		roundTrip(t, data, json.Of[node]())
		roundTrip(t, data, json.Float64)
		roundTrip(t, data, json.Float32)
		roundTrip(t, data, json.Time)
		roundTrip(t, data, json.Duration)
		roundTrip(t, data, json.Bytes)
		roundTrip(t, data, json.Raw)
		roundTrip(t, data, json.Map(json.Slice(json.Null(json.String))))
	})
}

func roundTrip[T any](t *testing.T, data []byte, c json.Codec[T]) {
	t.Helper()
	var v, back T
	if json.Decode(data, &v, c, json.Mode{}) != nil {
		return
	}
	if n, ok := any(&v).(*node); ok && hasTree(n) {
		return // a tree is for reading only
	}
	text, err := json.Encode(nil, &v, c, json.Mode{})
	if err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	if !stdjson.Valid(text) || !utf8.Valid(text) {
		t.Fatalf("%q is written %q", data, text)
	}
	if err := json.Decode(text, &back, c, json.Mode{Strict: false}); err != nil {
		t.Fatalf("%q is written %q: %v", data, text, err)
	}
	again, err := json.Encode(nil, &back, c, json.Mode{})
	if err != nil || !bytes.Equal(text, again) {
		t.Fatalf("%q is written %q, then %q, %v", data, text, again, err)
	}
	if _, raw := any(v).(value.Raw); !raw && !reflect.DeepEqual(v, back) {
		t.Fatalf("%q is written %q: %#v, %#v", data, text, v, back)
	}
}

func hasTree(n *node) bool {
	if n == nil {
		return false
	}
	for i := range n.Kids {
		if hasTree(&n.Kids[i]) {
			return true
		}
	}
	return n.Other != nil || hasTree(n.Next)
}
