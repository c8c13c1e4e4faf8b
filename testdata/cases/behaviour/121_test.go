package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c121"
	"cases/kit"
)

type service struct{ got *api.NRequest }

func (s service) N(_ context.Context, req api.NRequest) error { *s.got = req; return nil }

func TestConstants(t *testing.T) {
	kit.Same(t, "values", kit.Parse(t).Values("NN"), []string{"9007199254740993", "1"})
	kit.Same(t, "constant", int64(api.NN9007199254740993), int64(9007199254740993))
}

func TestServer(t *testing.T) {
	var got api.NRequest
	url := kit.Serve(t, api.NewHandler(service{&got}))
	for body, n := range map[string]api.NN{`{"n":9007199254740993}`: 9007199254740993, `{"n":1}`: 1, `{}`: 9007199254740993} {
		got = api.NRequest{}
		kit.Same(t, body, kit.Send(t, "POST", url+"/n", body, "Content-Type: application/json").Status, 204)
		kit.Same(t, body, got.Body.N, value.Some(n))
	}
	for body, pointer := range map[string]string{
		`{"n":9007199254740992}`:   "/n",
		`{"n":9007199254740994}`:   "/n",
		`{"lim":9007199254740994}`: "/lim",
	} {
		kit.Problem(t, kit.Send(t, "POST", url+"/n", body, "Content-Type: application/json"), 400, pointer, "9007199254740993")
	}
	kit.Same(t, "limit", kit.Send(t, "POST", url+"/n", `{"lim":9007199254740993}`, "Content-Type: application/json").Status, 204)
}

func TestClient(t *testing.T) {
	sent := kit.Record(t)
	c := kit.Client(t, api.New, sent.URL, client.ValidateRequests())
	kit.OK(t, c.N(t.Context(), api.NRequest{Body: api.N{N: value.Some(api.NN9007199254740993), Lim: value.Some[int64](9007199254740993)}}))
	kit.Same(t, "body", sent.Last(t).Body, `{"n":9007199254740993,"lim":9007199254740993}`)
	kit.Fails(t, c.N(t.Context(), api.NRequest{Body: api.N{Lim: value.Some[int64](9007199254740994)}}), "/lim", "9007199254740993")
	kit.Same(t, "requests", len(sent.Requests()), 1)
}
