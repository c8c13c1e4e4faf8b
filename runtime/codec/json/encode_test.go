package json_test

import (
	stdjson "encoding/json"
	"errors"
	"math"
	"math/big"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// written returns what write writes.
func written(write func(*json.Encoder)) (string, error) {
	e := json.NewEncoder(nil, json.Mode{})
	write(e)
	text, err := e.Text()
	return string(text), err
}

func TestEncodeScalars(t *testing.T) {
	berlin := time.FixedZone("", 2*3600)
	for want, write := range map[string]func(*json.Encoder){
		`[]`: func(e *json.Encoder) { e.BeginArray(); e.EndArray() },
		`[1,"a",null,true,{}]`: func(e *json.Encoder) {
			e.BeginArray()
			e.Int64(1)
			e.String("a")
			e.Null()
			e.Bool(true)
			e.BeginObject()
			e.EndObject()
			e.EndArray()
		},
		`{"a":[[],[]],"b":{},"":"x,{["}`: func(e *json.Encoder) {
			e.BeginObject()
			e.Key("a").BeginArray()
			e.BeginArray()
			e.EndArray()
			e.BeginArray()
			e.EndArray()
			e.EndArray()
			e.Key("b").BeginObject()
			e.EndObject()
			e.Key("").String("x,{[")
			e.EndObject()
		},
		`-9223372036854775808`:                   func(e *json.Encoder) { e.Int64(math.MinInt64) },
		`18446744073709551615`:                   func(e *json.Encoder) { e.Uint64(math.MaxUint64) },
		`10.10`:                                  func(e *json.Encoder) { e.Number("10.10") },
		`0`:                                      func(e *json.Encoder) { e.Number("") },
		`{"a":[1,2.50,"x y"]}`:                   func(e *json.Encoder) { e.Raw(value.Raw("{ \"a\":\n[1, 2.50,\t\"x y\"] }")) },
		`null`:                                   func(e *json.Encoder) { e.Raw(nil) },
		`"2024-05-14T02:43:39.7551+02:00"`:       func(e *json.Encoder) { e.Time(time.Date(2024, 5, 14, 2, 43, 39, 755_100_000, berlin)) },
		`"2024-02-29"`:                           func(e *json.Encoder) { e.Date(value.Date{Year: 2024, Month: 2, Day: 29}) },
		`"12:00:00Z"`:                            func(e *json.Encoder) { e.TimeOfDay(value.Time{Hour: 12, HasOffset: true}) },
		`"PT1H"`:                                 func(e *json.Encoder) { e.Duration(value.DurationOf(time.Hour)) },
		`"00000000-0000-0000-0000-000000000000"`: func(e *json.Encoder) { e.UUID(value.UUID{}) },
		`"::1"`:                                  func(e *json.Encoder) { e.Addr(netip.IPv6Loopback()) },
		`"aGk="`:                                 func(e *json.Encoder) { e.Bytes([]byte("hi")) },
		`""`:                                     func(e *json.Encoder) { e.Bytes(nil) },
		`"_-8"`:                                  func(e *json.Encoder) { e.Base64URL([]byte{0xff, 0xef}) },
		`"<a href='x'>&\"\\\u0000\b\t\n\f\r\u001f"`: func(e *json.Encoder) { e.String("<a href='x'>&\"\\\x00\b\t\n\f\r\x1f") },
		"\"é😀\ufffd\ufffdx\\u2028\\u2029\u007f\"":   func(e *json.Encoder) { e.String("é😀\xff\xc3x\u2028\u2029\u007f") },
	} {
		if got, err := written(write); err != nil || got != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
}

func TestEncodeFloats(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "-0", 0.1: "0.1", 1: "1", 12: "12", 1.5: "1.5", 1e20: "100000000000000000000", 1e21: "1e+21",
		1e-6: "0.000001", 1e-7: "1e-7", 1.5e-9: "1.5e-9", 1e100: "1e+100", 5e-324: "5e-324", 123456789.125: "123456789.125",
		math.MaxFloat64: "1.7976931348623157e+308", -1e-10: "-1e-10",
	} {
		if got, err := written(func(e *json.Encoder) { e.Float64(v) }); err != nil || got != want {
			t.Errorf("%v: %s, %v; want %s", v, got, err, want)
		}
	}
	if got, err := written(func(e *json.Encoder) { e.Float32(0.1) }); err != nil || got != "0.1" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestEncodeErrorsTellWhere(t *testing.T) {
	for want, write := range map[string]func(*json.Encoder){
		"json: NaN is no JSON number":                    func(e *json.Encoder) { e.Float64(math.NaN()) },
		"json: infinity is no JSON number":               func(e *json.Encoder) { e.Float32(float32(math.Inf(-1))) },
		"json: the time has no RFC 3339 form":            func(e *json.Encoder) { e.Time(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)) },
		"json: the date does not exist":                  func(e *json.Encoder) { e.Date(value.Date{Year: 2023, Month: 2, Day: 29}) },
		"json: the time of day does not exist":           func(e *json.Encoder) { e.TimeOfDay(value.Time{Hour: 24}) },
		"json: the IP address is not set":                func(e *json.Encoder) { e.Addr(netip.Addr{}) },
		"json: the text of the number is no JSON number": func(e *json.Encoder) { e.Number("1,5") },
		"json: the raw value is no JSON text":            func(e *json.Encoder) { e.Raw(value.Raw("{} {}")) },
		"json: no variant of Thing is set":               func(e *json.Encoder) { e.Value(new(thing)) },
		"json: more than one variant of Thing is set":    func(e *json.Encoder) { e.Value(&thing{new(hasFoo), new(hasBar)}) },
		"json: /a~1b/1/c: NaN is no JSON number": func(e *json.Encoder) {
			e.Any(map[string]any{"a/b": []any{1, map[string]any{"b": "x", "c": math.NaN()}}, "z": math.NaN()})
		},
		"json: /0: no variant of Thing is set": func(e *json.Encoder) { json.EncodeSlice(e, []thing{{}}, json.Of[thing]()) },
		"json: /2: no variant of Thing is set": func(e *json.Encoder) {
			json.EncodeSlice(e, []thing{{Foo: new(hasFoo)}, {Bar: new(hasBar)}, {}}, json.Of[thing]())
		},
		"json: /id: the additional property has the name of a declared one": func(e *json.Encoder) {
			e.Value(&order{Created: time.Unix(0, 0).UTC(), Extra: map[string]any{"id": 1}})
			_, err := e.Text()
			if err == nil || !strings.HasPrefix(err.Error(), "json: /id:") {
				panic(err)
			}
		},
	} {
		_, err := written(write)
		var e *json.EncodeError
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	// dst comes back as it was.
	if got, err := json.Append([]byte("x"), new(thing), json.Mode{}); err == nil || string(got) != "x" {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := json.Marshal(new(thing)); err == nil || got != nil {
		t.Errorf("%s, %v", got, err)
	}
}

func TestTagged(t *testing.T) {
	foo := &hasFoo{ID: value.Some("1"), Foo: value.Some("f")}
	for _, test := range []struct{ name, tag, want string }{
		{"kind", "Kite", `[0,{"kind":"Kite","id":"1","foo":"f"}]`},
		{"foo", "g", `[0,{"id":"1","foo":"g"}]`},
		{"id", `a"b`, `[0,{"id":"a\"b","foo":"f"}]`},
		{`@"type`, "x", `[0,{"@\"type":"x","id":"1","foo":"f"}]`},
	} {
		got, err := written(func(e *json.Encoder) {
			e.BeginArray()
			e.Int64(0)
			e.Tagged(test.name, test.tag, foo)
			e.EndArray()
		})
		if err != nil || got != test.want {
			t.Errorf("%s, %v; want %s", got, err, test.want)
		}
	}
	if got, err := written(func(e *json.Encoder) { e.Tagged("kind", "x", new(hasFoo)) }); err != nil || got != `{"kind":"x"}` {
		t.Errorf("%s, %v", got, err)
	}
	s := short("x")
	if _, err := written(func(e *json.Encoder) { e.Tagged("kind", "x", &s) }); err == nil {
		t.Error("a tagged string is no error")
	}
	_, err := written(func(e *json.Encoder) {
		e.BeginObject()
		e.Key("u").Tagged("kind", "x", &order{Extra: map[string]any{"bad": func() {}}})
	})
	if err == nil || !strings.HasPrefix(err.Error(), "json: /u/bad: a value of this Go type has no JSON form") {
		t.Error(err)
	}
}

func TestEncodeAny(t *testing.T) {
	day := value.Date{Year: 2024, Month: 2, Day: 29}
	v := map[string]any{
		"nil": nil, "s": "x", "b": true, "n": value.Number("1.0"), "f": 1.5, "f32": float32(0.1), "i": 1, "i8": int8(-8), "i16": int16(-16),
		"i32": int32(-32), "i64": int64(-64), "u": uint(1), "u8": uint8(8), "u16": uint16(16), "u32": uint32(32), "u64": uint64(64),
		"list": []any{1, "a"}, "map": map[string]any{"b": 1, "a": 2}, "bytes": []byte("hi"), "raw": value.Raw(`{ }`),
		"time": time.Unix(0, 0).UTC(), "addr": netip.IPv6Loopback(), "strings": []string{"a"}, "labels": map[string]string{"k": "v"},
		"own": &line{"s", 1}, "std": value.Some(3), "text": day, "big": big.NewInt(7),
	}
	const want = `{"addr":"::1","b":true,"big":7,"bytes":"aGk=","f":1.5,"f32":0.1,"i":1,"i16":-16,"i32":-32,"i64":-64,"i8":-8,` +
		`"labels":{"k":"v"},"list":[1,"a"],"map":{"a":2,"b":1},"n":1.0,"nil":null,"own":{"sku":"s","qty":1},"raw":{},"s":"x","std":3,` +
		`"strings":["a"],"text":"2024-02-29","time":"1970-01-01T00:00:00Z","u":1,"u16":16,"u32":32,"u64":64,"u8":8}`
	if got, err := written(func(e *json.Encoder) { e.Any(v) }); err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []any{struct{}{}, make(chan int), value.Date{}, value.Number("x")} {
		if got, err := written(func(e *json.Encoder) { e.Any(bad) }); err == nil {
			t.Errorf("%T: %s", bad, got)
		}
	}
	loop := map[string]any{}
	loop["loop"] = loop
	if _, err := written(func(e *json.Encoder) { e.Any(loop) }); err == nil {
		t.Error("a map that contains itself is no error")
	}
	list := []any{nil}
	list[0] = list
	if _, err := written(func(e *json.Encoder) { e.Any(list) }); err == nil {
		t.Error("a list that contains itself is no error")
	}
}

func TestForeignTypes(t *testing.T) {
	for _, test := range []struct {
		text string
		fail string
		c    json.Codec[big.Int]
	}{
		{`123456789012345678901234567890`, `"x"`, json.Std[big.Int]()},
		{`"123456789012345678901234567890"`, `"x"`, json.Text[big.Int]("a big integer")},
		{`"123456789012345678901234567890"`, `"x"`, json.Foreign[big.Int](true)},
		{`123456789012345678901234567890`, `"x"`, json.Foreign[big.Int](false)},
	} {
		var n big.Int
		if err := json.Decode([]byte(test.text), &n, test.c, json.Mode{}); err != nil || n.String() != strings.Trim(test.text, `"`) {
			t.Errorf("%s: %s, %v", test.text, n.String(), err)
		}
		if got, err := json.Encode(nil, &n, test.c, json.Mode{}); err != nil || string(got) != test.text {
			t.Errorf("%s: %s, %v", test.text, got, err)
		}
		var e *json.InvalidError
		if err := json.Decode([]byte(test.fail), &n, test.c, json.Mode{}); !errors.As(err, &e) {
			t.Errorf("%s: %v", test.fail, err)
		}
	}
}

func TestFieldCodecs(t *testing.T) {
	type pair struct {
		Nil  []int64
		Map  map[string]int64
		Ptr  *int64
		Kind string
		List []string
	}
	nilList, nilMap, nilPtr := json.Nil(json.Slice(json.Int64)), json.NilMap(json.Map(json.Int64)), json.NilPtr(json.Int64)
	kind, list := json.Const(json.String, "k", `"k"`), json.ConstJSON(json.Slice(json.String), `["a","b"]`)
	write := func(v *pair) string {
		got, err := written(func(e *json.Encoder) {
			e.BeginArray()
			nilList.Encode(e, &v.Nil)
			nilMap.Encode(e, &v.Map)
			nilPtr.Encode(e, &v.Ptr)
			kind.Encode(e, &v.Kind)
			list.Encode(e, &v.List)
			json.Nothing.Encode(e, nil)
			e.EndArray()
		})
		if err != nil {
			t.Error(err)
		}
		return got
	}
	read := func(v *pair) func(*json.Decoder) {
		return func(d *json.Decoder) {
			steps := []func(){
				func() { nilList.Decode(d, &v.Nil) }, func() { nilMap.Decode(d, &v.Map) }, func() { nilPtr.Decode(d, &v.Ptr) },
				func() { kind.Decode(d, &v.Kind) }, func() { list.Decode(d, &v.List) }, func() { json.Nothing.Decode(d, nil) },
			}
			for d.Array(); d.NextItem(); {
				steps[d.Index()]()
			}
		}
	}
	var v pair
	expect(t, problems(t, `[null,null,null,"k",["a", "b"],null]`, read(&v), json.Mode{}))
	if got := write(&v); v.Nil != nil || v.Map != nil || v.Ptr != nil || got != `[null,null,null,"k",["a","b"],null]` {
		t.Errorf("%+v, %s", v, got)
	}
	expect(t, problems(t, `[[1],{"a":1},5,"x",["b"],0]`, read(&v), json.Mode{}),
		`/3: must be "k"`, `/4: must be ["a","b"]`, "/5: must be null, is a number")
	if got := write(&v); got != `[[1],{"a":1},5,"k",["a","b"],null]` {
		t.Error(got)
	}
	if got := json.ValueOf(json.Slice(json.Int64), `[1,2]`); len(got) != 2 || got[1] != 2 {
		t.Error(got)
	}
	if got := json.ValueOf(json.Int64, `"x"`); got != 0 {
		t.Error(got)
	}
	if _, err := json.Encode(nil, new(struct{}), json.Never, json.Mode{}); err == nil {
		t.Error("Never writes something")
	}
}

func TestEqual(t *testing.T) {
	for _, pair := range [][2]string{
		{`1`, `1.0`}, {`1e2`, `100`}, {`{"a":1,"b":2}`, `{"b":2.0,"a":1}`}, {`[1,{"x":null}]`, `[ 1.0 , {"x":null} ]`}, {`"\u0061"`, `"a"`},
		{`-0`, `0`}, {`{"a":{"b":1,"c":2}}`, `{"a":{"c":2,"b":1}}`},
	} {
		if !json.Equal([]byte(pair[0]), []byte(pair[1])) {
			t.Errorf("%s and %s", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{
		{`1`, `"1"`}, {`1`, `true`}, {`0`, `false`}, {`null`, `0`}, {`[1,2]`, `[2,1]`}, {`{"a":1}`, `{"a":1,"b":1}`}, {`[]`, `{}`},
		{`9007199254740993`, `9007199254740992`}, {`x`, `x`}, {`[[1],2]`, `[1,[2]]`}, {`{"a":"b"}`, `["a","b"]`}, {`"a"`, `"A"`},
	} {
		if json.Equal([]byte(pair[0]), []byte(pair[1])) {
			t.Errorf("%s and %s", pair[0], pair[1])
		}
	}
}

// TestEncodingJSONReadsWhatIsWritten covers strings of every byte.
func TestEncodingJSONReadsWhatIsWritten(t *testing.T) {
	for r := range rune(0x3000) {
		s := "a" + string(r) + "b"
		text, err := json.Encode(nil, &s, json.String, json.Mode{})
		var back string
		if err != nil || stdjson.Unmarshal(text, &back) != nil || back != s {
			t.Fatalf("%q is written %s, %v", s, text, err)
		}
	}
}
