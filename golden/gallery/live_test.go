package gallery_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"mime"
	mime_multipart "mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/golden/gallery"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// live is a service whose streams the test drives.
type live struct {
	gallery.Unimplemented

	items  iter.Seq2[gallery.Event, error]
	upload func(context.Context, gallery.BodyMultipartRequest) error
	lines  func(iter.Seq2[gallery.Event, error]) error
	binary func(io.Reader) error
}

func (l *live) StreamEvents(context.Context) (iter.Seq2[gallery.Event, error], error) {
	return l.items, nil
}
func (l *live) StreamLines(context.Context) (iter.Seq2[gallery.Event, error], error) {
	return l.items, nil
}

func (l *live) BodyMultipart(ctx context.Context, r gallery.BodyMultipartRequest) (*gallery.Seen, error) {
	return &gallery.Seen{Values: map[string]string{}}, l.upload(ctx, r)
}

func (l *live) SendLines(_ context.Context, r gallery.SendLinesRequest) (*gallery.Seen, error) {
	return &gallery.Seen{Values: map[string]string{}}, l.lines(r.Body)
}

func (l *live) BodyBinary(_ context.Context, r gallery.BodyBinaryRequest) (server.Body, error) {
	return server.Body{Reader: strings.NewReader("done")}, l.binary(r.Body)
}

// direct runs a service over TCP with nothing in between.
func direct(t *testing.T, svc gallery.Service) (*gallery.Client, string) {
	t.Helper()
	s := httptest.NewServer(gallery.NewHandler(svc, server.OnError(nil)))
	t.Cleanup(s.Close)
	c, err := gallery.New(client.BaseURL(s.URL))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Core().CloseIdle)
	return c, s.URL
}

// soon is what comes through a channel, before the test gives up.
func soon[T any](t *testing.T, ch <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came")
	}
	return v
}

// An item is there for the caller before the next one is made.
func TestItemsArriveAtOnce(t *testing.T) {
	for name, open := range map[string]func(*gallery.Client) (*client.Stream[gallery.Event], error){
		"events": func(c *gallery.Client) (*client.Stream[gallery.Event], error) { return c.StreamEvents(t.Context()) },
		"lines":  func(c *gallery.Client) (*client.Stream[gallery.Event], error) { return c.StreamLines(t.Context()) },
	} {
		next := make(chan int64)
		c, _ := direct(t, &live{items: func(yield func(gallery.Event, error) bool) {
			for n := range next {
				if !yield(gallery.Event{N: n}, nil) {
					return
				}
			}
		}})
		s, err := open(c)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(1)
		next <- want
		for v, err := range s.All() {
			if err != nil || v.N != want {
				t.Errorf("%s: %v, %v, want %d", name, v, err, want)
			}
			if want++; want > 3 {
				close(next)
				continue
			}
			next <- want
		}
		if want != 4 {
			t.Errorf("%s: %d items", name, want-1)
		}
	}
}

// A sequence that fails breaks the stream off, so that the caller does not take
// what came for all; a failure before the first item does so as well.
func TestItemsThatFail(t *testing.T) {
	for _, good := range []int64{0, 2} {
		var heard []error
		c, _ := direct(t, &live{items: func(yield func(gallery.Event, error) bool) {
			for n := range good {
				yield(gallery.Event{N: n}, nil)
			}
			yield(gallery.Event{}, errors.New("disk on fire"))
		}})
		s, err := c.StreamLines(t.Context(), client.NoRetry())
		if err != nil { // nothing was sent, and the header with it
			continue
		}
		n := int64(0)
		for _, err := range s.All() {
			if err != nil {
				heard = append(heard, err)
				continue
			}
			n++
		}
		var f *fault.Error
		if n != good || len(heard) != 1 || !errors.As(heard[0], &f) || f.Op != "streamLines" || strings.Contains(heard[0].Error(), "fire") {
			t.Errorf("%d of %d items, %v", n, good, heard)
		}
	}
}

