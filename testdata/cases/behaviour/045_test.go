package api_test

import (
	"context"
	"encoding/json"
	"testing"

	api "cases/c045"
	"cases/kit"
)

type service struct{ tree *api.Tree }

func (s service) GetTree(context.Context) (*api.Tree, error) { return s.tree, nil }

func TestTypes(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "Tree", src.FieldTypes("Tree"),
		[]string{"Children []Tree", "ByName map[string]Tree", "More []Tree", "Nest Nest"})
	kit.Same(t, "Nest", src.Type("Nest"), "[]Nest")
}

func TestNest(t *testing.T) {
	var nest api.Nest
	kit.OK(t, json.Unmarshal([]byte(`[[],[[]]]`), &nest))
	kit.Same(t, "nest", nest, api.Nest{{}, {{}}})
	text, err := json.Marshal(nest)
	kit.OK(t, err)
	kit.Same(t, "encoded", string(text), `[[],[[]]]`)
}

func TestRoundTrip(t *testing.T) {
	for wire, tree := range map[string]*api.Tree{
		`{}`: {},
		`{"children":[{"children":[]}],"byName":{"a":{"more":[{}]}},"more":[{"byName":{}}],"nest":[[],[[]]]}`: {
			Children: []api.Tree{{Children: []api.Tree{}}},
			ByName:   map[string]api.Tree{"a": {More: []api.Tree{{}}}},
			More:     []api.Tree{{ByName: map[string]api.Tree{}}},
			Nest:     api.Nest{{}, {{}}},
		},
	} {
		url := kit.Serve(t, api.NewHandler(service{tree}))
		kit.Same(t, "body", kit.Send(t, "GET", url+"/trees", "").Body, wire)
		got, err := kit.Client(t, api.New, url).GetTree(t.Context())
		kit.OK(t, err)
		kit.Same(t, wire, got, tree)
	}
	_, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(`{"nest":[[1]]}`)).URL).GetTree(t.Context())
	kit.Fails(t, err, "/nest/0/0")
}
