package load

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// Plain scalars by the core schema, YAML 1.2.2 chapter 10.3.2.
func TestCoreSchema(t *testing.T) {
	for _, c := range []struct {
		text string
		kind Kind
		want string
	}{
		{"null", Null, "null"}, {"Null", Null, "null"}, {"NULL", Null, "null"}, {"~", Null, "null"}, {"nULL", String, "nULL"},
		{"true", Bool, "true"}, {"True", Bool, "true"}, {"TRUE", Bool, "true"}, {"False", Bool, "false"}, {"tRUE", String, "tRUE"},
		{"yes", String, "yes"}, {"no", String, "no"}, {"on", String, "on"}, {"off", String, "off"}, {"y", String, "y"},
		{"0", Number, "0"}, {"-0", Number, "-0"}, {"+12", Number, "12"}, {"-19", Number, "-19"}, {"0123", Number, "123"}, {"00", Number, "0"},
		{"0o14", Number, "12"}, {"0o18", String, "0o18"}, {"0xC", Number, "12"}, {"0xfF", Number, "255"}, {"0x", String, "0x"}, {"-0x1", String, "-0x1"},
		{"0b1", String, "0b1"}, {"1_000", String, "1_000"}, {"190:20:30", String, "190:20:30"},
		{"1.10", Number, "1.10"}, {".5", Number, "0.5"}, {"-.5", Number, "-0.5"}, {"5.", Number, "5"}, {"01.50", Number, "1.50"},
		{"1e3", Number, "1e3"}, {"1E-3", Number, "1E-3"}, {"12e03", Number, "12e03"}, {".5e+3", Number, "0.5e+3"}, {"1.e3", Number, "1e3"},
		{".", String, "."}, {"-", String, "-"}, {"+", String, "+"}, {"1e", String, "1e"}, {"1e+-3", String, "1e+-3"}, {"1.2.3", String, "1.2.3"}, {"e3", String, "e3"},
		{".inf", String, ".inf"}, {"-.Inf", String, "-.Inf"}, {".nan", String, ".nan"},
		{"2020-01-02", String, "2020-01-02"}, {"9007199254740993", Number, "9007199254740993"},
		{"3.0.3", String, "3.0.3"}, {"1 2", String, "1 2"}, {"12abc", String, "12abc"},
	} {
		kind, text := coreSchema(c.text)
		if kind != c.kind || text != c.want {
			t.Errorf("%s: got %s %q, want %s %q", c.text, kind, text, c.kind, c.want)
		}
	}
}

func TestWrittenText(t *testing.T) {
	root := mustParse(t, "t.yaml", `
a: 0123
b: 1e3
c: no
d: True
e: ~
f:
g: '0123'
h: "x\ty"
i: 1.10
j: !!str 7
k: 0x1F
on: {200: x, null: y, ~: z}
`)
	for _, c := range []struct {
		key     string
		kind    Kind
		json    string
		written string
	}{
		{"a", Number, "123", "0123"}, {"b", Number, "1e3", "1e3"}, {"c", String, `"no"`, "no"}, {"d", Bool, "true", "True"},
		{"e", Null, "null", "~"}, {"f", Null, "null", ""}, {"g", String, `"0123"`, "0123"}, {"h", String, `"x\ty"`, "x\ty"},
		{"i", Number, "1.10", "1.10"}, {"j", String, `"7"`, "7"}, {"k", Number, "31", "0x1F"},
	} {
		n := root.Get(c.key)
		written, ok := n.Written()
		if n.Kind != c.kind || string(n.JSON()) != c.json || written != c.written || !ok {
			t.Errorf("%s: got %s %s %q, want %s %s %q", c.key, n.Kind, n.JSON(), written, c.kind, c.json, c.written)
		}
	}
	if got, want := string(root.Get("on").JSON()), `{"200":"x","null":"y","~":"z"}`; got != want {
		t.Errorf("keys: got %s, want %s", got, want)
	}
	if _, ok := root.Written(); ok {
		t.Error("a mapping has no written text")
	}
}

