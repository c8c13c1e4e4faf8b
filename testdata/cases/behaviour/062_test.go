package api_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	api "cases/c062"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/value"
)

type service struct{ calls []any }

func (s *service) S(_ context.Context, req api.SRequest) error { return s.add(req) }
func (s *service) L(_ context.Context, req api.LRequest) error { return s.add(req) }
func (s *service) M(_ context.Context, req api.MRequest) error { return s.add(req) }
func (s *service) N(_ context.Context, req api.NRequest) error { return s.add(req) }
func (s *service) O(_ context.Context, req api.ORequest) error { return s.add(req) }

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

// call sends a request with the method that is made for it.
func call(ctx context.Context, c *api.Client, req any) error {
	switch r := req.(type) {
	case api.SRequest:
		return c.S(ctx, r)
	case api.LRequest:
		return c.L(ctx, r)
	case api.MRequest:
		return c.M(ctx, r)
	case api.NRequest:
		return c.N(ctx, r)
	case api.ORequest:
		return c.O(ctx, r)
	}
	return errors.ErrUnsupported
}

var paths = []struct {
	req  any
	path string
}{
	{api.SRequest{IDs: []int64{3, 4}}, "/s/3,4"},
	{api.SRequest{IDs: []int64{-3}}, "/s/-3"},
	{api.LRequest{IDs: []int64{3, 4}}, "/l/.3.4"},
	{api.LRequest{IDs: []int64{3}}, "/l/.3"},
	{api.MRequest{IDs: []int64{3, 4}}, "/m/;ids=3;ids=4"},
	{api.MRequest{IDs: []int64{3}}, "/m/;ids=3"},
	{api.NRequest{IDs: []int64{3, 4}}, "/n/;ids=3,4"},
	{api.ORequest{C: api.OC{R: value.Some[int64](1), G: value.Some[int64](2)}}, "/o/R=1,G=2"},
	{api.ORequest{C: api.OC{G: value.Some[int64](2)}}, "/o/G=2"},
}

func TestPathsOnTheWire(t *testing.T) {
	wire := kit.Record(t)
	c := newClient(t, wire.URL)
	for _, test := range paths {
		if err := call(t.Context(), c, test.req); err != nil {
			t.Fatal(err)
		}
		if got := wire.Last(t).Target; got != test.path {
			t.Errorf("%+v: sent to %q, want %q", test.req, got, test.path)
		}
	}
}

func TestPathsAreRead(t *testing.T) {
	svc := &service{}
	url := kit.Serve(t, api.NewHandler(svc))
	for _, test := range paths {
		svc.calls = nil
		got := kit.Send(t, http.MethodGet, url+test.path, "")
		if got.Status != http.StatusNoContent || !reflect.DeepEqual(svc.calls, []any{test.req}) {
			t.Errorf("%s: %d %s, and the method got %+v, want %+v", test.path, got.Status, got.Body, svc.calls, test.req)
		}
	}
}

// Without its prefix, or with items that are no integers, a value is none.
func TestBadPaths(t *testing.T) {
	svc := &service{}
	url := kit.Serve(t, api.NewHandler(svc))
	for _, path := range []string{
		"/l/3.4", "/l/3", "/m/3", "/m/ids=3;ids=4", "/m/;id=3", "/n/3,4", "/n/;idx=3,4", "/n/ids=3,4",
		"/s/a", "/s/3,", "/l/.a", "/m/;ids=a", "/n/;ids=3,b", "/o/R=x", "/o/R",
	} {
		got := kit.Send(t, http.MethodGet, url+path, "")
		if got.Status != http.StatusBadRequest && got.Status != http.StatusNotFound {
			t.Errorf("%s: %d %s, want 400 or 404", path, got.Status, got.Body)
		}
		name := "ids"
		if path[1] == 'o' {
			name = "c"
		}
		if got.Status == http.StatusBadRequest && !kit.Names(got, "path", name) {
			t.Errorf("%s: %s, want %s to be named", path, got.Body, name)
		}
	}
	if len(svc.calls) != 0 {
		t.Errorf("methods were called with %+v", svc.calls)
	}
}

// An empty list leaves nothing between the slashes.
func TestEmptyListIsNotSent(t *testing.T) {
	wire := kit.Record(t)
	err := newClient(t, wire.URL).S(t.Context(), api.SRequest{})
	var failed *fault.Error
	if !errors.As(err, &failed) || failed.Kind != fault.Request || !strings.Contains(err.Error(), "ids") {
		t.Errorf("error %v, want one of kind Request that names ids", err)
	}
	if n := len(wire.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}
