package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"

	api "cases/c093"
	"cases/kit"
)

type service struct{ box *api.Box }

func (s service) GetBox(context.Context) (*api.Box, error) { return s.box, nil }

func TestItemHasAType(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "Box", src.FieldTypes("Box"), []string{"Item *BoxItem"})
	kit.Same(t, "BoxItem", src.FieldTypes("BoxItem"), []string{"Sku string"})
}

func TestBothSides(t *testing.T) {
	box := &api.Box{Item: &api.BoxItem{Sku: "a"}}
	url := kit.Serve(t, api.NewHandler(service{box}))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/box", "").Body, `{"item":{"sku":"a"}}`)
	got, err := kit.Client(t, api.New, url, client.Strict()).GetBox(t.Context())
	kit.OK(t, err)
	kit.Same(t, "box", got, box)
	_, err = kit.Client(t, api.New, kit.Record(t, kit.JSON(`{"item":{}}`)).URL).GetBox(t.Context())
	kit.Fails(t, err, "/item/sku")
}
