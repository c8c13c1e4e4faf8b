package json_test

import (
	stdjson "encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// problems decodes text and returns "pointer: detail" of each violation.
func problems(t *testing.T, text string, read func(*json.Decoder), mode json.Mode) []string {
	t.Helper()
	d := json.NewDecoder([]byte(text), mode)
	read(d)
	d.End()
	var invalid *json.InvalidError
	if err := d.Err(); err != nil && !errors.As(err, &invalid) {
		t.Fatalf("%s: %v", text, err)
	}
	var lines []string
	for _, v := range d.Violations() {
		if v.In != check.InBody || v.Rule == "" {
			t.Errorf("%+v", v)
		}
		lines = append(lines, v.Pointer+": "+v.Detail)
	}
	return lines
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\ngot  %q\nwant %q", got, want)
	}
}

const orderText = `{"id":"o-1","customer":"f81d4fae-7dec-11d0-a765-00a0c91e6bf6","status":"open",` +
	`"created":"2024-05-14T02:43:39.7551+02:00","total":19.99,"currency":"EUR","paid":false,"version":9007199254740993,` +
	`"note":"n","coupon":null,"email":null,"due":"2024-02-29","priority":-3,` +
	`"lines":[{"sku":"a","qty":1},{"sku":"b","qty":2}],"labels":{"x":"1","y":"2"},"free":[1,{"a":null}]}`

func TestDecodeAndEncodeOrder(t *testing.T) {
	var v order
	if err := json.UnmarshalMode([]byte(orderText), &v, json.Mode{Strict: true}); err != nil {
		t.Fatal(err)
	}
	want := order{
		ID:       "o-1",
		Customer: value.UUID{0xf8, 0x1d, 0x4f, 0xae, 0x7d, 0xec, 0x11, 0xd0, 0xa7, 0x65, 0x00, 0xa0, 0xc9, 0x1e, 0x6b, 0xf6},
		Status:   "open", Created: v.Created, Total: 19.99, Currency: "EUR", Version: 9007199254740993,
		Note: value.Some("n"), Coupon: value.NullOf[string](), Due: value.Some(value.Date{Year: 2024, Month: 2, Day: 29}),
		Priority: value.Some(int32(-3)), Lines: []line{{"a", 1}, {"b", 2}}, Labels: map[string]string{"x": "1", "y": "2"},
		Extra: map[string]any{"free": []any{value.Number("1"), map[string]any{"a": nil}}},
	}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("%+v", v)
	}
	if at := time.Date(2024, 5, 14, 0, 43, 39, 755_100_000, time.UTC); !v.Created.Equal(at) {
		t.Errorf("created %v", v.Created)
	}
	got, err := json.Marshal(&v)
	if err != nil || string(got) != orderText {
		t.Errorf("%s, %v", got, err)
	}
	// The same through encoding/json.
	var std order
	if err := stdjson.Unmarshal([]byte(orderText), &std); err != nil || !reflect.DeepEqual(std, v) {
		t.Errorf("encoding/json: %+v, %v", std, err)
	}
	if got, err := stdjson.Marshal([]order{v}); err != nil || string(got) != "["+orderText+"]" {
		t.Errorf("encoding/json: %s, %v", got, err)
	}
}

func TestOnePassFindsAllViolations(t *testing.T) {
	const text = `{
		"id": 7, "customer": "x", "status": "gone", "created": "2024-05-14", "total": "1", "version": 1.5, "note": null,
		"coupon": 1, "priority": 2147483648, "lines": [{"sku": "a", "qty": 1}, {"qty": "1", "z": 0}, 5], "labels": {"a/b~c": 1, "ok": ""}
	}`
	strict := problems(t, text, func(d *json.Decoder) { new(order).DecodeJSON(d) }, json.Mode{Strict: true})
	expect(t, strict,
		"/email: is missing",
		"/id: must be a string, is a number",
		"/customer: must be a UUID",
		`/status: is "gone", must be one of "open", "closed"`,
		"/created: must be an RFC 3339 date-time",
		"/total: must be a number, is a string",
		"/version: must be an integer, has a fraction",
		"/note: must be a string, is null",
		"/coupon: must be a string, is a number",
		"/priority: must fit a signed 32-bit integer",
		"/lines/1/sku: is missing",
		"/lines/1/qty: must be an integer, is a string",
		"/lines/1/z: is not a known property",
		"/lines/2: must be an object, is a number",
		"/labels/a~1b~0c: must be a string, is a number",
	)
	lenient := problems(t, text, func(d *json.Decoder) { new(order).DecodeJSON(d) }, json.Mode{})
	if len(lenient) != len(strict)-2 {
		t.Errorf("a lenient decoder minds the enum or the closed object: %q", lenient)
	}
	err := json.Unmarshal([]byte(`{"id":1,"lines":[]}`), new(order))
	if err == nil || err.Error() != "json: /customer: is missing; /email: is missing; /id: must be a string, is a number" {
		t.Error(err)
	}
	var e *check.Error
	if !errors.As(err, &e) || len(e.Violations) != 3 || e.Violations[0].Rule != "required" {
		t.Errorf("%+v", e)
	}
}

