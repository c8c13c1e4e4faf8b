package idempotency_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/idempotency"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// values is a request as a table.
type values map[policy.Expr]policy.Value

func (v values) Lookup(e policy.Expr) (policy.Value, bool) {
	value, ok := v[e]
	return value, ok
}

func text(s string) policy.Value { return policy.Value{Text: s} }
func raw(s string) policy.Value  { return policy.Value{Text: s, JSON: true} }

var (
	pathID   = policy.Expr{Source: policy.FromPath, Name: "id"}
	bodyItem = policy.Expr{Source: policy.FromBody, Name: "/item"}
)

func spec(id string, from ...policy.Expr) *policy.Spec {
	return &policy.Spec{ID: id, Client: policy.Client{Idempotency: &policy.Idempotency{Key: policy.KeyDerived, From: from}}}
}

// The vectors of the design; each digest is that of the text beside it.
func TestVectors(t *testing.T) {
	got, err := idempotency.Derive(spec("createOrder", pathID, bodyItem), values{
		pathID: text("order-123"), bodyItem: raw(` { "currency" : "USD", "amount": 100 } `),
	})
	if want := "f8d654ec74ff67e482460026dc8b638c"; err != nil || got != want {
		t.Errorf("Derive = %s, %v; want %s", got, err, want)
	}
	for _, params := range []any{
		map[string]any{"currency": "USD", "amount": 100}, json.RawMessage(`{"currency":"USD","amount":100}`),
		struct {
			Currency string `json:"currency"`
			Amount   int    `json:"amount"`
		}{"USD", 100},
	} {
		got, err := idempotency.Key("order-123", "create", params)
		if want := "0681b5ad331e2ebe28b4f1ab218048a4"; err != nil || got != want {
			t.Errorf("Key = %s, %v; want %s", got, err, want)
		}
	}
}

