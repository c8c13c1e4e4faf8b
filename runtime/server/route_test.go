package server_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// Each path, also one that only a prefix of which is known, has its own answer.
func TestPaths(t *testing.T) {
	called := ""
	route := func(method, path string) server.Route {
		return bare(spec(method, path), func(context.Context) error { called = method + " " + path; return nil })
	}
	s := start(t, []server.Route{
		route("GET", "/"), route("GET", "/a"), route("GET", "/a/"), route("GET", "/a/{id}/b/"), route("GET", "/a/b/"),
		route("GET", "/u/{id}/posts"), route("POST", "/jobs/{id}:apply"), route("GET", "/jobs/{id}"),
	})
	for _, tt := range []struct {
		method, path string
		status       int
		called       string
	}{
		{"GET", "/", 204, "GET /"},
		{"GET", "/nope", 404, ""},
		{"GET", "/a", 204, "GET /a"},
		{"GET", "/a/", 204, "GET /a/"},
		{"GET", "/a/x/b/", 204, "GET /a/{id}/b/"},
		{"GET", "/a/b/", 204, "GET /a/b/"},
		{"GET", "/a/x/b", 404, ""},
		{"GET", "/u//posts", 404, ""},
		{"GET", "/u/%2F/posts", 204, "GET /u/{id}/posts"},
		{"POST", "/jobs/42:apply", 204, "POST /jobs/{id}:apply"},
		{"GET", "/jobs/42:nope", 404, ""},
		{"PUT", "/a", 405, ""},
		{"HEAD", "/a", 204, "GET /a"},
		{"OPTIONS", "/a", 204, ""},
	} {
		called = ""
		got := do(t, tt.method, s.URL+tt.path, "")
		if got.StatusCode != tt.status || called != tt.called {
			t.Errorf("%s %s: %d, called %q", tt.method, tt.path, got.StatusCode, called)
		}
		if allow := got.Header.Get("Allow"); (tt.status == 405 || tt.method == "OPTIONS") && allow != "GET" {
			t.Errorf("%s %s: Allow %q", tt.method, tt.path, allow)
		}
	}
	do(t, "GET", s.URL+"/nope", "").problem(t, 404)
	do(t, "PUT", s.URL+"/a", "").problem(t, 405)
}

func TestAllMethods(t *testing.T) {
	methods := []string{"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"}
	called := ""
	var routes []server.Route
	for _, m := range methods {
		routes = append(routes, bare(spec(m, "/all"), func(context.Context) error { called = m; return nil }))
	}
	s := start(t, routes)
	for _, m := range methods {
		if got := do(t, m, s.URL+"/all", ""); got.StatusCode != http.StatusNoContent || called != m {
			t.Errorf("%s: %d, called %s", m, got.StatusCode, called)
		}
	}
	got := do(t, "PURGE", s.URL+"/all", "")
	if got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Allow") != "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, TRACE" {
		t.Errorf("%d, %q", got.StatusCode, got.Header.Get("Allow"))
	}
}

func TestOddParameterNames(t *testing.T) {
	type request struct{ order, line, kind string }
	var got request
	s := start(t, []server.Route{server.HandleExec(&server.Operation[server.None]{
		Spec: spec("GET", "/o/{order-id}/l/{line.id}/t/{type}"),
		Decode: untyped(func(r *request, s *server.Request) {
			field.Get(s.Path("order-id", param.Simple), param.String, &r.order)
			field.Get(s.Path("line.id", param.Simple), param.String, &r.line)
			field.Get(s.Path("type", param.Simple), param.String, &r.kind)
		}),
	}, func(_ context.Context, r request) error { got = r; return nil })})
	do(t, "GET", s.URL+"/o/7/l/x%2Fz/t/a%3Ab", "").want(t, 204, "")
	if got != (request{"7", "x/z", "a:b"}) {
		t.Error(got)
	}
}

