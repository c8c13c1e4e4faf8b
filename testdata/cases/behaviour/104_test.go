package api_test

import (
	"context"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c104"
	"cases/kit"
)

type service struct{}

func (service) V(context.Context, api.VRequest) error { return nil }

func TestConstraints(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{}))
	for body, pointer := range map[string]string{
		`{"slug":"a/b"}`:                        "",
		`{"slug":"a-b"}`:                        "/slug",
		`{"slug":""}`:                           "/slug",
		`{"slug":"a/b\n"}`:                      "/slug",
		`{"part":"abc"}`:                        "", // a pattern may match anywhere
		`{"part":"ac"}`:                         "/part",
		`{"name":"éé"}`:                         "", // characters, not bytes
		`{"name":"😀😀"}`:                         "", // nor UTF-16
		`{"name":"ééé"}`:                        "/name",
		`{"name":""}`:                           "/name",
		`{"set":[1,2,3]}`:                       "",
		`{"set":[]}`:                            "/set",
		`{"set":[1,2,3,4]}`:                     "/set",
		`{"set":[1,1.0]}`:                       "/set",
		`{"set":[1,"1",true]}`:                  "",
		`{"set":[{"a":1,"b":2},{"b":2,"a":1}]}`: "/set",
		`{"set":[{"a":1,"b":2},{"a":1,"b":3}]}`: "",
		`{"set":[{"a":[1]},{"a":[1.0]}]}`:       "/set",
		`{"pw":"Passw0rd"}`:                     "",
		`{"pw":"no capital 1"}`:                 "/pw",
		`{"pw":"No digit at all"}`:              "/pw",
		`{"pw":"Short0"}`:                       "/pw",
	} {
		answer := kit.Send(t, "POST", url+"/v", body, "Content-Type: application/json")
		if pointer == "" {
			kit.Same(t, body, answer.Status, 204)
		} else {
			kit.Problem(t, answer, 400, `"`+pointer+`"`)
		}
	}
	kit.Problem(t, kit.Send(t, "POST", url+"/v", `{}`, "Content-Type: application/json"), 400, "1")
}

// A client that checks its requests sends none of these.
func TestClient(t *testing.T) {
	sent := kit.Record(t)
	c := kit.Client(t, api.New, sent.URL, client.ValidateRequests())
	for pointer, body := range map[string]api.VBody{
		"/slug": {Slug: value.Some("A")},
		"/part": {Part: value.Some("a")},
		"/name": {Name: value.Some("ééé")},
		"/pw":   {Pw: value.Some("passw0rd")},
		"/set":  {Set: []any{map[string]any{"a": 1, "b": 2}, map[string]any{"b": 2.0, "a": 1.0}}},
	} {
		kit.Fails(t, c.V(t.Context(), api.VRequest{Body: body}), pointer)
	}
	kit.Fails(t, c.V(t.Context(), api.VRequest{}))
	kit.Same(t, "requests", len(sent.Requests()), 0)
	kit.OK(t, c.V(t.Context(), api.VRequest{Body: api.VBody{Name: value.Some("😀😀"), Slug: value.Some("a/b")}}))
	kit.Same(t, "body", sent.Last(t).Body, `{"slug":"a/b","name":"😀😀"}`)
}

// Patterns run on an engine of our own, so that none can fail to compile at the start
// of a program.
func TestNoMustCompile(t *testing.T) {
	src := kit.Parse(t)
	for _, file := range []string{"shared.go", "validate.go", "types.go"} {
		if text := src.Text(file); text == "" || strings.Contains(text, "MustCompile") {
			t.Errorf("%s compiles a pattern", file)
		}
	}
	if !strings.Contains(src.Text("shared.go"), `(?=.*[A-Z])`) {
		t.Error("shared.go does not hold the pattern of pw")
	}
}
