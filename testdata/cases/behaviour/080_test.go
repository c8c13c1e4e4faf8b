package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	api "cases/c080"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/value"
)

type service struct{ next api.GetZResult }

func (*service) DelZ(context.Context) error                     { return nil }
func (*service) HeadZ(context.Context) error                    { return nil }
func (s *service) GetZ(context.Context) (api.GetZResult, error) { return s.next, nil }

func newClient(t *testing.T, url string) *api.Client {
	t.Helper()
	c, err := api.New(client.BaseURL(url))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answers sends a status and header lines, and no byte of a body.
func answers(status int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
	}
}

// Responses that have no body are none that cannot be read, whatever their headers
// say of one, and leave the connection to the next call.
func TestNoContent(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer http.HandlerFunc
		call   func(*api.Client) error
	}{
		{"204", answers(204, "Content-Type", "application/json"), func(c *api.Client) error { return c.DelZ(t.Context()) }},
		{"HEAD", answers(200, "Content-Type", "application/json", "Content-Length", "9"), func(c *api.Client) error { return c.HeadZ(t.Context()) }},
		{"304", answers(304, "Content-Type", "application/json"), func(c *api.Client) error {
			res, err := c.GetZ(t.Context())
			if _, ok := res.(*api.GetZNotModified); err == nil && !ok {
				err = fmt.Errorf("result %#v", res)
			}
			return err
		}},
	} {
		url, connections := kit.ServeCounted(t, test.answer)
		c := newClient(t, url)
		for range 3 {
			if err := test.call(c); err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
		}
		if n := connections(); n != 1 {
			t.Errorf("%s: %d connections for 3 calls", test.name, n)
		}
	}
}

// A 200 without the JSON that is declared is neither a zero struct nor a panic.
func TestEmptyBody(t *testing.T) {
	url, connections := kit.ServeCounted(t, answers(200, "Content-Type", "application/json", "Content-Length", "0"))
	c := newClient(t, url)
	for range 3 {
		res, err := c.GetZ(t.Context(), client.NoRetry())
		if res != nil || !errors.Is(err, client.ErrEmptyBody) || !strings.Contains(err.Error(), "200") || !strings.Contains(err.Error(), "empty body") {
			t.Errorf("%#v, %v; want an error that names 200 and the empty body", res, err)
		}
		var failed *fault.Error
		if !errors.As(err, &failed) || failed.Kind != fault.Response || failed.Status != 200 {
			t.Errorf("error %#v", failed)
		}
	}
	if n := connections(); n != 1 {
		t.Errorf("%d connections for 3 calls", n)
	}
}

func TestRoundTrip(t *testing.T) {
	svc := &service{}
	url, connections := kit.ServeCounted(t, api.NewHandler(svc))
	c := newClient(t, url)
	if err := c.DelZ(t.Context()); err != nil {
		t.Error(err)
	}
	if err := c.HeadZ(t.Context()); err != nil {
		t.Error(err)
	}
	for _, want := range []api.GetZResult{&api.GetZNotModified{}, &api.GetZOK{Body: api.GetZOKBody{A: value.Some("x")}}} {
		svc.next = want
		if got, err := c.GetZ(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%#v, %v, want %#v", got, err, want)
		}
	}
	if n := connections(); n != 1 {
		t.Errorf("%d connections", n)
	}
	for _, test := range []struct {
		method string
		status int
	}{{http.MethodDelete, 204}, {http.MethodHead, 200}} {
		if got := kit.Send(t, test.method, url+"/z", ""); got.Status != test.status || got.Body != "" {
			t.Errorf("%s: %+v", test.method, got)
		}
	}
}
