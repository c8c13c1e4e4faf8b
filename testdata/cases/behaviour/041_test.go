package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c041"
	"cases/kit"
)

type service struct{ thing *api.Thing }

func (s service) GetThing(context.Context) (*api.Thing, error) { return s.thing, nil }

func get(t *testing.T, body string, opts ...client.Option) (*api.Thing, error) {
	t.Helper()
	return kit.Client(t, api.New, kit.Record(t, kit.JSON(body)).URL, opts...).GetThing(t.Context())
}

func TestByTrial(t *testing.T) {
	foo := &api.Thing{HasFoo: &api.HasFoo{ID: value.Some("1"), Foo: "f"}}
	bar := &api.Thing{HasBar: &api.HasBar{ID: value.Some("1"), Bar: "b"}}
	for _, opts := range [][]client.Option{nil, {client.Strict()}} {
		got, err := get(t, `{"id":"1","foo":"f"}`, opts...)
		kit.OK(t, err)
		kit.Same(t, "foo", got, foo)
		got, err = get(t, `{"id":"1","bar":"b","extra":1}`, opts...)
		kit.OK(t, err)
		kit.Same(t, "bar", got, bar)
	}
	url := kit.Serve(t, api.NewHandler(service{bar}))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/things", "").Body, `{"id":"1","bar":"b"}`)
}

func TestNoneAndSeveral(t *testing.T) {
	_, err := get(t, `{"id":"1"}`)
	kit.Fails(t, err, "none of HasFoo, HasBar", "missing foo", "missing bar")
	_, err = get(t, `{"id":"1","foo":"f","bar":"b"}`)
	kit.Fails(t, err, "matches HasFoo and HasBar")
}
