package api_test

import (
	"context"
	"net/http"
	"reflect"
	"testing"

	api "cases/c073"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"
)

type service struct{ calls []api.TokRequest }

func (s *service) Tok(_ context.Context, req api.TokRequest) error {
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

const (
	formType = "application/x-www-form-urlencoded"
	wireForm = "a=x+y&n=1&n=2&k=v&d%5Bp%5D=q"
)

var form = api.TokRequest{Body: api.TokBody{
	A: value.Some("x y"),
	N: []int64{1, 2},
	O: &api.TokBodyO{K: value.Some("v")},
	D: &api.TokBodyD{P: value.Some("q")},
}}

// An object is laid out as form with explode unless its encoding says deepObject.
func TestBodyOnTheWire(t *testing.T) {
	wire := kit.Record(t)
	if err := newClient(t, wire.URL).Tok(t.Context(), form); err != nil {
		t.Fatal(err)
	}
	last := wire.Last(t)
	if last.Body != wireForm || last.Length != int64(len(wireForm)) {
		t.Errorf("body %q of %d bytes, want %q", last.Body, last.Length, wireForm)
	}
	if got := last.Header.Values("Content-Type"); !reflect.DeepEqual(got, []string{formType}) {
		t.Errorf("Content-Type %q, want %q", got, formType)
	}
}

func TestBodyIsRead(t *testing.T) {
	for _, test := range []struct {
		body, media string
		want        api.TokRequest
	}{
		{wireForm, formType, form},
		{"d[p]=q&k=v&n=1&n=2&a=x%20y", formType + "; charset=utf-8", form},
		{"n=1", formType, api.TokRequest{Body: api.TokBody{N: []int64{1}}}},
		{"a=&x=1", formType, api.TokRequest{Body: api.TokBody{A: value.Some("")}}},
	} {
		svc := &service{}
		url := kit.Serve(t, api.NewHandler(svc))
		got := kit.Send(t, http.MethodPost, url+"/tok", test.body, "Content-Type: "+test.media)
		if got.Status != http.StatusNoContent || !reflect.DeepEqual(svc.calls, []api.TokRequest{test.want}) {
			t.Errorf("%q: %d %s, the method got %+v, want %+v", test.body, got.Status, got.Body, svc.calls, test.want)
		}
	}
}

func TestBadBodies(t *testing.T) {
	svc := &service{}
	url := kit.Serve(t, api.NewHandler(svc))
	for _, test := range []struct {
		body, media string
		status      int
	}{
		{"n=1&n=x", formType, http.StatusBadRequest},
		{"a=%zz", formType, http.StatusBadRequest},
		{"", formType, http.StatusBadRequest},
		{"{}", "application/json", http.StatusUnsupportedMediaType},
	} {
		got := kit.Send(t, http.MethodPost, url+"/tok", test.body, "Content-Type: "+test.media)
		if got.Status != test.status {
			t.Errorf("%q: %d %s, want %d", test.body, got.Status, got.Body, test.status)
		}
	}
	if len(svc.calls) != 0 {
		t.Errorf("the method was called with %+v", svc.calls)
	}
}

func TestRoundTrip(t *testing.T) {
	svc := &service{}
	c := newClient(t, kit.Serve(t, api.NewHandler(svc)))
	want := api.TokRequest{Body: api.TokBody{
		A: value.Some("&=+%\r\n ü"), O: &api.TokBodyO{K: value.Some("a,b")}, D: &api.TokBodyD{P: value.Some("[x]")},
	}}
	if err := c.Tok(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(svc.calls, []api.TokRequest{want}) {
		t.Errorf("the method got %+v, want %+v", svc.calls, want)
	}
}
