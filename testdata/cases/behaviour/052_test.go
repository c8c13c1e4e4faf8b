package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c052"
	"cases/kit"
)

type service struct{ got *api.ListRequest }

func (s service) List(_ context.Context, req api.ListRequest) error { *s.got = req; return nil }

var defaults = api.ListRequest{
	Limit: value.Some[int64](20), Asc: value.Some(false), Q: value.Some(""), Tags: []string{"new"},
	Day: value.Some(value.Date{Year: 2024, Month: 2, Day: 29}),
}

func TestServerFills(t *testing.T) {
	var got api.ListRequest
	url := kit.Serve(t, api.NewHandler(service{&got}))
	kit.Same(t, "status", kit.Send(t, "POST", url+"/list", "").Status, 204)
	kit.Same(t, "nothing sent", got, defaults)

	kit.Same(t, "status", kit.Send(t, "POST", url+"/list", `{}`, "Content-Type: application/json").Status, 204)
	want := defaults
	want.Body = &api.ListBody{Retries: value.Some[int64](0), Mode: value.Some(api.ListBodyModeSoft)}
	kit.Same(t, "an empty body", got, want)

	body := `{"retries":3,"mode":"hard"}`
	target := "/list?limit=0&asc=true&q=x&tags=a&tags=b&day=2023-01-02"
	kit.Same(t, "status", kit.Send(t, "POST", url+target, body, "Content-Type: application/json").Status, 204)
	kit.Same(t, "all sent", got, api.ListRequest{
		Limit: value.Some[int64](0), Asc: value.Some(true), Q: value.Some("x"), Tags: []string{"a", "b"},
		Day:  value.Some(value.Date{Year: 2023, Month: 1, Day: 2}),
		Body: &api.ListBody{Retries: value.Some[int64](3), Mode: value.Some(api.ListBodyModeHard)},
	})
}

// A default is a fresh value each time: what a service does to one request does not
// show in the next.
func TestDefaultsAreNotShared(t *testing.T) {
	var got api.ListRequest
	url := kit.Serve(t, api.NewHandler(service{&got}))
	kit.Send(t, "POST", url+"/list", "")
	got.Tags[0] = "changed"
	kit.Send(t, "POST", url+"/list", "")
	kit.Same(t, "tags", got.Tags, []string{"new"})
}

func TestClientSendsNoDefaults(t *testing.T) {
	sent := kit.Record(t)
	c := kit.Client(t, api.New, sent.URL)
	kit.OK(t, c.List(t.Context(), api.ListRequest{}))
	last := sent.Last(t)
	kit.Same(t, "request", last.Method+" "+last.Target, "POST /list")
	kit.Same(t, "body", last.Body, "")
	kit.Same(t, "content type", last.Header.Get("Content-Type"), "")

	kit.OK(t, c.List(t.Context(), api.ListRequest{Body: &api.ListBody{}}))
	kit.Same(t, "empty body", sent.Last(t).Body, "{}")

	kit.OK(t, c.List(t.Context(), defaults)) // set is sent, though it is the default
	kit.Same(t, "target", sent.Last(t).Target, "/list?limit=20&asc=false&q=&tags=new&day=2024-02-29")
}

func TestZeroBeatsDefault(t *testing.T) {
	var got api.ListRequest
	url := kit.Serve(t, api.NewHandler(service{&got}))
	kit.OK(t, kit.Client(t, api.New, url).List(t.Context(), api.ListRequest{
		Limit: value.Some[int64](0), Q: value.Some(""), Body: &api.ListBody{Retries: value.Some[int64](0)},
	}))
	want := defaults
	want.Limit = value.Some[int64](0)
	want.Body = &api.ListBody{Retries: value.Some[int64](0), Mode: value.Some(api.ListBodyModeSoft)}
	kit.Same(t, "request", got, want)
}
