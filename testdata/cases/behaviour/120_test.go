package api_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c120"
	"cases/kit"
)

// service notes which of its methods ran.
type service struct{ ran *[]string }

func (s service) note(name string) error { *s.ran = append(*s.ran, name); return nil }

func (s service) G(context.Context) error  { return s.note("GET") }
func (s service) Pu(context.Context) error { return s.note("PUT") }
func (s service) Po(context.Context) error { return s.note("POST") }
func (s service) De(_ context.Context, req api.DeRequest) error {
	if req.Body != nil {
		return s.note("DELETE " + req.Body.Why.Or(""))
	}
	return s.note("DELETE")
}
func (s service) Op(context.Context) error { return s.note("OPTIONS") }
func (s service) He(context.Context) error { return s.note("HEAD") }
func (s service) Pa(context.Context) error { return s.note("PATCH") }
func (s service) Tr(context.Context) error { return s.note("TRACE") }

var methods = []string{"GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"}

func calls(c *api.Client) []func(context.Context) error {
	return []func(context.Context) error{
		func(ctx context.Context) error { return c.G(ctx) },
		func(ctx context.Context) error { return c.Pu(ctx) },
		func(ctx context.Context) error { return c.Po(ctx) },
		func(ctx context.Context) error { return c.De(ctx, api.DeRequest{}) },
		func(ctx context.Context) error { return c.Op(ctx) },
		func(ctx context.Context) error { return c.He(ctx) },
		func(ctx context.Context) error { return c.Pa(ctx) },
		func(ctx context.Context) error { return c.Tr(ctx) },
	}
}

func TestEightMethods(t *testing.T) {
	var ran []string
	url := kit.Serve(t, api.NewHandler(service{&ran}))
	for _, method := range methods {
		kit.Same(t, method, kit.Send(t, method, url+"/all", "").Status, 204)
	}
	kit.Same(t, "methods that ran", ran, methods)
	ran = nil
	for _, call := range calls(kit.Client(t, api.New, url)) {
		kit.OK(t, call(t.Context()))
	}
	kit.Same(t, "methods that the client called", ran, methods)
}

func TestDeleteWithBody(t *testing.T) {
	sent := kit.Record(t)
	c := kit.Client(t, api.New, sent.URL)
	kit.OK(t, c.De(t.Context(), api.DeRequest{Body: &api.DeBody{Why: value.Some("old")}}))
	r := sent.Last(t)
	kit.Same(t, "request", []string{r.Method, r.Header.Get("Content-Type"), r.Body}, []string{"DELETE", "application/json", `{"why":"old"}`})
	kit.OK(t, c.De(t.Context(), api.DeRequest{}))
	kit.Same(t, "without a body", sent.Last(t).Header.Get("Content-Type")+sent.Last(t).Body, "")

	var ran []string
	url := kit.Serve(t, api.NewHandler(service{&ran}))
	kit.OK(t, kit.Client(t, api.New, url).De(t.Context(), api.DeRequest{Body: &api.DeBody{Why: value.Some("old")}}))
	kit.Same(t, "methods that ran", ran, []string{"DELETE old"})
}

func TestAnotherMethod(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{new([]string)}))
	for _, method := range []string{"QUERY", "PURGE", "get"} {
		answer := kit.Send(t, method, url+"/all", "")
		kit.Problem(t, answer, http.StatusMethodNotAllowed)
		allow := strings.Split(answer.Header.Get("Allow"), ", ")
		slices.Sort(allow)
		kit.Same(t, "Allow", allow, slices.Sorted(slices.Values(methods)))
	}
}
