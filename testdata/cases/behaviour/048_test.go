package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c048"
	"cases/kit"
)

type service struct{ got *[]string }

func (s service) PutClosed(context.Context, api.PutClosedRequest) (*api.Open, error) {
	*s.got = append(*s.got, "closed")
	return &api.Open{A: value.Some[int64](1)}, nil
}

func (s service) PutOpen(_ context.Context, req api.PutOpenRequest) error {
	*s.got = append(*s.got, "open")
	return nil
}

func TestServer(t *testing.T) {
	var got []string
	url := kit.Serve(t, api.NewHandler(service{&got}))
	const both = `{"a":1,"z":2}`
	kit.Problem(t, kit.Send(t, "PUT", url+"/c", both, "Content-Type: application/json"), 400, "/z")
	kit.Same(t, "calls", got, []string(nil))
	kit.Same(t, "open", kit.Send(t, "PUT", url+"/o", both, "Content-Type: application/json").Status, 204)
	kit.Same(t, "closed", kit.Send(t, "PUT", url+"/c", `{"a":1}`, "Content-Type: application/json").Body, `{"a":1}`)
	kit.Same(t, "calls", got, []string{"open", "closed"})
}

func TestClient(t *testing.T) {
	sent := kit.Record(t, kit.JSON(`{"a":1,"z":2}`))
	request := api.PutClosedRequest{Body: api.Closed{A: value.Some[int64](1)}}
	for _, opts := range [][]client.Option{nil, {client.Strict()}} {
		res, err := kit.Client(t, api.New, sent.URL, opts...).PutClosed(t.Context(), request)
		kit.OK(t, err)
		kit.Same(t, "open", res, &api.Open{A: value.Some[int64](1)})
		kit.Same(t, "body", sent.Last(t).Body, `{"a":1}`)
	}
}

// No operation answers with the closed schema, so its two ways of decoding are those of
// the lenient and the strict client.
func TestClosed(t *testing.T) {
	text := []byte(`{"a":1,"z":2}`)
	var closed api.Closed
	kit.OK(t, json.UnmarshalMode(text, &closed, json.Mode{}))
	kit.Same(t, "closed", closed, api.Closed{A: value.Some[int64](1)})
	kit.Fails(t, json.UnmarshalMode(text, new(api.Closed), json.Mode{Strict: true}), "/z")
	kit.OK(t, json.UnmarshalMode(text, new(api.Open), json.Mode{Strict: true}))
}
