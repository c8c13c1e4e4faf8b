package json_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/value"
)

func TestOneOf(t *testing.T) {
	var v thing
	if err := json.Unmarshal([]byte(`{"id":"1","foo":"f"}`), &v); err != nil || v.Foo == nil || v.Bar != nil || v.Foo.Foo.Or("") != "f" {
		t.Errorf("%+v, %v", v, err)
	}
	if err := json.Unmarshal([]byte(`{"id":"1","bar":"b","extra":1}`), &v); err != nil || v.Foo != nil || v.Bar == nil {
		t.Errorf("%+v, %v", v, err)
	}
	read := func(d *json.Decoder) { new(thing).DecodeJSON(d) }
	for text, want := range map[string]string{
		`{"id":"1"}`:                     ": matches none of HasFoo, HasBar: missing foo / missing bar",
		`{"id":"1","foo":"f","bar":"b"}`: ": matches HasFoo and HasBar, must match only one of them",
		`{"id":1,"foo":"f"}`:             ": matches none of HasFoo, HasBar: id must be a string, is a number / id must be a string, is a number",
		`5`:                              ": matches none of HasFoo, HasBar: must be an object, is a number / must be an object, is a number",
	} {
		expect(t, problems(t, text, read, json.Mode{}), want)
		expect(t, problems(t, text, read, json.Mode{Strict: true}), want)
	}
	// The rest of the text is read after a failed union, and pointers lead into it.
	things := json.Map(json.Slice(json.Of[thing]()))
	var m map[string][]thing
	err := json.Decode([]byte(`{"a":[{"foo":"f"},{}],"b":[{"bar":2}],"c":[{"bar":"b"}]}`), &m, things, json.Mode{})
	var e *json.InvalidError
	if !errors.As(err, &e) || len(e.Violations) != 2 || e.Violations[0].Pointer != "/a/1" || e.Violations[1].Pointer != "/b/0" ||
		e.Violations[0].Rule != "oneOf" || m["c"][0].Bar == nil || m["a"][0].Foo == nil {
		t.Errorf("%v, %+v", err, m)
	}
	if got, want := e.Violations[1].Detail, "matches none of HasFoo, HasBar: missing foo / bar must be a string, is a number"; got != want {
		t.Error(got)
	}
}

