package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

func TestCancelledWhileReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		defer out.Close()
		c := bubble(t, func(r *http.Request) (*http.Response, error) { return piped(r, "application/octet-stream", in), nil })
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		b, err := client.Do(ctx, c, op("GET", "/blob", blob), new(encoder), nil)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, cancel)
		if _, err = b.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// Closing from elsewhere ends a read that waits.
func TestCloseWhileReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		defer out.Close()
		c := bubble(t, func(r *http.Request) (*http.Response, error) { return piped(r, "text/event-stream", in), nil })
		s, err := call(t, c, op("GET", "/ticks", events), nil)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, func() { _ = s.Close() })
		for _, err := range s.All() {
			if !errors.Is(err, client.ErrClosed) {
				t.Error(err)
			}
		}
	})
}

// A slot of the bulkhead is taken as long as the stream is open.
func TestStreamHoldsItsSlot(t *testing.T) {
	one := func(s *policy.Spec) {
		s.Client.Bulkhead = &policy.Bulkhead{MaxConcurrent: 1, OnFull: policy.OnFullAbort}
	}
	synctest.Test(t, func(t *testing.T) {
		c := bubble(t, func(r *http.Request) (*http.Response, error) {
			return piped(r, "application/octet-stream", strings.NewReader("abc")), nil
		})
		o := op("GET", "/blob", blob, one)
		first, err := call(t, c, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := call(t, c, o, nil); !errors.Is(err, fault.ErrBulkheadFull) {
			t.Errorf("%v", err)
		}
		_ = first.Close()
		second, err := call(t, c, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, second) // to its end, without Close
		third, err := call(t, c, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = third.Close()
	})
}

// A stream that breaks off says so.
func TestBrokenBody(t *testing.T) {
	c := core(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "abc")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	b, err := call(t, c, op("GET", "/blob", blob), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(b)
	if f := faultOf(t, err); string(got) != "abc" || f.Kind != fault.Transport || !errors.Is(err, io.ErrUnexpectedEOF) || f.Status != 200 {
		t.Errorf("%q, %v", got, err)
	}
}

// A header that cannot be read closes a body that was handed over before.
func TestBodyWithBadHeader(t *testing.T) {
	url, connections := counted(t, answer(200, "application/octet-stream", "abc", "X-N", "x"))
	c := coreOf(t, &client.API{}, client.BaseURL(url))
	var kept *client.Body
	o := op("GET", "/blob", func(r *client.Response) (*client.Body, error) {
		var n int64
		kept, _ = client.DecodeBody(r)
		field.Get(r.Header("X-N", 0), intCodec, &n)
		return kept, nil
	})
	got, err := call(t, c, o, nil)
	if got != nil || err == nil {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := kept.Read(make([]byte, 1)); !errors.Is(err, client.ErrClosed) {
		t.Error(err)
	}
	_ = connections()
}

// Nil handles are empty.
func TestNilStreams(t *testing.T) {
	var s *client.Stream[tick]
	for range s.All() {
		t.Error("an item of nothing")
	}
	var b *client.Body
	if n, err := b.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Error(n, err)
	}
	if err := errors.Join(s.Close(), b.Close()); err != nil || s.Event().ID != "" {
		t.Error(err)
	}
	for range new(client.Stream[tick]).All() {
		t.Error("an item of nothing")
	}
	if err := new(client.Stream[tick]).Close(); err != nil {
		t.Error(err)
	}
}

// A failure's body can be handed over, too.
func TestBodyOfFailure(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 200_000)
	for _, size := range []int{3, len(long)} {
		c := core(t, answer(404, "application/octet-stream", string(long[:size])))
		_, err := call(t, c, op("GET", "/blob", func(r *client.Response) (client.None, error) {
			b, _ := client.DecodeBody(r)
			return client.None{}, r.Fail(&failedBlob{b})
		}), nil)
		var e *failedBlob
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(e.body); err != nil || !bytes.Equal(got, long[:size]) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
}

type failedBlob struct{ body *client.Body }

func (*failedBlob) Error() string { return "failed" }
