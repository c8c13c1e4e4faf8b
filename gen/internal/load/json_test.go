package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/gen/internal/diag"
)

// readOnlyJSON reads text as JSON, without the second try as YAML.
func readOnlyJSON(text string) (*Node, *fault) {
	f := &File{Name: "t.json"}
	if bad := f.decode([]byte(text)); bad != nil {
		return nil, bad
	}
	b := newBuilder(f, maxNodes)
	root, bad := readJSON(b)
	f.Root = root
	if bad == nil && len(b.findings) > 0 {
		bad = &fault{code: b.findings[0].code}
	}
	return root, bad
}

// plain turns a tree into what encoding/json decodes with UseNumber.
func plain(n *Node) any {
	switch n.Kind {
	case Bool:
		return n.Text == "true"
	case Number:
		return json.Number(n.Text)
	case String:
		return n.Text
	case Array:
		out := []any{}
		for _, v := range n.Items {
			out = append(out, plain(v))
		}
		return out
	case Object:
		out := map[string]any{}
		for _, m := range n.Members {
			out[m.Key] = plain(m.Value)
		}
		return out
	case Null:
	}
	return nil
}

func standardJSON(text string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("trailing data: %w", err)
	}
	return v, nil
}

// compareJSON checks that the reader accepts what encoding/json accepts, with the
// same values, and refuses the rest. What ours refuses on purpose is left out:
// invalid UTF-8, doubled keys, depth.
func compareJSON(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, text string) {
	t.Helper()
	// A byte order mark and UTF-16 are the file's affair, not JSON's.
	if !utf8.ValidString(text) || strings.HasPrefix(text, "\ufeff") || len(text) >= 2 && (text[0] == 0) != (text[1] == 0) {
		return
	}
	want, err := standardJSON(text)
	root, bad := readOnlyJSON(text)
	if bad != nil {
		if bad.code == "duplicate-key" || bad.code == "too-deep" {
			return
		}
		if err == nil {
			t.Fatalf("%q: refused: %s", text, bad.message)
		}
		return
	}
	if err != nil {
		t.Fatalf("%q: accepted, but encoding/json says %v", text, err)
	}
	if got := plain(root); !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: got %#v, want %#v", text, got, want)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, root.JSON()); err != nil || !bytes.Equal(compact.Bytes(), root.JSON()) {
		t.Fatalf("%q: JSON gives %q: not compact: %v", text, root.JSON(), err)
	}
	if again, err := standardJSON(string(root.JSON())); err != nil || !reflect.DeepEqual(again, want) {
		t.Fatalf("%q: JSON gives %q, which reads as %#v, %v", text, root.JSON(), again, err)
	}
}

// Texts at the edges of RFC 8259; encoding/json is the judge.
var jsonTexts = []string{
	`null`, `true`, `false`, ` 0 `, `-0`, `1.50e+10`, `-1E-2`, `""`, `"é日😀"`, `[]`, `{}`, `[1,[2,{"a":[]}]]`,
	`{"b":1,"a":{"c":null}}`, "\t\r\n[\n1\r]", `"\"\\\/\b\f\n\r\t"`, `"\u0041\u00e9\ud83d\ude00"`, `"\ud83d"`, `"\ud83dx"`, `"\ud83d\u0041"`,
	`"\udc00\ud800"`, `123456789012345678901234567890`, `1e400`, `0.1e1`, "\"\u2028\x7f\"",
	``, ` `, `nul`, `nulll`, `True`, `+1`, `01`, `-`, `-a`, `1.`, `.5`, `1.e1`, `1e`, `1e+`, `0x1`, `1_0`, `NaN`, `Infinity`,
	`"`, `"a`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"\n\"", "\"\t\"", "\"\x00\"", `'a'`, `[`, `[1`, `[1,`, `[1,]`, `[,1]`, `[1 2]`, `]`,
	`{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{a:1}`, `{"a" 1}`, `{1:2}`, `{"a":1 "b":2}`, `}`, `[}`, `{]`,
	`1 2`, `{} {}`, `[]]`, `// c` + "\n1", `[1]#`, `/**/1`, "\x0b1", "\u00a01", `{"a":{"b":[{"c":}]}}`,
}

func TestJSONAgreesWithStandard(t *testing.T) {
	for _, text := range jsonTexts {
		compareJSON(t, text)
	}
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOfN(rapid.SampledFrom([]string{
			"{", "}", "[", "]", ",", ":", `"a"`, `"b"`, `"\u00e9"`, `"x`, "1", "-2.5e3", "0", "true", "null", " ", "\n", "é",
		}), 0, 12).Draw(t, "tokens")
		compareJSON(t, strings.Join(tokens, ""))
	})
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(anyValue(3).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		compareJSON(t, string(text))
	})
}

func anyValue(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int64().AsAny(), rapid.Float64().AsAny(), rapid.String().AsAny(),
	}
	if depth > 0 {
		scalars = append(scalars,
			rapid.SliceOfN(anyValue(depth-1), 0, 5).AsAny(),
			rapid.MapOfN(rapid.String(), anyValue(depth-1), 0, 20).AsAny())
	}
	return rapid.OneOf(scalars...)
}

