package api_test

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	api "cases/c074"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

type service struct {
	notes []string
	blob  io.Reader
}

func (s *service) PutNote(_ context.Context, req api.PutNoteRequest) (*api.PutNoteResponse, error) {
	s.notes = append(s.notes, req.Body)
	return &api.PutNoteResponse{XLines: value.Some[int64](3), Body: "said " + req.Body}, nil
}

func (s *service) GetBlob(context.Context) (server.Body, error) {
	return server.Body{Reader: s.blob}, nil
}

func newClient(t *testing.T, url string) *api.Client {
	t.Helper()
	c, err := api.New(client.BaseURL(url))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTextOnTheWire(t *testing.T) {
	wire := kit.Record(t, kit.Reply{Status: 200, Type: "text/plain; charset=utf-8", Header: map[string]string{"X-Lines": "3"}, Body: "a \"b\"\n"})
	got, err := newClient(t, wire.URL).PutNote(t.Context(), api.PutNoteRequest{Body: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	last := wire.Last(t)
	if last.Body != "hello" || last.Length != 5 {
		t.Errorf("body %q of %d bytes, want hello", last.Body, last.Length)
	}
	if media := last.Header.Values("Content-Type"); !reflect.DeepEqual(media, []string{"text/plain"}) {
		t.Errorf("Content-Type %q, want text/plain", media)
	}
	if want := (&api.PutNoteResponse{XLines: value.Some[int64](3), Body: "a \"b\"\n"}); !reflect.DeepEqual(got, want) {
		t.Errorf("result %+v, want %+v", got, want)
	}
}

func TestTextIsReadAndAnswered(t *testing.T) {
	svc := &service{}
	url := kit.Serve(t, api.NewHandler(svc))
	got := kit.Send(t, http.MethodPut, url+"/note", "hello", "Content-Type: text/plain; charset=UTF-8")
	media, _, _ := strings.Cut(got.Header.Get("Content-Type"), ";")
	if got.Status != 200 || got.Body != "said hello" || media != "text/plain" || got.Header.Get("X-Lines") != "3" {
		t.Errorf("answer %+v", got)
	}
	if !reflect.DeepEqual(svc.notes, []string{"hello"}) {
		t.Errorf("the method got %q", svc.notes)
	}
	res, err := newClient(t, url).PutNote(t.Context(), api.PutNoteRequest{Body: "\"ü\"\n"})
	if err != nil || res.Body != "said \"ü\"\n" || res.XLines != value.Some[int64](3) {
		t.Errorf("round trip: %+v, %v", res, err)
	}
}

// The method's reader gives its last byte only when the client has the first.
func TestBlobIsOpenBeforeItsEnd(t *testing.T) {
	r, w := io.Pipe()
	url := kit.Serve(t, api.NewHandler(&service{blob: r}))
	go io.WriteString(w, "first")
	blob, err := newClient(t, url).GetBlob(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer blob.Close()
	var _ io.ReadCloser = blob
	begin := make([]byte, 5)
	if _, err := io.ReadFull(blob, begin); err != nil || string(begin) != "first" {
		t.Fatalf("%q, %v", begin, err)
	}
	go func() {
		_, err := io.WriteString(w, " last")
		w.CloseWithError(err)
	}()
	rest, err := io.ReadAll(blob)
	if err != nil || string(rest) != " last" {
		t.Errorf("%q, %v", rest, err)
	}
	if blob.ContentType != "application/octet-stream" {
		t.Errorf("content type %q", blob.ContentType)
	}
}