func TestYAMLPositionsAndPointers(t *testing.T) {
	root := mustParse(t, "t.yaml", "# é\na/b:\n  - x: é日\n    \"y~\": [1, {z: }]\n")
	var got []string
	var walk func(n *Node)
	walk = func(n *Node) {
		got = append(got, fmt.Sprintf("%s %d:%d %s", n.Pointer(), n.Line, n.Col, n.Kind))
		for _, m := range n.Members {
			got = append(got, fmt.Sprintf("  %s %s", m.Key, m.Pos()))
			walk(m.Value)
		}
		for _, v := range n.Items {
			walk(v)
		}
	}
	walk(root)
	want := []string{
		" 2:1 mapping", "  a/b t.yaml:2:1", "/a~1b 3:3 list", "/a~1b/0 3:5 mapping",
		"  x t.yaml:3:5", "/a~1b/0/x 3:8 string", "  y~ t.yaml:4:5", "/a~1b/0/y~0 4:11 list",
		"/a~1b/0/y~0/0 4:12 number", "/a~1b/0/y~0/1 4:15 mapping", "  z t.yaml:4:16", "/a~1b/0/y~0/1/z 4:19 null",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// NEL, LS and PS end a line for the YAML parser, but not for an editor.
func TestPositionsAfterUnicodeLineBreaks(t *testing.T) {
	root := mustParse(t, "t.yaml", "a: \"x\u2028y\u2029 z\" \r\nb: {c: \"\u0085\", d: 1}\re: 2\n")
	for key, want := range map[string]string{"a": "t.yaml:1:1", "b": "t.yaml:2:1", "e": "t.yaml:3:1"} {
		if m, _ := root.Member(key); m.Pos().String() != want {
			t.Errorf("%s is at %s, want %s", key, m.Pos(), want)
		}
	}
	if got := root.At("/b/d").Pos().String(); got != "t.yaml:2:16" {
		t.Errorf("d is at %s", got)
	}
}

func TestAnchorsAndAliases(t *testing.T) {
	root := mustParse(t, "t.yaml", `
base: &b {x: 1, y: [2]}
list: [&s text, {deep: *b, t: *s}]
key: {*s : 5}
`)
	if got, want := string(root.JSON()), `{"base":{"x":1,"y":[2]},"list":["text",{"deep":{"x":1,"y":[2]},"t":"text"}],"key":{"text":5}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if root.At("/list/1/deep") != root.Get("base") {
		t.Error("an alias must share the node of its anchor")
	}
	if got := root.At("/list/1/deep/y/0").Pointer(); got != "/base/y/0" {
		t.Errorf("pointer of an aliased node is %s", got)
	}
	if got := root.At("/list/1/t").Pointer(); got != "/list/0" {
		t.Errorf("pointer of an aliased scalar is %s", got)
	}
}

func TestMergeKeys(t *testing.T) {
	root := mustParse(t, "t.yaml", `
a: &a {x: 1, y: 2}
b: &b {y: 3, z: 4}
one: {w: 0, <<: *a, y: own}
two: {<<: [*a, *b], v: 5}
three:
  <<: *b
  <<: *a
four: {<<: {p: 6}, q: 7}
five: {"<<": 8}
six: {<<: [{r: 9}]}
`)
	for key, want := range map[string]string{
		"one":   `{"w":0,"x":1,"y":"own"}`, // where the merge key stood; own keys win
		"two":   `{"x":1,"y":2,"z":4,"v":5}`,
		"three": `{"y":3,"z":4,"x":1}`,
		"four":  `{"p":6,"q":7}`,
		"five":  `{"<<":8}`,
		"six":   `{"r":9}`,
	} {
		if got := string(root.Get(key).JSON()); got != want {
			t.Errorf("%s: got %s, want %s", key, got, want)
		}
	}
	for pointer, want := range map[string]string{"/one/x": "/a/x", "/one/y": "/one/y", "/four/p": "/four/p", "/four/q": "/four/q", "/six/r": "/six/r"} {
		if got := root.At(pointer).Pointer(); got != want {
			t.Errorf("%s has the pointer %s, want %s", pointer, got, want)
		}
	}
}

func TestYAMLFaults(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "t.yaml:1:1: the file is empty"},
		{"blank", "\ufeff \n\n", "t.yaml:1:1: the file is empty"},
		{"comments", "# nothing\n", "t.yaml:1:1: the file holds no value, only comments"},
		{"tab", "a:\n\tb: 1\n", "t.yaml:2:1: a value cannot start with this character"},
		{"two colons", "a: b: c\n", `t.yaml:1:5: a ":" is not allowed here`},
		{"bad indent", "a:\n  b: 1\n c: 2\n", "t.yaml:3:2: this fits neither the mapping above it nor one around it"},
		{"missing colon", "a: 1\nfoo\nb: 2\n", `t.yaml:2:1: expected ":" after this key`},
		{"unclosed string", "a: 1\nb: \"x\nc: 2\n", "t.yaml:2:4: the string that opens here with \" is never closed"},
		{"unclosed single", "a: 'x\n", "t.yaml:1:4: the string that opens here with ' is never closed"},
		{"unclosed list", "a: [1, 2\nb: 3\n", `t.yaml:1:4: the "[" is never closed: "]" is missing before line 2, column 1`},
		{"unclosed in list", "x:\n  - y: {a: 1\n    z: 2\n", `t.yaml:2:8: the "{" is never closed`},
		{"unclosed at end", "a: {b: [1, 2]\n", `t.yaml:1:4: the "{" is never closed: "}" is missing before line 2, column 1`},
		{"mismatch", "a: {b: [1, 2}\n", `t.yaml:1:13: "}" closes the "[" of line 1`},
		{"quote in flow", "a: {b: \"it's\", c: 'x\"', d: [1}\n", `t.yaml:1:30: "}" closes the "[" of line 1`},
		{"no comma", "a: [\"x\" \"y\"]\n", `t.yaml:1:9: expected "," or the closing bracket here`},
		{"escape", `a: "x\qy"` + "\n", "t.yaml:1:6: strings in double quotes have no such escape sequence"},
		{"at sign", "a: @b\n", "t.yaml:1:4: a value cannot start with this character"},
		{"percent", "a: 1\nb: %x\n", "t.yaml:2:4: a value cannot start with this character"},
		{"alias", "a: &one 1\nb: [*two, *one]\n", "t.yaml:2:5: alias *two is not defined"},
		{"alias hint", "a: &name 1\nb: *nmae\n", "t.yaml:2:4: alias *nmae is not defined: no anchor &nmae stands before it\n    hint: did you mean *name?"},
		{"cyclic", "a: &x\n  b: [*x]\n", "t.yaml:2:7: alias *x stands inside its own anchor"},
		{"merge", "a: {<<: 3}\n", `t.yaml:1:5: the merge key "<<" needs a mapping`},
		{"merge list", "a: {<<: [{}, 3]}\n", `t.yaml:1:5: the merge key "<<" needs a mapping`},
		{"key", "a: {[1]: 2}\n", "t.yaml:1:5: a list or mapping cannot be a key"},
		{"duplicate", "a:\n  200: x\n  \"200\": y\n", `t.yaml:3:3: key "200" is defined twice under a: on line 2 and again on line 3`},
		{"duplicate at root", "a: 1\nb: 2\na: 3\n", `t.yaml:3:1: key "a" is defined twice at the top level: on line 1 and again on line 3`},
		{"second document", "a: 1\n---\nb: 2\n", "t.yaml:2:1: a second YAML document starts here"},
		{"control", "a: 1\nb: x\x01\n", "t.yaml:2:5: YAML does not allow the control character U+0001"},
		{"tag", "a: !!int x\n", "t.yaml:1:4: the tag !!int does not fit the value \"x\""},
		{"unused tag", "a: !Sub x\n", "t.yaml:1:4: warning: the YAML tag !Sub is ignored"},
		{"UTF-16", "\xff\xfea\x00:\x00", "t.yaml:1:1: the file is in UTF-16 or UTF-32"},
		{"UTF-16 without mark", "a\x00:\x00", "t.yaml:1:1: the file is in UTF-16 or UTF-32"},
		{"Latin-1", "a: 1\nb: caf\xe9\n", "t.yaml:2:7: the byte 0xe9 is no valid UTF-8"},
		{"mark then Latin-1", "\ufeffb: \xe9\n", "t.yaml:1:4: the byte 0xe9 is no valid UTF-8"},
	} {
		var l diag.List
		Parse("t.yaml", []byte(c.text), &l)
		if got := show(&l); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\ngot  %swant %s", c.name, got, c.want)
		}
	}
}

func TestAcceptedOddities(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"\ufeffa: 1\n", `{"a":1}`},
		{"---\na: 1\n...\n", `{"a":1}`},
		{"a: 1\n---\n", `{"a":1}`},
		{"%YAML 1.2\n---\na: 1\n", `{"a":1}`},
		{"# c\n%YAML 1.2\n%TAG ! tag:x,2000:\n---\na: 1\n", `{"a":1}`},
		{"a: {b: 'x'}\r\nc: |\r\n  d\r\n", `{"a":{"b":"x"},"c":"d\n"}`},
		{"a: >-\n  x\n  y\n\n  z\n", `{"a":"x y\nz"}`},
		{"text", `"text"`},
		{"- 1\n- a", `[1,"a"]`},
		{"a: 'it''s'\nb: \"\\u00e9\\x41\"\n", `{"a":"it's","b":"éA"}`},
	} {
		if got := string(mustParse(t, "t.yaml", c.text).JSON()); got != c.want {
			t.Errorf("%q: got %s, want %s", c.text, got, c.want)
		}
	}
}

// JSON and YAML of one document give one tree.
func TestFormatsAgree(t *testing.T) {
	const text = `{"a": [1, -2.50e3, "x\ny", true, null, {}], "200": {"é": [[]]}}`
	a, b := mustParse(t, "t.json", text), mustParse(t, "t.yaml", "# yaml\n"+text)
	if string(a.JSON()) != string(b.JSON()) {
		t.Errorf("JSON gives %s, YAML %s", a.JSON(), b.JSON())
	}
}
