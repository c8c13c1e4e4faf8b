package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c094"
	"cases/kit"
)

type service struct{ body *api.PtOKBody }

func (s service) Pt(context.Context) (*api.PtOKBody, error) { return s.body, nil }

func TestTypes(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "fields", src.FieldTypes("PtOKBody"), []string{
		"Point *PtOKBodyPoint", "Raw []byte", "Age value.Opt[int64]", "Map map[string]any",
	})
	kit.Same(t, "tuple", src.FieldTypes("PtOKBodyPoint"), []string{"First int64", "Second string"})
}

func TestRoundTrip(t *testing.T) {
	body := &api.PtOKBody{
		Point: &api.PtOKBodyPoint{First: 1, Second: "a"}, Raw: []byte{0, 0xFB, 0xFF},
		Age: value.Some[int64](1), Map: map[string]any{"x-a": "b"},
	}
	const wire = `{"point":[1,"a"],"raw":"APv/","age":1,"map":{"x-a":"b"}}`
	url := kit.Serve(t, api.NewHandler(service{body}))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/pt", "").Body, wire)
	got, err := kit.Client(t, api.New, url, client.Strict()).Pt(t.Context())
	kit.OK(t, err)
	kit.Same(t, "result", got, body)
}

func TestWrong(t *testing.T) {
	for wire, pointer := range map[string]string{
		`{"point":[1,"a",2]}`:   "/point",
		`{"point":["a",1]}`:     "/point/0",
		`{"raw":"*"}`:           "/raw",
		`{"age":0}`:             "/age",
		`{"map":{"x-a":1}}`:     "/map/x-a",
		`{"point":{"First":1}}`: "/point",
	} {
		_, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL, client.Strict()).Pt(t.Context())
		kit.Fails(t, err, pointer)
	}
	// JSON Schema: prefixItems says nothing of how many items there are, and a member
	// that the pattern does not match may be anything.
	got, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(`{"map":{"y":1}}`)).URL, client.Strict()).Pt(t.Context())
	kit.OK(t, err)
	if len(got.Map) != 1 {
		t.Errorf("map %v", got.Map)
	}
}
