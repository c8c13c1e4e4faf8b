package api_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	api "cases/c068"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

type service struct{ calls []api.PostsRequest }

func (s *service) Posts(_ context.Context, req api.PostsRequest) error {
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

// The empty segment is neither redirected away nor handed to the method.
func TestEmptySegment(t *testing.T) {
	svc := &service{}
	url := kit.Serve(t, api.NewHandler(svc))
	for _, path := range []string{"/u//posts", "/u//posts/", "//u//posts"} {
		got := kit.Send(t, http.MethodGet, url+path, "")
		if got.Status != http.StatusNotFound && (got.Status != http.StatusBadRequest || !kit.Names(got, "path", "id")) {
			t.Errorf("GET %s: %d %s, want 404, or 400 that names id", path, got.Status, got.Body)
		}
	}
	if len(svc.calls) != 0 {
		t.Errorf("the method was called with %+v", svc.calls)
	}
	if got := kit.Send(t, http.MethodGet, url+"/u/7/posts", ""); got.Status != http.StatusNoContent || !reflect.DeepEqual(svc.calls, []api.PostsRequest{{ID: "7"}}) {
		t.Errorf("GET /u/7/posts: %d %s, the method got %+v", got.Status, got.Body, svc.calls)
	}
}

func TestEmptyIDIsNotSent(t *testing.T) {
	wire := kit.Record(t)
	err := newClient(t, wire.URL).Posts(t.Context(), api.PostsRequest{})
	var failed *fault.Error
	if !errors.As(err, &failed) || failed.Kind != fault.Request || !strings.Contains(err.Error(), "path id") {
		t.Errorf("error %v, want one of kind Request that names the path's id", err)
	}
	if n := len(wire.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}
