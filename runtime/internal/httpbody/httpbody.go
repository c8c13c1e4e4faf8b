// Package httpbody has what every http.RoundTripper around another one needs for the
// bodies of responses.
package httpbody

import (
	"context"
	"io"
	"net/http"
)

// Hold makes the response's context end with its body rather than with the round trip:
// cancel is called when the body has been read or closed, and at once where there is
// none. It may be called more than once.
func Hold(h *http.Response, cancel context.CancelFunc) {
	if h == nil {
		cancel()
		return
	}
	if h.Body == nil {
		h.Body = http.NoBody
	}
	b := &held{h.Body, cancel}
	if w, ok := h.Body.(io.Writer); ok {
		h.Body = &duplex{b, w} // another protocol was agreed on
		return
	}
	h.Body = b
}

// Close closes the body of a response that is not used, if there is one.
func Close(h *http.Response) {
	if h != nil && h.Body != nil {
		_ = h.Body.Close() // nobody reads it
	}
}

// held is a body that frees its context with its end.
type held struct {
	io.ReadCloser

	cancel context.CancelFunc
}

// Read passes on what there is.
func (b *held) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.cancel()
	}
	return n, err
}

// Close ends the reading.
func (b *held) Close() error {
	err := b.ReadCloser.Close()
	b.cancel()
	return err
}

// duplex is a body that can be written to.
type duplex struct {
	*held
	io.Writer
}
