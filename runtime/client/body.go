package client

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"sync"

	"github.com/holdfast-go/holdfast/runtime/codec/stream"
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
	early  bool // the response is still being decoded

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
	b.idle.Begin()
	n, err := b.rest.Read(p)
	b.idle.End()
	if err == io.EOF && b.early { //nolint:errorlint // As below.
		return n, err // the call goes on
	}
	if err == io.EOF { //nolint:errorlint // A wrapped end is a fault.
		return n, b.end(err)
	}
	if err != nil && b.early {
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
	case b.idle.Fired():
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
	if b.rest != nil {
		_ = b.rest.Close() // nobody reads it
	}
}

// Stream is a response that is a sequence of items. It has to be closed, or
// read to its end. One goroutine reads it; any may close it.
type Stream[T any] struct {
	body   *Body
	reader stream.Reader
	events *stream.EventReader // nil for other streams than of events
	decode func([]byte) (T, error)
	event  stream.Event
}

// All are the items that are left, each as soon as it has arrived. The sequence
// ends with the stream, or after the first error, which it yields last: the
// context's error when it was cancelled, else a *fault.Error. Leaving the loop
// closes the stream.
func (s *Stream[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if s == nil || s.body == nil {
			return
		}
		defer func() { _ = s.Close() }()
		var zero T
		for {
			data, err := s.reader.Next()
			if err == io.EOF { //nolint:errorlint // A wrapped end is a fault.
				return
			}
			if err != nil {
				yield(zero, s.fault(err))
				return
			}
			if s.events != nil {
				s.event = s.events.Event()
				s.event.Data = nil
			}
			v, err := s.decode(data)
			if err != nil {
				yield(zero, s.fault(stream.Wrap(s.reader, err)))
				return
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}

// Event is the id, the type and the retry of the event that was yielded last,
// without its data; zero for streams that are not of events.
func (s *Stream[T]) Event() stream.Event {
	if s == nil {
		return stream.Event{}
	}
	return s.event
}

// fault is err as the caller gets it.
func (s *Stream[T]) fault(err error) error {
	c := s.body.c
	if ctxErr := c.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if own, ok := errors.AsType[*fault.Error](err); ok {
		return own
	}
	if errors.Is(err, ErrClosed) {
		return ErrClosed
	}
	return &fault.Error{
		Op: c.spec.ID, Kind: fault.Response, Status: s.body.status, Attempts: c.meta.Tries, Key: c.pipe.Key,
		Effect: effectOf(c, s.body.status), Err: err,
	}
}

// Close frees the connection. It may be called more than once, and on a nil
// Stream.
func (s *Stream[T]) Close() error {
	if s == nil {
		return nil
	}
	return s.body.Close()
}
