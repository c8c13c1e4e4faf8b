package param

import (
	"errors"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/value"
)

type colour string

func (c colour) known() bool { return c == "red" || c == "blue" }

func query(t *testing.T, text, name string, style Style) Raw {
	t.Helper()
	p, err := ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	return p.Raw(name, style)
}

// rule is the rule that an error breaks.
func rule(err error) string {
	if wrong, ok := errors.AsType[*check.Error](err); ok {
		return wrong.Violations[0].Rule
	}
	return ""
}

func TestEnum(t *testing.T) {
	c := Enum(StringOf[colour](), colour.known, `"red", "blue"`)
	if v, err := c.Parse(query(t, "c=red", "c", Form)); v != "red" || err != nil {
		t.Errorf("red: %q, %v", v, err)
	}
	_, err := c.Parse(query(t, "c=pink", "c", Form))
	if rule(err) != "enum" || !strings.Contains(err.Error(), `"red", "blue"`) || strings.Contains(err.Error(), "pink") {
		t.Errorf("pink: %v", err)
	}
	if _, err := c.Parse(query(t, "", "c", Form)); !errors.Is(err, ErrAbsent) {
		t.Errorf("absent: %v", err)
	}
}

type mixed string

func TestEnumJSON(t *testing.T) {
	c := EnumJSON(func(m mixed) bool { return m == `"auto"` || m == "1" || m == "true" })
	for text, want := range map[string]mixed{"auto": `"auto"`, "1": "1", "true": "true", "2": `"2"`, "": `""`} {
		v, err := c.Parse(TextRaw(text))
		if v != want || err != nil {
			t.Errorf("%q is %s, %v, want %s", text, v, err, want)
		}
		if got, err := AppendText(nil, c.Format(want)); string(got) != text || err != nil {
			t.Errorf("%s is written %q, %v", want, got, err)
		}
	}
}

func TestConst(t *testing.T) {
	c := Const(String, "v1", `"v1"`)
	for _, v := range []string{"", "v1"} {
		if got, err := AppendQuery(nil, "a", Form, c.Format(v)); string(got) != "a=v1" || err != nil {
			t.Errorf("%q is written %s, %v", v, got, err)
		}
	}
	if _, err := c.Parse(TextRaw("v2")); rule(err) != "enum" {
		t.Errorf("v2: %v", err)
	}
}

func TestForeign(t *testing.T) {
	n, err := Foreign[big.Int]().Parse(TextRaw("12345678901234567890123"))
	if err != nil || n.String() != "12345678901234567890123" {
		t.Fatalf("%v, %v", &n, err)
	}
	if got, err := AppendText(nil, Foreign[big.Int]().Format(n)); string(got) != "12345678901234567890123" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := Foreign[netip.Addr]().Parse(TextRaw("nowhere")); rule(err) != "format" {
		t.Errorf("an address that is none: %v", err)
	}
	// A type without text of its own is read as JSON.
	if v, err := Foreign[bool]().Parse(TextRaw("true")); !v || err != nil {
		t.Errorf("%v, %v", v, err)
	}
	if v, err := Foreign[string]().Parse(TextRaw("plain")); v != "plain" || err != nil {
		t.Errorf("%v, %v", v, err)
	}
}

