package api_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	api "cases/c081"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/value"
)

type service struct{}

func (service) U(context.Context) (*api.UOKBody, error) {
	return &api.UOKBody{A: value.Some("x")}, nil
}

func newClient(t *testing.T, url string) *api.Client {
	t.Helper()
	c, err := api.New(client.BaseURL(url))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What a proxy says in the service's place is kept, but not without bound.
func TestUndeclaredStatus(t *testing.T) {
	page := "<html>" + strings.Repeat("x", 10<<10)
	wire := kit.Record(t, kit.Reply{
		Status: http.StatusBadGateway, Type: "text/html; charset=utf-8", Header: map[string]string{"Retry-After": "120"}, Body: page,
	})
	res, err := newClient(t, wire.URL).U(t.Context(), client.NoRetry())
	if res != nil || err == nil {
		t.Fatalf("%#v, %v", res, err)
	}
	var status *client.StatusError
	if !errors.As(err, &status) {
		t.Fatalf("error %v holds no *client.StatusError", err)
	}
	if status.StatusCode != 502 || status.ContentType != "text/html; charset=utf-8" || status.Header.Get("Retry-After") != "120" {
		t.Errorf("%+v", status)
	}
	if got := string(status.Body); got != page[:4<<10] {
		t.Errorf("%d bytes of the body, want the first 4 KiB", len(got))
	}
	var failed *fault.Error
	if !errors.As(err, &failed) || failed.Kind != fault.Status || failed.Status != 502 || failed.Op != "u" {
		t.Errorf("%+v", failed)
	}
	if text := err.Error(); !strings.Contains(text, "502") || strings.Contains(text, "<html>") {
		t.Errorf("text %q", text)
	}
}

// No status gives neither a result nor an error.
func TestEveryOtherStatusIsAnError(t *testing.T) {
	for _, status := range []int{201, 202, 204, 206, 300, 304, 400, 404, 418, 499, 500, 503, 599} {
		reply := kit.Reply{Status: status, Type: "application/json", Body: `{"a":"x"}`}
		if status == 204 || status == 304 {
			reply.Body = ""
		}
		wire := kit.Record(t, reply)
		res, err := newClient(t, wire.URL).U(t.Context(), client.NoRetry())
		var failed *client.StatusError
		if res != nil || !errors.As(err, &failed) || failed.StatusCode != status || string(failed.Body) != reply.Body {
			t.Errorf("%d: %#v, %v", status, res, err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{}))
	got, err := newClient(t, url).U(t.Context())
	if want := (&api.UOKBody{A: value.Some("x")}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}
