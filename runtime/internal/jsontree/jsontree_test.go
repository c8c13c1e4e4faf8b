package jsontree_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/internal/jsontree"
)

func TestParse(t *testing.T) {
	good := map[string]string{
		` {"b":1.50,"a":[true,false,null,-0e+10]} `: `{"b":1.50,"a":[true,false,null,-0e+10]}`,
		`"\ud83d\ude00\u00e9\/\b\f\n\r\t\"\\"`:      `"😀é/\b\f\n\r\t\"\\"`,
		`12345678901234567890.123`:                  `12345678901234567890.123`,
		`"\u0000\u001f\u007f"`:                      "\"\\u0000\\u001f\u007f\"",
		`{}`:                                        `{}`, `[]`: `[]`, `""`: `""`,
	}
	for text, want := range good {
		v, err := jsontree.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := string(jsontree.Compact(nil, v)); got != want {
			t.Errorf("%s gives %s, want %s", text, got, want)
		}
	}
	bad := []string{
		``, ` `, `{`, `[`, `"`, `01`, `-`, `1.`, `1e`, `.5`, `+1`, `tru`, `nul`, `[1,]`, `{"a":1,}`, `{"a"}`, `{a:1}`,
		`1 2`, `"\x"`, `"\u12"`, `"\u+123"`, `"\ud800"`, `"\ud800\u0041"`, `"\udc00"`, "\"\n\"", "\"\\n\n\"", `{"a":1,"\u0061":2}`,
		"\"\xff\"", `"\`, `[1 2]`, strings.Repeat("[", 100000), `'a'`, "\ufeff1",
	}
	for _, text := range bad {
		if v, err := jsontree.Parse(text); err == nil {
			t.Errorf("%.40q accepted as %+v", text, v)
		}
	}
}

// FuzzParse holds the reader against encoding/json: what it accepts is valid
// and has the same value.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"x",null,true]}`, `"\ud83d\ude00"`, `-1.5e-7`, `[[[]]]`, `{"":{}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsontree.Parse(text)
		if err != nil {
			return
		}
		compact := jsontree.Compact(nil, v)
		var a, b any
		da, db := json.NewDecoder(strings.NewReader(text)), json.NewDecoder(strings.NewReader(string(compact)))
		da.UseNumber()
		db.UseNumber()
		if err := da.Decode(&a); err != nil {
			t.Fatalf("accepted %q, encoding/json says %v", text, err)
		}
		if err := db.Decode(&b); err != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%q became %q (%v)", text, compact, err)
		}
	})
}

// Offsets are what positions in messages are made of.
func TestOffsets(t *testing.T) {
	v, err := jsontree.Parse(" {\"a\": [1,\n true]}")
	if err != nil {
		t.Fatal(err)
	}
	list := v.Members[0]
	got := []int{v.Offset, list.Offset, list.Value.Offset, list.Value.Items[0].Offset, list.Value.Items[1].Offset}
	if want := []int{1, 2, 7, 8, 12}; !reflect.DeepEqual(got, want) {
		t.Errorf("offsets %v, want %v", got, want)
	}
	for text, want := range map[string]int{`{"a":1,"a":2}`: 7, `[1 2]`: 3, "\"ab\xff\"": 3, `{"a":}`: 5, ``: 0} {
		_, err := jsontree.Parse(text)
		var syntax *jsontree.SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != want {
			t.Errorf("%q gives %v, want the offset %d", text, err, want)
		}
	}
}