func TestTheRootHasAPointerToo(t *testing.T) {
	read := func(d *json.Decoder) { new(order).DecodeJSON(d) }
	expect(t, problems(t, ` [1] `, read, json.Mode{}), ": must be an object, is an array")
	expect(t, problems(t, `null`, read, json.Mode{}), ": must be an object, is null")
	err := json.Unmarshal([]byte(`3`), new(order))
	if err == nil || err.Error() != "json: the value: must be an object, is a number" {
		t.Error(err)
	}
}

func TestRepeatedMembers(t *testing.T) {
	const text = `{"sku":"a","qty":1,"\u0073ku":"b","qty":2}`
	var v line
	if err := json.Unmarshal([]byte(text), &v); err != nil || v != (line{"b", 2}) {
		t.Errorf("lenient: the last wins: %+v, %v", v, err)
	}
	read := func(d *json.Decoder) { new(line).DecodeJSON(d) }
	expect(t, problems(t, text, read, json.Mode{Strict: true}), "/sku: is there more than once", "/qty: is there more than once")

	// Names that are many, and equal names in objects inside one another.
	var b strings.Builder
	b.WriteString(`{"a":{"a":{"a":1}}`)
	for i := range 200 {
		b.WriteString(`,"k` + strings.Repeat("x", i) + `":{"a":1}`)
	}
	unique := b.String() + "}"
	readAny := func(d *json.Decoder) { d.Any() }
	expect(t, problems(t, unique, readAny, json.Mode{Strict: true}))
	expect(t, problems(t, b.String()+`,"kxx":1,"a":2}`, readAny, json.Mode{Strict: true}),
		"/kxx: is there more than once", "/a: is there more than once")
}

func TestDirections(t *testing.T) {
	read := func(d *json.Decoder) { new(account).DecodeJSON(d) }
	request, response := json.Mode{Direction: json.Request}, json.Mode{Direction: json.Response}
	expect(t, problems(t, `{"email":"a@example.test","password":"p"}`, read, request))
	expect(t, problems(t, `{"id":"1","email":"a@example.test"}`, read, response))
	expect(t, problems(t, `{"email":"a@example.test"}`, read, response), "/id: is missing")
	expect(t, problems(t, `{"email":"a@example.test"}`, read, json.Mode{}), "/id: is missing", "/password: is missing")
	var v account
	if err := json.UnmarshalMode([]byte(`{"id":"evil","email":"e","password":"p"}`), &v, request); err != nil || v.ID != "" {
		t.Errorf("a caller sets a readOnly member: %+v, %v", v, err)
	}
	v = account{"1", "e", "p"}
	for mode, want := range map[json.Mode]string{
		request: `{"email":"e","password":"p"}`, response: `{"id":"1","email":"e"}`, {}: `{"id":"1","email":"e","password":"p"}`,
	} {
		if got, err := json.Append(nil, &v, mode); err != nil || string(got) != want {
			t.Errorf("%+v: %s, %v", mode, got, err)
		}
	}
}

