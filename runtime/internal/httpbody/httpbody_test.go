package httpbody_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/internal/httpbody"
)

type closed struct {
	io.Reader

	done bool
}

func (c *closed) Close() error { c.done = true; return nil }

func TestHold(t *testing.T) {
	ended := 0
	cancel := func() { ended++ }
	httpbody.Hold(nil, cancel)
	if ended != 1 {
		t.Error("without a response nothing is held")
	}
	h := &http.Response{}
	httpbody.Hold(h, cancel)
	if ended != 1 || h.Body.Close() != nil || ended != 2 {
		t.Errorf("a response without a body: %d", ended)
	}
	inner := &closed{Reader: strings.NewReader("text")}
	h = &http.Response{Body: inner}
	httpbody.Hold(h, cancel)
	if text, err := io.ReadAll(h.Body); string(text) != "text" || err != nil || ended != 3 {
		t.Errorf("%q, %v, %d", text, err, ended)
	}
	httpbody.Close(h)
	if !inner.done {
		t.Error("the body is open")
	}
	httpbody.Close(nil)
	httpbody.Close(&http.Response{})
}

type pipe struct{ bytes.Buffer }

func (*pipe) Close() error { return nil }

// A body that can be written to, as after an upgrade, stays one.
func TestDuplex(t *testing.T) {
	h := &http.Response{Body: &pipe{}}
	httpbody.Hold(h, func() {})
	w, ok := h.Body.(io.Writer)
	if !ok {
		t.Fatal("it cannot be written to")
	}
	if _, err := w.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if text, err := io.ReadAll(h.Body); string(text) != "x" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// endless has always more.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) { e.read += len(p); return len(p), nil }

// TestDrain: what is left is read, but not without bound, and closed.
func TestDrain(t *testing.T) {
	httpbody.Drain(nil)
	httpbody.Drain(&http.Response{})
	short := strings.NewReader("text")
	inner := &closed{Reader: short}
	httpbody.Drain(&http.Response{Body: inner})
	if short.Len() != 0 || !inner.done {
		t.Errorf("%d bytes left, closed: %v", short.Len(), inner.done)
	}
	long := new(endless)
	inner = &closed{Reader: long}
	httpbody.Drain(&http.Response{Body: inner})
	if long.read != 64<<10 || !inner.done {
		t.Errorf("%d bytes read, closed: %v", long.read, inner.done)
	}
}

// TestCopy: each try has the whole body and a header of its own.
func TestCopy(t *testing.T) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://x.test/", strings.NewReader("order"))
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		again, err := httpbody.Copy(t.Context(), r, n+1)
		if err != nil {
			t.Fatal(err)
		}
		again.Header.Set("Try", "1")
		if text, _ := io.ReadAll(again.Body); string(text) != "order" || len(r.Header) != 0 {
			t.Errorf("try %d: %q, %v", n+1, text, r.Header)
		}
	}
	if !httpbody.Replayable(r) || !httpbody.Replayable(&http.Request{}) || !httpbody.Replayable(&http.Request{Body: http.NoBody}) {
		t.Error("a body that can be had anew, or none, can be sent again")
	}
	inner := &closed{Reader: strings.NewReader("order")}
	r = &http.Request{Body: inner}
	if httpbody.Replayable(r) {
		t.Error("a body that is read once cannot be sent again")
	}
	httpbody.Refuse(&http.Request{})
	if httpbody.Refuse(r); !inner.done {
		t.Error("the body is open")
	}
}
