package api_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	api "cases/c077"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// service is the method of the operation.
type service func(api.ImgRequest) (api.ImgResult, error)

func (s service) Img(_ context.Context, req api.ImgRequest) (api.ImgResult, error) { return s(req) }

func newClient(t *testing.T, url string) *api.Client {
	t.Helper()
	c, err := api.New(client.BaseURL(url))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// image is a body in a concrete type.
func image(contentType, text string) api.ImgRequest {
	f := multipart.FileBytes("", []byte(text))
	f.ContentType = contentType
	return api.ImgRequest{Body: f}
}

// The most specific key wins: */* gets only what image/* does not.
func TestResponsesAreMatched(t *testing.T) {
	for _, media := range []string{"image/png", "image/svg+xml", "IMAGE/PNG", "image/png; x=y"} {
		wire := kit.Record(t, kit.Reply{Status: 200, Type: media, Body: "bytes"})
		got, err := newClient(t, wire.URL).Img(t.Context(), image("image/png", "in"))
		res, ok := got.(*api.ImgOKImage)
		if err != nil || !ok {
			t.Errorf("%s: %#v, %v, want *ImgOKImage", media, got, err)
			continue
		}
		body, err := io.ReadAll(res.Body)
		if err != nil || string(body) != "bytes" || res.ContentType != media {
			t.Errorf("%s: %q in %q, %v", media, body, res.ContentType, err)
		}
		if err := res.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, media := range []string{"application/json", "text/plain; charset=utf-8", "imagery/png"} {
		wire := kit.Record(t, kit.Reply{Status: 200, Type: media, Body: `{"a":1}`})
		got, err := newClient(t, wire.URL).Img(t.Context(), image("image/png", "in"))
		res, ok := got.(*api.ImgOKAny)
		if err != nil || !ok || res.Body != `{"a":1}` || res.ContentType != media {
			t.Errorf("%s: %#v, %v, want *ImgOKAny", media, got, err)
		}
	}
}

func TestRequestNeedsAConcreteType(t *testing.T) {
	wire := kit.Record(t, kit.Reply{Status: 200, Type: "text/plain"})
	c := newClient(t, wire.URL)
	for _, media := range []string{"", "image/*", "text/plain"} {
		_, err := c.Img(t.Context(), image(media, "in"))
		var failed *fault.Error
		if !errors.As(err, &failed) || failed.Kind != fault.Request || !strings.Contains(err.Error(), "image/*") {
			t.Errorf("%q: error %v, want one of kind Request that names image/*", media, err)
		}
	}
	if n := len(wire.Requests()); n != 0 {
		t.Fatalf("%d requests were sent", n)
	}
	if _, err := c.Img(t.Context(), image("image/webp", "in")); err != nil {
		t.Fatal(err)
	}
	if last := wire.Last(t); last.Header.Get("Content-Type") != "image/webp" || last.Body != "in" {
		t.Errorf("%q in %q was sent", last.Body, last.Header.Get("Content-Type"))
	}
}

func TestServer(t *testing.T) {
	var next api.ImgResult
	var in, inType string
	url := kit.Serve(t, api.NewHandler(service(func(req api.ImgRequest) (api.ImgResult, error) {
		b, err := io.ReadAll(req.Body.Reader)
		in, inType = string(b), req.Body.ContentType
		return next, err
	})))
	stream := func(media string) *api.ImgOKImage {
		return &api.ImgOKImage{ContentType: media, Body: io.NopCloser(strings.NewReader("out"))}
	}
	for _, test := range []struct {
		next   api.ImgResult
		status int
		media  string
	}{
		{stream("image/png"), 200, "image/png"},
		{stream("image/svg+xml"), 200, "image/svg+xml"},
		{stream(""), 500, "application/problem+json"},
		{stream("text/plain"), 500, "application/problem+json"},
		{&api.ImgOKAny{ContentType: "text/csv", Body: "out"}, 200, "text/csv; charset=utf-8"},
		{&api.ImgOKAny{Body: "out"}, 200, "text/plain; charset=utf-8"},
	} {
		next = test.next
		got := kit.Send(t, http.MethodPost, url+"/img", "in", "Content-Type: image/gif")
		if got.Status != test.status || got.Header.Get("Content-Type") != test.media || test.status == 200 && got.Body != "out" {
			t.Errorf("%+v: %+v", test.next, got)
		}
		if in != "in" || inType != "image/gif" {
			t.Errorf("the method got %q in %q", in, inType)
		}
	}
	if got := kit.Send(t, http.MethodPost, url+"/img", "in", "Content-Type: text/plain"); got.Status != http.StatusUnsupportedMediaType {
		t.Errorf("text/plain: %d %s, want 415", got.Status, got.Body)
	}
}
