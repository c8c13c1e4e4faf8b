package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"

	api "cases/c124"
	"cases/kit"
)

type service struct{ shirt *api.Shirt }

func (s service) GetT(context.Context) (*api.Shirt, error) { return s.shirt, nil }

func TestTypes(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "variants", src.FieldTypes("Shirt"), []string{"Object *ShirtObject", "Object2 *ShirtObject2"})
	kit.Same(t, "free", src.FieldTypes("ShirtObject"), []string{"Size string"})
	kit.Same(t, "enum", src.FieldTypes("ShirtObject2"), []string{"Size ShirtObject2Size"})
	kit.Same(t, "values", src.Values("ShirtObject2Size"), []string{"s", "m"})
}

func TestDecode(t *testing.T) {
	for wire, want := range map[string]*api.Shirt{
		`{"size":"xl"}`: {Object: &api.ShirtObject{Size: "xl"}},
		`{"size":"s"}`:  {Object: &api.ShirtObject{Size: "s"}, Object2: &api.ShirtObject2{Size: api.ShirtObject2SizeS}},
	} {
		for _, opts := range [][]client.Option{nil, {client.Strict()}} {
			got, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL, opts...).GetT(t.Context())
			kit.OK(t, err)
			kit.Same(t, wire, got, want)
		}
	}
	for _, wire := range []string{`{}`, `{"size":1}`, `"s"`} {
		_, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL).GetT(t.Context())
		kit.Fails(t, err)
	}
}

func TestEncode(t *testing.T) {
	for _, test := range []struct {
		shirt api.Shirt
		want  string
	}{
		{api.Shirt{Object: &api.ShirtObject{Size: "xl"}}, `{"size":"xl"}`},
		{api.Shirt{Object2: &api.ShirtObject2{Size: "m"}}, `{"size":"m"}`},
		{api.Shirt{Object: &api.ShirtObject{Size: "s"}, Object2: &api.ShirtObject2{Size: "s"}}, `{"size":"s"}`},
	} {
		url := kit.Serve(t, api.NewHandler(service{&test.shirt}))
		kit.Same(t, "body", kit.Send(t, "GET", url+"/t", "").Body, test.want)
	}
	for _, shirt := range []api.Shirt{{}, {Object: &api.ShirtObject{Size: "s"}, Object2: &api.ShirtObject2{Size: "m"}}} {
		url := kit.Serve(t, api.NewHandler(service{&shirt}))
		kit.Problem(t, kit.Send(t, "GET", url+"/t", ""), 500)
	}
}