func TestInteger(t *testing.T) {
	if v, err := Integer.Parse(TextRaw("123456789012345678901234567890")); err != nil || v != "123456789012345678901234567890" {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := Integer.Parse(TextRaw("1.5")); rule(err) != "type" {
		t.Errorf("1.5: %v", err)
	}
}

func TestBase64URL(t *testing.T) {
	b := []byte{0xfb, 0xff}
	text, err := AppendText(nil, Base64URL.Format(b))
	if string(text) != "-_8" || err != nil {
		t.Fatalf("%s, %v", text, err)
	}
	if absent, err := AppendQuery(nil, "b", Form, Base64URL.Format(nil)); len(absent) != 0 || err != nil {
		t.Errorf("nothing is written as %q, %v", absent, err)
	}
	if v, err := Base64URL.Parse(TextRaw(string(text))); !reflect.DeepEqual(v, b) || err != nil {
		t.Errorf("%v, %v", v, err)
	}
}

func TestNullAndPtr(t *testing.T) {
	c := ListOf(NullOf(Int64))
	items := []value.Null[int64]{value.NotNull[int64](1), {}, value.NotNull[int64](3)}
	if got, err := AppendQuery(nil, "a", Form, c.Format(items)); string(got) != "a=1,3" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if v, err := ParseList(query(t, "a=1,3", "a", Form), PtrOf(Int64)); err != nil || *v[0] != 1 || *v[1] != 3 {
		t.Errorf("%v, %v", v, err)
	}
}

func TestNilable(t *testing.T) {
	if got, err := AppendQuery(nil, "a", Form, NilableMap(MapOf(Int64), nil)); len(got) != 0 || err != nil {
		t.Errorf("nil is %q, %v", got, err)
	}
	if got, err := AppendQuery(nil, "a", Form, NilableMap(MapOf(Int64), map[string]int64{"b": 1})); string(got) != "a=b,1" || err != nil {
		t.Errorf("a map is %q, %v", got, err)
	}
	if got, err := AppendQuery(nil, "a", Form, Nilable(ListOf(Int64), nil)); len(got) != 0 || err != nil {
		t.Errorf("nil: %q, %v", got, err)
	}
	if got, err := AppendQuery(nil, "a", Form, List(Int64, []int64{1, 2})); string(got) != "a=1,2" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := AppendQuery(nil, "a", DeepObject, Map(Int64, map[string]int64{"y": 2, "x": 1})); string(got) != "a%5Bx%5D=1&a%5By%5D=2" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if m, err := ParseMap(query(t, "a[x]=1&a[y]=2", "a", DeepObject), Int64); err != nil || m["x"] != 1 || m["y"] != 2 {
		t.Errorf("%v, %v", m, err)
	}
}

// An alternative that does not fit leaves the others alone.
func TestTry(t *testing.T) {
	for text, want := range map[string]string{"l=5": "int", "l=true": "bool", "l=x": "text", "": "absent"} {
		r := query(t, text, "l", Form)
		var n *int64
		var b *bool
		var s *string
		got := ""
		switch {
		case Try(r, Int64, &n):
			got = "int"
		case Try(r, Bool, &b):
			got = "bool"
		case Try(r, String, &s):
			got = "text"
		case errors.Is(r.NoneFits(), ErrAbsent):
			got = "absent"
		}
		if got != want {
			t.Errorf("%q fits %q, want %q", text, got, want)
		}
	}
	var n *int64
	r := query(t, "l=x", "l", Form)
	if Try(r, Int64, &n) || n != nil || rule(r.NoneFits()) != "oneOf" {
		t.Errorf("a text as a number: %v, %v", n, r.NoneFits())
	}
	var list []int64
	if !TryNilable(query(t, "l=1,2", "l", Form), ListOf(Int64), &list) || len(list) != 2 {
		t.Errorf("a list: %v", list)
	}
}

func TestItems(t *testing.T) {
	var n int64
	var s string
	var rest []bool
	read := func(text string) error {
		o := query(t, text, "p", Form).Items()
		Item(o, Int64, &n)
		Item(o, String, &s)
		RestItems(o, Bool, &rest)
		return o.Err()
	}
	err := read("p=1,a,true,false")
	if n != 1 || s != "a" || !reflect.DeepEqual(rest, []bool{true, false}) || err != nil {
		t.Errorf("%d, %s, %v, %v", n, s, rest, err)
	}
	err = read("p=x,a,maybe")
	var wrong *check.Error
	if !errors.As(err, &wrong) || len(wrong.Violations) != 2 || wrong.Violations[0].Pointer != "/0" || wrong.Violations[1].Pointer != "/2" {
		t.Errorf("%v", err)
	}
	o := query(t, "p=1,2", "p", Form).Items()
	Item(o, Int64, &n)
	if err := o.Err(); rule(err) != "items" {
		t.Errorf("too many: %v", err)
	}
	if err := query(t, "", "p", Form).Items().Err(); !errors.Is(err, ErrAbsent) {
		t.Errorf("absent: %v", err)
	}
}

func TestNothing(t *testing.T) {
	if got, err := AppendQuery(nil, "a", Form, Nothing.Format(struct{}{})); len(got) != 0 || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Nothing.Parse(TextRaw("null")); err != nil {
		t.Error(err)
	}
}

// Nil bytes are what an optional parameter holds that is absent; empty ones are a value.
func TestNilBytesAreNoValue(t *testing.T) {
	if !Bytes.Format(nil).Absent() {
		t.Error("nil is a value")
	}
	if Bytes.Format([]byte{}).Absent() {
		t.Error("an empty list of bytes is no value")
	}
}