func TestIntegers(t *testing.T) {
	int64s := func(d *json.Decoder) { d.Int64() }
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "1e3": 1000, "1.0": 1, "9007199254740993": 9007199254740993, "-9223372036854775808": math.MinInt64,
		"9223372036854775807": math.MaxInt64, "123456789012345678": 123456789012345678, "-5": -5, "10e-1": 1,
	} {
		d := json.NewDecoder([]byte(text), json.Mode{})
		if got := d.Int64(); got != want || d.Err() != nil {
			t.Errorf("%s: %d, %v", text, got, d.Err())
		}
	}
	for text, want := range map[string]string{
		"1.5": ": must be an integer, has a fraction", `"1"`: ": must be an integer, is a string", "null": ": must be an integer, is null",
		"9223372036854775808": ": must fit a signed 64-bit integer", "-9223372036854775809": ": must fit a signed 64-bit integer",
		"1e99999999999999999": ": must fit a signed 64-bit integer", "1e-5": ": must be an integer, has a fraction",
	} {
		expect(t, problems(t, text, int64s, json.Mode{}), want)
	}
	d := json.NewDecoder([]byte("18446744073709551615"), json.Mode{})
	if got := d.Uint64(); got != math.MaxUint64 || d.Err() != nil {
		t.Errorf("%d, %v", got, d.Err())
	}
	for _, text := range []string{"-1", "18446744073709551616", "-18446744073709551616"} {
		expect(t, problems(t, text, func(d *json.Decoder) { d.Uint64() }, json.Mode{}), ": must fit an unsigned 64-bit integer")
	}
	for name, test := range map[string]struct {
		read     func(*json.Decoder)
		low, top string
		under    string
		over     string
	}{
		"a signed 32-bit integer":    {func(d *json.Decoder) { d.Int32() }, "-2147483648", "2147483647", "-2147483649", "2147483648"},
		"a signed 16-bit integer":    {func(d *json.Decoder) { d.Int16() }, "-32768", "32767", "-32769", "32768"},
		"a signed 8-bit integer":     {func(d *json.Decoder) { d.Int8() }, "-128", "127", "-129", "128"},
		"an unsigned 32-bit integer": {func(d *json.Decoder) { d.Uint32() }, "0", "4294967295", "4294967296", "4294967296"},
		"an unsigned 16-bit integer": {func(d *json.Decoder) { d.Uint16() }, "0", "65535", "65536", "65536"},
		"an unsigned 8-bit integer":  {func(d *json.Decoder) { d.Uint8() }, "0", "255", "256", "1e9"},
	} {
		expect(t, problems(t, test.low, test.read, json.Mode{}))
		expect(t, problems(t, test.top, test.read, json.Mode{}))
		expect(t, problems(t, test.under, test.read, json.Mode{}), ": must fit "+name)
		expect(t, problems(t, test.over, test.read, json.Mode{}), ": must fit "+name)
	}
	expect(t, problems(t, "123456789012345678901234567890", func(d *json.Decoder) {
		if n := d.Integer(); n != "123456789012345678901234567890" {
			t.Error(n)
		}
	}, json.Mode{}))
	expect(t, problems(t, "1.5", func(d *json.Decoder) { d.Integer() }, json.Mode{}), ": must be an integer, has a fraction")
}

func TestFloats(t *testing.T) {
	expect(t, problems(t, "1e400", func(d *json.Decoder) { d.Float64() }, json.Mode{}), ": must fit a 64-bit float")
	expect(t, problems(t, "1e39", func(d *json.Decoder) { d.Float32() }, json.Mode{}), ": must fit a 32-bit float")
	expect(t, problems(t, `"NaN"`, func(d *json.Decoder) { d.Float64() }, json.Mode{}), ": must be a number, is a string")
	d := json.NewDecoder([]byte("1e-400"), json.Mode{})
	if got := d.Float64(); got != 0 || d.Err() != nil {
		t.Errorf("%v, %v", got, d.Err())
	}
}

