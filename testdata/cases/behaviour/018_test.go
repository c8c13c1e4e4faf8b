package api_test

import (
	"context"
	"slices"
	"sync"
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

// ids collects what an observer is told. A server may tell it when the caller has its
// answer already.
type ids struct {
	mu   sync.Mutex
	list []string
}

func (i *ids) hooks() *observe.Hooks {
	return &observe.Hooks{CallEnd: func(_ context.Context, e observe.CallEnd) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.list = append(i.list, e.Op)
	}}
}

func (i *ids) all() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.list)
}

// The ids of the document stay as they are in what both sides tell their observers.
func TestIDs(t *testing.T) {
	var called, served ids
	url := kit.Serve(t, api.NewHandler(service{}, server.Observe(served.hooks())))
	c := kit.Client(t, api.New, url, client.Observe(called.hooks()))
	want := []string{"3gpp-register", "users.get", "users/get-all", "delete", "list all items", "straße"}
	for i, call := range []func(context.Context, ...client.CallOption) error{
		c.Op3gppRegister, c.UsersGet, c.UsersGetAll, c.Delete, c.ListAllItems, c.Straße,
	} {
		kit.OK(t, call(t.Context()))
		kit.Same(t, "ids at the client", called.all(), want[:i+1])
		kit.Wait(t, "the server's observer", func() bool { return len(served.all()) > i })
	}
	kit.Same(t, "ids at the server", served.all(), want)
}
