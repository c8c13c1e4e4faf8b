package router_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/server/router"
	"pgregory.net/rapid"
)

// naive finds the template for a path by trying all of them with regular
// expressions; values are those of its parameters. It knows nothing of escapes.
func naive(templates []string, path string) (best int, values []string) {
	best = -1
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, t := range templates {
		segments := strings.Split(strings.TrimPrefix(t, "/"), "/")
		if len(segments) != len(parts) {
			continue
		}
		var found []string
		fits := true
		for j, s := range segments {
			m := pattern(s).FindStringSubmatch(parts[j])
			if m == nil || s == "{x}" && strings.Contains(parts[j], ":") && verbAt(templates, segments[:j]) {
				fits = false
				break
			}
			found = append(found, m[1:]...)
		}
		if fits && (best < 0 || moreSpecific(segments, strings.Split(strings.TrimPrefix(templates[best], "/"), "/"))) {
			best, values = i, found
		}
	}
	return best, values
}

func pattern(segment string) *regexp.Regexp {
	var literals []string
	for l := range strings.SplitSeq(segment, "{x}") {
		literals = append(literals, regexp.QuoteMeta(l))
	}
	return regexp.MustCompile("^" + strings.Join(literals, "(.+)") + "$")
}

// verbAt reports whether a template that begins with these segments goes on with a
// custom method.
func verbAt(templates []string, prefix []string) bool {
	return slices.ContainsFunc(templates, func(t string) bool {
		segments := strings.Split(strings.TrimPrefix(t, "/"), "/")
		return len(segments) > len(prefix) && slices.Equal(segments[:len(prefix)], prefix) && strings.Contains(segments[len(prefix)], "{x}:")
	})
}

func moreSpecific(a, b []string) bool {
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		return rank(a[i], b[i]) > 0
	}
	return false
}

// rank is positive when segment a is more specific than b.
func rank(a, b string) int {
	kind := func(s string) int {
		switch {
		case s == "{x}":
			return 0
		case strings.Contains(s, "{x}"):
			return 1
		}
		return 2
	}
	return cmp.Or(
		cmp.Compare(kind(a), kind(b)),
		cmp.Compare(len(strings.ReplaceAll(a, "{x}", "")), len(strings.ReplaceAll(b, "{x}", ""))),
		cmp.Compare(strings.Count(b, "{x}"), strings.Count(a, "{x}")),
		slices.Compare(strings.Split(a, "{x}"), strings.Split(b, "{x}")),
	)
}

func TestAgainstNaive(t *testing.T) {
	segment := rapid.SampledFrom([]string{"", "a", "b", "a.b", "x:v", "{x}", "{x}", "{x}:v", "{x}:w", "{x}.{x}", "{x}.b", "a{x}", "a{x}b", "{x}{x}", "{x}b{x}"})
	text := rapid.SampledFrom([]string{"", "a", "b", "ab", "a.b", "a.b.b", "x:v", "a:w", "a:b:v", ":v", "aab", "abbb", "v1", "."})
	path := func(g *rapid.Generator[string]) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			return "/" + strings.Join(rapid.SliceOfN(g, 1, 4).Draw(t, "segments"), "/")
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		templates := rapid.SliceOfNDistinct(path(segment), 1, 12, rapid.ID[string]).Draw(t, "templates")
		r := &router.Router{}
		for i, template := range templates {
			// Names that differ do not make another path.
			named := template
			for n := 0; strings.Contains(named, "{x}"); n++ {
				named = strings.Replace(named, "{x}", "{p"+string(rune('a'+n))+string(rune('0'+i))+"}", 1)
			}
			if n, ok := r.Add(router.Route{Method: "GET", Path: named}); n != i || !ok {
				t.Fatalf("%s is number %d, %v", named, n, ok)
			}
		}
		for _, p := range rapid.SliceOfN(path(text), 1, 10).Draw(t, "paths") {
			var m router.Match
			r.Find(&m, "GET", p, "")
			want, values := naive(templates, p)
			if m.Route != want {
				t.Fatalf("%s: route %d, want %d", p, m.Route, want)
			}
			for n, value := range values {
				name := "p" + string(rune('a'+n)) + string(rune('0'+want))
				if got, ok := m.Param(name); got != value || !ok {
					t.Fatalf("%s: %s is %q, want %q", p, name, got, value)
				}
			}
		}
	})
}

// Whatever the routes and the path, nothing panics, and no parameter is empty.
func FuzzFind(f *testing.F) {
	f.Add("/jobs/{id}:apply\n/jobs/{id}\n/{a}.{b}/%2F/{", "/jobs/1:apply", "a=%2&b")
	f.Add("//{a}{b}{c}\n/%", "//%41%/", "")
	f.Fuzz(func(t *testing.T, templates, path, query string) {
		r := &router.Router{}
		for i, template := range strings.Split(templates, "\n") {
			r.Add(router.Route{Method: []string{"GET", "POST"}[i%2], Path: template, Query: query})
		}
		for _, method := range []string{"GET", "HEAD", "POST", ""} {
			var m router.Match
			r.Find(&m, method, path, query)
			for template := range strings.SplitSeq(templates, "\n") {
				for part := range strings.SplitSeq(template, "{") {
					name, _, _ := strings.Cut(part, "}")
					if value, ok := m.Param(name); ok && (value == "" || strings.Contains(value, "/")) {
						t.Errorf("%s is %q", name, value)
					}
				}
			}
		}
	})
}
