package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	api "cases/c076"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// service is the method of the operation.
type service func() (api.PResult, error)

func (s service) P(context.Context) (api.PResult, error) { return s() }

func newClient(t *testing.T, url string) *api.Client {
	t.Helper()
	c, err := api.New(client.BaseURL(url))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var (
	plain  = &api.POKJSON{Body: api.POKBody{A: value.Some("x")}}
	hal    = &api.POKHalJSON{Body: api.POKHalPlusJSONBody{Links: map[string]any{"self": "/p"}}}
	vendor = &api.POKAcmeV2JSON{Body: api.POKVndAcmeV2PlusJSONBody{B: value.Some("y")}}
)

// Types are told apart by type and subtype, in any case and with any parameters, on
// both sides of the comparison.
func TestContentTypesAreRead(t *testing.T) {
	for _, test := range []struct {
		media, body string
		want        api.PResult
	}{
		{"application/json; charset=UTF-8", `{"a":"x"}`, plain},
		{"application/json", `{"a":"x"}`, plain},
		{"APPLICATION/JSON", `{"a":"x"}`, plain},
		{"application/json;charset=\"utf-8\";q=1", `{"a":"x"}`, plain},
		{"application/hal+json;profile=x", `{"_links":{"self":"/p"}}`, hal},
		{"Application/Hal+Json", `{"_links":{"self":"/p"}}`, hal},
		{"application/vnd.acme.v2+json", `{"b":"y"}`, vendor},
		{"application/vnd.acme.v2+json; charset=utf-8", `{"b":"y"}`, vendor},
	} {
		wire := kit.Record(t, kit.Reply{Status: 200, Type: test.media, Body: test.body})
		got, err := newClient(t, wire.URL).P(t.Context())
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %#v, %v, want %#v", test.media, got, err, test.want)
		}
	}
}

func TestProblemIsFound(t *testing.T) {
	const body = `{"type":"https://example.com/full","title":"Full","status":409}`
	for _, media := range []string{"application/problem+json", "application/problem+json; charset=utf-8"} {
		wire := kit.Record(t, kit.Reply{Status: http.StatusConflict, Type: media, Body: body})
		got, err := newClient(t, wire.URL).P(t.Context())
		var failed *api.P4XX
		if !errors.As(err, &failed) || got != nil {
			t.Fatalf("%s: %#v, %v", media, got, err)
		}
		want := api.P4XX{StatusCode: http.StatusConflict, Body: api.Problem{
			Type: value.Some("https://example.com/full"), Title: value.Some("Full"), Status: value.Some[int64](409),
		}}
		if !reflect.DeepEqual(*failed, want) {
			t.Errorf("%s: %+v, want %+v", media, *failed, want)
		}
	}
}

func TestUndeclaredTypeIsToldOf(t *testing.T) {
	wire := kit.Record(t, kit.Reply{Status: 200, Type: "text/html", Body: "<p>"})
	got, err := newClient(t, wire.URL).P(t.Context())
	var failed *client.StatusError
	if !errors.As(err, &failed) || failed.StatusCode != 200 || failed.ContentType != "text/html" || string(failed.Body) != "<p>" || got != nil {
		t.Errorf("%#v, %v", got, err)
	}
}

// The server answers with the type that the document gives each body, and the client
// gets it back.
func TestRoundTrip(t *testing.T) {
	var next api.PResult
	var fails error
	url := kit.Serve(t, api.NewHandler(service(func() (api.PResult, error) { return next, fails })))
	c := newClient(t, url)
	for media, want := range map[string]api.PResult{
		"application/json; charset=utf-8": plain, "application/hal+json": hal, "application/vnd.acme.v2+json": vendor,
	} {
		next = want
		if answer := kit.Send(t, http.MethodGet, url+"/p", ""); answer.Header.Get("Content-Type") != media {
			t.Errorf("%T: Content-Type %q, want %q", want, answer.Header.Get("Content-Type"), media)
		}
		if got, err := c.P(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v, %v, want %#v", media, got, err, want)
		}
	}

	next, fails = nil, fmt.Errorf("wrapped: %w", &api.P4XX{StatusCode: http.StatusGone, Body: api.Problem{Title: value.Some("Gone")}})
	answer := kit.Send(t, http.MethodGet, url+"/p", "")
	if answer.Status != http.StatusGone || answer.Header.Get("Content-Type") != "application/problem+json" || answer.Body != `{"title":"Gone"}` {
		t.Errorf("problem: %+v", answer)
	}
	_, err := c.P(t.Context())
	var failed *api.P4XX
	if !errors.As(err, &failed) || failed.StatusCode != http.StatusGone || failed.Body.Title != value.Some("Gone") {
		t.Errorf("problem: %v", err)
	}
	// A status that 4XX does not cover would promise the body of another one.
	fails = &api.P4XX{StatusCode: http.StatusBadGateway, Body: api.Problem{Title: value.Some("Gone")}}
	if answer := kit.Send(t, http.MethodGet, url+"/p", ""); answer.Status != http.StatusInternalServerError || strings.Contains(answer.Body, "Gone") {
		t.Errorf("502 as one of 4XX: %+v", answer)
	}
	if err != nil && !strings.Contains(err.Error(), "410") {
		t.Errorf("problem: %q does not name its status", err)
	}
}
