package etag_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/holdfast-go/holdfast/runtime/internal/etag"
	"pgregory.net/rapid"
)

func TestParseList(t *testing.T) {
	strong, weak := func(s string) etag.Tag { return etag.Tag{Opaque: s} }, func(s string) etag.Tag { return etag.Tag{Weak: true, Opaque: s} }
	for _, c := range []struct {
		lines []string
		want  etag.List
		ok    bool
	}{
		{nil, etag.List{}, true},
		// The examples of RFC 9110, 13.1.1.
		{[]string{`"xyzzy"`}, etag.List{Tags: []etag.Tag{strong("xyzzy")}}, true},
		{[]string{`"xyzzy", "r2d2xxxx", "c3piozzzz"`}, etag.List{Tags: []etag.Tag{strong("xyzzy"), strong("r2d2xxxx"), strong("c3piozzzz")}}, true},
		{[]string{`*`}, etag.List{Any: true}, true},
		// and 13.1.2
		{[]string{`W/"xyzzy", W/"r2d2xxxx"`}, etag.List{Tags: []etag.Tag{weak("xyzzy"), weak("r2d2xxxx")}}, true},
		{[]string{`"a"`, ` "b,c" ,, ""`}, etag.List{Tags: []etag.Tag{strong("a"), strong("b,c"), strong("")}}, true},
		{[]string{""}, etag.List{}, false},
		{[]string{"xyzzy"}, etag.List{}, false},
		{[]string{`"a" "b"`}, etag.List{}, false},
		{[]string{`"a`}, etag.List{}, false},
		{[]string{`"a b"`}, etag.List{}, false},
		{[]string{`w/"a"`}, etag.List{}, false},
		{[]string{`*, "a"`}, etag.List{}, false},
		{[]string{`"a", *`}, etag.List{}, false},
	} {
		got, ok := etag.ParseList(c.lines)
		if diff := cmp.Diff(c.want, got); diff != "" || ok != c.ok {
			t.Errorf("%q: %v %s", c.lines, ok, diff)
		}
	}
}

// The table of RFC 9110, 8.8.3.2.
func TestComparison(t *testing.T) {
	for _, c := range []struct {
		a, b         string
		strong, weak bool
	}{
		{`W/"1"`, `W/"1"`, false, true},
		{`W/"1"`, `W/"2"`, false, false},
		{`W/"1"`, `"1"`, false, true},
		{`"1"`, `"1"`, true, true},
	} {
		l, _ := etag.ParseList([]string{c.a})
		b, ok := etag.Parse(c.b)
		if !ok || l.Strong(b) != c.strong || l.Weakly(b) != c.weak {
			t.Errorf("%s and %s: %v %v", c.a, c.b, l.Strong(b), l.Weakly(b))
		}
	}
	l := etag.List{Any: true}
	if !l.Strong(etag.Tag{}) || !l.Weakly(etag.Tag{Weak: true}) {
		t.Error("* is any tag")
	}
}

func TestOf(t *testing.T) {
	for version, want := range map[string]string{"7": `"7"`, "a b": `"a%20b"`, `"x"`: `"%22x%22"`, "100%": `"100%25"`, "ä": `"%C3%A4"`, "": `""`} {
		if got := etag.Of(version).String(); got != want {
			t.Errorf("%q: %s, want %s", version, got, want)
		}
	}
	for tag, want := range map[string]string{`"50%"`: "50%", `"%zz"`: "%zz", `"a%20b"`: "a b"} {
		if got, ok := etag.Parse(tag); !ok || got.Version() != want {
			t.Errorf("%s: %q", tag, got.Version())
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "version")
		got, ok := etag.Parse(etag.Of(v).String())
		if !ok || got.Version() != v {
			t.Fatalf("%q came back as %q", v, got.Version())
		}
	})
}

func TestOfContent(t *testing.T) {
	a := etag.OfContent("text/plain", []byte("abc"))
	if a == etag.OfContent("text/html", []byte("abc")) || a == etag.OfContent("text/plain", []byte("abd")) || a != etag.OfContent("text/plain", []byte("abc")) {
		t.Error("a tag is of a type and a content")
	}
	if got, ok := etag.Parse(a.String()); !ok || got != a {
		t.Error(a)
	}
}

func FuzzParseList(f *testing.F) {
	f.Add(`"a", W/"b"`)
	f.Fuzz(func(t *testing.T, s string) {
		l, ok := etag.ParseList([]string{s})
		if !ok {
			return
		}
		for _, tag := range l.Tags {
			if got, ok := etag.Parse(tag.String()); !ok || got != tag {
				t.Errorf("%q of %q", tag, s)
			}
		}
	})
}
