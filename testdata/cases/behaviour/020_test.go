package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c020"
	"cases/kit"
)

var request = api.GetThingRequest{ID: 1, IDQuery: value.Some[int64](2), IDHeader: value.Some[int64](3), IDCookie: value.Some[int64](4)}

type service struct{ got *api.GetThingRequest }

func (s service) GetThing(_ context.Context, req api.GetThingRequest) error { *s.got = req; return nil }

func TestFourPlaces(t *testing.T) {
	sent := kit.Record(t)
	kit.OK(t, kit.Client(t, api.New, sent.URL).GetThing(t.Context(), request))
	last := sent.Last(t)
	kit.Same(t, "method", last.Method, "GET")
	kit.Same(t, "target", last.Target, "/things/1?id=2")
	kit.Same(t, "header", last.Header.Values("Id"), []string{"3"})
	kit.Same(t, "cookie", last.Header.Values("Cookie"), []string{"id=4"})

	var got api.GetThingRequest
	url := kit.Serve(t, api.NewHandler(service{&got}))
	kit.OK(t, kit.Client(t, api.New, url).GetThing(t.Context(), request))
	kit.Same(t, "from the client", got, request)
	got = api.GetThingRequest{}
	kit.Same(t, "status", kit.Send(t, "GET", url+"/things/1?id=2", "", "Id: 3", "Cookie: id=4").Status, 204)
	kit.Same(t, "from a plain request", got, request)
}

func TestOnlyThePath(t *testing.T) {
	sent := kit.Record(t)
	kit.OK(t, kit.Client(t, api.New, sent.URL).GetThing(t.Context(), api.GetThingRequest{ID: 1}))
	last := sent.Last(t)
	kit.Same(t, "target", last.Target, "/things/1")
	kit.Same(t, "headers", len(last.Header.Values("Id"))+len(last.Header.Values("Cookie")), 0)

	url := kit.Serve(t, api.NewHandler(service{new(api.GetThingRequest)}))
	a := kit.Send(t, "GET", url+"/things/a?id=b", "", "Id: c", "Cookie: id=d")
	kit.Problem(t, a, 400, `"path"`, `"query"`, `"header"`, `"cookie"`)
}
