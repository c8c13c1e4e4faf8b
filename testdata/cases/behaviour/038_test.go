package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c038"
	"cases/kit"
)

type service struct{ node *api.Node }

func (s service) GetNode(context.Context) (*api.Node, error) { return s.node, nil }

func TestTypes(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "values of Type", src.Values("Type"), []string{"node-a", "node-b"})
	kit.Same(t, "fields of NodeA", src.FieldTypes("NodeA"), []string{"Type Type", "X value.Opt[int64]"})
}

func TestRoundTrip(t *testing.T) {
	for wire, want := range map[string]*api.Node{
		`{"@type":"node-a","x":1}`: {NodeA: &api.NodeA{Type: api.TypeNodeA, X: value.Some[int64](1)}},
		`{"@type":"node-b","y":2}`: {NodeB: &api.NodeB{Type: api.TypeNodeB, Y: value.Some[int64](2)}},
	} {
		got, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL).GetNode(t.Context())
		kit.OK(t, err)
		kit.Same(t, wire, got, want)
		url := kit.Serve(t, api.NewHandler(service{got}))
		kit.Same(t, "encoded again", kit.Send(t, "GET", url+"/nodes", "").Body, wire)
	}
	for _, wire := range []string{`{"atType":"node-a","x":1}`, `{"type":"node-a","x":1}`, `{"@type":"node-c"}`} {
		_, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL).GetNode(t.Context())
		kit.Fails(t, err, "/@type")
	}
}

func TestKeyIsWritten(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{&api.Node{NodeB: &api.NodeB{Y: value.Some[int64](2)}}}))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/nodes", "").Body, `{"@type":"node-b","y":2}`)
	url = kit.Serve(t, api.NewHandler(service{&api.Node{NodeB: &api.NodeB{Type: api.TypeNodeA}}}))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/nodes", "").Body, `{"@type":"node-b"}`)
}
