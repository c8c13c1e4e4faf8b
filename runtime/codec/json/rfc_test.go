package json_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
)

// accepted are texts that RFC 8259 allows.
var accepted = []string{
	`null`, `true`, `false`, `0`, `-0`, `1`, `-1`, `123`, `0.5`, `-0.5`, `1e1`, `1E1`, `1e+1`, `1e-1`, `1.5e10`, `0e0`,
	`0.0e+00`, `1e400`, `-1e-400`, `100000000000000000000000000000000000000001`, `""`, `"a"`, `"\""`, `"\\"`, `"\/"`, `"/"`,
	`"\b\f\n\r\t"`, `"\u0000"`, `"\u00e9"`, `"\uD83D\uDE00"`, `"\ud800"`, `"\uDE00\uD83D"`, `"\ud800\u0041"`, `"é"`, `"😀"`,
	"\"\u007f\"", "\"\u2028\"", "\"\ufffd\"", "\"\uffff\"", `[]`, `[ ]`, `[1]`, `[1,2]`, "[\n1\t,\r2 ]", `[[]]`, `[[],[[]]]`,
	`[null,true,"a",1,{}]`, `{}`, `{ }`, `{"a":1}`, `{"a":1,"b":2}`, `{"":0}`, `{"a":{"a":{}}}`, `{ "a" : [ ] }`,
	`{"\u0061":1}`, `{"a\nb":1}`, ` 1 `, "\t\r\n1\n", `"\uFEFF"`, `{"a":1,"a":2}`,
}