// Each pair of values reads the same once they are canonical, or must not.
func TestDeriveIsCanonical(t *testing.T) {
	key := func(v policy.Value) string {
		t.Helper()
		got, err := idempotency.Derive(spec("op", bodyItem), values{bodyItem: v})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	same := [][2]policy.Value{
		{raw(`{"a":1,"b":[true,null]}`), raw(` {"b" : [ true , null ], "a" : 1 }`)},
		{raw(`"\u00e9\/\u0041"`), raw(`"é/A"`)},
		{raw(`"\ud83d\ude00"`), raw(`"😀"`)},
		{raw(`"x"`), text("x")},
		// By UTF-16 code units the surrogates of the smiley come before U+FFFD.
		{raw(`{"\ufffd":1,"😀":2}`), raw(`{"😀":2,"\ufffd":1}`)},
	}
	for _, pair := range same {
		if key(pair[0]) != key(pair[1]) {
			t.Errorf("%q and %q differ", pair[0].Text, pair[1].Text)
		}
	}
	differ := [][2]policy.Value{
		{raw(`1`), raw(`1.0`)}, {raw(`1e2`), raw(`100`)}, {raw(`12345678901234567890`), raw(`12345678901234567891`)},
		{raw(`1`), text("1")}, {raw(`null`), text("null")}, {raw(`[1,2]`), raw(`[2,1]`)},
	}
	for _, pair := range differ {
		if key(pair[0]) == key(pair[1]) {
			t.Errorf("%q and %q are the same", pair[0].Text, pair[1].Text)
		}
	}
	if a, _ := idempotency.Derive(spec("a", bodyItem), values{bodyItem: text("x")}); a == key(text("x")) {
		t.Error("two operations share a key")
	}
}

// The whole text for the order of RFC 8785, 3.2.3, whose example this is.
func TestDeriveSortsByUTF16(t *testing.T) {
	in := `{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`
	want := "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}"
	fromIn, err1 := idempotency.FingerprintFrom("op", []policy.Expr{bodyItem}, values{bodyItem: raw(in)})
	fromWant, err2 := idempotency.FingerprintFrom("op", []policy.Expr{bodyItem}, values{bodyItem: raw(want)})
	if err1 != nil || err2 != nil || fromIn != fromWant {
		t.Fatal(err1, err2, "differ")
	}
	if got := idempotency.CanonicalForTest(in); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What Python 3's json.dumps(…, sort_keys=True) writes.
func TestPythonForm(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":[1,2.50,true,null],"a":{"y":"","x":"é"}}`: `{"a": {"x": "\u00e9", "y": ""}, "b": [1, 2.50, true, null]}`,
		`"\ud83d\ude00\u001f\u007f\"\\\n<&>"`:           "\"\\ud83d\\ude00\\u001f\x7f\\\"\\\\\\n<&>\"",
		`{}`:                                            `{}`, `[]`: `[]`,
		`{"😀":1,"\ufffd":2}`: `{"\ufffd": 2, "\ud83d\ude00": 1}`, // by code points
	} {
		if got := idempotency.PythonForTest(in); got != want {
			t.Errorf("%s gives %s, want %s", in, got, want)
		}
	}
}

func TestDeriveFails(t *testing.T) {
	s := spec("op", pathID, bodyItem)
	for _, v := range []policy.Lookup{nil, values{}, values{pathID: text("1")}} {
		_, err := idempotency.Derive(s, v)
		if !errors.Is(err, idempotency.ErrMissing) {
			t.Errorf("%v", err)
		}
	}
	_, err := idempotency.Derive(s, values{pathID: text("1")})
	if !strings.Contains(err.Error(), "$request.body#/item") {
		t.Errorf("%v does not name the expression", err)
	}
	for _, broken := range []string{`{`, `{"a":1,"a":2}`, `"\ud800"`} {
		if _, err := idempotency.Derive(s, values{pathID: text("1"), bodyItem: raw(broken)}); err == nil {
			t.Errorf("%s was accepted", broken)
		}
	}
	if _, err := idempotency.Derive(&policy.Spec{}, values{}); err == nil {
		t.Error("no policy")
	}
	if _, err := idempotency.Key("a", "b", func() {}); err == nil {
		t.Error("no JSON")
	}
}

func TestNewKey(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	synctest.Test(t, func(t *testing.T) {
		seen := map[string]bool{}
		var keys []string
		for range 100 {
			for range 10 {
				k := idempotency.NewKey()
				if !form.MatchString(k) || seen[k] {
					t.Fatalf("%s", k)
				}
				seen[k] = true
			}
			keys = append(keys, idempotency.NewKey())
			time.Sleep(time.Millisecond)
		}
		if !slices.IsSorted(keys) {
			t.Error("later keys do not sort later")
		}
		// 2000-01-01T00:00:00Z, where a bubble begins, is 946684800000 ms.
		if want := fmt.Sprintf("%012x", 946684800000); !strings.HasPrefix(strings.ReplaceAll(keys[0], "-", ""), want) {
			t.Errorf("%s does not begin with %s", keys[0], want)
		}
	})
}

func TestHeader(t *testing.T) {
	good := map[string]string{
		"abc": "abc", `"abc"`: "abc", `"a\"b\\c"`: `a"b\c`, "a b": "a b", `a"b`: `a"b`, `"`: `"`,
		strings.Repeat("k", 255): strings.Repeat("k", 255), `"` + strings.Repeat("k", 255) + `"`: strings.Repeat("k", 255),
	}
	for in, want := range good {
		if got, err := idempotency.ParseHeader(in); err != nil || got != want {
			t.Errorf("ParseHeader(%q) = %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"", `""`, `"abc`, `"a"b"`, `"a\x"`, `"a\`, `"abc";p=1`, "a\x00b", "a\nb", "é", strings.Repeat("k", 256)} {
		if got, err := idempotency.ParseHeader(in); !errors.Is(err, idempotency.ErrKey) {
			t.Errorf("ParseHeader(%q) = %q, %v", in, got, err)
		}
	}
	for key, want := range map[string][2]string{ // bare, quoted
		"abc": {"abc", `"abc"`}, `a"b\c`: {`a"b\c`, `"a\"b\\c"`}, `"q"`: {"", `"\"q\""`},
	} {
		for i, quoted := range []bool{false, true} {
			got, err := idempotency.Header(key, quoted)
			if want[i] == "" {
				if err == nil {
					t.Errorf("Header(%q, %v) = %q, which arrives as another key", key, quoted, got)
				}
				continue
			}
			back, _ := idempotency.ParseHeader(got)
			if err != nil || got != want[i] || back != key {
				t.Errorf("Header(%q, %v) = %q, %v, read back as %q", key, quoted, got, err, back)
			}
		}
	}
	for _, key := range []string{"", "a\r\nX: y", "é", strings.Repeat("k", 256)} {
		for _, quoted := range []bool{false, true} {
			if got, err := idempotency.Header(key, quoted); err == nil {
				t.Errorf("Header(%q) = %q", key, got)
			}
		}
	}
}

func FuzzHeader(f *testing.F) {
	f.Add("abc", true)
	f.Add(`a"\`, false)
	f.Fuzz(func(t *testing.T, key string, quoted bool) {
		value, err := idempotency.Header(key, quoted)
		if err != nil {
			return
		}
		if back, err := idempotency.ParseHeader(value); err != nil || back != key {
			t.Fatalf("%q became %q, %v", key, back, err)
		}
	})
}

func TestFingerprint(t *testing.T) {
	base := idempotency.FingerprintOf("POST", "/a", "b=c", []byte("d"))
	if base != idempotency.FingerprintOf("POST", "/a", "b=c", []byte("d")) {
		t.Error("not the same for the same")
	}
	for _, other := range [][32]byte{
		idempotency.FingerprintOf("PUT", "/a", "b=c", []byte("d")), idempotency.FingerprintOf("POST", "/ab", "=c", []byte("d")),
		idempotency.FingerprintOf("POST", "/a", "b=", []byte("cd")), idempotency.FingerprintOf("POST", "/a", "b=c", nil),
		idempotency.FingerprintOf("POST", "/a", "", []byte("b=cd")),
	} {
		if other == base {
			t.Error("two requests share a fingerprint")
		}
	}
	if _, err := idempotency.FingerprintFrom("op", []policy.Expr{pathID}, values{}); !errors.Is(err, idempotency.ErrMissing) {
		t.Errorf("%v", err)
	}
}

// The same action on the same entity has the same key, in Python as well.
func ExampleKey() {
	key, err := idempotency.Key("order-123", "create", map[string]any{"amount": 100, "currency": "USD"})
	fmt.Println(key, err)
	// Output: 0681b5ad331e2ebe28b4f1ab218048a4 <nil>
}
