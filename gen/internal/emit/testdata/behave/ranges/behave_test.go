package ranges_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"reflect"
	"testing"

	"example.test/out/ranges"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// service answers with what it is sent, unless it is to fail.
type service struct {
	fails error
	media string // of the text
	types []string
}

func (s *service) SendJSON(ctx context.Context, req ranges.SendJSONRequest) (*ranges.Thing, error) {
	s.types = append(s.types, server.RequestOf(ctx).Header.Get("Content-Type"))
	return &req.Body, s.fails
}

func (s *service) SendText(ctx context.Context, req ranges.SendTextRequest) (*ranges.SendTextResponse, error) {
	s.types = append(s.types, server.RequestOf(ctx).Header.Get("Content-Type"))
	return &ranges.SendTextResponse{
		XLines: value.Some[int64](1), SetCookie: []string{"a=1", "b=2"}, ContentType: s.media, Body: req.Body,
	}, s.fails
}

func TestRoundTrip(t *testing.T) {
	svc := &service{}
	s := httptest.NewServer(ranges.NewHandler(svc))
	defer s.Close()
	c, err := ranges.New(client.BaseURL(s.URL))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()

	thing := ranges.Thing{A: value.Some("x")}
	if got, err := c.SendJSON(ctx, ranges.SendJSONRequest{Body: thing}); err != nil || *got != thing {
		t.Errorf("JSON: %+v, %v", got, err)
	}
	for own, want := range map[string]string{"": "text/plain; charset=utf-8", "text/csv": "text/csv; charset=utf-8"} {
		svc.media = own
		got, err := c.SendText(ctx, ranges.SendTextRequest{Body: "a,b"})
		full := &ranges.SendTextResponse{XLines: value.Some[int64](1), SetCookie: []string{"a=1", "b=2"}, ContentType: want, Body: "a,b"}
		if err != nil || !reflect.DeepEqual(got, full) {
			t.Errorf("text: %+v, %v, want %+v", got, err, full)
		}
	}
	if want := []string{"application/json", "text/plain", "text/plain"}; !reflect.DeepEqual(svc.types, want) {
		t.Errorf("requests of the types %q, want %q", svc.types, want)
	}

	svc.fails = &ranges.SendJSONBadRequest{Body: thing}
	_, err = c.SendJSON(ctx, ranges.SendJSONRequest{})
	var wrong *ranges.SendJSONBadRequest
	if !errors.As(err, &wrong) || wrong.Body != thing {
		t.Errorf("failure: %v", err)
	}

	const png = "\x89PNG\r\n\x1a\n"
	svc.fails = &ranges.SendTextBadRequest{Body: []byte(png)}
	_, err = c.SendText(ctx, ranges.SendTextRequest{Body: "x"})
	var image *ranges.SendTextBadRequest
	if !errors.As(err, &image) || string(image.Body) != png {
		t.Errorf("failure: %v", err)
	}
}
