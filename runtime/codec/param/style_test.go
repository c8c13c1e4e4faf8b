package param_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/value"
)

const (
	simple = param.Simple
	label  = param.Label
	matrix = param.Matrix
	form   = param.Form
	exp    = param.Explode
)

// colors is the list of OpenAPI's table of styles, rgb its object.
var (
	colors = []string{"blue", "black", "brown"}
	rgb    = param.ObjectValue(
		param.Member{Name: "R", Value: param.IntValue(100)},
		param.Member{Name: "G", Value: param.IntValue(200)},
		param.Member{Name: "B", Value: param.IntValue(150)},
	)
)

// The table "Style Examples" of the OpenAPI specification, which is RFC 6570's.
func TestStyleTable(t *testing.T) {
	text, list := param.TextValue("blue"), param.ListOf(param.String).Format(colors)
	tests := []struct {
		style param.Style
		in    string
		value param.Value
		want  string
	}{
		{matrix, "path", text, ";color=blue"},
		{matrix, "path", list, ";color=blue,black,brown"},
		{matrix, "path", rgb, ";color=R,100,G,200,B,150"},
		{matrix | exp, "path", text, ";color=blue"},
		{matrix | exp, "path", list, ";color=blue;color=black;color=brown"},
		{matrix | exp, "path", rgb, ";R=100;G=200;B=150"},
		{label, "path", text, ".blue"},
		{label, "path", list, ".blue,black,brown"},
		{label, "path", rgb, ".R,100,G,200,B,150"},
		{label | exp, "path", text, ".blue"},
		{label | exp, "path", list, ".blue.black.brown"},
		{label | exp, "path", rgb, ".R=100.G=200.B=150"},
		{simple, "path", text, "blue"},
		{simple, "path", list, "blue,black,brown"},
		{simple, "path", rgb, "R,100,G,200,B,150"},
		{simple | exp, "path", list, "blue,black,brown"},
		{simple | exp, "path", rgb, "R=100,G=200,B=150"},
		{0, "path", list, "blue,black,brown"},
		{simple, "header", list, "blue,black,brown"},
		{simple, "header", rgb, "R,100,G,200,B,150"},
		{simple | exp, "header", rgb, "R=100,G=200,B=150"},
		{form, "query", param.TextValue(""), "color="},
		{form, "query", text, "color=blue"},
		{form, "query", list, "color=blue,black,brown"},
		{form, "query", rgb, "color=R,100,G,200,B,150"},
		{form | exp, "query", param.TextValue(""), "color="},
		{form | exp, "query", text, "color=blue"},
		{form | exp, "query", list, "color=blue&color=black&color=brown"},
		{form | exp, "query", rgb, "R=100&G=200&B=150"},
		{param.SpaceDelimited, "query", list, "color=blue%20black%20brown"},
		{param.SpaceDelimited, "query", rgb, "color=R%20100%20G%20200%20B%20150"},
		{param.PipeDelimited, "query", list, "color=blue%7Cblack%7Cbrown"},
		{param.PipeDelimited, "query", rgb, "color=R%7C100%7CG%7C200%7CB%7C150"},
		{param.DeepObject | exp, "query", rgb, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"},
		{form, "cookie", list, "color=blue,black,brown"},
		{form | exp, "cookie", list, "color=blue; color=black; color=brown"},
		{form | exp, "cookie", rgb, "R=100; G=200; B=150"},
	}
	for _, test := range tests {
		got, err := appendIn(test.in, "color", test.style, test.value)
		if err != nil || got != test.want {
			t.Errorf("style %b in %s: %q, %v, want %q", test.style, test.in, got, err, test.want)
		}
	}
}

func appendIn(in, name string, style param.Style, v param.Value) (string, error) {
	var b []byte
	var err error
	switch in {
	case "path":
		b, err = param.AppendPath(nil, name, style, v)
	case "query":
		b, err = param.AppendQuery(nil, name, style, v)
	case "form":
		b, err = param.AppendForm(nil, name, style, v)
	case "header":
		b, err = param.AppendHeader(nil, style, v)
	case "cookie":
		b, err = param.AppendCookie(nil, name, style, v)
	}
	return string(b), err
}

// Lists written item by item are the same as lists of Values.
func TestAppendLists(t *testing.T) {
	list := param.ListOf(param.String).Format(colors)
	for _, style := range []param.Style{simple, label, label | exp, matrix, matrix | exp} {
		want, _ := appendIn("path", "c", style, list)
		if got, err := param.AppendPathList([]byte("/x/"), "c", style, param.String, colors); err != nil || string(got) != "/x/"+want {
			t.Errorf("path style %b: %q, %v, want %q", style, got, err, want)
		}
	}
	for _, style := range []param.Style{form, form | exp, param.SpaceDelimited, param.PipeDelimited, param.DeepObject | exp} {
		want, _ := appendIn("query", "c", style, list)
		if got, err := param.AppendQueryList(nil, "c", style, param.String, colors); err != nil || string(got) != want {
			t.Errorf("query style %b: %q, %v, want %q", style, got, err, want)
		}
	}
	if got, err := param.AppendHeaderList(nil, simple, param.Int64, []int64{3, 4}); err != nil || string(got) != "3,4" {
		t.Errorf("header: %q, %v", got, err)
	}
	if got, err := param.AppendCookieList([]byte("sid=s1"), "prefs", form, param.String, []string{"a", "b"}); err != nil || string(got) != "sid=s1; prefs=a,b" {
		t.Errorf("cookie: %q, %v", got, err)
	}
}

func TestAppendEscapes(t *testing.T) {
	hour := time.FixedZone("", 2*3600)
	tests := []struct {
		name  string
		in    string
		style param.Style
		value param.Value
		want  string
	}{
		{"at", "query", form, param.TimeValue(time.Date(2024, 5, 14, 2, 43, 39, 755100000, hour)), "at=2024-05-14T02%3A43%3A39.7551%2B02%3A00"},
		{"day", "query", form | exp, param.Date.Format(value.Date{Year: 2024, Month: 2, Day: 29}), "day=2024-02-29"},
		{"c", "query", form, param.ListOf(param.String).Format([]string{"p,q", "r"}), "c=p%2Cq,r"},
		{"where", "query", form | exp, param.TextValue(`{"a":[1],"b":"x y"}`), "where=%7B%22a%22%3A%5B1%5D%2C%22b%22%3A%22x%20y%22%7D"},
		{"ids[]", "query", form | exp, param.ListOf(param.Int64).Format([]int64{1, 2}), "ids%5B%5D=1&ids%5B%5D=2"},
		{"$top", "query", form | exp, param.IntValue(5), "%24top=5"},
		{"a.b", "query", form | exp, param.TextValue("v"), "a.b=v"},
		{"path", "query", form | exp | param.AllowReserved, param.TextValue("a/b?c"), "path=a/b?c"},
		{"path", "query", form | exp | param.AllowReserved, param.TextValue("a&b#c+d e%41%"), "path=a%26b%23c%2Bd%20e%41%25"},
		{"l", "query", form | param.AllowReserved, param.ListOf(param.String).Format([]string{"a,b", "/"}), "l=a%2Cb,/"},
		{"a", "form", form | exp, param.TextValue("x y"), "a=x+y"},
		{"id", "path", simple, param.TextValue("a:b"), "a%3Ab"},
		{"id", "path", simple, param.TextValue("a/b?c#d%e f"), "a%2Fb%3Fc%23d%25e%20f"},
		{"id", "path", simple, param.TextValue("."), "%2E"},
		{"id", "path", simple, param.TextValue(".."), "%2E%2E"},
		{"id", "path", simple, param.TextValue("..."), "..."},
		{"id", "path", simple, param.TextValue(".git"), ".git"},
		{"id", "path", simple | param.AllowReserved, param.TextValue("a/../b/./c"), "a/%2E%2E/b/%2E/c"},
		{"id", "path", label, param.TextValue("."), ".%2E"},
		{"id", "path", label | exp, param.ListOf(param.Float64).Format([]float64{1.5, 2}), ".1%2E5.2"},
		{"id", "path", simple, param.TextValue("über"), "%C3%BCber"},
		{"f", "query", form, param.FloatValue(1e21), "f=1e%2B21"},
		{"f", "query", form, param.Float32Value(0.1), "f=0.1"},
		{"b", "query", form, param.BytesValue([]byte{0xfb, 0xff}), "b=%2B%2F8%3D"},
		{"u", "query", form, param.UUIDValue(value.UUID{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10}), "u=01234567-89ab-cdef-fedc-ba9876543210"},
		{"ip", "query", form, param.AddrValue(netip.MustParseAddr("fe80::1%eth0")), "ip=fe80%3A%3A1%25eth0"},
		{"ip", "query", form, param.AddrValue(netip.MustParseAddr("10.0.0.1")), "ip=10.0.0.1"},
		{"ok", "query", form, param.BoolValue(true), "ok=true"},
		{"n", "query", form, param.IntValue(-9223372036854775808), "n=-9223372036854775808"},
		{"n", "query", form, param.UintValue(18446744073709551615), "n=18446744073709551615"},
		{"sid", "cookie", form, param.TextValue("a,b c"), "sid=a,b c"},
		{"", "header", simple, param.TextValue("a, b;c=\"d\""), "a, b;c=\"d\""},
	}
	for _, test := range tests {
		got, err := appendIn(test.in, test.name, test.style, test.value)
		if err != nil || got != test.want {
			t.Errorf("%s %s: %q, %v, want %q", test.in, test.name, got, err, test.want)
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	list := func(items ...string) param.Value { return param.ListOf(param.String).Format(items) }
	member := func(name string) param.Value {
		return param.ObjectValue(param.Member{Name: name, Value: param.IntValue(1)})
	}
	tests := []struct {
		what  string
		in    string
		style param.Style
		value param.Value
		say   string
	}{
		{"empty path", "path", simple, param.TextValue(""), "empty"},
		{"no path", "path", simple, param.Value{}, "empty"},
		{"empty path list", "path", simple, list(), "empty"},
		{"empty label", "path", label, param.TextValue(""), "empty"},
		{"empty labels", "path", label | exp, list("", ""), "empty"},
		{"empty matrix", "path", matrix, param.TextValue(""), "empty"},
		{"space in item", "query", param.SpaceDelimited, list("b c"), "delimiter"},
		{"bar in item", "query", param.PipeDelimited, list("b|c"), "delimiter"},
		{"line break", "header", simple, param.TextValue("a\r\nb"), "line break"},
		{"comma in header item", "header", simple, list("a,b"), "delimiter"},
		{"empty header item", "header", simple, list("a", ""), "empty"},
		{"equals in header member", "header", simple | exp, member("a=b"), "delimiter"},
		{"space around header", "header", simple, param.TextValue(" a"), "white space"},
		{"semicolon in cookie", "cookie", form, param.TextValue("a;b"), "cookie"},
		{"comma in cookie item", "cookie", form, list("a,b"), "delimiter"},
		{"quote in cookie", "cookie", form, param.TextValue(`a"b`), "cookie"},
		{"umlaut in cookie", "cookie", form, param.TextValue("ü"), "cookie"},
		{"bracket in member", "query", param.DeepObject, member("a]"), "bracket"},
		{"nameless member", "query", param.DeepObject, member(""), "name"},
		{"nested list", "query", form, param.ListValue(list("a")), "nested"},
		{"nested object", "query", form | exp, param.ObjectValue(param.Member{Name: "a", Value: rgb}), "object in an object"},
		{"year 10000", "query", form, param.TimeValue(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)), "RFC 3339"},
		{"odd offset", "query", form, param.TimeValue(time.Date(2000, 1, 1, 0, 0, 0, 0, time.FixedZone("", 61))), "RFC 3339"},
		{"no address", "query", form, param.Addr.Format(netip.Addr{}), "address"},
		{"address of the other kind", "query", form, param.Addr4.Format(netip.MustParseAddr("::1")), "IPv4"},
		{"unknown type", "query", form, param.Any.Format(struct{}{}), "no form"},
	}
	for _, test := range tests {
		got, err := appendIn(test.in, "x", test.style, test.value)
		if err == nil || !strings.Contains(err.Error(), test.say) || got != "" {
			t.Errorf("%s: %q, %v", test.what, got, err)
		}
	}
}

// Nothing is written for what is not there.
func TestAppendAbsent(t *testing.T) {
	for _, v := range []param.Value{
		{}, param.Opt(param.Int64, value.Opt[int64]{}), param.Ptr(param.String, nil), param.ListValue(),
		param.OptNull(param.Int64, value.NullOf[int64]()), param.Null(param.Int64, value.Null[int64]{}),
		param.MapOf(param.String).Format(nil), param.ObjectValue(param.Member{Name: "a"}),
	} {
		for _, in := range []string{"query", "form", "header", "cookie"} {
			if got, err := appendIn(in, "x", form|exp, v); got != "" || err != nil {
				t.Errorf("%s of %v: %q, %v", in, v, got, err)
			}
		}
	}
	got := []byte(nil)
	got, _ = param.AppendQuery(got, "dry", form|exp, param.Opt(param.Bool, value.Some(false)))
	got, _ = param.AppendQuery(got, "n", form|exp, param.Opt(param.Int64, value.Some(int64(0))))
	got, _ = param.AppendQuery(got, "q", form|exp, param.Opt(param.String, value.Some("")))
	if string(got) != "dry=false&n=0&q=" {
		t.Errorf("zero values: %q", got)
	}
}

func TestAppendDeepObject(t *testing.T) {
	v := param.Any.Format(map[string]any{
		"state": "open", "labels": map[string]any{"env": "prod", "a b": "x&y"}, "n": []any{int64(1), map[string]any{"k": true}},
	})
	const want = "f%5Blabels%5D%5Ba%20b%5D=x%26y&f%5Blabels%5D%5Benv%5D=prod&f%5Bn%5D%5B0%5D=1&f%5Bn%5D%5B1%5D%5Bk%5D=true&f%5Bstate%5D=open"
	if got, err := appendIn("query", "f", param.DeepObject|exp, v); err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

func TestAppendAllocatesNothing(t *testing.T) {
	buf := make([]byte, 0, 1024)
	ids := []int64{1, 2, 3}
	at := time.Date(2024, 5, 14, 2, 43, 39, 755100000, time.FixedZone("", 2*3600))
	id := value.UUID{1, 2, 3}
	allocs := testing.AllocsPerRun(100, func() {
		b := buf[:0]
		b, _ = param.AppendPath(b, "id", simple, param.UUID.Format(id))
		b, _ = param.AppendQuery(b, "q", form|exp, param.String.Format("a b"))
		b, _ = param.AppendQuery(b, "n", form|exp, param.Int64.Format(12))
		b, _ = param.AppendQuery(b, "f", form|exp, param.Float64.Format(1.5))
		b, _ = param.AppendQuery(b, "t", form|exp, param.DateTime.Format(at))
		b, _ = param.AppendQueryList(b, "l", form, param.Int64, ids)
		_, _ = param.AppendQuery(b, "o", form, param.Opt(param.Bool, value.Some(true)))
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
