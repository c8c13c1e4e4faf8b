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

// maxDrain is how much of a response that nobody wants is read, so that its connection
// can serve the next request: more than that takes longer than a new connection.
const maxDrain = 64 << 10

// Drain reads what is left of a response that is not used, 64 KiB at most, and closes it.
func Drain(h *http.Response) {
	if h != nil && h.Body != nil {
		_, _ = io.CopyN(io.Discard, h.Body, maxDrain) // what breaks off is not wanted either
		_ = h.Body.Close()                            // nobody reads it
	}
}

// Refuse closes the body of a request that is not sent: every http.RoundTripper owes that
// to its caller.
func Refuse(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close() // nothing was sent of it
	}
}

// Replayable reports whether the body of a request, if there is one, can be sent again.
func Replayable(r *http.Request) bool {
	return r.Body == nil || r.Body == http.NoBody || r.GetBody != nil
}

// Copy is the request for try n, from 1 on, with a header of its own. The first has the
// body of the request itself, each other one a body anew; the request has to be
// [Replayable] for those.
func Copy(ctx context.Context, r *http.Request, n int) (*http.Request, error) {
	again := r.Clone(ctx)
	if n > 1 && r.Body != nil && r.Body != http.NoBody {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		again.Body = body
	}
	return again, nil
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
