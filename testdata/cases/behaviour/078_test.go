package api_test

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"testing"

	api "cases/c078"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"
)

type service struct{ calls []any }

func (s *service) Opt(_ context.Context, req api.OptRequest) error { return s.add(req) }
func (s *service) Req(_ context.Context, req api.ReqRequest) error { return s.add(req) }

func (s *service) add(req any) error {
	s.calls = append(s.calls, req)
	return nil
}

func newClient(t *testing.T, url string) *api.Client {
	t.Helper()
	c, err := api.New(client.BaseURL(url))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestBodyOnTheWire(t *testing.T) {
	wire := kit.Record(t)
	c := newClient(t, wire.URL)
	if err := c.Opt(t.Context(), api.OptRequest{}); err != nil {
		t.Fatal(err)
	}
	none := wire.Last(t)
	if none.Length != 0 || none.Body != "" || none.Header.Values("Content-Type") != nil {
		t.Errorf("without a body %d bytes %q of type %q were sent", none.Length, none.Body, none.Header["Content-Type"])
	}
	if err := c.Opt(t.Context(), api.OptRequest{Body: &api.OptBody{}}); err != nil {
		t.Fatal(err)
	}
	if last := wire.Last(t); last.Body != "{}" || last.Length != 2 || last.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%q of type %q was sent, want {}", last.Body, last.Header.Get("Content-Type"))
	}
	if err := c.Req(t.Context(), api.ReqRequest{Body: api.ReqBody{A: value.Some("x")}}); err != nil {
		t.Fatal(err)
	}
	if last := wire.Last(t); last.Body != `{"a":"x"}` {
		t.Errorf("%q was sent", last.Body)
	}
}

func TestBodyIsRead(t *testing.T) {
	for _, test := range []struct {
		path, body string
		header     []string
		want       any
	}{
		{"/opt", "", nil, api.OptRequest{}},
		{"/opt", "", []string{"Content-Type: application/json"}, api.OptRequest{}},
		{"/opt", "{}", []string{"Content-Type: application/json"}, api.OptRequest{Body: &api.OptBody{}}},
		// Callers that have no body often say so with null.
		{"/opt", "null", []string{"Content-Type: application/json"}, api.OptRequest{}},
		{"/req", `{"a":"x"}`, []string{"Content-Type: application/json"}, api.ReqRequest{Body: api.ReqBody{A: value.Some("x")}}},
	} {
		svc := &service{}
		url := kit.Serve(t, api.NewHandler(svc))
		got := kit.Send(t, http.MethodPost, url+test.path, test.body, test.header...)
		if got.Status != http.StatusNoContent || !reflect.DeepEqual(svc.calls, []any{test.want}) {
			t.Errorf("%s %q: %d %s, the method got %+v, want %+v", test.path, test.body, got.Status, got.Body, svc.calls, test.want)
		}
	}
}

func TestRequiredBody(t *testing.T) {
	svc := &service{}
	url := kit.Serve(t, api.NewHandler(svc))
	got := kit.Send(t, http.MethodPost, url+"/req", "")
	if got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "request body required") {
		t.Errorf("no body: %d %s", got.Status, got.Body)
	}
	if got := kit.Send(t, http.MethodPost, url+"/req", "null", "Content-Type: application/json"); got.Status != http.StatusBadRequest {
		t.Errorf("null: %d %s", got.Status, got.Body)
	}
	if len(svc.calls) != 0 {
		t.Errorf("the method was called with %+v", svc.calls)
	}
}
