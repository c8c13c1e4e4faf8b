package jsontree_test

import (
	"encoding/json"
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
