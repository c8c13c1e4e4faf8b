package gallery_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/golden/gallery"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/value"
)

func TestJSONBodies(t *testing.T) {
	c, svc, w := start(t)
	ctx := context.Background()
	filter := gallery.Filter{State: value.Some("open"), Sizes: []int64{1}, Labels: map[string]string{"a": "b"}}
	got, err := c.BodyJSON(ctx, gallery.BodyJSONRequest{Body: filter})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&filter, got, same); diff != "" {
		t.Errorf("(-sent +got):\n%s", diff)
	}
	if w.body != `{"state":"open","sizes":[1],"labels":{"a":"b"}}` || w.request.Header.Get("Content-Type") != "application/json" {
		t.Errorf("sent %s as %s", w.body, w.request.Header.Get("Content-Type"))
	}

	search := gallery.SearchRequest{Body: filter}
	if _, err := c.Search(ctx, search); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(search), svc.got, same); diff != "" || w.request.Method != "QUERY" {
		t.Errorf("method %s (-sent +got):\n%s", w.request.Method, diff)
	}
	if err := c.Purge(ctx); err != nil || w.request.Method != "PURGE" || svc.got != any("purge") {
		t.Errorf("PURGE: %v, method %s", err, w.request.Method)
	}
}

func TestOptionalBody(t *testing.T) {
	c, _, w := start(t)
	ctx := context.Background()
	p := point(1, 2)
	res, err := c.BodyOptional(ctx, gallery.BodyOptionalRequest{Body: &p})
	if ok, is := res.(*gallery.BodyOptionalOK); err != nil || !is || ok.Body.X != 1 {
		t.Errorf("with a body: %v, %v", res, err)
	}
	res, err = c.BodyOptional(ctx, gallery.BodyOptionalRequest{})
	if _, is := res.(*gallery.BodyOptionalNoContent); err != nil || !is {
		t.Errorf("without a body: %v, %v", res, err)
	}
	if w.body != "" || w.request.Header.Get("Content-Type") != "" {
		t.Errorf("without a body %q was sent as %q", w.body, w.request.Header.Get("Content-Type"))
	}
}

func TestForm(t *testing.T) {
	c, svc, w := start(t)
	p := point(1, 2)
	req := gallery.BodyFormRequest{Body: gallery.BodyFormBody{
		Name: "x y", Sizes: []int64{1, 2}, Spread: &p,
		Deep: &gallery.Filter{State: value.Some("q"), Labels: map[string]string{"a": "b c"}},
	}}
	if _, err := c.BodyForm(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(req), svc.got, same); diff != "" {
		t.Errorf("the server got something else (-sent +got):\n%s", diff)
	}
	want := "name=x+y&sizes=1&sizes=2&spread=%7B%22x%22%3A1%2C%22y%22%3A2%7D&deep%5Bstate%5D=q&deep%5Blabels%5D%5Ba%5D=b+c"
	if w.body != want || w.request.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		t.Errorf("sent %s as %s, want %s", w.body, w.request.Header.Get("Content-Type"), want)
	}
}