// refused are texts that it does not.
var refused = []string{
	``, ` `, "\t", "\ufeff1", `nul`, `nulll`, `True`, `NULL`, `tru`, `truee`, `fals`, `-`, `+1`, `01`, `-01`, `00`, `1.`, `.5`,
	`-.5`, `1e`, `1e+`, `1e-`, `e1`, `1.e1`, `0x1`, `1_0`, `1,`, `Infinity`, `-Infinity`, `NaN`, `1 2`, `1,2`, `1a`, `--1`, `１`,
	`"`, `"a`, `"\`, `"\"`, `"\a"`, `"\'"`, `"\u"`, `"\u12"`, `"\u12g4"`, `"\U0041"`, `"\x41"`, `'a'`, `a`, "\"\n\"", "\"\t\"",
	"\"\x00\"", "\"\x1f\"", "\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe2\x82\"", "\xff",
	`[`, `]`, `[1`, `[1,`, `[1,]`, `[,1]`, `[,]`, `[1,,2]`, `[1 2]`, `[1:2]`, `[1}`, `[1]]`, `[1]x`, `[a]`, `["a]`, `[1.]`, `[01]`,
	`{`, `}`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{,"a":1}`, `{"a" 1}`, `{"a",1}`, `{"a":1 "b":2}`,
	`{"a":1;"b":2}`, `{a:1}`, `{1:1}`, `{null:1}`, `{"a"::1}`, `{"a":1]`, `{"a":1}}`, `{"a":1}{}`, `{"a":1} trailing`, `{}{}`,
	`{"a":}`, `{"a\":1}`, "{\"a\n\":1}", `/**/1`, `1//`, `#1`, "1\x00", "\x001", "1\v", "1\u00a0", "[1\f]", `{"a":1/**/}`,
}

// through are the ways of reading any value.
var through = map[string]func(*json.Decoder){
	"Any":  func(d *json.Decoder) { d.Any() },
	"Skip": func(d *json.Decoder) { d.Skip() },
	"Raw":  func(d *json.Decoder) { d.Raw() },
	"order": func(d *json.Decoder) {
		new(order).DecodeJSON(d)
	},
	"thing": func(d *json.Decoder) {
		new(thing).DecodeJSON(d)
	},
	"scalars": func(d *json.Decoder) {
		for _, read := range []func(){func() { d.Int64() }, func() { d.Bool() }, func() { d.Float64() }, func() { d.Time() }} {
			m := d.Mark()
			read()
			d.Reset(m)
		}
		d.Skip()
	},
}

func TestRFC8259(t *testing.T) {
	for name, read := range through {
		for _, strict := range []bool{false, true} {
			verdict := func(text string) error {
				d := json.NewDecoder([]byte(text), json.Mode{Strict: strict})
				read(d)
				d.End()
				var e *json.SyntaxError
				if err := d.Err(); errors.As(err, &e) {
					return err
				}
				return nil
			}
			for _, text := range accepted {
				if err := verdict(text); err != nil {
					t.Errorf("%s refuses %q: %v", name, text, err)
				}
			}
			for _, text := range refused {
				if verdict(text) == nil {
					t.Errorf("%s accepts %q", name, text)
				}
			}
		}
	}
}

func TestSyntaxErrorsTellWhereAndWhat(t *testing.T) {
	for _, test := range []struct {
		text, message, pointer string
		offset, line, column   int
		cause                  error
	}{
		{"", "the text is empty where a JSON value is wanted", "", 0, 1, 1, json.ErrEmpty},
		{" \n ", "the text is empty where a JSON value is wanted", "", 0, 1, 1, json.ErrEmpty},
		{"\ufeff{}", "the text begins with a byte order mark, which JSON does not allow", "", 0, 1, 1, json.ErrBOM},
		{"{\"a\":\n\"\xff\"}", "the text is not valid UTF-8", "/a", 7, 2, 2, json.ErrUTF8},
		{"{\"a\":1}\n{}", "unexpected data after the JSON value", "", 8, 2, 1, json.ErrTrailing},
		{`{"a":[1,x]}`, "unexpected 'x' where a value is wanted", "/a/1", 8, 1, 9, nil},
		{`{"a":[1,2`, "unexpected end of the text", "/a/1", 9, 1, 10, nil},
		{`{"a" 1}`, "unexpected '1' after a member's name", "", 5, 1, 6, nil},
		{`{"a":{"b":01}}`, "malformed number", "/a/b", 11, 1, 12, nil},
	} {
		d := json.NewDecoder([]byte(test.text), json.Mode{})
		d.Any()
		d.End()
		var e *json.SyntaxError
		if !errors.As(d.Err(), &e) {
			t.Errorf("%q: %v", test.text, d.Err())
			continue
		}
		if e.Message != test.message || e.Pointer != test.pointer || e.Offset != test.offset || e.Line != test.line ||
			e.Column != test.column || !errors.Is(errors.Unwrap(e), test.cause) {
			t.Errorf("%q: %+v", test.text, *e)
		}
	}
	err := json.Unmarshal([]byte("{\n\"id\": tru}"), new(order))
	if err == nil || err.Error() != "json: line 2, column 10: unexpected '}' in true" {
		// id wants a string; the malformed value is found while it is skipped.
		t.Error(err)
	}
}

func TestDepthIsBounded(t *testing.T) {
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	for name, read := range through {
		if name == "order" || name == "thing" {
			continue
		}
		d := json.NewDecoder([]byte(nested(json.DefaultMaxDepth)), json.Mode{})
		if read(d); d.Err() != nil && !strings.Contains(d.Err().Error(), "must be") {
			t.Errorf("%s: %v", name, d.Err())
		}
		d = json.NewDecoder([]byte(nested(json.DefaultMaxDepth+1)), json.Mode{})
		if read(d); !errors.Is(d.Err(), json.ErrDepth) {
			t.Errorf("%s: %v", name, d.Err())
		}
		d = json.NewDecoder([]byte(nested(4)), json.Mode{MaxDepth: 3})
		if read(d); !errors.Is(d.Err(), json.ErrDepth) {
			t.Errorf("%s: %v", name, d.Err())
		}
	}
	deep := []byte(strings.Repeat(`{"next":`, 100_000))
	if err := json.Unmarshal(deep, new(node)); !errors.Is(err, json.ErrDepth) {
		t.Error(err)
	}
	loop := new(node)
	loop.Next = loop
	if _, err := json.Marshal(loop); err == nil || !strings.Contains(err.Error(), "nested too deeply") {
		t.Error(err)
	}
}
