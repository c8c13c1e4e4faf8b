package api_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	api "cases/c082"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/value"
)

type service struct{ next api.RhResult }

func (s *service) Rh(context.Context) (api.RhResult, error) { return s.next, nil }

func newClient(t *testing.T, url string) *api.Client {
	t.Helper()
	c, err := api.New(client.BaseURL(url))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const modified = "Tue, 03 Nov 2026 08:49:37 GMT"

var full = &api.RhOK{
	XTotal: 7, XTags: []string{"a", "b"}, LastModified: value.Some(modified),
	SetCookie: []string{"a=1; Path=/; Expires=" + modified, "b=2, c"}, Body: []string{"x"},
}

// answer is a server that sends these header lines, name and value in turn.
func answer(t *testing.T, status int, lines ...string) *api.Client {
	t.Helper()
	return newClient(t, kit.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(lines); i += 2 {
			w.Header().Add(lines[i], lines[i+1])
		}
		w.WriteHeader(status)
		if status == http.StatusOK {
			_, _ = w.Write([]byte(`["x"]`))
		}
	})))
}

func TestHeadersAreRead(t *testing.T) {
	const json, cookie = "application/json", "Set-Cookie"
	for _, test := range []struct {
		name  string
		lines []string
		want  api.RhResult
	}{
		{"all", []string{
			"Content-Type", json, "X-Total", "7", "X-Tags", "a, b", "Last-Modified", modified, cookie, full.SetCookie[0], cookie, full.SetCookie[1],
		}, full},
		{"required", []string{"Content-Type", json, "X-Total", "7"}, &api.RhOK{XTotal: 7, Body: []string{"x"}}},
		{"lines", []string{"Content-Type", json, "X-Total", "7", "X-Tags", "a", "X-Tags", "b"},
			&api.RhOK{XTotal: 7, XTags: []string{"a", "b"}, Body: []string{"x"}}},
		{"text", []string{"Content-Type", json, "X-Total", "7", "X-Next", "a, b"},
			&api.RhOK{XTotal: 7, XNext: value.Some("a, b"), Body: []string{"x"}}},
	} {
		got, err := answer(t, 200, test.lines...).Rh(t.Context())
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v, want %+v", test.name, got, err, test.want)
		}
	}
	for _, test := range []struct {
		lines []string
		want  api.RhResult
	}{
		{[]string{"X-Total", "7"}, &api.RhNoContent{XTotal: value.Some[int64](7)}},
		{nil, &api.RhNoContent{}},
	} {
		got, err := answer(t, 204, test.lines...).Rh(t.Context())
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("204 %q: %+v, %v, want %+v", test.lines, got, err, test.want)
		}
	}
}

// A header that cannot be read, or that has to be there, is an error that names it.
func TestBadHeaders(t *testing.T) {
	for _, test := range []struct {
		name   string
		status int
		lines  []string
	}{
		{"no integer", 200, []string{"Content-Type", "application/json", "X-Total", "seven"}},
		{"absent", 200, []string{"Content-Type", "application/json"}},
		{"no integer in 204", 204, []string{"X-Total", "1.5"}},
	} {
		got, err := answer(t, test.status, test.lines...).Rh(t.Context(), client.NoRetry())
		var failed *fault.Error
		var decode *client.DecodeError
		if got != nil || !errors.As(err, &failed) || failed.Kind != fault.Response || !errors.As(err, &decode) || decode.StatusCode != test.status {
			t.Errorf("%s: %+v, %#v", test.name, got, err)
			continue
		}
		if !strings.Contains(err.Error(), "header X-Total") {
			t.Errorf("%s: %q does not name X-Total", test.name, err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	svc := &service{}
	url := kit.Serve(t, api.NewHandler(svc))
	c := newClient(t, url)
	for _, want := range []api.RhResult{full, &api.RhOK{Body: []string{}}, &api.RhNoContent{XTotal: value.Some[int64](3)}, &api.RhNoContent{}} {
		svc.next = want
		if got, err := c.Rh(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	svc.next = full
	got := kit.Send(t, http.MethodGet, url+"/rh", "")
	for name, want := range map[string][]string{
		"X-Total": {"7"}, "X-Next": nil, "X-Tags": {"a,b"}, "Last-Modified": {modified}, "Set-Cookie": full.SetCookie,
	} {
		if lines := got.Header.Values(name); !reflect.DeepEqual(lines, want) {
			t.Errorf("%s: %q, want %q", name, lines, want)
		}
	}
}
