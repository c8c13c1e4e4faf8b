package api_test

import (
	"context"
	"testing"

	api "cases/c046"
	"cases/kit"
)

type service struct{ expr *api.Expr }

func (s service) GetExpr(context.Context) (*api.Expr, error) { return s.expr, nil }

func TestTypes(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "Expr", src.FieldTypes("Expr"), []string{"Leaf *Leaf", "Group *Group"})
	kit.Same(t, "Group", src.FieldTypes("Group"), []string{"Items []Expr"})
}

func TestRoundTrip(t *testing.T) {
	const wire = `{"items":[{"leaf":"a"},{"items":[]}]}`
	want := &api.Expr{Group: &api.Group{Items: []api.Expr{
		{Leaf: &api.Leaf{Leaf: "a"}},
		{Group: &api.Group{Items: []api.Expr{}}},
	}}}
	got, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL).GetExpr(t.Context())
	kit.OK(t, err)
	kit.Same(t, "expr", got, want)
	url := kit.Serve(t, api.NewHandler(service{got}))
	kit.Same(t, "encoded again", kit.Send(t, "GET", url+"/expr", "").Body, wire)
	_, err = kit.Client(t, api.New, kit.Record(t, kit.JSON(`{"items":[{"items":[{}]}]}`)).URL).GetExpr(t.Context())
	kit.Fails(t, err, "Leaf", "Group")
}
