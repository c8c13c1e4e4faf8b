package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/holdfast-go/holdfast/runtime/deadline"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Body is the body of a response that is read as it arrives. It has to be
// closed, or read to its end, for its connection to be free again. One
// goroutine reads it; any may close it.
//
// Cancelling the call's context ends the reading with the context's error.
type Body struct {
	// ContentType as it came.
	ContentType string
	// Length in bytes; negative where it is not known.
	Length int64

	c      *call
	status int
	head   []byte // read before the body was handed over
	rest   io.ReadCloser
	idle   *deadline.Idle
	first  *deadline.Idle // of the wait for a stream's first item
	later  bool           // it is waited for, and silence counts after it
	early  bool           // the response is still being decoded
	read   bool           // to its end, while it was

	mu     sync.Mutex
	over   bool
	closed bool
	err    error // of reading, once there was one
}

// Read reads on. A nil Body is at its end.
func (b *Body) Read(p []byte) (int, error) {
	if b == nil {
		return 0, io.EOF
	}
	if err := b.ended(); err != nil {
		return 0, err
	}
	if len(b.head) > 0 {
		n := copy(p, b.head)
		b.head = b.head[n:]
		return n, nil
	}
	if b.rest == nil {
		return 0, b.end(io.EOF)
	}
	if !b.later {
		b.idle.Begin()
	}
	n, err := b.rest.Read(p)
	b.idle.End()
	if err == io.EOF && b.early { //nolint:errorlint // As below.
		b.read = true
		return n, err // the call goes on
	}
	if err == io.EOF { //nolint:errorlint // A wrapped end is a fault.
		return n, b.end(err)
	}
	if err != nil && b.early {
		if b.silent() {
			err = ErrIdle
		}
		return n, &readError{err} // as for any body that is decoded: it may be tried again
	}
	if err != nil {
		err = b.end(b.explain(err))
	}
	return n, err
}

func (b *Body) ended() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return ErrClosed
	}
	return b.err
}

// end notes how the reading ended and frees the connection.
func (b *Body) end(err error) error {
	b.mu.Lock()
	if b.closed {
		err = ErrClosed
	}
	b.err = err
	b.mu.Unlock()
	b.release()
	return err
}

// explain turns an error of the transport into what the caller can tell apart.
func (b *Body) explain(err error) error {
	if ctxErr := b.c.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	f := &fault.Error{Op: b.c.spec.ID, Kind: fault.Transport, Status: b.status, Attempts: b.c.meta.Tries, Key: b.c.pipe.Key, Err: bare(err)}
	switch {
	case b.silent():
		f.Kind, f.Err = fault.Timeout, ErrIdle
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		f.Kind = fault.Timeout
		if errors.Is(err, context.Canceled) {
			f.Err = context.DeadlineExceeded // ours, since the caller's is alive
		}
	}
	f.Effect = effectOf(b.c, b.status)
	return f
}

// silent reports whether the reading was ended because nothing came for too long.
func (b *Body) silent() bool { return b.idle.Fired() || b.first.Fired() }

// effectOf is what a call whose response has arrived may have done.
func effectOf(c *call, status int) fault.Effect {
	switch {
	case c.spec.Client.Effect == policy.Read:
		return fault.Safe
	case status > 0 && status < http.StatusBadRequest:
		return fault.Unsafe
	}
	return fault.Unknown
}

// Close frees the connection. It never fails, and may be called more than once
// and on a nil Body.
func (b *Body) Close() error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.release()
	return nil
}

// release closes the response and ends the call, once.
func (b *Body) release() {
	b.mu.Lock()
	over := b.over
	b.over = true
	b.mu.Unlock()
	if over {
		return
	}
	b.idle.Stop()
	b.first.Stop()
	if b.rest != nil {
		_ = b.rest.Close() // it was only read
		b.c.pipe.Finish()
	}
}

// drop closes the response without ending the call, for another try or because
// the result was not one after all.
func (b *Body) drop() {
	b.mu.Lock()
	b.closed, b.over = true, true
	b.mu.Unlock()
	b.idle.Stop()
	b.first.Stop()
	if b.rest != nil {
		_ = b.rest.Close() // nobody reads it
	}
}
