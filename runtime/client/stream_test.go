package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/stream"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

type tick struct{ N int64 }

var ticks = json.Codec[tick]{
	Decode: func(d *json.Decoder, v *tick) {
		for d.Object(); d.NextKey(); {
			if d.Key() == "n" {
				v.N = d.Int64()
			} else {
				d.Unknown()
			}
		}
	},
}

func events(r *client.Response) (*client.Stream[tick], error) {
	if r.Is(200, "text/event-stream") {
		return client.DecodeEvents(r, ticks)
	}
	return nil, r.Undeclared()
}

func lines(r *client.Response) (*client.Stream[tick], error) {
	if r.Is(200, "application/x-ndjson") {
		return client.DecodeLines(r, ticks)
	}
	return nil, r.Undeclared()
}

func blob(r *client.Response) (*client.Body, error) {
	if r.Is(200, "application/octet-stream") {
		return client.DecodeBody(r)
	}
	return nil, r.Undeclared()
}

// The first event is there while the server holds the connection open; the
// caller's cancellation ends the loop with the context's error.
func TestEventsArriveOneByOne(t *testing.T) {
	hold := make(chan struct{})
	c := core(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "\ufeff: hello\r\n\r\nid: 7\r\nevent: add\r\ndata: {\"n\":\r\ndata: 1}\r\n\r\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(hold)
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s, err := client.Do(ctx, c, op("GET", "/ticks", events), new(encoder), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	var last error
	for v, err := range s.All() {
		if last = err; err != nil {
			continue
		}
		got = append(got, v.N)
		if e := s.Event(); e.ID != "7" || e.Name != "add" || e.Data != nil {
			t.Errorf("event %+v", e)
		}
		cancel()
	}
	if !reflect.DeepEqual(got, []int64{1}) || !errors.Is(last, context.Canceled) {
		t.Errorf("%v, %v", got, last)
	}
	<-hold // the connection was closed
}

func TestEventsEnd(t *testing.T) {
	c := core(t, answer(200, "text/event-stream", "data: {\"n\":1}\n\ndata: {\"n\":2}\n\ndata: {\"n\":3}\n"))
	s, err := call(t, c, op("GET", "/ticks", events), nil)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	for v, err := range s.All() {
		if n++; err != nil || v.N != n {
			t.Errorf("%v, %v", v, err)
		}
	}
	if n != 2 {
		t.Errorf("%d events", n)
	}
	for range s.All() {
		t.Error("there is another event")
	}
	c = core(t, answer(200, "text/event-stream", "data: a\ndata: b\n\n"))
	texts, err := call(t, c, op("GET", "/ticks", client.DecodeEventText), nil)
	if err != nil {
		t.Fatal(err)
	}
	for v, err := range texts.All() {
		if v != "a\nb" || err != nil {
			t.Errorf("%q, %v", v, err)
		}
	}
}

func TestLines(t *testing.T) {
	c := core(t, answer(200, "application/x-ndjson", "{\"n\":1}\n{\"n\":2}\nnope\n{\"n\":4}\n"))
	s, err := call(t, c, op("GET", "/lines", lines), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	var last error
	for v, err := range s.All() {
		if last = err; err == nil {
			got = append(got, v.N)
		}
	}
	var item *stream.ItemError
	if !reflect.DeepEqual(got, []int64{1, 2}) || !errors.As(last, &item) || item.Number != 3 || faultOf(t, last).Kind != fault.Response {
		t.Errorf("%v, %v", got, last)
	}
	c = core(t, answer(200, "application/json-seq", "\x1e{\"n\":1}\n\x1e{\"n\":2}\n"))
	s, err = call(t, c, op("GET", "/seq", func(r *client.Response) (*client.Stream[tick], error) { return client.DecodeSequence(r, ticks) }), nil)
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for v := range s.All() {
		got = append(got, v.N)
	}
	if !reflect.DeepEqual(got, []int64{1, 2}) {
		t.Errorf("%v", got)
	}
}

// An item that exceeds the client's limit ends the stream.
func TestItemLimit(t *testing.T) {
	c := core(t, answer(200, "application/x-ndjson", "{\"n\":1}\n"+strings.Repeat(" ", 3000)+"1\n"), client.BodyLimit(2000))
	s, err := call(t, c, op("GET", "/lines", lines), nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range s.All() {
		if n++; n == 2 && !errors.Is(err, stream.ErrTooLarge) {
			t.Error(err)
		}
	}
	if n != 2 {
		t.Errorf("%d items", n)
	}
}

// A body is handed over before its last byte has arrived.
func TestBodyIsHandedOverOpen(t *testing.T) {
	more := make(chan struct{})
	url, connections := counted(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", "6")
		_, _ = io.WriteString(w, "abc")
		_ = http.NewResponseController(w).Flush()
		<-more
		_, _ = io.WriteString(w, "def")
	})
	c := coreOf(t, &client.API{}, client.BaseURL(url))
	b, err := call(t, c, op("GET", "/blob", blob), nil)
	if err != nil {
		t.Fatal(err)
	}
	if b.Length != 6 || b.ContentType != "application/octet-stream" {
		t.Errorf("%d bytes of %s", b.Length, b.ContentType)
	}
	first := make([]byte, 3)
	if _, err := io.ReadFull(b, first); err != nil || string(first) != "abc" {
		t.Errorf("%q, %v", first, err)
	}
	close(more)
	if rest, err := io.ReadAll(b); err != nil || string(rest) != "def" {
		t.Errorf("%q, %v", rest, err)
	}
	if err := errors.Join(b.Close(), b.Close()); err != nil {
		t.Error(err)
	}
	if _, err := b.Read(first); !errors.Is(err, client.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	// Read to its end, its connection serves the next call.
	if b, err = call(t, c, op("GET", "/blob", blob), nil); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, b)
	if n := connections(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// bubble is a client of a transport that is a function, for exact times.
func bubble(t *testing.T, f transport, opts ...client.Option) *client.Core {
	t.Helper()
	return coreOf(t, &client.API{Title: "test", Dependency: "test"}, append([]client.Option{client.BaseURL("http://h"), client.Transport(f)}, opts...)...)
}

// piped is a response whose body the test writes.
func piped(r *http.Request, contentType string, body io.Reader) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {contentType}}, ContentLength: -1, Request: r,
		Body: &contextBody{Reader: body, ctx: r.Context(), closed: make(chan struct{})},
	}
}

// contextBody is a body as transports make them: it ends with the request's
// context, and when it is closed.
type contextBody struct {
	io.Reader
	ctx    context.Context
	closed chan struct{}
}

func (b *contextBody) Read(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := b.Reader.Read(p)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, r.err
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	case <-b.closed:
		return 0, errors.New("read on closed body")
	}
}

func (b *contextBody) Close() error {
	select {
	case <-b.closed:
	default:
		close(b.closed)
	}
	return nil
}

// The timeouts of a try and of the whole call end with a stream's header; the
// idle timeout ends a stream that has fallen silent.
func TestStreamOutlivesTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		c := bubble(t, func(r *http.Request) (*http.Response, error) { return piped(r, "application/x-ndjson", in), nil })
		start := time.Now()
		go func() {
			for n := range 5 {
				time.Sleep(29 * time.Second) // under the idle timeout of 30 s
				_, _ = fmt.Fprintf(out, "{\"n\":%d}\n", n)
			}
		}()
		s, err := call(t, c, op("GET", "/lines", lines), nil)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		var last error
		for _, err := range s.All() {
			if last = err; err == nil {
				n++
			}
		}
		if n != 5 || !errors.Is(last, client.ErrIdle) || faultOf(t, last).Kind != fault.Timeout {
			t.Errorf("%d items, %v", n, last)
		}
		if took := time.Since(start); took != 5*29*time.Second+30*time.Second {
			t.Errorf("after %v", took)
		}
		_ = out.Close()
	})
}

// A consumer that takes its time is not a silent stream.
func TestSlowConsumerIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := bubble(t, func(r *http.Request) (*http.Response, error) {
			return piped(r, "application/x-ndjson", strings.NewReader("{\"n\":1}\n{\"n\":2}\n")), nil
		})
		s, err := call(t, c, op("GET", "/lines", lines), nil)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err := range s.All() {
			if err != nil {
				t.Error(err)
			}
			n++
			time.Sleep(time.Hour)
		}
		if n != 2 {
			t.Errorf("%d items", n)
		}
	})
}

// A total that was written, in the policy or for the call, covers the stream.
func TestWrittenTotalCoversStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		defer out.Close()
		c := bubble(t, func(r *http.Request) (*http.Response, error) { return piped(r, "application/octet-stream", in), nil })
		start := time.Now()
		b, err := call(t, c, op("GET", "/blob", blob), nil, client.Within(12*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Read(make([]byte, 1))
		if !errors.Is(err, context.DeadlineExceeded) || faultOf(t, err).Kind != fault.Timeout || time.Since(start) != 12*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}
