package api_test

import (
	"context"
	"net/http"
	"testing"

	api "cases/c066"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
)

// service keeps which methods were called.
type service struct{ calls []string }

func (s *service) Root(context.Context) error   { return s.add("root") }
func (s *service) APlain(context.Context) error { return s.add("aPlain") }
func (s *service) ASlash(context.Context) error { return s.add("aSlash") }
func (s *service) Fixed(context.Context) error  { return s.add("fixed") }
func (s *service) Nested(_ context.Context, req api.NestedRequest) error {
	return s.add("nested " + req.ID)
}

func (s *service) add(call string) error {
	s.calls = append(s.calls, call)
	return nil
}

func TestRoutes(t *testing.T) {
	for _, test := range []struct {
		path   string
		status int
		want   string // empty: no method is called
	}{
		{"/", 204, "root"},
		{"", 204, "root"}, // an empty path is sent as a slash
		{"/nope", 404, ""},
		{"/a", 204, "aPlain"},
		{"/a/", 204, "aSlash"},
		{"/a/x/b/", 204, "nested x"},
		{"/a/b/", 204, "fixed"},
		{"/a/b/b/", 204, "nested b"},
		{"/a/x/b", 404, ""},
		{"/a/b", 404, ""},
		{"/a/x", 404, ""},
		{"/a/x/", 404, ""},
		{"/a//", 404, ""},
		{"//", 404, ""},
		{"/a/b/c", 404, ""},
	} {
		svc := &service{}
		url := kit.Serve(t, api.NewHandler(svc))
		got := kit.Send(t, http.MethodGet, url+test.path, "")
		call := ""
		if len(svc.calls) == 1 {
			call = svc.calls[0]
		}
		if got.Status != test.status || call != test.want || len(svc.calls) > 1 {
			t.Errorf("GET %s: %d and the calls %q, want %d and %q", test.path, got.Status, svc.calls, test.status, test.want)
		}
	}
}

func TestPathsOnTheWire(t *testing.T) {
	wire := kit.Record(t)
	c, err := api.New(client.BaseURL(wire.URL))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for path, call := range map[string]func() error{
		"/":       func() error { return c.Root(ctx) },
		"/a":      func() error { return c.APlain(ctx) },
		"/a/":     func() error { return c.ASlash(ctx) },
		"/a/b/":   func() error { return c.Fixed(ctx) },
		"/a/x/b/": func() error { return c.Nested(ctx, api.NestedRequest{ID: "x"}) },
	} {
		if err := call(); err != nil {
			t.Fatal(err)
		}
		if got := wire.Last(t).Target; got != path {
			t.Errorf("sent to %q, want %q", got, path)
		}
	}
}
