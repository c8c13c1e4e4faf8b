package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c009"
	"cases/kit"
)

var request = api.LookupRequest{Type: "t", Func: "f", URL: "u", Len: 1, Error: "e", Context: "c", Nil: "n", String: "s"}

type service struct{ got *api.LookupRequest }

func (s service) Lookup(_ context.Context, req api.LookupRequest) (*api.LookupOKBody, error) {
	*s.got = req
	return &api.LookupOKBody{
		Range: value.Some("r"), Map: value.Some("m"), Any: value.Some("a"), Init: value.Some("i"), Underscore: value.Some("_"),
	}, nil
}

func TestQuery(t *testing.T) {
	sent := kit.Record(t, kit.JSON(`{}`))
	_, err := kit.Client(t, api.New, sent.URL).Lookup(t.Context(), request)
	kit.OK(t, err)
	kit.Same(t, "query", kit.Pairs(sent.Last(t).Query()),
		[]string{"context=c", "error=e", "func=f", "len=1", "nil=n", "string=s", "type=t", "url=u"})
}

func TestBothSides(t *testing.T) {
	var got api.LookupRequest
	url := kit.Serve(t, api.NewHandler(service{&got}))
	res, err := kit.Client(t, api.New, url).Lookup(t.Context(), request)
	kit.OK(t, err)
	kit.Same(t, "request", got, request)
	kit.Same(t, "result", res, &api.LookupOKBody{
		Range: value.Some("r"), Map: value.Some("m"), Any: value.Some("a"), Init: value.Some("i"), Underscore: value.Some("_"),
	})
	answer := kit.Send(t, "GET", url+"/lookup?type=t&func=f&url=u&len=1&error=e&context=c&nil=n&string=s", "")
	kit.Same(t, "body", answer.Body, `{"range":"r","map":"m","any":"a","init":"i","_":"_"}`)
	kit.Problem(t, kit.Send(t, "GET", url+"/lookup?func=f&url=u&len=x&error=e&context=c&string=s", ""), 400, "type", "len", "nil")
}