func TestPathStyles(t *testing.T) {
	type request struct{ simple, label, matrix, joined []int64 }
	list := param.ListOf(param.Int64)
	var got request
	route := func(path string, decode func(*request, *server.Request)) server.Route {
		return server.HandleExec(&server.Operation[server.None]{Spec: spec("GET", path), Decode: untyped(decode)},
			func(_ context.Context, r request) error { got = r; return nil })
	}
	s := start(t, []server.Route{
		route("/s/{ids}", func(r *request, s *server.Request) { field.Get(s.Path("ids", param.Simple), list, &r.simple) }),
		route("/l/{ids}", func(r *request, s *server.Request) {
			field.Get(s.Path("ids", param.Label|param.Explode), list, &r.label)
		}),
		route("/m/{ids}", func(r *request, s *server.Request) {
			field.Get(s.Path("ids", param.Matrix|param.Explode), list, &r.matrix)
		}),
		route("/n/{ids}", func(r *request, s *server.Request) { field.Get(s.Path("ids", param.Matrix), list, &r.joined) }),
	})
	for path, want := range map[string]request{
		"/s/3,4":          {simple: []int64{3, 4}},
		"/l/.3.4":         {label: []int64{3, 4}},
		"/m/;ids=3;ids=4": {matrix: []int64{3, 4}},
		"/n/;ids=3,4":     {joined: []int64{3, 4}},
	} {
		got = request{}
		do(t, "GET", s.URL+path, "").want(t, 204, "")
		if !slices.Equal(got.simple, want.simple) || !slices.Equal(got.label, want.label) ||
			!slices.Equal(got.matrix, want.matrix) || !slices.Equal(got.joined, want.joined) {
			t.Errorf("%s: %v", path, got)
		}
	}
	for _, path := range []string{"/l/3.4", "/m/3", "/n/ids=3"} {
		p := do(t, "GET", s.URL+path, "").problem(t, 400)
		if len(p.Violations) != 1 || p.Violations[0].In != "path" || p.Violations[0].Name != "ids" {
			t.Errorf("%s: %v", path, p.Violations)
		}
	}
}

func TestBasePath(t *testing.T) {
	routes := []server.Route{bare(spec("GET", "/things"), nothing), bare(spec("GET", "/"), nothing)}
	for _, base := range []string{"/p/v1", "/p/v1/", "p/v1"} {
		s := start(t, routes, server.BasePath(base))
		for path, status := range map[string]int{
			"/p/v1/things": 204, "/p/v1/": 204, "/p/v1": 404, "/things": 404, "/p/v1things": 404, "/": 404, "/p/v1/p/v1/things": 404,
		} {
			if got := do(t, "GET", s.URL+path, ""); got.StatusCode != status {
				t.Errorf("base %s: %s is %d, want %d", base, path, got.StatusCode, status)
			}
		}
	}
}

func TestRoutePath(t *testing.T) {
	s := start(t, []server.Route{bare(spec("POST", "newBooking"), nothing)}, server.RoutePath("POST newBooking", "/hooks/{tenant}"))
	do(t, "POST", s.URL+"/hooks/7", "").want(t, 204, "")
	s = start(t, []server.Route{bare(spec("POST", "newBooking"), nothing)})
	do(t, "POST", s.URL+"/newBooking", "").want(t, 204, "")
}

func TestNewRefusesMistakes(t *testing.T) {
	for name, f := range map[string]func(){
		"double": func() {
			server.New(nil, []server.Route{bare(spec("GET", "/{a}"), nothing), bare(spec("GET", "/{b}"), nothing)})
		},
		"no route":  func() { server.New(nil, []server.Route{{}}) },
		"no method": func() { bare(spec("GET", "/"), nil) },
		"no spec":   func() { bare(nil, nothing) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestLimitsOfRequests(t *testing.T) {
	s := start(t, []server.Route{bare(spec("GET", "/a"), nothing)}, server.URLLimit(20), server.HeaderLimit(5), nil)
	do(t, "GET", s.URL+"/a?aaaaaaaaaaaaaaaaa", "").want(t, 204, "")
	do(t, "GET", s.URL+"/a?aaaaaaaaaaaaaaaaaaa", "").problem(t, http.StatusRequestURITooLong)
	do(t, "GET", s.URL+"/a", "", "X-A: 1", "X-A: 2", "X-A: 3", "X-A: 4").problem(t, http.StatusRequestHeaderFieldsTooLarge)
}

func TestRequestID(t *testing.T) {
	id := ""
	s := start(t, []server.Route{bare(spec("GET", "/a"), func(ctx context.Context) error { id = server.RequestID(ctx); return nil })})
	if got := do(t, "GET", s.URL+"/a", "", "X-Request-Id: abc-1").Header.Get("X-Request-Id"); got != "abc-1" || id != "abc-1" {
		t.Errorf("%q, %q", got, id)
	}
	first := do(t, "GET", s.URL+"/a", "", "X-Request-Id: a b").Header.Get("X-Request-Id")
	if len(first) != 32 || first != id {
		t.Errorf("%q, %q", first, id)
	}
	if second := do(t, "GET", s.URL+"/nope", "").Header.Get("X-Request-Id"); len(second) != 32 || second == first {
		t.Errorf("%q after %q", second, first)
	}
}