// Leaving the loop, Close and the context all end a stream, and the server's
// sequence with it.
func TestStreamsThatAreLeft(t *testing.T) {
	for name, leave := range map[string]func(s *client.Stream[gallery.Event], cancel func()) error{
		"break": func(s *client.Stream[gallery.Event], _ func()) error {
			for range s.All() {
				break
			}
			return nil
		},
		"close": func(s *client.Stream[gallery.Event], _ func()) error { return s.Close() },
		"cancel": func(s *client.Stream[gallery.Event], cancel func()) error {
			for _, err := range s.All() {
				if cancel(); err != nil {
					if !errors.Is(err, context.Canceled) {
						return err
					}
					return nil
				}
			}
			return errors.New("the stream has ended by itself")
		},
	} {
		ended := make(chan struct{})
		c, _ := direct(t, &live{items: func(yield func(gallery.Event, error) bool) {
			defer close(ended)
			for n := int64(0); yield(gallery.Event{N: n, Text: value.Some(strings.Repeat("x", 1000))}, nil); n++ {
			}
		}})
		ctx, cancel := context.WithCancel(t.Context())
		s, err := c.StreamEvents(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := leave(s, cancel); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		soon(t, ended)
		cancel()
	}
}

// The texts are those of the WHATWG's event streams and of JSON lines.
func TestTextsOfStreams(t *testing.T) {
	_, url := direct(t, &live{items: func(yield func(gallery.Event, error) bool) {
		_ = yield(gallery.Event{N: 1}, nil) && yield(gallery.Event{N: 2, Text: value.Some("a\nb")}, nil)
	}})
	for path, want := range map[string][2]string{
		"/streams/events": {"text/event-stream", "data: {\"n\":1}\n\ndata: {\"n\":2,\"text\":\"a\\nb\"}\n\n"},
		"/streams/lines":  {"application/jsonl", "{\"n\":1}\n{\"n\":2,\"text\":\"a\\nb\"}\n"},
	} {
		a := by(t, http.MethodGet, url+path, "")
		if got := [2]string{a.header.Get("Content-Type"), a.body}; got != want || a.status != 200 {
			t.Errorf("%s: %d, %q, want %q", path, a.status, got, want)
		}
	}
	// The client reads every form of them.
	for body, want := range map[string][]int64{
		"\ufeffdata: {\"n\":1}\r\n\r\n: a comment\r\ndata:{\"n\":\rdata: 2}\r\revent: x\nid: 7\ndata: {\"n\":3}\n\n": {1, 2, 3},
		"data: {\"n\":1}\n\ndata: {\"n\":2}\n": {1}, // the second never ended
		"retry: 10\n\n":                        nil,
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, body) // the client is what is tested
		}))
		t.Cleanup(s.Close)
		c, err := gallery.New(client.BaseURL(s.URL))
		if err != nil {
			t.Fatal(err)
		}
		stream, err := c.StreamEvents(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for v, err := range stream.All() {
			if err != nil {
				t.Errorf("%q: %v", body, err)
			}
			got = append(got, v.N)
		}
		if !cmp.Equal(got, want) {
			t.Errorf("%q: %v, want %v", body, got, want)
		}
	}
}

