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
