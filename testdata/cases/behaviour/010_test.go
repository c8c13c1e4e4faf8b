package api_test

import (
	"context"
	"errors"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c010"
	"cases/kit"
)

type service struct{ err error }

func (s service) GetAll(context.Context) (*api.GetAllOKBody, error) {
	if s.err != nil {
		return nil, s.err
	}
	return &api.GetAllOKBody{
		E: &api.Error{Error: value.Some("e")},
		S: &api.String{Value: value.Some("s")},
		C: &api.ClientModel{Name: value.Some("c")},
		V: &api.Server{Name: value.Some("v")},
		X: &api.Context{Name: value.Some("x")},
		O: &api.Option{Name: value.Some("o")},
	}, nil
}

// The client and the interface of the server keep their names, a schema named Client
// has another, and every other schema has its own.
func TestNames(t *testing.T) {
	src := kit.Parse(t)
	for _, name := range []string{"Error", "String", "ClientModel", "Server", "Context", "Option"} {
		kit.Same(t, name, src.Type(name), "struct")
	}
	kit.Same(t, "Service", src.Type("Service"), "interface")
	kit.Same(t, "methods of Client", src.Methods("Client"), []string{"Core", "GetAll"})
	seen := map[string]bool{}
	for _, name := range src.Types() {
		if seen[name] {
			t.Errorf("%s is declared twice", name)
		}
		seen[name] = true
	}
}

func TestBothSides(t *testing.T) {
	const wire = `{"e":{"error":"e"},"s":{"value":"s"},"c":{"name":"c"},"v":{"name":"v"},"x":{"name":"x"},"o":{"name":"o"}}`
	url := kit.Serve(t, api.NewHandler(service{}))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/all", "").Body, wire)
	got, err := kit.Client(t, api.New, url).GetAll(t.Context())
	kit.OK(t, err)
	want, _ := service{}.GetAll(t.Context())
	kit.Same(t, "result", got, want)
}

func TestBuiltinError(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{errors.New("broken")}))
	kit.Problem(t, kit.Send(t, "GET", url+"/all", ""), 500)
	_, err := kit.Client(t, api.New, url).GetAll(t.Context())
	kit.Fails(t, err, "500")
}
