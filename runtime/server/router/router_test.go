package router_test

import (
	"testing"

	"github.com/holdfast-go/holdfast/runtime/server/router"
)

func build(t *testing.T, routes ...router.Route) *router.Router {
	t.Helper()
	r := &router.Router{}
	for _, route := range routes {
		if _, ok := r.Add(route); !ok {
			t.Fatalf("%s %s is there already", route.Method, route.Path)
		}
	}
	return r
}

type want struct {
	method, path, query string
	route               int // -1: not allowed; -2: no such path
	allow               string
	params              map[string]string
}

func expect(t *testing.T, r *router.Router, wants []want) {
	t.Helper()
	for _, w := range wants {
		var m router.Match
		r.Find(&m, w.method, w.path, w.query)
		got := m.Route
		if m.Allow == "" {
			got = -2
		}
		if got != w.route || w.allow != "" && m.Allow != w.allow {
			t.Errorf("%s %s?%s: route %d, allow %q, want %d, %q", w.method, w.path, w.query, got, m.Allow, w.route, w.allow)
			continue
		}
		for name, value := range w.params {
			if got, ok := m.Param(name); !ok || got != value {
				t.Errorf("%s %s: %s is %q, want %q", w.method, w.path, name, got, value)
			}
		}
	}
}

func TestVerbsAndSuffixes(t *testing.T) {
	r := build(t,
		router.Route{Method: "GET", Path: "/jobs/{id}"},
		router.Route{Method: "POST", Path: "/jobs/{id}:apply"},
		router.Route{Method: "POST", Path: "/jobs:purge"},
		router.Route{Method: "GET", Path: "/reports/{name}.{ext}"},
		router.Route{Method: "GET", Path: "/v{major}/ping"},
	)
	expect(t, r, []want{
		{method: "POST", path: "/jobs/42:apply", route: 1, params: map[string]string{"id": "42"}},
		{method: "GET", path: "/jobs/42", route: 0, params: map[string]string{"id": "42"}},
		{method: "POST", path: "/jobs/a%3Ab:apply", route: 1, params: map[string]string{"id": "a%3Ab"}},
		{method: "GET", path: "/jobs/a%3Aapply", route: 0, params: map[string]string{"id": "a%3Aapply"}},
		{method: "GET", path: "/jobs/42:nope", route: -2},
		{method: "POST", path: "/jobs/:apply", route: -2},
		{method: "GET", path: "/jobs/42:apply", route: -1, allow: "POST"},
		{method: "POST", path: "/jobs/42", route: -1, allow: "GET"},
		{method: "POST", path: "/jobs:purge", route: 2},
		{method: "GET", path: "/reports/v1.2.json", route: 3, params: map[string]string{"name": "v1.2", "ext": "json"}},
		{method: "GET", path: "/reports/.json", route: -2},
		{method: "GET", path: "/reports/json.", route: -2},
		{method: "GET", path: "/v2/ping", route: 4, params: map[string]string{"major": "2"}},
		{method: "GET", path: "/v/ping", route: -2},
		{method: "POST", path: "/jobs/%3Aappl%79:appl%79", route: 1, params: map[string]string{"id": "%3Aappl%79"}},
	})
}

func TestSlashesAndRoot(t *testing.T) {
	r := build(t,
		router.Route{Method: "GET", Path: "/"},
		router.Route{Method: "GET", Path: "/a"},
		router.Route{Method: "GET", Path: "/a/"},
		router.Route{Method: "GET", Path: "/a/b/"},
		router.Route{Method: "GET", Path: "/a/{id}/b/"},
		router.Route{Method: "GET", Path: "/u/{id}/posts"},
	)
	expect(t, r, []want{
		{method: "GET", path: "/", route: 0},
		{method: "GET", path: "/nope", route: -2},
		{method: "GET", path: "/a", route: 1},
		{method: "GET", path: "/a/", route: 2},
		{method: "GET", path: "/a/x/b/", route: 4, params: map[string]string{"id": "x"}},
		{method: "GET", path: "/a/b/", route: 3},
		{method: "GET", path: "/a/x/b", route: -2},
		{method: "GET", path: "/u//posts", route: -2},
		{method: "GET", path: "/u/%2F/posts", route: 5, params: map[string]string{"id": "%2F"}},
		{method: "GET", path: "", route: -2},
		{method: "GET", path: "*", route: -2},
		{method: "GET", path: "//", route: -2},
		{method: "GET", path: "/a/../a", route: -2},
	})
}

