package api_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c112"
	"cases/kit"
)

// busyTwice answers 503, 503 and then 200.
var busyTwice = []kit.Reply{{Status: 503, Body: "busy"}, {Status: 503, Body: "busy"}, {Status: 200}}

func TestBodiesThatCanBeReplayed(t *testing.T) {
	const text = `{"a":"x"}`
	path := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, body := range map[string]api.PutBlobRequestBody{
		"JSON":         {JSON: &api.PutBlobBody{A: value.Some("x")}},
		"bytes.Reader": {Binary: bytes.NewReader([]byte(text))},
		"os.File":      {Binary: file},
	} {
		t.Run(name, func(t *testing.T) {
			sent := kit.Record(t, busyTwice...)
			kit.OK(t, kit.Client(t, api.New, sent.URL).PutBlob(t.Context(), api.PutBlobRequest{K: "k", Body: body}))
			all := sent.Requests()
			kit.Same(t, "tries", len(all), 3)
			for _, r := range all {
				kit.Same(t, "body", r.Body, text)
				kit.Same(t, "Content-Length", r.Length, int64(len(text)))
			}
		})
	}
}

// A plain reader can be read once, so it is sent once.
func TestBodyThatCannotBeReplayed(t *testing.T) {
	sent := kit.Record(t, busyTwice...)
	body := api.PutBlobRequestBody{Binary: io.MultiReader(strings.NewReader("once"))}
	err := kit.Client(t, api.New, sent.URL).PutBlob(t.Context(), api.PutBlobRequest{K: "k", Body: body})
	kit.Same(t, "tries", len(sent.Requests()), 1)
	kit.Same(t, "body", sent.Last(t).Body, "once")
	kit.Fails(t, err, "503", "cannot be replayed")
	var f *fault.Error
	if !errors.As(err, &f) || f.Attempts != 1 {
		t.Errorf("%#v", err)
	}
	var busy *api.PutBlobServiceUnavailable
	if !errors.As(err, &busy) {
		t.Errorf("the declared 503 is not in the chain of %v", err)
	}
}

// The responses that are thrown away are read to their end, so one connection serves all.
func TestOneConnection(t *testing.T) {
	calls := 0
	url, connections := kit.ServeCounted(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		calls++
		if calls%3 != 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, strings.Repeat("busy ", 1000))
		}
	}))
	c := kit.Client(t, api.New, url)
	for range 5 {
		var meta client.Meta
		kit.OK(t, c.PutBlob(t.Context(), api.PutBlobRequest{K: "k", Body: api.PutBlobRequestBody{Binary: strings.NewReader("b")}}, client.Into(&meta)))
		kit.Same(t, "tries", meta.Tries, 3)
	}
	kit.Same(t, "connections", connections(), 1)
}
