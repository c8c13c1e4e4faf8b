package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/server"

	api "cases/c018"
	"cases/kit"
)

type service struct{}

func (service) Op3gppRegister(context.Context) error { return nil }
func (service) UsersGet(context.Context) error       { return nil }
func (service) UsersGetAll(context.Context) error    { return nil }
func (service) Delete(context.Context) error         { return nil }
func (service) ListAllItems(context.Context) error   { return nil }
func (service) Straße(context.Context) error         { return nil }

func TestNames(t *testing.T) {
	want := []string{"Op3gppRegister", "UsersGet", "UsersGetAll", "Delete", "ListAllItems", "Straße"}
	kit.Same(t, "methods", kit.Parse(t).Methods("API"), want)
}

// The ids of the document stay as they are in what both sides tell their observers.
func TestIDs(t *testing.T) {
	var ids, served []string
	url := kit.Serve(t, api.NewHandler(service{}, server.Observe(&observe.Hooks{
		CallEnd: func(_ context.Context, e observe.CallEnd) { served = append(served, e.Op) },
	})))
	c := kit.Client(t, api.New, url, client.Observe(&observe.Hooks{
		CallEnd: func(_ context.Context, e observe.CallEnd) { ids = append(ids, e.Op) },
	}))
	for _, call := range []func(context.Context, ...client.CallOption) error{
		c.Op3gppRegister, c.UsersGet, c.UsersGetAll, c.Delete, c.ListAllItems, c.Straße,
	} {
		kit.OK(t, call(t.Context()))
	}
	want := []string{"3gpp-register", "users.get", "users/get-all", "delete", "list all items", "straße"}
	kit.Same(t, "ids at the client", ids, want)
	kit.Same(t, "ids at the server", served, want)
}
