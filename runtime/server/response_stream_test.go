package server_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/codec/stream"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// The client has the first bytes before the last are there.
func TestStreamOfBytes(t *testing.T) {
	in, out := io.Pipe()
	closed := make(chan struct{})
	s := start(t, []server.Route{write("/", func(w *server.Response) {
		w.Stream(200, "application/octet-stream", server.Body{Reader: closing{in, closed}})
	})})
	go func() { _, _ = io.WriteString(out, "first") }()
	res, err := http.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	first := make([]byte, 5)
	if _, err := io.ReadFull(res.Body, first); err != nil || string(first) != "first" {
		t.Fatal(string(first), err)
	}
	go func() { _, _ = io.WriteString(out, "last"); _ = out.Close() }()
	rest, err := io.ReadAll(res.Body)
	if err != nil || string(rest) != "last" {
		t.Error(string(rest), err)
	}
	<-closed
}

type closing struct {
	io.Reader
	closed chan struct{}
}

func (c closing) Close() error { close(c.closed); return nil }

func TestStreamLengths(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := multipart.FileOf(path)
	if err != nil {
		t.Fatal(err)
	}
	var f failures
	s := start(t, []server.Route{
		write("/known", func(w *server.Response) {
			w.Stream(200, "text/plain", server.Body{Reader: strings.NewReader("content")})
		}),
		write("/file", func(w *server.Response) { w.File(200, "text/plain", file) }),
		write("/said", func(w *server.Response) {
			w.Stream(200, "text/plain", server.Body{Reader: io.MultiReader(strings.NewReader("contentX")), Length: 7})
		}),
		write("/unknown", func(w *server.Response) {
			w.Stream(200, "text/plain", server.Body{Reader: io.MultiReader(strings.NewReader("content"))})
		}),
		write("/short", func(w *server.Response) {
			w.Stream(200, "text/plain", server.Body{Reader: io.MultiReader(strings.NewReader("cont")), Length: 7})
		}),
	}, f.option())
	for path, length := range map[string]int64{"/known": 7, "/file": 7, "/said": 7, "/unknown": -1} {
		r := do(t, "GET", s.URL+path, "")
		r.want(t, 200, "content")
		if r.ContentLength != length {
			t.Errorf("%s: length %d", path, r.ContentLength)
		}
	}
	res, err := http.Get(s.URL + "/short")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("a short body looks whole")
	}
	if errs, statuses := f.heard(); len(errs) != 1 || !errors.Is(errs[0], io.ErrUnexpectedEOF) || statuses[0] != 0 {
		t.Error(errs)
	}
}

// Each event is there when it was sent; the sequence stops when the client goes.
func TestEvents(t *testing.T) {
	next := make(chan int64)
	stopped := make(chan error, 1)
	s := start(t, []server.Route{give("GET", "/", func(w *server.Response, seq iter.Seq2[int64, error]) {
		server.Events(w, 200, "text/event-stream", json.Int64, seq)
	}, func(ctx context.Context) (iter.Seq2[int64, error], error) {
		return func(yield func(int64, error) bool) {
			for {
				select {
				case n := <-next:
					if !yield(n, nil) {
						stopped <- nil
						return
					}
				case <-ctx.Done():
					stopped <- ctx.Err()
					return
				}
			}
		}, nil
	})})
	res, err := http.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if res.Header.Get("Content-Type") != "text/event-stream" {
		t.Error(res.Header)
	}
	lines := bufio.NewReader(res.Body)
	for n, want := range []string{"data: 0\n", "data: 1\n"} {
		next <- int64(n)
		if line, err := lines.ReadString('\n'); err != nil || line != want {
			t.Fatal(line, err)
		}
		_, _ = lines.ReadString('\n')
	}
	_ = res.Body.Close()
	select {
	case err := <-stopped:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("the sequence goes on")
	}
}

func TestStreamsOfItems(t *testing.T) {
	broken := errors.New("secret")
	seq := func(n int64, err error) iter.Seq2[int64, error] {
		return func(yield func(int64, error) bool) {
			for i := range n {
				if !yield(i, nil) {
					return
				}
			}
			if err != nil {
				yield(0, err)
			}
		}
	}
	var f failures
	s := start(t, []server.Route{
		write("/lines", func(w *server.Response) { server.Lines(w, 200, "application/x-ndjson", json.Int64, seq(3, nil)) }),
		write("/seq", func(w *server.Response) { server.Sequence(w, 200, "application/json-seq", json.Int64, seq(2, nil)) }),
		write("/text", func(w *server.Response) {
			server.EventText(w, 200, "text/event-stream", func(yield func(string, error) bool) { yield("a\nb", nil) })
		}),
		write("/of", func(w *server.Response) {
			server.EventsOf(w, 200, "text/event-stream", func(n *int64) (stream.Event, error) {
				return stream.Event{ID: "7", Name: "tick", Data: []byte("x")}, nil
			}, seq(1, nil))
		}),
		write("/broken", func(w *server.Response) { server.Lines(w, 200, "application/x-ndjson", json.Int64, seq(1, broken)) }),
	}, f.option())
	do(t, "GET", s.URL+"/lines", "").want(t, 200, "0\n1\n2\n")
	do(t, "GET", s.URL+"/seq", "").want(t, 200, "\x1e0\n\x1e1\n")
	do(t, "GET", s.URL+"/text", "").want(t, 200, "data: a\ndata: b\n\n")
	events := stream.NewEventReader(strings.NewReader(do(t, "GET", s.URL+"/of", "").text), 0)
	if data, err := events.Next(); err != nil || string(data) != "x" || events.Event().ID != "7" || events.Event().Name != "tick" {
		t.Error(events.Event(), err)
	}
	do(t, "HEAD", s.URL+"/lines", "").want(t, 200, "")
	res, err := http.Get(s.URL + "/broken")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if string(text) != "0\n" || err == nil {
		t.Errorf("%q, %v: a broken stream looks whole", text, err)
	}
	if errs, _ := f.heard(); len(errs) != 1 || !errors.Is(errs[0], broken) {
		t.Error(errs)
	}
}
