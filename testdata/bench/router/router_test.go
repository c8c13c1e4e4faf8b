// Package router_test measures the router beside those of ogen and chi. It is a
// package of its own, since what ogen generates for the routes takes long to build.
package router_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"net/http"

	"github.com/holdfast-go/holdfast/runtime/server/router"
	"github.com/holdfast-go/holdfast/testdata/bench/generated/ogenroutes"
)

// route is a template with a path that fits it.
type route struct {
	method, template, path string
}

var parameter = regexp.MustCompile(`\{[^{}]+\}`)

// routes are those of the document that cmd/peers has written.
func routes(tb testing.TB) []route {
	tb.Helper()
	text, err := os.ReadFile("../generated/routes.json")
	if err != nil {
		tb.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		tb.Fatal(err)
	}
	var list []route
	for path, item := range document.Paths {
		for method := range item {
			if method != "parameters" {
				list = append(list, route{strings.ToUpper(method), path, fill(path)})
			}
		}
	}
	slices.SortFunc(list, func(a, b route) int { return strings.Compare(a.template+a.method, b.template+b.method) })
	return list
}

// fill puts values into a template.
func fill(template string) string {
	n := 0
	return parameter.ReplaceAllStringFunc(template, func(string) string {
		n++
		return []string{"octocat", "hello-world", "4711", "a1b2c3d4", "main"}[n%5]
	})
}

func ours(list []route) *router.Router {
	t := new(router.Router)
	for _, r := range list {
		t.Add(router.Route{Method: r.method, Path: r.template})
	}
	return t
}

// All three find all routes.
func TestFound(t *testing.T) {
	list := routes(t)
	own, mux, generated := ours(list), chiRouter(list), ogenRouter(t)
	var m router.Match
	for _, r := range list {
		if own.Find(&m, r.method, r.path, ""); !m.Found() {
			t.Errorf("holdfast: %s %s", r.method, r.path)
		}
		if !mux.Match(chi.NewRouteContext(), r.method, r.path) {
			t.Errorf("chi: %s %s", r.method, r.path)
		}
		if _, ok := generated.FindPath(r.method, &url.URL{Path: r.path}); !ok {
			t.Errorf("ogen: %s %s", r.method, r.path)
		}
	}
	t.Logf("%d routes", len(list))
}

// chi wants the parameters of one place to have one name.
func chiRouter(list []route) *chi.Mux {
	mux := chi.NewRouter()
	for _, r := range list {
		n := 0
		mux.MethodFunc(r.method, parameter.ReplaceAllStringFunc(r.template, func(string) string {
			n++
			return fmt.Sprintf("{p%d}", n)
		}), func(http.ResponseWriter, *http.Request) {})
	}
	return mux
}

func ogenRouter(tb testing.TB) *ogenroutes.Server {
	tb.Helper()
	s, err := ogenroutes.NewServer(ogenroutes.UnimplementedHandler{})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// BenchmarkRoutes looks up all routes in turn; an operation is one look-up.
func BenchmarkRoutes(b *testing.B) {
	list := routes(b)
	b.Run("holdfast", func(b *testing.B) {
		t := ours(list)
		var m router.Match
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			r := &list[i%len(list)]
			t.Find(&m, r.method, r.path, "")
		}
	})
	b.Run("ogen", func(b *testing.B) {
		s, urls := ogenRouter(b), make([]*url.URL, len(list))
		for i := range list {
			urls[i] = &url.URL{Path: list[i].path}
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			r := &list[i%len(list)]
			s.FindPath(r.method, urls[i%len(list)])
		}
	})
	b.Run("chi", func(b *testing.B) {
		mux, rctx := chiRouter(list), chi.NewRouteContext()
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			r := &list[i%len(list)]
			rctx.Reset()
			mux.Match(rctx, r.method, r.path)
		}
	})
}

// BenchmarkGrowth looks up paths of one length among ever more routes.
func BenchmarkGrowth(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			list := make([]route, n)
			for i := range list {
				template := fmt.Sprintf("/teams/{team}/things-%05d/{thing}/state", i)
				list[i] = route{"GET", template, fill(template)}
			}
			t := ours(list)
			var m router.Match
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				// The same ten paths each time: what is measured is the look-up, not
				// the memory that ten thousand paths take.
				r := &list[i%10*(n/10)]
				t.Find(&m, r.method, r.path, "")
			}
			if !m.Found() {
				b.Fatal("not found")
			}
		})
	}
}
