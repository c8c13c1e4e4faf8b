package api_test

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"testing"

	api "cases/c056"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
)

type service struct{ calls []api.QRequest }

func (s *service) Q(_ context.Context, req api.QRequest) error {
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

// Explode is the default of form, and a comma inside a value is escaped where
// commas part the values.
func TestQueryOnTheWire(t *testing.T) {
	for _, test := range []struct {
		req  api.QRequest
		want []string // the pieces of the query, in any order
	}{
		{
			api.QRequest{A: []int64{1, 2}, B: []string{"x", "y"}, C: []string{"p,q", "r"}},
			[]string{"a=1", "a=2", "b=x,y", "c=p%2Cq,r"},
		},
		{api.QRequest{A: []int64{-7}}, []string{"a=-7"}},
		{api.QRequest{}, nil},
	} {
		wire := kit.Record(t)
		if err := newClient(t, wire.URL).Q(t.Context(), test.req); err != nil {
			t.Fatal(err)
		}
		query := wire.Last(t).Query()
		var got []string
		if query != "" {
			got = strings.Split(query, "&")
		}
		if !kit.SameSet(got, test.want) {
			t.Errorf("%+v: query %q, want the pieces %q", test.req, query, test.want)
		}
	}
}

// The server parts at commas before it takes the escapes off.
func TestQueryIsRead(t *testing.T) {
	for _, test := range []struct {
		query string
		want  api.QRequest
	}{
		{"a=1&a=2&b=x,y&c=p%2Cq,r", api.QRequest{A: []int64{1, 2}, B: []string{"x", "y"}, C: []string{"p,q", "r"}}},
		{"c=p%2cq,r&a=2&a=1", api.QRequest{A: []int64{2, 1}, C: []string{"p,q", "r"}}},
		{"", api.QRequest{}},
		{"b=", api.QRequest{B: []string{""}}},
		{"other=1", api.QRequest{}},
	} {
		svc := &service{}
		url := kit.Serve(t, api.NewHandler(svc))
		if got := kit.Send(t, http.MethodGet, url+"/q?"+test.query, ""); got.Status != http.StatusNoContent {
			t.Errorf("%q: %d %s", test.query, got.Status, got.Body)
			continue
		}
		if !reflect.DeepEqual(svc.calls, []api.QRequest{test.want}) {
			t.Errorf("%q: the method got %+v, want %+v", test.query, svc.calls, test.want)
		}
	}
}

func TestBadQueryNamesTheParameter(t *testing.T) {
	svc := &service{}
	url := kit.Serve(t, api.NewHandler(svc))
	for _, query := range []string{"a=", "a=1&a=x", "a=1,2"} {
		got := kit.Send(t, http.MethodGet, url+"/q?"+query, "")
		if got.Status != http.StatusBadRequest || !kit.Names(got, "query", "a") {
			t.Errorf("%q: %d %s, want 400 that names a", query, got.Status, got.Body)
		}
	}
	if len(svc.calls) != 0 {
		t.Errorf("the method was called with %+v", svc.calls)
	}
}

func TestRoundTrip(t *testing.T) {
	svc := &service{}
	c := newClient(t, kit.Serve(t, api.NewHandler(svc)))
	want := api.QRequest{A: []int64{3}, B: []string{"a b", "&=", "%2C"}, C: []string{",", "", "ü"}}
	if err := c.Q(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(svc.calls, []api.QRequest{want}) {
		t.Errorf("the method got %+v, want %+v", svc.calls, want)
	}
}
