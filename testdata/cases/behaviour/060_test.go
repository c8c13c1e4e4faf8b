package api_test

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"testing"

	api "cases/c060"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"
)

type service struct{ calls []api.WRequest }

func (s *service) W(_ context.Context, req api.WRequest) error {
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

const wireQuery = "where=%7B%22a%22%3A%5B1%5D%2C%22b%22%3A%22x%20y%22%7D"

var where = api.WRequest{Where: api.WWhere{A: []int64{1}, B: value.Some("x y")}}

func TestQueryOnTheWire(t *testing.T) {
	wire := kit.Record(t)
	if err := newClient(t, wire.URL).W(t.Context(), where); err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(wire.Last(t).Query(), "+", "%20"); got != wireQuery {
		t.Errorf("query %q, want %q", got, wireQuery)
	}
}

func TestQueryIsRead(t *testing.T) {
	for _, query := range []string{wireQuery, strings.ReplaceAll(wireQuery, "%20", "+")} {
		svc := &service{}
		url := kit.Serve(t, api.NewHandler(svc))
		if got := kit.Send(t, http.MethodGet, url+"/w?"+query, ""); got.Status != http.StatusNoContent {
			t.Errorf("%q: %d %s", query, got.Status, got.Body)
		}
		if !reflect.DeepEqual(svc.calls, []api.WRequest{where}) {
			t.Errorf("%q: the method got %+v, want %+v", query, svc.calls, where)
		}
	}
}

func TestBadQueryNamesTheParameter(t *testing.T) {
	svc := &service{}
	url := kit.Serve(t, api.NewHandler(svc))
	for _, query := range []string{
		"", "where=", "where=x", "where=%7B%22a%22", "where=%7B%7D%7B%7D", "where=%7B%22a%22%3A1%7D", "where=%5B%5D", "where=null",
	} {
		got := kit.Send(t, http.MethodGet, url+"/w?"+query, "")
		if got.Status != http.StatusBadRequest || !kit.Names(got, "query", "where") {
			t.Errorf("%q: %d %s, want 400 that names where", query, got.Status, got.Body)
		}
	}
	if len(svc.calls) != 0 {
		t.Errorf("the method was called with %+v", svc.calls)
	}
}

func TestRoundTrip(t *testing.T) {
	svc := &service{}
	c := newClient(t, kit.Serve(t, api.NewHandler(svc)))
	want := api.WRequest{Where: api.WWhere{B: value.Some(`"&=+#%, ü` + "\n")}}
	if err := c.W(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(svc.calls, []api.WRequest{want}) {
		t.Errorf("the method got %+v, want %+v", svc.calls, want)
	}
}