func TestJSONPositions(t *testing.T) {
	root := mustParse(t, "t.json", "{\"é日\": \"😀\", \"b\":[1,\r\n  true],\r\"c\\u0041\" : {}\n}")
	var got []string
	var walk func(n *Node)
	walk = func(n *Node) {
		got = append(got, fmt.Sprintf("%s %d:%d", n.Kind, n.Line, n.Col))
		for _, m := range n.Members {
			got = append(got, fmt.Sprintf("key %s %d:%d", m.Key, m.Line, m.Col))
			walk(m.Value)
		}
		for _, v := range n.Items {
			walk(v)
		}
	}
	walk(root)
	want := []string{
		"mapping 1:1", "key é日 1:2", "string 1:8", "key b 1:13", "list 1:17", "number 1:18", "boolean 2:3",
		"key cA 3:1", "mapping 3:13",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestJSONFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"a": 1,}`, `t.json:1:9: "}" follows a comma`},
		{`{"a": 1 "b": 2}`, `t.json:1:9: expected "," or "}" after the value of "a", found '"'`},
		{"{\n  \"é\": [1, 2\n}", `t.json:3:1: expected "," or "]" after an element, found '}'`},
		{"{\n  \"a\": {\n", `t.json:2:8: the "{" is never closed: "}" is missing before line 3, column 1`},
		{`{"a": "b`, `t.json:1:7: the string that opens here with " is never closed`},
		{"{\"a\": \"b\n\"}", `t.json:1:9: the line ends inside a string`},
		{`{"a": 01}`, `t.json:1:7: "01" is no JSON number: it starts with a zero`},
		{`{"a": "\q"}`, `t.json:1:8: JSON has no escape sequence \q`},
		{`{"é": "é" x}`, `t.json:1:11: expected "," or "}"`},
		{`{} x`, `t.json:1:4: the document ends before this, but 'x' follows`},
		{`{"a" 1}`, `t.json:1:6: expected ":" after the name "a", found '1'`},
		{`{"a": tru}`, `t.json:1:7: expected a value, found 't'`},
		{`{"a": "x", "b": 1, "a": 2}`, `t.json:1:20: key "a" is defined twice at the top level: on line 1 and again on line 1`},
	} {
		// Some of these are YAML, so the reader is asked directly.
		var l diag.List
		f := &File{Name: "t.json", source: c.text}
		b := newBuilder(f, maxNodes)
		if _, bad := readJSON(b); bad != nil {
			bad.report(f, &l)
		}
		b.report(&l)
		if got := show(&l); !strings.HasPrefix(got, c.want) || !l.HasErrors() {
			t.Errorf("%s:\ngot  %swant %s", c.text, got, c.want)
		}
	}
}

func TestJSONThatIsYAML(t *testing.T) {
	var l diag.List
	f := Parse("t.json", []byte("{\n  # a comment\n  'a': 1,\n}"), &l)
	want := "t.json:2:3: warning: this is no valid JSON, read as YAML: "
	if f == nil || !strings.HasPrefix(show(&l), want) {
		t.Errorf("got %s", show(&l))
	}
	if v := f.Root.Get("a"); !v.Is(Number) {
		t.Errorf("a is %s", v.KindName())
	}
	// Neither reading works: the name says which one was meant.
	l = diag.List{}
	if f := Parse("t.json", []byte("{\"a\": [1}"), &l); f != nil || !strings.HasPrefix(show(&l), `t.json:1:9: expected "," or "]"`) {
		t.Errorf("got %s", show(&l))
	}
	l = diag.List{}
	if f := Parse("t.yaml", []byte("{\"a\": [1}"), &l); f != nil || !strings.HasPrefix(show(&l), `t.yaml:1:9: "}" closes the "["`) {
		t.Errorf("got %s", show(&l))
	}
	// In a file that does not claim to be JSON it is nothing to talk about.
	mustParse(t, "t.yaml", "{a: 1}")
	mustParse(t, "t", "[a, b]")
}

func TestBigObject(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, ",\n\"k%d\": %d", i, i)
	}
	root := mustParse(t, "t.json", "{"+b.String()[1:]+"}")
	for _, i := range []int{0, 1, 4999} {
		n := root.Get(fmt.Sprintf("k%d", i))
		if text, _ := n.Num(); text != strconv.Itoa(i) || n.Pointer() != fmt.Sprintf("/k%d", i) || int(n.Line) != i+2 {
			t.Errorf("k%d is %q at line %d, pointer %s", i, text, n.Line, n.Pointer())
		}
	}
	if root.Has("k5000") || root.Len() != 5000 {
		t.Error("wrong members")
	}
	var l diag.List
	f := Parse("t.json", []byte("{"+b.String()[1:]+",\n\"k7\": true}"), &l)
	if f == nil || f.Root.Len() != 5000 || f.Root.Get("k7").Text != "7" ||
		!strings.HasPrefix(show(&l), `t.json:5002:1: key "k7" is defined twice at the top level: on line 9 and again on line 5002`) {
		t.Error(show(&l))
	}
}

func FuzzJSON(f *testing.F) {
	for _, text := range jsonTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { compareJSON(t, text) })
}
