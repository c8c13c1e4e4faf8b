package api_test

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"testing"

	api "cases/c061"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"
)

type service struct{ calls []api.RRequest }

func (s *service) R(_ context.Context, req api.RRequest) error {
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

// The names are those of the document, escaped ($ may stay), and a value that may
// hold reserved characters keeps those that do not end it.
func TestQueryOnTheWire(t *testing.T) {
	for _, test := range []struct {
		req  api.RRequest
		want []string
	}{
		{
			api.RRequest{IDs: []int64{1, 2}, Top: value.Some[int64](5), AB: value.Some("v"), Path: value.Some("a/b?c")},
			[]string{"ids%5B%5D=1", "ids%5B%5D=2", "$top=5", "a.b=v", "path=a/b?c"},
		},
		{api.RRequest{Path: value.Some("a&b#c+d e")}, []string{"path=a%26b%23c%2Bd%20e"}},
		{api.RRequest{AB: value.Some("a/b?c")}, []string{"a.b=a%2Fb%3Fc"}},
		{api.RRequest{Flag: value.Some("")}, []string{"flag="}},
	} {
		wire := kit.Record(t)
		if err := newClient(t, wire.URL).R(t.Context(), test.req); err != nil {
			t.Fatal(err)
		}
		query := strings.ReplaceAll(wire.Last(t).Query(), "%24", "$")
		if !kit.SameSet(strings.Split(query, "&"), test.want) {
			t.Errorf("query %q, want the pieces %q", query, test.want)
		}
	}
}

func TestQueryIsRead(t *testing.T) {
	full := api.RRequest{IDs: []int64{1, 2}, Top: value.Some[int64](5), AB: value.Some("v"), Path: value.Some("a/b?c")}
	for _, test := range []struct {
		query string
		want  api.RRequest
	}{
		{"ids%5B%5D=1&ids%5B%5D=2&%24top=5&a.b=v&path=a/b?c", full},
		{"ids[]=1&ids[]=2&$top=5&a.b=v&path=a%2Fb%3Fc", full},
		{"path=a%26b%23c%2Bd%20e", api.RRequest{Path: value.Some("a&b#c+d e")}},
		{"flag=", api.RRequest{Flag: value.Some("")}},
		{"flag", api.RRequest{Flag: value.Some("")}},
		{"flag=x", api.RRequest{Flag: value.Some("x")}},
		{"", api.RRequest{}},
	} {
		svc := &service{}
		url := kit.Serve(t, api.NewHandler(svc))
		if got := kit.Send(t, http.MethodGet, url+"/r?"+test.query, ""); got.Status != http.StatusNoContent {
			t.Errorf("%q: %d %s", test.query, got.Status, got.Body)
			continue
		}
		if !reflect.DeepEqual(svc.calls, []api.RRequest{test.want}) {
			t.Errorf("%q: the method got %+v, want %+v", test.query, svc.calls, test.want)
		}
	}
}

func TestBadQueryUsesTheNameOfTheDocument(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(&service{}))
	for query, name := range map[string]string{"ids[]=x": "ids[]", "$top=x": "$top"} {
		got := kit.Send(t, http.MethodGet, url+"/r?"+query, "")
		if got.Status != http.StatusBadRequest || !kit.Names(got, "query", name) {
			t.Errorf("%q: %d %s, want 400 that names %s", query, got.Status, got.Body, name)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	svc := &service{}
	c := newClient(t, kit.Serve(t, api.NewHandler(svc)))
	const all = " !\"#$&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~\u00fc"
	want := api.RRequest{AB: value.Some(all), Path: value.Some(all)}
	if err := c.R(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(svc.calls, []api.RRequest{want}) {
		t.Errorf("the method got %+v, want %+v", svc.calls, want)
	}
}