func TestFormats(t *testing.T) {
	for name, test := range map[string]struct {
		read     func(*json.Decoder)
		ok, fail string
	}{
		"an RFC 3339 date-time": {func(d *json.Decoder) { d.Time() }, "2024-01-02T03:04:05Z", "2024-01-02T03:04:60Z"},
		"an RFC 3339 date":      {func(d *json.Decoder) { d.Date() }, "2024-02-29", "10000-01-01"},
		"an RFC 3339 time":      {func(d *json.Decoder) { d.TimeOfDay() }, "12:00:00", "12:00"},
		"an ISO 8601 duration":  {func(d *json.Decoder) { d.Duration() }, "P1Y", "1y"},
		"a UUID":                {func(d *json.Decoder) { d.UUID() }, "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "f81d4fae"},
		"an IP address":         {func(d *json.Decoder) { d.Addr() }, "::1", "::1%eth0"},
		"an IPv4 address":       {func(d *json.Decoder) { d.Addr4() }, "127.0.0.1", "::1"},
		"an IPv6 address":       {func(d *json.Decoder) { d.Addr6() }, "::1", "127.0.0.1"},
		"base64 text":           {func(d *json.Decoder) { d.Bytes() }, "aGk=", "aGk"},
		"base64url text":        {func(d *json.Decoder) { d.Base64URL() }, "_-8", "/+8"},
	} {
		expect(t, problems(t, `"`+test.ok+`"`, test.read, json.Mode{}))
		expect(t, problems(t, `"`+test.fail+`"`, test.read, json.Mode{}), ": must be "+name)
		expect(t, problems(t, `1`, test.read, json.Mode{}), ": must be a string, is a number")
	}
	expect(t, problems(t, `"aG\nk="`, func(d *json.Decoder) { d.Bytes() }, json.Mode{}), ": must be base64 text")
	d := json.NewDecoder([]byte(`""`), json.Mode{})
	if b := d.Bytes(); b == nil || len(b) != 0 {
		t.Errorf("empty base64: %#v", b)
	}
}

func TestStrings(t *testing.T) {
	for text, want := range map[string]string{
		`"\"\\\/\b\f\n\r\t"`: "\"\\/\b\f\n\r\t", `"\u00e9\u4e2d"`: "é中", `"a\uD83D\uDE00b"`: "a😀b", `"\ud800"`: "\ufffd",
		`"\ud800\ud83d\ude00"`: "\ufffd😀", `"\ude00x"`: "\ufffdx", `"\u0000"`: "\x00", `"é😀"`: "é😀",
	} {
		d := json.NewDecoder([]byte(text), json.Mode{})
		if got := d.String(); got != want || d.Err() != nil {
			t.Errorf("%s: %q, %v", text, got, d.Err())
		}
	}
	data := []byte(`"before"`)
	d := json.NewDecoder(data, json.Mode{})
	got := d.String()
	copy(data, `"after!"`)
	if got != "before" {
		t.Errorf("the string changes with the input: %q", got)
	}
}

func TestViolationsAreBounded(t *testing.T) {
	text := "[" + strings.Repeat(`"x",`, 999) + `"x"]`
	var v []int64
	err := json.Decode([]byte(text), &v, json.Slice(json.Int64), json.Mode{})
	var e *json.InvalidError
	if !errors.As(err, &e) || len(e.Violations) != check.MaxViolations || len(v) != 1000 {
		t.Fatalf("%v", err)
	}
	if last := e.Violations[len(e.Violations)-1]; last.Pointer != "/99" {
		t.Errorf("%+v", last)
	}
}

// TestManyRequiredMembers has more than one table's worth.
func TestManyRequiredMembers(t *testing.T) {
	names := make([]string, 70)
	for i := range names {
		names[i] = "m" + strings.Repeat("x", i)
	}
	first, second := json.Members{Names: names[:64], Required: ^uint64(0)}, json.Members{Names: names[64:], Required: 1<<6 - 1}
	read := func(d *json.Decoder) {
		var seen0, seen1 uint64
		for d.Object(); d.NextKey(); {
			for i, name := range names {
				if name == d.Key() && i < 64 {
					seen0 |= 1 << i
				} else if name == d.Key() {
					seen1 |= 1 << (i - 64)
				}
			}
			d.Skip()
		}
		d.Require(seen0, &first)
		d.Require(seen1, &second)
	}
	var b strings.Builder
	for i, name := range names {
		if i != 63 && i != 64 {
			b.WriteString(`,"` + name + `":0`)
		}
	}
	expect(t, problems(t, "{"+b.String()[1:]+"}", read, json.Mode{}), "/"+names[63]+": is missing", "/"+names[64]+": is missing")
	expect(t, problems(t, "5", read, json.Mode{}), ": must be an object, is a number")
}

func TestHostileMemberNames(t *testing.T) {
	want := map[string]string{
		"-": "1", "a,omitempty": "2", `say "hi"`: "3", `back\slash`: "4", "tick`tick": "5", "two words": "6", "$ref_like": "7",
		"@type": "8", "3d": "9", "": "10", "ID": "11", "id": "12", "é\n": "13",
	}
	text, err := json.Encode(nil, &want, json.Map(json.String), json.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	var got, std map[string]string
	if err := json.Decode(text, &got, json.Map(json.String), json.Mode{Strict: true}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if err := stdjson.Unmarshal(text, &std); err != nil || !reflect.DeepEqual(std, want) {
		t.Errorf("%q, %v", std, err)
	}
}

// TestMisuseEnds: a loop that forgets to read its value, or reads without an
// open container, ends in an error and not in a hang or a panic.
func TestMisuseEnds(t *testing.T) {
	for _, text := range []string{`{"a":1,"b":2}`, `[1,2]`, `}`, `]`, `,`, `:`, `1`} {
		for _, misuse := range []func(*json.Decoder){
			func(d *json.Decoder) {
				for d.Object(); d.NextKey(); {
				}
			},
			func(d *json.Decoder) {
				for d.Array(); d.NextItem(); {
				}
			},
			func(d *json.Decoder) {
				d.NextKey()
				d.NextItem()
				d.NextKey()
				d.Index()
				d.Require(0, new(json.Members))
			},
			func(d *json.Decoder) {
				for d.Array(); d.NextKey(); {
					d.Skip()
				}
			},
		} {
			d := json.NewDecoder([]byte(text), json.Mode{Strict: true})
			misuse(d)
			d.End()
			_ = d.Err()
		}
	}
	var zero json.Decoder
	zero.Skip()
	if zero.Err() == nil {
		t.Error("the zero Decoder reads a value")
	}
}
