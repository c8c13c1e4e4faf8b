package api_test

import (
	"context"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c053"
	"cases/kit"
)

const (
	atText = "2024-05-14T02:43:39.7551+02:00"
	query  = "at=2024-05-14T02%3A43%3A39.7551%2B02%3A00"
)

var (
	at  = time.Date(2024, 5, 14, 2, 43, 39, 755_100_000, time.FixedZone("", 2*60*60))
	day = value.Date{Year: 2024, Month: 2, Day: 29}
)

type service struct{ got *api.GetLogRequest }

func (s service) GetLog(_ context.Context, req api.GetLogRequest) (*api.GetLogOKBody, error) {
	*s.got = req
	return &api.GetLogOKBody{At: value.Some(req.At), Day: req.Day}, nil
}

func TestWire(t *testing.T) {
	sent := kit.Record(t, kit.JSON(`{"at":"`+atText+`","day":"2024-02-29"}`))
	c := kit.Client(t, api.New, sent.URL)
	res, err := c.GetLog(t.Context(), api.GetLogRequest{At: at, Day: value.Some(day)})
	kit.OK(t, err)
	kit.Same(t, "target", sent.Last(t).Target, "/log?"+query+"&day=2024-02-29")
	kit.Same(t, "day", res.Day, value.Some(day))
	if got, _ := res.At.Get(); !got.Equal(at) {
		t.Errorf("at %v", got)
	}

	clock, err := value.ParseTime("23:59:58.5Z")
	kit.OK(t, err)
	_, err = c.GetLog(t.Context(), api.GetLogRequest{At: time.Unix(0, 0).UTC(), Clock: value.Some(clock)})
	kit.OK(t, err)
	kit.Same(t, "target", sent.Last(t).Target, "/log?at=1970-01-01T00%3A00%3A00Z&clock=23%3A59%3A58.5Z")
}

func TestServer(t *testing.T) {
	var got api.GetLogRequest
	url := kit.Serve(t, api.NewHandler(service{&got}))
	answer := kit.Send(t, "GET", url+"/log?"+query+"&day=2024-02-29&clock=23:59:58.5Z", "")
	kit.Same(t, "body", answer.Body, `{"at":"`+atText+`","day":"2024-02-29"}`)
	if _, offset := got.At.Zone(); !got.At.Equal(at) || offset != 2*60*60 {
		t.Errorf("at %v", got.At)
	}
	kit.Same(t, "day", got.Day, value.Some(day))
	if clock, ok := got.Clock.Get(); !ok || clock.String() != "23:59:58.5Z" {
		t.Errorf("clock %v", got.Clock)
	}
	kit.Problem(t, kit.Send(t, "GET", url+"/log?at=2024-05-14", ""), 400, `"at"`)
	kit.Problem(t, kit.Send(t, "GET", url+"/log?"+query+"&day=2024-05-14T00:00:00Z", ""), 400, `"day"`)
	kit.Problem(t, kit.Send(t, "GET", url+"/log?"+query+"&day=2023-02-29", ""), 400, `"day"`)
}

// Moments that have no RFC 3339 form or no time.Time are errors.
func TestEdges(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{new(api.GetLogRequest)}))
	for _, text := range []string{"10000-01-01T00:00:00Z", "2016-12-31T23:59:60Z", "2024-05-14T24:00:00Z"} {
		kit.Problem(t, kit.Send(t, "GET", url+"/log?at="+text, ""), 400, `"at"`)
		reply := kit.Record(t, kit.JSON(`{"at":"`+text+`"}`))
		_, err := kit.Client(t, api.New, reply.URL).GetLog(t.Context(), api.GetLogRequest{At: at})
		kit.Fails(t, err, "/at")
	}
	sent := kit.Record(t, kit.JSON(`{}`))
	_, err := kit.Client(t, api.New, sent.URL).GetLog(t.Context(), api.GetLogRequest{At: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)})
	kit.Fails(t, err, "at")
	kit.Same(t, "requests", len(sent.Requests()), 0)
}
