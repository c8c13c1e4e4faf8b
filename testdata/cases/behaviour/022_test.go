package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c022"
	"cases/kit"
)

const mediaType = "Content-Type: application/merge-patch+json"

type service struct{ got *api.Patch }

func (s service) PatchProfile(_ context.Context, req api.PatchProfileRequest) error {
	*s.got = req.Body
	return nil
}

func TestFourShapes(t *testing.T) {
	kit.Same(t, "fields", kit.Parse(t).FieldTypes("Patch"), []string{
		"Req string", "Opt value.Opt[string]", "ReqNull value.Null[string]", "OptNull value.OptNull[string]",
	})
}

func TestEncode(t *testing.T) {
	sent := kit.Record(t)
	c := kit.Client(t, api.New, sent.URL)
	for _, test := range []struct {
		patch api.Patch
		want  string
	}{
		{api.Patch{Req: "a"}, `{"req":"a","reqNull":null}`},
		{api.Patch{Req: "a", OptNull: value.NullOf[string]()}, `{"req":"a","reqNull":null,"optNull":null}`},
		{api.Patch{Req: "a", OptNull: value.Present("")}, `{"req":"a","reqNull":null,"optNull":""}`},
		{api.Patch{Opt: value.Some(""), ReqNull: value.NotNull("")}, `{"req":"","opt":"","reqNull":""}`},
	} {
		kit.OK(t, c.PatchProfile(t.Context(), api.PatchProfileRequest{Body: test.patch}))
		kit.Same(t, "body", sent.Last(t).Body, test.want)
		kit.Same(t, "method", sent.Last(t).Method, "PATCH")
		kit.Same(t, "content type", sent.Last(t).Header.Get("Content-Type"), "application/merge-patch+json")
	}
}

func TestDecode(t *testing.T) {
	var got api.Patch
	url := kit.Serve(t, api.NewHandler(service{&got})) + "/profile"
	for body, want := range map[string]api.Patch{
		`{"req":"a","reqNull":null}`:                            {Req: "a"},
		`{"req":"a","reqNull":"b","opt":"c"}`:                   {Req: "a", ReqNull: value.NotNull("b"), Opt: value.Some("c")},
		`{"req":"a","reqNull":null,"optNull":null}`:             {Req: "a", OptNull: value.NullOf[string]()},
		`{"req":"a","reqNull":null,"optNull":"d","opt":"null"}`: {Req: "a", OptNull: value.Present("d"), Opt: value.Some("null")},
	} {
		got = api.Patch{}
		kit.Same(t, "status of "+body, kit.Send(t, "PATCH", url, body, mediaType).Status, 204)
		kit.Same(t, body, got, want)
	}
}

func TestRefused(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{new(api.Patch)})) + "/profile"
	for body, pointer := range map[string]string{
		`{"reqNull":null}`:                       `"/req"`,
		`{"req":null,"reqNull":null}`:            `"/req"`,
		`{"req":"a","reqNull":null,"opt":null}`:  `"/opt"`,
		`{"req":"a"}`:                            `"/reqNull"`,
		`{"req":"a","reqNull":null,"optNull":1}`: `"/optNull"`,
	} {
		kit.Problem(t, kit.Send(t, "PATCH", url, body, mediaType), 400, pointer)
	}
}
