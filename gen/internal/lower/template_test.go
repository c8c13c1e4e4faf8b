package lower

import (
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/gen/internal/ir"
)

func TestParseTemplate(t *testing.T) {
	tests := []struct {
		key, parts, path, query, fragment string
		words                             []string
	}{
		{"/", "[/]", "/", "", "", []string{"root"}},
		{"/books", "[/books]", "/books", "", "", []string{"books"}},
		{"/books/", "[/books/]", "/books/", "", "", []string{"books", "slash"}},
		{"/books/{book-id}/pages", "[/books/]{book-id}[/pages]", "/books/{book-id}/pages", "", "", []string{"books", "by", "book-id", "pages"}},
		{"/jobs/{id}:apply", "[/jobs/]{id}[:apply]", "/jobs/{id}:apply", "", "", []string{"jobs", "by", "id", "apply"}},
		{"/reports/{name}.{ext}", "[/reports/]{name}[.]{ext}", "/reports/{name}.{ext}", "", "", []string{"reports", "by", "name", "by", "ext"}},
		{"/v{major}/ping", "[/v]{major}[/ping]", "/v{major}/ping", "", "", []string{"v", "by", "major", "ping"}},
		{"/a?beta=true", "[/a]", "/a", "beta=true", "", []string{"a", "beta=true"}},
		{"/a#refresh", "[/a]", "/a", "", "refresh", []string{"a", "refresh"}},
		{"/a%2Fb", "[/a/b]", "/a%2Fb", "", "", []string{"a", "b"}},
		{"/100%", "[/100%]", "/100%", "", "", []string{"100%"}},
		{"/u//posts", "[/u//posts]", "/u//posts", "", "", []string{"u", "posts"}},
	}
	for _, test := range tests {
		got, fault := parseTemplate(test.key)
		if fault != nil {
			t.Errorf("%s: %s", test.key, fault.text)
			continue
		}
		if p := parts(&ir.Operation{Parts: got.parts}); p != test.parts {
			t.Errorf("%s: parts %s, want %s", test.key, p, test.parts)
		}
		if got.path != test.path || got.query != test.query || got.fragment != test.fragment {
			t.Errorf("%s: path %q query %q fragment %q", test.key, got.path, got.query, got.fragment)
		}
		if !slices.Equal(got.words(), test.words) {
			t.Errorf("%s: words %q, want %q", test.key, got.words(), test.words)
		}
	}
}

func TestParseTemplateFaults(t *testing.T) {
	tests := []struct {
		key    string
		offset int
	}{
		{"/a/{id", 3}, {"/a/id}", 5}, {"/a/{}", 3}, {"/a/{b{c}}", 3}, {"/ä/{x/y}", 3}, {"/{a}/{", 5},
	}
	for _, test := range tests {
		_, fault := parseTemplate(test.key)
		if fault == nil {
			t.Errorf("%s is accepted", test.key)
			continue
		}
		if fault.offset != test.offset {
			t.Errorf("%s: fault at %d, want %d", test.key, fault.offset, test.offset)
		}
	}
}

func TestTemplateQueries(t *testing.T) {
	tests := []struct {
		key, query string
		expanded   []queryPair
	}{
		{"/a?x={x}&y=1", "y=1", []queryPair{{"x", "x"}}},
		{"/a{?q,limit}", "", []queryPair{{"q", "q"}, {"limit", "limit"}}},
		{"/a?page={p}", "", []queryPair{{"page", "p"}}},
	}
	for _, test := range tests {
		got, fault := parseTemplate(test.key)
		if fault != nil || got.path != "/a" || got.query != test.query || !slices.Equal(got.expanded, test.expanded) {
			t.Errorf("%s: path %q query %q expanded %v fault %v", test.key, got.path, got.query, got.expanded, fault)
		}
	}
}

func TestTemplateShape(t *testing.T) {
	same := [][2]string{{"/a/{x}", "/a/{y}"}, {"/a/{x}/b", "/a/{zz}/b"}, {"/%61", "/a"}}
	differ := [][2]string{{"/a/{x}", "/a/b"}, {"/a", "/a/"}, {"/a", "/a?x=1"}, {"/a/{x}", "/a/%7Bx%7D"}, {"/{x}.{y}", "/{x}"}}
	shape := func(key string) string {
		tmpl, fault := parseTemplate(key)
		if fault != nil {
			t.Fatalf("%s: %s", key, fault.text)
		}
		return tmpl.shape()
	}
	for _, p := range same {
		if shape(p[0]) != shape(p[1]) {
			t.Errorf("%s and %s match the same requests", p[0], p[1])
		}
	}
	for _, p := range differ {
		if shape(p[0]) == shape(p[1]) {
			t.Errorf("%s and %s are different", p[0], p[1])
		}
	}
}

func TestBareName(t *testing.T) {
	for name, want := range map[string]string{
		"id": "id", "proxy+": "proxy", "path*": "path", "+path": "path", "id?": "id", "id:[0-9]+": "id",
		"name=projects/*": "name", "rest...": "rest", "a.b": "a.b",
	} {
		if got := bareName(name); got != want {
			t.Errorf("bareName(%q) = %q, want %q", name, got, want)
		}
	}
}

func FuzzParseTemplate(f *testing.F) {
	for _, seed := range []string{"/", "/a/{b}", "/{a}.{b}", "/a?x={y}#z", "{?a,b}", "/%zz/%41", "}{", "/ä{ö}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, key string) {
		tmpl, fault := parseTemplate(key)
		if fault != nil {
			if fault.offset < 0 || fault.offset > len([]rune(key)) {
				t.Errorf("fault at %d of %q", fault.offset, key)
			}
			return
		}
		for _, p := range tmpl.parts {
			if (p.Literal == "") == (p.Param == "") {
				t.Errorf("%q: part %+v", key, p)
			}
			if strings.ContainsAny(p.Param, "{}/") {
				t.Errorf("%q: parameter %q", key, p.Param)
			}
		}
		tmpl.words()
		tmpl.shape()
	})
}
