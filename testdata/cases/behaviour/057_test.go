package api_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	api "cases/c057"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

type service struct{ calls []api.DRequest }

func (s *service) D(_ context.Context, req api.DRequest) error {
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

// Explode is false by default for both styles.
func TestQueryOnTheWire(t *testing.T) {
	wire := kit.Record(t)
	if err := newClient(t, wire.URL).D(t.Context(), api.DRequest{S: []string{"a", "bc"}, P: []int64{1, 2}}); err != nil {
		t.Fatal(err)
	}
	if got, want := wire.Last(t).Query(), []string{"s=a%20bc", "p=1%7C2"}; !kit.SameSet(strings.Split(got, "&"), want) {
		t.Errorf("query %q, want the pieces %q", got, want)
	}
}

// A value with the delimiter in it could not be told from two values.
func TestDelimiterInsideAValue(t *testing.T) {
	wire := kit.Record(t)
	err := newClient(t, wire.URL).D(t.Context(), api.DRequest{S: []string{"a", "b c"}})
	var failed *fault.Error
	if !errors.As(err, &failed) || failed.Kind != fault.Request || failed.Attempts != 0 {
		t.Fatalf("error %#v, want one of kind Request without a try", err)
	}
	if !strings.Contains(err.Error(), "query s") && !strings.Contains(err.Error(), `"s"`) {
		t.Errorf("error %q does not name s", err)
	}
	if n := len(wire.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestQueryIsRead(t *testing.T) {
	want := api.DRequest{S: []string{"a", "bc"}, P: []int64{1, 2}}
	for _, query := range []string{"s=a%20bc&p=1%7C2", "s=a+bc&p=1|2", "p=1%7c2&s=a%20bc"} {
		svc := &service{}
		url := kit.Serve(t, api.NewHandler(svc))
		if got := kit.Send(t, http.MethodGet, url+"/d?"+query, ""); got.Status != http.StatusNoContent {
			t.Errorf("%q: %d %s", query, got.Status, got.Body)
			continue
		}
		if !reflect.DeepEqual(svc.calls, []api.DRequest{want}) {
			t.Errorf("%q: the method got %+v, want %+v", query, svc.calls, want)
		}
	}
}

func TestBadItemNamesTheParameter(t *testing.T) {
	svc := &service{}
	url := kit.Serve(t, api.NewHandler(svc))
	got := kit.Send(t, http.MethodGet, url+"/d?p=1%7Cx", "")
	if got.Status != http.StatusBadRequest || !kit.Names(got, "query", "p") || len(svc.calls) != 0 {
		t.Errorf("%d %s and %d calls, want 400 that names p", got.Status, got.Body, len(svc.calls))
	}
}

func TestRoundTrip(t *testing.T) {
	svc := &service{}
	c := newClient(t, kit.Serve(t, api.NewHandler(svc)))
	want := api.DRequest{S: []string{"x|y", "a+b", "%20", "&="}, P: []int64{5}}
	if err := c.D(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(svc.calls, []api.DRequest{want}) {
		t.Errorf("the method got %+v, want %+v", svc.calls, want)
	}
}
