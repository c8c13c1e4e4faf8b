package api_test

import (
	"context"
	"math/big"
	"net/netip"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c101"
	"cases/kit"
)

type service struct {
	got *string
	pet *api.APIHandler
}

func (s service) FetchPet(_ context.Context, req api.FetchPetRequest) (*api.APIHandler, error) {
	*s.got = req.PetID
	return s.pet, nil
}

// Both sides use the names of the document's x-go-name, and none has the other.
func TestNames(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "fields", src.FieldTypes("APIHandler"), []string{
		"ID string", "Total value.Opt[big.Int]", "Addr value.Opt[netip.Addr]", "Kind value.Opt[APIHandlerKind]",
	})
	kit.Same(t, "request", src.FieldTypes("FetchPetRequest"), []string{"PetID string"})
	kit.Same(t, "client", src.Methods("API"), []string{"FetchPet"})
	kit.Same(t, "server", src.Methods("Service"), []string{"FetchPet"})
	kit.Same(t, "the name that is replaced", src.Type("Handler"), "")
	kit.Same(t, "constants", src.Consts("APIHandlerKind"), []kit.Const{{Name: "APIHandlerKindAlpha", Value: "a"}, {Name: "APIHandlerKindBeta", Value: "b"}})
}

func TestBothSides(t *testing.T) {
	big1, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	pet := &api.APIHandler{
		ID: "1", Total: value.Some(*big1), Addr: value.Some(netip.MustParseAddr("::1")), Kind: value.Some(api.APIHandlerKindBeta),
	}
	var got string
	url := kit.Serve(t, api.NewHandler(service{&got, pet}))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/pets/a%2Fb", "").Body,
		`{"id":"1","total":"123456789012345678901234567890","addr":"::1","kind":"b"}`)
	kit.Same(t, "path parameter", got, "a/b")
	res, err := kit.Client(t, api.New, url, client.Strict()).FetchPet(t.Context(), api.FetchPetRequest{PetID: "x y"})
	kit.OK(t, err)
	kit.Same(t, "result", res, pet)
	kit.Same(t, "path parameter", got, "x y")
	_, err = kit.Client(t, api.New, kit.Record(t, kit.JSON(`{"id":"1","total":"x","addr":"y"}`)).URL).
		FetchPet(t.Context(), api.FetchPetRequest{PetID: "1"})
	kit.Fails(t, err, "/total", "/addr")
}
