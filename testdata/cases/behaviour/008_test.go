package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c008"
	"cases/kit"
)

type service struct{ sort *[]api.ListShelvesSortItem }

func (s service) ListShelves(_ context.Context, req api.ListShelvesRequest) (*api.ListShelvesOKBody, error) {
	*s.sort = req.Sort
	return &api.ListShelvesOKBody{
		Tags: []api.ListShelvesOKBodyTagsItem{api.ListShelvesOKBodyTagsItemTags},
		Meta: &api.ListShelvesOKBodyMeta{Kind: value.Some(api.ListShelvesOKBodyMetaKindKind)},
	}, nil
}

func TestThreeTypes(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "sort", src.Values("ListShelvesSortItem"), []string{"created_at", "-created_at"})
	kit.Same(t, "tags", src.Values("ListShelvesOKBodyTagsItem"), []string{"sort", "tags"})
	kit.Same(t, "kind", src.Values("ListShelvesOKBodyMetaKind"), []string{"sort", "kind"})
}

func TestQuery(t *testing.T) {
	order := []api.ListShelvesSortItem{api.ListShelvesSortItemMinusCreatedAt, api.ListShelvesSortItemCreatedAt}
	sent := kit.Record(t, kit.JSON(`{}`))
	_, err := kit.Client(t, api.New, sent.URL).ListShelves(t.Context(), api.ListShelvesRequest{Sort: order})
	kit.OK(t, err)
	kit.Same(t, "target", sent.Last(t).Target, "/shelves?sort=-created_at&sort=created_at")

	var got []api.ListShelvesSortItem
	url := kit.Serve(t, api.NewHandler(service{&got}))
	res, err := kit.Client(t, api.New, url).ListShelves(t.Context(), api.ListShelvesRequest{Sort: order})
	kit.OK(t, err)
	kit.Same(t, "sort", got, order)
	kit.Same(t, "tags", res.Tags, []api.ListShelvesOKBodyTagsItem{"tags"})
	kit.Same(t, "kind", res.Meta.Kind, value.Some(api.ListShelvesOKBodyMetaKind("kind")))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/shelves", "").Body, `{"tags":["tags"],"meta":{"kind":"kind"}}`)
	kit.Problem(t, kit.Send(t, "GET", url+"/shelves?sort=updated_at", ""), 400, "query", "sort")
}
