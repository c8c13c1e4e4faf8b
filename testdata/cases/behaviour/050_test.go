package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c050"
	"cases/kit"
)

type service struct{ body *api.GetBOKBody }

func (s service) GetB(context.Context) (*api.GetBOKBody, error) { return s.body, nil }

func TestTypes(t *testing.T) {
	fields := kit.Parse(t).FieldTypes("GetBOKBody")
	kit.Same(t, "fields", fields, []string{"Free value.Opt[any]", "List []any"}) // never has nothing to hold
}

func TestRoundTrip(t *testing.T) {
	for wire, body := range map[string]*api.GetBOKBody{
		`{"free":1,"list":[1,"a"]}`: {Free: value.Some[any](value.Number("1")), List: []any{value.Number("1"), "a"}},
		`{"free":null,"list":[]}`:   {Free: value.Some[any](nil), List: []any{}},
		`{}`:                        {},
	} {
		got, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL).GetB(t.Context())
		kit.OK(t, err)
		kit.Same(t, wire, got, body)
		url := kit.Serve(t, api.NewHandler(service{got}))
		kit.Same(t, "encoded again", kit.Send(t, "GET", url+"/b", "").Body, wire)
	}
}

func TestNever(t *testing.T) {
	for _, wire := range []string{`{"never":1}`, `{"never":null}`, `{"never":{},"free":1}`} {
		_, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL).GetB(t.Context())
		kit.Fails(t, err, "/never")
	}
}
