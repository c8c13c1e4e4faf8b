package api_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c102"
	"cases/kit"
)

type service struct {
	b   api.BOKBody
	err error
}

func (s service) A(context.Context) error                { return s.err }
func (s service) B(context.Context) (api.BOKBody, error) { return s.b, s.err }

func TestTextsStayTexts(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "values", src.Values("BOKBody"), []string{"no", "on", "0123", "1e3"})
	if text := src.Text("doc.go"); !strings.Contains(text, `version "1.10"`) {
		t.Errorf("the version is another: %s", text)
	}
	for _, v := range []api.BOKBody{api.BOKBodyNo, api.BOKBodyOn, "0123", "1e3"} {
		url := kit.Serve(t, api.NewHandler(service{b: v}))
		kit.Same(t, "body", kit.Send(t, "GET", url+"/b", "").Body, `"`+string(v)+`"`)
		got, err := kit.Client(t, api.New, url, client.Strict()).B(t.Context())
		kit.OK(t, err)
		kit.Same(t, "value", got, v)
	}
	for _, wire := range []string{`false`, `true`, `83`, `1000`, `"83"`} {
		_, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL, client.Strict()).B(t.Context())
		kit.Fails(t, err)
	}
}

// The alias and the merge give one shape of the body, and the merged one its own words.
func TestSharedError(t *testing.T) {
	a, b := &api.ABadRequest{}, &api.BBadRequest{}
	a.Body.Msg, b.Body.Msg = value.Some("x"), value.Some("x")
	kit.Fails(t, a, "400", "base error")
	kit.Fails(t, b, "400", "merged error")
	url := kit.Serve(t, api.NewHandler(service{err: a}))
	answer := kit.Send(t, "GET", url+"/a", "")
	kit.Same(t, "status", answer.Status, 400)
	kit.Same(t, "body", answer.Body, `{"msg":"x"}`)
	var gotA *api.ABadRequest
	if err := kit.Client(t, api.New, url).A(t.Context()); !errors.As(err, &gotA) || gotA.Body != a.Body {
		t.Error(err)
	}
	url = kit.Serve(t, api.NewHandler(service{err: b}))
	var gotB *api.BBadRequest
	if _, err := kit.Client(t, api.New, url).B(t.Context()); !errors.As(err, &gotB) || gotB.Body != a.Body {
		t.Error(err)
	}
}

// The integer key of the response counts as 200.
func TestIntegerKey(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{}))
	kit.Same(t, "status", kit.Send(t, "GET", url+"/a", "").Status, 200)
	kit.OK(t, kit.Client(t, api.New, url).A(t.Context()))
}
