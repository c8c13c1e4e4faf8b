package api_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	api "cases/c070"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

type service struct{ calls []api.KRequest }

func (s *service) K(_ context.Context, req api.KRequest) error {
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

// One header (RFC 6265, 5.4), whose values have no quotation marks.
func TestCookiesOnTheWire(t *testing.T) {
	for _, test := range []struct {
		req  api.KRequest
		want []string
	}{
		{api.KRequest{Sid: "s1", Prefs: []string{"a", "b"}}, []string{"sid=s1", "prefs=a,b"}},
		{api.KRequest{Sid: "s1"}, []string{"sid=s1"}},
	} {
		wire := kit.Record(t)
		if err := newClient(t, wire.URL).K(t.Context(), test.req); err != nil {
			t.Fatal(err)
		}
		lines := wire.Last(t).Header.Values("Cookie")
		if len(lines) != 1 || !kit.SameSet(strings.Split(lines[0], "; "), test.want) {
			t.Errorf("Cookie: %q, want one line of %q", lines, test.want)
		}
	}
}

// What would end the cookie, or the header, is told and not dropped.
func TestBadValuesAreNotSent(t *testing.T) {
	wire := kit.Record(t)
	for _, test := range []struct {
		req  api.KRequest
		name string
	}{
		{api.KRequest{Sid: "a;b"}, "sid"},
		{api.KRequest{Sid: "a\r\nb"}, "sid"},
		{api.KRequest{Sid: "s", Prefs: []string{"a", "b;c"}}, "prefs"},
	} {
		err := newClient(t, wire.URL).K(t.Context(), test.req)
		var failed *fault.Error
		if !errors.As(err, &failed) || failed.Kind != fault.Request || !strings.Contains(err.Error(), "cookie "+test.name) {
			t.Errorf("%+v: error %v, want one of kind Request that names the cookie %s", test.req, err, test.name)
		}
	}
	if n := len(wire.Requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestCookiesAreRead(t *testing.T) {
	full := api.KRequest{Sid: "s1", Prefs: []string{"a", "b"}}
	for _, test := range []struct {
		lines []string
		want  api.KRequest
	}{
		{[]string{"Cookie: sid=s1; prefs=a,b"}, full},
		{[]string{"Cookie: prefs=a,b; other=1; sid=s1"}, full},
		{[]string{"Cookie: sid=s1", "Cookie: prefs=a,b"}, full}, // HTTP/2 parts them so
		{[]string{`Cookie: sid=s1; prefs="a,b"`}, full},
		{[]string{"Cookie: sid=s1"}, api.KRequest{Sid: "s1"}},
	} {
		svc := &service{}
		url := kit.Serve(t, api.NewHandler(svc))
		got := kit.Send(t, http.MethodGet, url+"/k", "", test.lines...)
		if got.Status != http.StatusNoContent || !reflect.DeepEqual(svc.calls, []api.KRequest{test.want}) {
			t.Errorf("%q: %d %s, the method got %+v, want %+v", test.lines, got.Status, got.Body, svc.calls, test.want)
		}
	}
}

func TestMissingCookieIsNamed(t *testing.T) {
	svc := &service{}
	url := kit.Serve(t, api.NewHandler(svc))
	for _, lines := range [][]string{nil, {"Cookie: prefs=a,b"}, {"Cookie: SID=s1"}} {
		got := kit.Send(t, http.MethodGet, url+"/k", "", lines...)
		if got.Status != http.StatusBadRequest || !kit.Names(got, "cookie", "sid") {
			t.Errorf("%q: %d %s, want 400 that names sid", lines, got.Status, got.Body)
		}
	}
	if len(svc.calls) != 0 {
		t.Errorf("the method was called with %+v", svc.calls)
	}
}
