package api_test

import (
	"context"
	"testing"

	api "cases/c036"
	"cases/kit"
)

type service struct{ toy *api.Toy }

func (s service) GetToy(context.Context) (*api.Toy, error) { return s.toy, nil }

func TestDecode(t *testing.T) {
	for wire, want := range map[string]*api.Toy{
		`{"kind":"Kite","tail":2}`:      {Kite: &api.Kite{Kind: "Kite", Tail: 2}},
		`{"kind":"b","gas":"He"}`:       {Balloon: &api.Balloon{Kind: "b", Gas: "He"}},
		`{"kind":"Balloon","gas":"He"}`: {Balloon: &api.Balloon{Kind: "Balloon", Gas: "He"}},
		`{"gas":"He","kind":"b"}`:       {Balloon: &api.Balloon{Kind: "b", Gas: "He"}},
	} {
		got, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL).GetToy(t.Context())
		kit.OK(t, err)
		kit.Same(t, wire, got, want)
	}
	for wire, words := range map[string][]string{
		`{"kind":"x"}`:    {"/kind", `"x"`, `"Kite"`, `"b"`, `"Balloon"`},
		`{"tail":2}`:      {"/kind"},
		`{"kind":1}`:      {"/kind"},
		`{"kind":"Kite"}`: {"/tail"},
		`[]`:              {"object"},
	} {
		_, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL).GetToy(t.Context())
		kit.Fails(t, err, words...)
	}
}

// What is in the field of a Kite is written as a Kite, whatever its Kind says.
func TestEncode(t *testing.T) {
	for _, test := range []struct {
		toy  api.Toy
		want string
	}{
		{api.Toy{Kite: &api.Kite{Tail: 2}}, `{"kind":"Kite","tail":2}`},
		{api.Toy{Kite: &api.Kite{Kind: "Kite", Tail: 2}}, `{"kind":"Kite","tail":2}`},
		{api.Toy{Kite: &api.Kite{Kind: "b", Tail: 2}}, `{"kind":"Kite","tail":2}`},
		{api.Toy{Balloon: &api.Balloon{Gas: "He"}}, `{"kind":"b","gas":"He"}`},
		{api.Toy{Balloon: &api.Balloon{Kind: "Balloon", Gas: "He"}}, `{"kind":"Balloon","gas":"He"}`},
		{api.Toy{Balloon: &api.Balloon{Kind: "Kite", Gas: "He"}}, `{"kind":"b","gas":"He"}`},
	} {
		url := kit.Serve(t, api.NewHandler(service{&test.toy}))
		kit.Same(t, "body", kit.Send(t, "GET", url+"/toys", "").Body, test.want)
	}
	for _, toy := range []api.Toy{{}, {Kite: &api.Kite{}, Balloon: &api.Balloon{}}} {
		url := kit.Serve(t, api.NewHandler(service{&toy}))
		kit.Problem(t, kit.Send(t, "GET", url+"/toys", ""), 500)
	}
}