// Lines go up one by one as well; a wrong one is told with its number.
func TestLinesGoUpAtOnce(t *testing.T) {
	arrived := make(chan int64)
	c, url := direct(t, &live{lines: func(items iter.Seq2[gallery.Event, error]) error {
		for v, err := range items {
			if err != nil {
				return err
			}
			arrived <- v.N
		}
		return nil
	}})
	done := make(chan error, 1)
	next := make(chan int64)
	go func() {
		_, err := c.SendLines(t.Context(), gallery.SendLinesRequest{Body: func(yield func(gallery.Event, error) bool) {
			for n := range next {
				if !yield(gallery.Event{N: n}, nil) {
					return
				}
			}
		}})
		done <- err
	}()
	for n := range int64(3) {
		next <- n
		if got := soon(t, arrived); got != n {
			t.Errorf("got %d, want %d", got, n)
		}
	}
	close(next)
	if err := soon(t, done); err != nil {
		t.Error(err)
	}
	go func() {
		for range arrived {
		}
	}()
	for third, says := range map[string]string{`{"n":"x"}`: "line 3: /n: ", `{"n":`: "line 3: "} {
		a := by(t, http.MethodPost, url+"/streams/lines", "{\"n\":1}\n\n"+third+"\n", "Content-Type: application/x-ndjson")
		if a.status != http.StatusBadRequest || !strings.HasPrefix(a.detail(t), says) {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	close(arrived)
}

// The handler has the first part, and the beginning of a file, while the client is
// still writing the rest.
func TestMultipartIsStreamed(t *testing.T) {
	const first = "the beginning"
	begun, finish := make(chan gallery.BodyMultipartBody, 1), make(chan struct{})
	c, _ := direct(t, &live{upload: func(_ context.Context, r gallery.BodyMultipartRequest) error {
		f, err := r.Body.Picture.Source().Open()
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		head := make([]byte, 2<<20)
		if _, err := io.ReadFull(f, head); err != nil || !bytes.HasPrefix(head, []byte(first)) {
			return errors.Join(err, errors.New("another beginning"))
		}
		begun <- r.Body
		rest, err := io.ReadAll(f)
		if !bytes.HasSuffix(rest, []byte("the end")) {
			return errors.Join(err, errors.New("another end"))
		}
		return err
	}})
	in, out := io.Pipe()
	go func() {
		// What is larger than a mebibyte is handed over before it is there.
		_, _ = out.Write(append([]byte(first), make([]byte, 4<<20)...))
		<-finish
		_, _ = out.Write([]byte("the end"))
		_ = out.Close()
	}()
	done := make(chan error, 1)
	go func() {
		_, err := c.BodyMultipart(t.Context(), gallery.BodyMultipartRequest{Body: gallery.BodyMultipartBody{
			Title: "sunset", Colours: []gallery.Colour{"red"}, Picture: multipart.FileReader("a.png", in),
		}})
		done <- err
	}()
	if got := soon(t, begun); got.Title != "sunset" || len(got.Colours) != 1 {
		t.Errorf("%+v", got)
	}
	close(finish)
	if err := soon(t, done); err != nil {
		t.Error(err)
	}
}

// A stream of bytes goes up piece by piece and is never whole in memory.
func TestBinaryIsStreamed(t *testing.T) {
	const size = 64 << 20
	half := make(chan struct{})
	c, _ := direct(t, &live{binary: func(r io.Reader) error {
		n, err := io.CopyN(io.Discard, r, size/2)
		close(half)
		rest, err2 := io.Copy(io.Discard, r)
		if n+rest != size {
			return errors.New("some of it is missing")
		}
		return errors.Join(err, err2)
	}})
	in, out := io.Pipe()
	go func() {
		piece := make([]byte, 64<<10)
		for n := 0; n < size; n += len(piece) {
			if n == size/2 {
				<-half // it has arrived before the rest is written
			}
			_, _ = out.Write(piece)
		}
		_ = out.Close()
	}()
	b, err := c.BodyBinary(t.Context(), gallery.BodyBinaryRequest{Body: in})
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(b)
	if err = errors.Join(err, b.Close()); err != nil || string(text) != "done" || b.Length != 4 {
		t.Errorf("%q of %d bytes, %v", text, b.Length, err)
	}
}

// The parts of a form stand in the order of the document, each with its type.
func TestTextOfMultipart(t *testing.T) {
	c, _, w := start(t)
	p := point(1, 2)
	_, err := c.BodyMultipart(t.Context(), gallery.BodyMultipartRequest{Body: gallery.BodyMultipartBody{
		Title: "sun\"set", Colours: []gallery.Colour{"red", "blue"}, Where: &p, Picture: multipart.FileBytes("a.png", []byte("png")),
		More: []multipart.File{multipart.FileBytes("b\".txt", []byte("b")), multipart.FileBytes("ü.txt", []byte("c"))},
	}})
	if err != nil {
		t.Fatal(err)
	}
	media, params, err := mime.ParseMediaType(w.request.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" {
		t.Fatalf("%s, %v", media, err)
	}
	type part struct{ Name, File, Type, Body string }
	var got []part
	for r := mime_multipart.NewReader(bufio.NewReader(strings.NewReader(w.body)), params["boundary"]); ; {
		p, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, part{p.FormName(), p.FileName(), p.Header.Get("Content-Type"), string(data)})
	}
	want := []part{
		{"title", "", "", "sun\"set"}, {"colours", "", "", "red"}, {"colours", "", "", "blue"},
		{"where", "", "application/json", `{"x":1,"y":2}`}, {"picture", "a.png", "image/png", "png"},
		{"more", "b\".txt", "application/octet-stream", "b"}, {"more", "ü.txt", "application/octet-stream", "c"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, w.body)
	}
}