func TestMostSpecificWins(t *testing.T) {
	r := build(t,
		router.Route{Method: "GET", Path: "/x/{a}/c"},
		router.Route{Method: "GET", Path: "/x/b/{d}"},
		router.Route{Method: "GET", Path: "/x/b/{d}/only"},
		router.Route{Method: "GET", Path: "/f/{n}"},
		router.Route{Method: "GET", Path: "/f/{n}.json"},
		router.Route{Method: "GET", Path: "/f/data.{e}"},
		router.Route{Method: "GET", Path: "/f/data.json"},
		router.Route{Method: "POST", Path: "/x/{other}/c"},
		router.Route{Method: "GET", Path: "/d/{order-id}/l/{line.id}/t/{type}"},
		router.Route{Method: "GET", Path: "/s/a b/é"},
		router.Route{Method: "GET", Path: "/s/$meta"},
		router.Route{Method: "GET", Path: "/e/{x}1"},
	)
	expect(t, r, []want{
		{method: "GET", path: "/x/b/c", route: 1, params: map[string]string{"d": "c"}},
		{method: "GET", path: "/x/z/c", route: 0, params: map[string]string{"a": "z"}},
		{method: "POST", path: "/x/z/c", route: 7, params: map[string]string{"other": "z"}},
		{method: "PUT", path: "/x/z/c", route: -1, allow: "GET, POST"},
		{method: "GET", path: "/f/data.json", route: 6},
		{method: "GET", path: "/f/data.xml", route: 5, params: map[string]string{"e": "xml"}},
		{method: "GET", path: "/f/x.json", route: 4, params: map[string]string{"n": "x"}},
		{method: "GET", path: "/f/x.xml", route: 3, params: map[string]string{"n": "x.xml"}},
		{method: "GET", path: "/d/7/l/x/t/y", route: 8, params: map[string]string{"order-id": "7", "line.id": "x", "type": "y"}},
		{method: "GET", path: "/s/a%20b/%C3%A9", route: 9},
		{method: "GET", path: "/s/a%20b/%c3%a9", route: 9},
		{method: "GET", path: "/s/$meta", route: 10},
		{method: "GET", path: "/%73/$meta", route: 10},
		{method: "GET", path: "/s/%24meta", route: -2},
		{method: "GET", path: "/e/x%21", route: -2}, // the 1 is not a literal's
		{method: "GET", path: "/e/x1", route: 11, params: map[string]string{"x": "x"}},
	})
}

func TestQueryOfThePath(t *testing.T) {
	r := build(t,
		router.Route{Method: "POST", Path: "/m"},
		router.Route{Method: "POST", Path: "/m", Query: "beta=true"},
		router.Route{Method: "GET", Path: "/only", Query: "list"},
		router.Route{Method: "HEAD", Path: "/h"},
		router.Route{Method: "GET", Path: "/h"},
	)
	expect(t, r, []want{
		{method: "POST", path: "/m", route: 0},
		{method: "POST", path: "/m", query: "beta=true", route: 1},
		{method: "POST", path: "/m", query: "a=1&beta=true&b=2", route: 1},
		{method: "POST", path: "/m", query: "beta=%74rue", route: 1},
		{method: "POST", path: "/m", query: "beta=false", route: 0},
		{method: "GET", path: "/only", query: "list=", route: 2},
		{method: "GET", path: "/only", route: -1, allow: "GET"},
		{method: "HEAD", path: "/h", route: 3},
		{method: "HEAD", path: "/only", query: "list", route: 2},
	})
}

func TestDoubles(t *testing.T) {
	r := &router.Router{}
	first, ok := r.Add(router.Route{Method: "GET", Path: "/x/{a}", Query: "a=1&b=2"})
	if !ok || first != 0 {
		t.Fatal(first, ok)
	}
	if again, ok := r.Add(router.Route{Method: "GET", Path: "/x/{b}", Query: "b=2&a=1"}); ok || again != 0 {
		t.Error(again, ok)
	}
}

func TestFindAllocatesNothing(t *testing.T) {
	r := build(t,
		router.Route{Method: "GET", Path: "/trips/{tripId}/bookings/{bookingId}"},
		router.Route{Method: "GET", Path: "/reports/{name}.{ext}"},
	)
	var m router.Match
	if n := testing.AllocsPerRun(100, func() {
		r.Find(&m, "GET", "/trips/a%20b/bookings/2", "")
		r.Find(&m, "GET", "/reports/v1.2.json", "")
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
