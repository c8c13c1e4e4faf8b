package api_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	api "cases/c069"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/value"
)

type service struct{ calls []api.HRequest }

func (s *service) H(_ context.Context, req api.HRequest) error {
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

func point(x, y int64) *api.HXPoint { return &api.HXPoint{X: value.Some(x), Y: value.Some(y)} }

func TestHeadersOnTheWire(t *testing.T) {
	wire := kit.Record(t)
	c := newClient(t, wire.URL)
	if err := c.H(t.Context(), api.HRequest{XIDs: []int64{3, 4}, XPoint: point(1, 2), XTraceID: "t-1"}); err != nil {
		t.Fatal(err)
	}
	header := wire.Last(t).Header
	for name, want := range map[string]string{"X-Ids": "3,4", "X-Point": "x,1,y,2", "X-Trace-Id": "t-1"} {
		if got := header.Values(name); !reflect.DeepEqual(got, []string{want}) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if err := c.H(t.Context(), api.HRequest{XTraceID: "t-2"}); err != nil {
		t.Fatal(err)
	}
	header = wire.Last(t).Header
	for _, name := range []string{"X-Ids", "X-Point"} {
		if got := header.Values(name); got != nil {
			t.Errorf("absent %s: %q was sent", name, got)
		}
	}
}

// OpenAPI ignores parameters that are called Accept: media types say it.
func TestAcceptIsNoField(t *testing.T) {
	var fields []string
	for f := range reflect.TypeFor[api.HRequest]().Fields() {
		fields = append(fields, f.Name)
	}
	if !kit.SameSet(fields, []string{"XIDs", "XPoint", "XTraceID"}) {
		t.Errorf("fields %q", fields)
	}
}

// A line break in a value would be a header of the caller's making.
func TestLineBreaksAreNotSent(t *testing.T) {
	wire := kit.Record(t)
	for _, text := range []string{"a\r\nb", "a\nX-Evil: 1", "a\r", "a\x00b"} {
		err := newClient(t, wire.URL).H(t.Context(), api.HRequest{XTraceID: text})
		var failed *fault.Error
		if !errors.As(err, &failed) || failed.Kind != fault.Request || !strings.Contains(strings.ToLower(err.Error()), "x-trace-id") {
			t.Errorf("%q: error %v, want one of kind Request that names x-trace-id", text, err)
		}
	}
	if n := len(wire.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestHeadersAreRead(t *testing.T) {
	full := api.HRequest{XIDs: []int64{3, 4}, XPoint: point(1, 2), XTraceID: "t"}
	for _, test := range []struct {
		lines []string
		want  api.HRequest
	}{
		{[]string{"X-Ids: 3,4", "X-Point: x,1,y,2", "X-Trace-Id: t"}, full},
		{[]string{"x-ids: 3, 4", "x-point: x, 1, y, 2", "x-trace-id: t"}, full},
		// Lines of one name are one list (RFC 9110, 5.2).
		{[]string{"X-Ids: 3", "X-Ids: 4", "X-Point: x,1", "X-Point: y,2", "X-Trace-Id: t"}, full},
		{[]string{"X-Trace-Id: t", "Accept: text/html"}, api.HRequest{XTraceID: "t"}},
	} {
		svc := &service{}
		url := kit.Serve(t, api.NewHandler(svc))
		got := kit.Send(t, http.MethodGet, url+"/h", "", test.lines...)
		if got.Status != http.StatusNoContent || !reflect.DeepEqual(svc.calls, []api.HRequest{test.want}) {
			t.Errorf("%q: %d %s, the method got %+v, want %+v", test.lines, got.Status, got.Body, svc.calls, test.want)
		}
	}
}

func TestBadHeadersAreNamed(t *testing.T) {
	svc := &service{}
	url := kit.Serve(t, api.NewHandler(svc))
	for _, test := range []struct {
		lines []string
		name  string
	}{
		{nil, "X-Trace-Id"},
		{[]string{"X-Trace-Id: t", "X-Ids: 3,x"}, "X-Ids"},
		{[]string{"X-Trace-Id: t", "X-Point: x,1,y"}, "X-Point"},
	} {
		got := kit.Send(t, http.MethodGet, url+"/h", "", test.lines...)
		if got.Status != http.StatusBadRequest || !kit.Names(got, "header", test.name) {
			t.Errorf("%q: %d %s, want 400 that names %s", test.lines, got.Status, got.Body, test.name)
		}
	}
	if len(svc.calls) != 0 {
		t.Errorf("the method was called with %+v", svc.calls)
	}
}
