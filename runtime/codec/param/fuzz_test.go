package param_test

import (
	"bytes"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/value"
	"pgregory.net/rapid"
)

// FuzzParse reads every kind of value out of arbitrary text: nothing panics,
// and what net/url reads is read the same.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"f[state]=open&f[n]=3&f[tags][]=a", "f=1,2&f=3", ";f=3;f=4", ".f=3.g=4", "f[a][b][0]=%41&f[]=+", "%", "f[=1&f]=2", "f=%zz", "a;b=c",
	} {
		f.Add(seed)
	}
	styles := []param.Style{
		0, simple, simple | exp, label, label | exp, matrix, matrix | exp, form, form | exp,
		param.SpaceDelimited, param.PipeDelimited, param.DeepObject, param.DeepObject | exp | param.AllowEmpty,
	}
	f.Fuzz(func(t *testing.T, text string) {
		raws := make([]param.Raw, 0, 80)
		for _, style := range styles {
			if q, err := param.ParseQuery(text); err == nil {
				raws = append(raws, q.Raw("f", style))
			}
			if q, err := param.ParseForm(text); err == nil {
				raws = append(raws, q.Raw("f", style))
			}
			if c, err := param.ParseCookies([]string{text, text}); err == nil {
				raws = append(raws, c.Raw("f", style))
			}
			raws = append(raws, param.PathRaw("f", text, style), param.HeaderRaw([]string{text}, style), param.TextRaw(text))
		}
		for _, r := range raws {
			_, err := filterCodec.Parse(r)
			_ = param.Violations(err, "query", "f")
			_, _ = param.Any.Parse(r)
			_, _ = param.ParseList(r, param.ListOf(param.DateTime))
			_, _ = param.MapOf(param.Bytes).Parse(r)
			_, _ = param.Float32.Parse(r)
		}
		compareWithURL(t, text)
	})
}

func compareWithURL(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(text, ";") {
		return // net/url refuses what the HTML standard takes as data
	}
	want, err := url.ParseQuery(text)
	if err != nil {
		return
	}
	q, err := param.ParseQuery(text)
	if err != nil {
		return
	}
	for name, values := range want {
		got, err := param.ParseList(q.Raw(name, form|exp), param.String)
		if err != nil || !reflect.DeepEqual(got, values) {
			t.Errorf("%q of %q: %q, %v, want %q", name, text, got, err, values)
		}
	}
}

// What is written is read back, in every style that has a form for it.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfN(rapid.String(), 1, 4).Draw(t, "items")
		name := rapid.StringMatching(`[a-z$\[\] .]{1,5}`).Draw(t, "name")
		for _, style := range []param.Style{simple, label, label | exp, matrix, matrix | exp} {
			b, err := param.AppendPathList(nil, name, style, param.String, items)
			if err != nil {
				continue
			}
			if bytes.ContainsAny(b, "/?#") || string(b) == ".." || string(b) == "." {
				t.Fatalf("path %q", b)
			}
			got, err := param.ParseList(param.PathRaw(name, string(b), style), param.String)
			if err != nil || !reflect.DeepEqual(got, items) {
				t.Fatalf("style %b of %q: %q: %q, %v", style, items, b, got, err)
			}
		}
		for _, style := range []param.Style{form, form | exp, param.SpaceDelimited, param.PipeDelimited, param.DeepObject} {
			roundTripQuery(t, name, style, items)
		}
		b, err := param.AppendHeaderList(nil, simple, param.String, items)
		if err == nil {
			got, err := param.ParseList(param.HeaderRaw([]string{string(b)}, simple), param.String)
			if err != nil || !reflect.DeepEqual(got, items) {
				t.Fatalf("header of %q: %q: %q, %v", items, b, got, err)
			}
		}
		b, err = param.AppendCookieList(nil, "c", form, param.String, items)
		if err == nil {
			c, _ := param.ParseCookies([]string{string(b)})
			got, err := param.ParseList(c.Raw("c", form), param.String)
			if err != nil || !reflect.DeepEqual(got, items) {
				t.Fatalf("cookie of %q: %q: %q, %v", items, b, got, err)
			}
		}
	})
}

func roundTripQuery(t *rapid.T, name string, style param.Style, items []string) {
	b, err := param.AppendQueryList([]byte("0=1"), name, style, param.String, items)
	if err != nil {
		return
	}
	q, err := param.ParseQuery(string(b))
	if err != nil {
		t.Fatal(err)
	}
	got, err := param.ParseList(q.Raw(name, style), param.String)
	if err != nil || !reflect.DeepEqual(got, items) {
		t.Fatalf("query style %b of %q: %q: %q, %v", style, items, b, got, err)
	}
}

func TestRoundTripObjects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := filter{
			N:      rapid.Int64().Draw(t, "n"),
			Labels: rapid.MapOfN(rapid.StringMatching(`[^\[\]]+`), rapid.String(), 1, 3).Draw(t, "labels"),
			Tags:   rapid.SliceOfN(rapid.String(), 1, 3).Draw(t, "tags"),
			Sub:    &filter{N: 1},
		}
		if rapid.Bool().Draw(t, "set") {
			v.State = value.Some(rapid.String().Draw(t, "state"))
		}
		for _, in := range []string{"query", "form"} {
			text, err := appendIn(in, "f", param.DeepObject, filterCodec.Format(v))
			if err != nil {
				t.Fatal(err)
			}
			q, err := param.ParseQuery(text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := filterCodec.Parse(q.Raw("f", param.DeepObject))
			if err != nil || !reflect.DeepEqual(got, v) {
				t.Fatalf("%s: %+v, %v, want %+v", text, got, err, v)
			}
		}
	})
}