func TestMultipart(t *testing.T) {
	c, svc, _ := start(t)
	p := point(1, 2)
	req := gallery.BodyMultipartRequest{Body: gallery.BodyMultipartBody{
		Title: "sunset", Colours: []gallery.Colour{gallery.ColourRed, gallery.ColourBlue}, Where: &p,
		Picture: multipart.FileBytes("a.png", []byte("png bytes")),
		More:    []multipart.File{multipart.FileReader("b.txt", strings.NewReader("b")), multipart.FileBytes("c.txt", []byte("c"))},
	}}
	if _, err := c.BodyMultipart(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	want := multipartSeen{
		Title: "sunset", Colours: req.Body.Colours, Where: &p, Picture: "png bytes", PictureType: "image/png",
		More: []string{"b.txt=b", "c.txt=c"},
	}
	if diff := cmp.Diff(any(want), svc.got, same); diff != "" {
		t.Errorf("the server got something else (-sent +got):\n%s", diff)
	}
}

func TestTextAndBytes(t *testing.T) {
	c, _, w := start(t)
	ctx := context.Background()
	text, err := c.BodyText(ctx, gallery.BodyTextRequest{Body: "hello"})
	if err != nil || text != "hello" || w.body != "hello" || w.request.Header.Get("Content-Type") != "text/plain" {
		t.Errorf("text: %q, %v; sent %q as %s", text, err, w.body, w.request.Header.Get("Content-Type"))
	}

	read := func(b *client.Body, err error) (string, string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(b)
		if err = errors.Join(err, b.Close()); err != nil {
			t.Fatal(err)
		}
		return string(data), b.ContentType
	}
	body, contentType := read(c.BodyBinary(ctx, gallery.BodyBinaryRequest{Body: bytes.NewReader([]byte{0, 1, 2})}))
	if body != "\x00\x01\x02" || contentType != "application/octet-stream" {
		t.Errorf("binary: %q as %s", body, contentType)
	}
	body, contentType = read(c.BodyXML(ctx, gallery.BodyXMLRequest{Body: strings.NewReader("<a/>")}))
	if body != "<a/>" || contentType != "application/xml" {
		t.Errorf("XML: %q as %s", body, contentType)
	}
	image := multipart.FileBytes("", []byte("svg"))
	image.ContentType = "image/svg+xml"
	body, contentType = read(c.BodyImage(ctx, gallery.BodyImageRequest{Body: image}))
	if body != "svg" || contentType != "image/svg+xml" {
		t.Errorf("image: %q as %s", body, contentType)
	}

	// A range does not say what is sent.
	w.request = nil
	if _, err := c.BodyImage(ctx, gallery.BodyImageRequest{Body: multipart.FileBytes("", []byte("?"))}); err == nil || w.request != nil {
		t.Errorf("an image without a content type: %v", err)
	}
}

func TestBodyChoice(t *testing.T) {
	c, _, w := start(t)
	ctx := context.Background()
	p := point(1, 2)
	res, err := c.BodyChoice(ctx, gallery.BodyChoiceRequest{Body: gallery.BodyChoiceRequestBody{JSON: &p}})
	if v, is := res.(*gallery.BodyChoiceOKJSON); err != nil || !is || v.Body.Y != 2 || w.request.Header.Get("Content-Type") != "application/json" {
		t.Errorf("JSON: %v, %v", res, err)
	}
	res, err = c.BodyChoice(ctx, gallery.BodyChoiceRequest{Body: gallery.BodyChoiceRequestBody{Text: value.Some("hello")}})
	if v, is := res.(*gallery.BodyChoiceOKText); err != nil || !is || v.Body != "hello" || w.request.Header.Get("Content-Type") != "text/plain" {
		t.Errorf("text: %v, %v", res, err)
	}
	w.request = nil
	for what, body := range map[string]gallery.BodyChoiceRequestBody{"none": {}, "both": {JSON: &p, Text: value.Some("x")}} {
		if _, err := c.BodyChoice(ctx, gallery.BodyChoiceRequest{Body: body}); err == nil || w.request != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestStreams(t *testing.T) {
	c, svc, w := start(t)
	ctx := context.Background()
	collect := func(s *client.Stream[gallery.Event], err error) (all []int64) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for v, err := range s.All() {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, v.N)
		}
		return all
	}
	if got := collect(c.StreamEvents(ctx)); !cmp.Equal(got, []int64{1, 2, 3}) {
		t.Errorf("events: %v", got)
	}
	if got := collect(c.StreamLines(ctx)); !cmp.Equal(got, []int64{1, 2, 3}) {
		t.Errorf("lines: %v", got)
	}
	if _, err := c.SendLines(ctx, gallery.SendLinesRequest{Body: events(2)}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any([]gallery.Event{{N: 1}, {N: 2}}), svc.got, same); diff != "" {
		t.Errorf("the server got something else (-sent +got):\n%s", diff)
	}
	if w.body != "{\"n\":1}\n{\"n\":2}\n" || w.request.Header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("sent %q as %s", w.body, w.request.Header.Get("Content-Type"))
	}

	// An error in the sequence ends the call.
	broken := errors.New("broken")
	_, err := c.SendLines(ctx, gallery.SendLinesRequest{Body: func(yield func(gallery.Event, error) bool) { yield(gallery.Event{}, broken) }})
	if !errors.Is(err, broken) {
		t.Errorf("a sequence that fails: %v", err)
	}
}