func TestAnyOf(t *testing.T) {
	for text, both := range map[string]bool{`{"foo":"1","bar":"m@example.test"}`: true, `{"foo":"1"}`: false} {
		var v contact
		if err := json.Unmarshal([]byte(text), &v); err != nil || v.Foo == nil || (v.Bar != nil) != both {
			t.Errorf("%s: %+v, %v", text, v, err)
		}
		if got, err := json.Marshal(&v); err != nil || string(got) != text {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	expect(t, problems(t, `{}`, func(d *json.Decoder) { new(contact).DecodeJSON(d) }, json.Mode{}),
		": matches none of HasFoo, HasBar: missing foo / missing bar")
	v := contact{Foo: &hasFoo{ID: value.Some("1"), Foo: value.Some("f")}, Bar: &hasBar{ID: value.Some("1"), Bar: value.Some("b")}}
	if got, err := json.Marshal(&v); err != nil || string(got) != `{"id":"1","foo":"f","bar":"b"}` {
		t.Errorf("%s, %v", got, err)
	}
	v.Bar.ID.Set("2")
	if got, err := json.Marshal(&v); err == nil || err.Error() != "json: /id: two variants of an anyOf differ in this member" {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := json.Marshal(new(contact)); err == nil {
		t.Error("nothing set is no error")
	}
}

// closed has no other members; open has.
type closed struct{ A value.Opt[int64] }

func (v *closed) DecodeJSON(d *json.Decoder) {
	for d.Object(); d.NextKey(); {
		switch d.Key() {
		case "a":
			json.DecodeOpt(d, &v.A, json.Int64)
		default:
			d.Reject()
		}
	}
}

func (v *closed) EncodeJSON(e *json.Encoder) {
	e.BeginObject()
	json.OptField(e, "a", &v.A, json.Int64)
	e.EndObject()
}

func TestClosedObjects(t *testing.T) {
	read := func(d *json.Decoder) { new(closed).DecodeJSON(d) }
	expect(t, problems(t, `{"a":1,"z":2}`, read, json.Mode{Strict: true}), "/z: is not a known property")
	expect(t, problems(t, `{"a":1,"z":2}`, read, json.Mode{}))
}

// TestStrictnessInsideTrials: unknown members tell closed variants apart, but a
// lenient client still reads the new member of an upgraded server.
func TestStrictnessInsideTrials(t *testing.T) {
	pick := func(text string, mode json.Mode) (int, []string) {
		match := -2
		lines := problems(t, text, func(d *json.Decoder) {
			u := d.Union()
			u.Try("Closed", new(closed))
			u.Try("HasFoo", new(hasFoo))
			match = u.OneOf()
		}, mode)
		return match, lines
	}
	strict := json.Mode{Strict: true}
	for _, test := range []struct {
		text string
		mode json.Mode
		want int
		line string
	}{
		{`{"a":1}`, json.Mode{}, 0, ""},
		{`{"foo":"f"}`, json.Mode{}, 1, ""},
		{`{"foo":"f"}`, strict, 1, ""},
		{`{"a":1,"new":true}`, json.Mode{}, 0, ""},
		{`{"a":1,"new":true}`, strict, -1, ": matches none of Closed, HasFoo: new is not a known property / missing foo"},
		{`{"a":"x","new":true}`, json.Mode{}, -1, ": matches none of Closed, HasFoo: a must be an integer, is a string / missing foo"},
	} {
		match, lines := pick(test.text, test.mode)
		if match != test.want || strings.Join(lines, "\n") != test.line {
			t.Errorf("%s %+v: %d, %q", test.text, test.mode, match, lines)
		}
	}
}

// TestBestOf: of an answer the variant that knows most of it is taken, the first of
// equals, strict or not and inside of another trial; a request has only one.
func TestBestOf(t *testing.T) {
	read := func(d *json.Decoder) int {
		u := d.Union()
		u.Try("HasFoo", new(hasFoo))
		u.Try("Again", new(hasFoo))
		u.Try("HasBar", new(hasBar))
		return u.BestOf()
	}
	answer := json.Mode{Direction: json.Response}
	for _, test := range []struct {
		text string
		mode json.Mode
		want int
		line string
	}{
		{`{"id":"1","foo":"f"}`, answer, 0, ""},
		{`{"id":"1","foo":"f"}`, json.Mode{}, 0, ""},
		{`{"id":"1","foo":"f","bar":"b"}`, answer, 0, ""},
		{`{"id":"1","foo":"f","bar":"b","x":{},"y":1}`, answer, 0, ""},
		{`{"id":"1","bar":"b"}`, answer, 2, ""},
		{`{"id":"1"}`, answer, -1, ": matches none of HasFoo, Again, HasBar: missing foo / missing foo / missing bar"},
		{`{"foo":"f"}`, json.Mode{Direction: json.Request}, -1, ": matches HasFoo and Again, must match only one of them"},
		{`{"foo":"f"}`, json.Mode{Direction: json.Response, Strict: true}, 0, ""},
	} {
		match := -2
		lines := problems(t, test.text, func(d *json.Decoder) { match = read(d) }, test.mode)
		if match != test.want || strings.Join(lines, "\n") != test.line {
			t.Errorf("%s %+v: %d, %q", test.text, test.mode, match, lines)
		}
		outer := -2
		problems(t, test.text, func(d *json.Decoder) {
			u := d.Union()
			json.TryValue(&u, "Inner", new(int), json.Codec[int]{Decode: func(d *json.Decoder, v *int) { *v = read(d) }}, nil)
			outer = u.OneOf()
		}, test.mode)
		if want := min(test.want, 0); outer != want {
			t.Errorf("%s %+v: inside of a trial %d", test.text, test.mode, outer)
		}
	}
	// More of the second one's members: it comes second and is taken.
	lines := problems(t, `{"foo":"f","bar":"b","id":"1"}`, func(d *json.Decoder) {
		u := d.Union()
		u.Try("Closed", new(free))
		u.Try("HasFoo", new(hasFoo))
		if got := u.BestOf(); got != 1 {
			t.Error(got)
		}
	}, answer)
	if len(lines) > 0 {
		t.Error(lines)
	}
}

// free is an open object without members.
type free struct{}

var membersFree = json.Members{}

func (*free) DecodeJSON(d *json.Decoder) {
	for d.Members(&membersFree); d.NextKey(); {
		d.Skip()
	}
}

// TestConstraintsInsideTrials: they tell variants apart like anything else.
func TestConstraintsInsideTrials(t *testing.T) {
	pick := func(text string, mode json.Mode) (int, []string) {
		match := -2
		lines := problems(t, text, func(d *json.Decoder) {
			u := d.Union()
			u.Try("Short", new(short))
			var n int64
			positive := check.IntRules{Minimum: check.Int(1)}
			json.TryValue(&u, "Count", &n, json.Int64, check.IntOf[int64](&positive))
			var list []string
			json.TryValue(&u, "List", &list, json.Slice(json.String), nil)
			match = u.OneOf()
		}, mode)
		return match, lines
	}
	for text, want := range map[string]int{`"abc"`: 0, `1`: 1, `["a"]`: 2, `true`: -1} {
		if got, lines := pick(text, json.Mode{Strict: true}); got != want {
			t.Errorf("%s: %d, %q", text, got, lines)
		}
	}
	if got, lines := pick(`"abcd"`, json.Mode{}); got != 0 {
		t.Errorf("a lenient client does not check constraints: %d, %q", got, lines)
	}
	_, lines := pick(`"abcd"`, json.Mode{Strict: true})
	expect(t, lines, ": matches none of Short, Count, List: the value: must be at most 3 characters, is 4 / "+
		"must be an integer, is a string / must be an array, is a string")
}

func TestDiscriminator(t *testing.T) {
	type result struct {
		value string
		ok    bool
	}
	for text, want := range map[string]result{
		`{"kind":"Kite","tail":2}`:                  {"Kite", true},
		`{"a":{"kind":"no"},"b":[1],"kind":"Ki\t"}`: {"Ki\t", true},
		`{ "\u006bind" : "x" }`:                     {"x", true},
		`{"kind":1}`:                                {},
		`{"kind":null}`:                             {},
		`{}`:                                        {},
		`[]`:                                        {},
		`"kind"`:                                    {},
		`{"a":}`:                                    {},
		`{"a"`:                                      {},
	} {
		d := json.NewDecoder([]byte(text), json.Mode{})
		before := d.Offset()
		got, ok := d.PeekMember("kind")
		if got != want.value || ok != want.ok || d.Offset() != before {
			t.Errorf("%s: %q, %v", text, got, ok)
		}
	}
	read := func(d *json.Decoder) {
		switch kind, ok := d.Discriminator("kind"); {
		case !ok:
		case kind == "Kite":
			d.Skip()
		default:
			d.UnknownVariant("kind", kind, `"Kite", "b", "Balloon"`)
		}
	}
	expect(t, problems(t, `{"kind":"Kite"}`, read, json.Mode{}))
	expect(t, problems(t, `{"kind":"x"}`, read, json.Mode{}), `/kind: kind is "x", must be one of "Kite", "b", "Balloon"`)
	expect(t, problems(t, `{"tail":2}`, read, json.Mode{}), "/kind: must be there, as a string: it tells the type of the object")
	expect(t, problems(t, `7`, read, json.Mode{}), ": must be an object, is a number")
	long := problems(t, `{"kind":"`+strings.Repeat("é", 100)+`"}`, read, json.Mode{})
	expect(t, long, `/kind: kind is "`+strings.Repeat("é", 20)+`…", must be one of "Kite", "b", "Balloon"`)
}

func TestMarkAndReset(t *testing.T) {
	d := json.NewDecoder([]byte(`[{"a":[1,"x",3]},2]`), json.Mode{Strict: true})
	var got []int64
	for d.Array(); d.NextItem(); {
		if d.Index() == 0 {
			m := d.Mark()
			for d.Object(); d.NextKey(); {
				var list []int64
				json.DecodeSlice(d, &list, json.Int64)
			}
			if d.Err() == nil {
				t.Error("no violation in the trial")
			}
			d.Reset(m)
			if d.Err() != nil {
				t.Errorf("after Reset: %v", d.Err())
			}
			for d.Object(); d.NextKey(); {
				d.Skip()
			}
			continue
		}
		got = append(got, d.Int64())
	}
	if d.End(); d.Err() != nil || len(got) != 1 || got[0] != 2 {
		t.Errorf("%v, %v", got, d.Err())
	}
}

// TestNestedUnionsTakeLittleTime: two variants that both contain the union need
// 2^depth trials when nothing stops them.
func TestNestedUnionsTakeLittleTime(t *testing.T) {
	shallow := strings.Repeat(`{"child":`, 5) + `{"left":true}` + strings.Repeat(`,"right":false}`, 5)
	if err := json.Unmarshal([]byte(shallow), new(tree)); err != nil {
		t.Error(err)
	}
	deep := strings.Repeat(`{"child":`, 300) + `{"left":true}` + strings.Repeat(`,"right":false}`, 300)
	begin := time.Now()
	err := json.Unmarshal([]byte(deep), new(tree))
	if !errors.Is(err, json.ErrWork) {
		t.Error(err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	wide := strings.Repeat(`{"a":`, 900) + `{"kind":"x"}` + strings.Repeat(`}`, 900)
	d := json.NewDecoder([]byte(wide), json.Mode{})
	for range 1_000_000 {
		d.PeekMember("kind")
	}
	if !errors.Is(d.Err(), json.ErrWork) {
		t.Errorf("peeking is not bounded: %v", d.Err())
	}
}

func TestUnionOverMalformedText(t *testing.T) {
	for _, text := range []string{`{"foo":"f"`, `{"foo":tru}`, `{"foo":"f"} x`, ``} {
		var e *json.SyntaxError
		if err := json.Unmarshal([]byte(text), new(thing)); !errors.As(err, &e) {
			t.Errorf("%q: %v", text, err)
		}
	}
	// A variant that gives up early does not hide what follows.
	var e *json.SyntaxError
	if err := json.Unmarshal([]byte(`{"id":1,"foo":]}`), new(thing)); !errors.As(err, &e) {
		t.Errorf("%v", err)
	}
}

// A value that is not on the list stands in the message, cut and without the text of a
// container.
func TestEnumRepeatsTheValue(t *testing.T) {
	read := func(d *json.Decoder) { d.Any(); d.Enum(false, "1") }
	long := `"` + strings.Repeat("é", 30) + `"`
	for text, want := range map[string]string{
		` -2 `: ": is -2, must be one of 1",
		`"a"`:  `: is "a", must be one of 1`,
		`[2]`:  ": must be one of 1",
		`{}`:   ": must be one of 1",
		long:   `: is "` + strings.Repeat("é", 19) + "…, must be one of 1",
	} {
		expect(t, problems(t, text, read, json.Mode{Strict: true}), want)
	}
	expect(t, problems(t, "2", read, json.Mode{}))
}

// text is a variant that writes what it holds.
type text string

func (v *text) EncodeJSON(e *json.Encoder) { e.Raw(value.Raw(*v)) }

// Each variant of an anyOf keeps of a nested object the members that it knows, so what is
// written has those of all; values that contradict each other have no common text.
func TestMergeInDepth(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{`{"m":{"x":1,"y":[{"p":1}]}}`, `{"m":{"y":[{"q":2}],"z":3},"n":0}`, `{"m":{"x":1,"y":[{"p":1,"q":2}],"z":3},"n":0}`},
		{`{"m":1.0}`, `{"m":1}`, `{"m":1.0}`},
		{`{"m":{}}`, `{"m":{"a":null}}`, `{"m":{"a":null}}`},
		{`{"m":{"x":1}}`, `{"m":{"x":2}}`, ""},
		{`{"m":[1]}`, `{"m":[1,2]}`, ""},
		{`{"m":{}}`, `{"m":[]}`, ""},
	} {
		a, b := text(tt.a), text(tt.b)
		got, err := json.Marshal(merged{&a, &b})
		switch {
		case tt.want == "" && (err == nil || err.Error() != "json: /m: two variants of an anyOf differ in this member"):
			t.Errorf("%s and %s: %s, %v", tt.a, tt.b, got, err)
		case tt.want != "" && (err != nil || string(got) != tt.want):
			t.Errorf("%s and %s: %s, %v, want %s", tt.a, tt.b, got, err, tt.want)
		}
	}
}

type merged [2]json.Marshaler

func (m merged) EncodeJSON(e *json.Encoder) { e.Merge(m[0], m[1]) }
