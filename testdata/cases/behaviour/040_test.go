package api_test

import (
	"context"
	"testing"

	api "cases/c040"
	"cases/kit"
)

type service struct{ got *api.Hold }

func (s service) SetHold(_ context.Context, req api.SetHoldRequest) error {
	*s.got = req.Body
	return nil
}

func ptr[T any](v T) *T { return &v }

func TestByKind(t *testing.T) {
	var got api.Hold
	url := kit.Serve(t, api.NewHandler(service{&got}))
	sent := kit.Record(t)
	for wire, want := range map[string]api.Hold{
		`true`:   {Boolean: ptr(true)},
		`false`:  {Boolean: ptr(false)},
		`"auto"`: {String: ptr(api.HoldStringAuto)},
		`12`:     {Number: ptr(12.0)},
		`1.5`:    {Number: ptr(1.5)},
		`0`:      {Number: ptr(0.0)},
		`[1]`:    {Array: []int64{1}},
		`[]`:     {Array: []int64{}},
	} {
		got = api.Hold{}
		kit.Same(t, "status of "+wire, kit.Send(t, "PUT", url+"/hold", wire, "Content-Type: application/json").Status, 204)
		kit.Same(t, wire, got, want)
		kit.OK(t, kit.Client(t, api.New, sent.URL).SetHold(t.Context(), api.SetHoldRequest{Body: got}))
		kit.Same(t, "encoded again", sent.Last(t).Body, wire)
		got = api.Hold{}
		kit.OK(t, kit.Client(t, api.New, url).SetHold(t.Context(), api.SetHoldRequest{Body: want}))
		kit.Same(t, "from the client", got, want)
	}
}

func TestRefused(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{new(api.Hold)}))
	for body, words := range map[string][]string{
		`{}`:       {"a boolean, a string, a number or an array", "object"},
		`null`:     {"a boolean, a string, a number or an array", "null"},
		`"manual"`: {"auto"},
		`["a"]`:    {"/0", "integer"},
	} {
		kit.Problem(t, kit.Send(t, "PUT", url+"/hold", body, "Content-Type: application/json"), 400, words...)
	}
	sent := kit.Record(t)
	for _, hold := range []api.Hold{{}, {Boolean: ptr(true), Number: ptr(1.0)}} {
		err := kit.Client(t, api.New, sent.URL).SetHold(t.Context(), api.SetHoldRequest{Body: hold})
		kit.Fails(t, err, "Hold")
	}
	kit.Same(t, "requests", len(sent.Requests()), 0)
}
