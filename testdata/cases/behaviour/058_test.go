package api_test

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	api "cases/c058"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"
)

type service struct{ calls []api.DeepRequest }

func (s *service) Deep(_ context.Context, req api.DeepRequest) error {
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

var both = api.DeepRequest{
	F: &api.DeepF{State: value.Some("open"), Labels: map[string]string{"env": "prod"}},
	G: &api.DeepG{State: value.Some("shut")},
}

// Brackets may be sent as they are or escaped, so the pieces are compared unescaped.
func TestQueryOnTheWire(t *testing.T) {
	for _, test := range []struct {
		req  api.DeepRequest
		want []string
	}{
		{both, []string{"f[state]=open", "f[labels][env]=prod", "g[state]=shut"}},
		{api.DeepRequest{G: &api.DeepG{State: value.Some("a b&c")}}, []string{"g[state]=a b&c"}},
		{api.DeepRequest{}, nil},
	} {
		wire := kit.Record(t)
		if err := newClient(t, wire.URL).Deep(t.Context(), test.req); err != nil {
			t.Fatal(err)
		}
		query := wire.Last(t).Query()
		var got []string
		for piece := range strings.SplitSeq(query, "&") {
			plain, err := url.QueryUnescape(piece)
			if err != nil {
				t.Fatal(err)
			}
			if plain != "" {
				got = append(got, plain)
			}
		}
		if !kit.SameSet(got, test.want) {
			t.Errorf("query %q, want the pieces %q", query, test.want)
		}
	}
}

func TestQueryIsRead(t *testing.T) {
	for _, test := range []struct {
		query string
		want  api.DeepRequest
	}{
		{"f[state]=open&f[labels][env]=prod&g[state]=shut", both},
		{"g%5Bstate%5D=shut&f%5blabels%5d%5benv%5d=prod&f%5Bstate%5D=open", both},
		{"g[state]=shut", api.DeepRequest{G: both.G}},
		{"f[labels][a]=1&f[labels][b]=2", api.DeepRequest{F: &api.DeepF{Labels: map[string]string{"a": "1", "b": "2"}}}},
		{"", api.DeepRequest{}},
		// A name that only begins alike belongs to neither.
		{"ff[state]=open", api.DeepRequest{}},
	} {
		svc := &service{}
		url := kit.Serve(t, api.NewHandler(svc))
		if got := kit.Send(t, http.MethodGet, url+"/deep?"+test.query, ""); got.Status != http.StatusNoContent {
			t.Errorf("%q: %d %s", test.query, got.Status, got.Body)
			continue
		}
		if !reflect.DeepEqual(svc.calls, []api.DeepRequest{test.want}) {
			t.Errorf("%q: the method got %+v, want %+v", test.query, svc.calls, test.want)
		}
	}
}

// A member that the schema does not name is passed over; names that are broken are
// no reason to panic.
func TestUnknownAndBrokenNames(t *testing.T) {
	svc := &service{}
	url := kit.Serve(t, api.NewHandler(svc))
	if got := kit.Send(t, http.MethodGet, url+"/deep?f[nope]=1", ""); got.Status != http.StatusNoContent {
		t.Errorf("f[nope]: %d %s", got.Status, got.Body)
	}
	if len(svc.calls) != 1 || svc.calls[0].F != nil && (svc.calls[0].F.State.IsSet() || svc.calls[0].F.Labels != nil) {
		t.Errorf("f[nope]: the method got %+v", svc.calls)
	}
	// f itself is no object, which is told rather than passed over in silence.
	if got := kit.Send(t, http.MethodGet, url+"/deep?f=1", ""); got.Status != http.StatusBadRequest || !kit.Names(got, "query", "f") {
		t.Errorf("f: %d %s, want 400 that names f", got.Status, got.Body)
	}
	for _, query := range []string{
		"f[", "f]=1", "f[]=1", "f[state", "f[state=1", "f[state]x=1", "f[[state]]=1", "f[labels]=1", "f[labels][=1",
		"f[labels][a][b]=1", "f[state][x]=1", "f[state]=1&f[state]=2", "f%5B=1", "f%=1", "f[state]=%",
	} {
		got := kit.Send(t, http.MethodGet, url+"/deep?"+query, "")
		if got.Status != http.StatusNoContent && got.Status != http.StatusBadRequest {
			t.Errorf("%q: %d %s", query, got.Status, got.Body)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	svc := &service{}
	c := newClient(t, kit.Serve(t, api.NewHandler(svc)))
	want := api.DeepRequest{F: &api.DeepF{
		State:  value.Some("a=b&c[d] %"),
		Labels: map[string]string{"x y": "1", "ü&=": "", "%5B": "2"},
	}}
	if err := c.Deep(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(svc.calls, []api.DeepRequest{want}) {
		t.Errorf("the method got %+v, want %+v", svc.calls, want)
	}
}
