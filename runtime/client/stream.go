package client

import (
	"errors"
	"io"
	"iter"
	"net/http"

	"github.com/holdfast-go/holdfast/runtime/codec/stream"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// Stream is a response that is a sequence of items. It has to be closed, or
// read to its end. One goroutine reads it; any may close it.
//
// What the operation's policy says of streams holds: the call may have waited for the
// first item already, an item may be an error, and a stream that breaks may go on by
// another request.
type Stream[T any] struct {
	flow   *flow
	decode func([]byte) (T, error)
}

// newStream takes up a response as a stream.
func newStream[T any](r *Response, decode func([]byte) (T, error), open func(*Body) items) (*Stream[T], error) {
	f := newFlow(r, open)
	if err := f.begin(r); err != nil {
		return nil, err
	}
	return &Stream[T]{flow: f, decode: decode}, nil
}

// All are the items that are left, each as soon as it has arrived. The sequence
// ends with the stream, or after the first error, which it yields last: the
// context's error when it was cancelled, else a *fault.Error. Leaving the loop
// closes the stream.
func (s *Stream[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if s == nil || s.flow == nil {
			return
		}
		defer func() { _ = s.Close() }()
		var zero T
		for {
			data, err := s.flow.next()
			if err == io.EOF { //nolint:errorlint // A wrapped end is a fault.
				return
			}
			if err != nil {
				yield(zero, s.flow.fault(err))
				return
			}
			v, err := s.decode(data)
			if err != nil {
				yield(zero, s.flow.fault(stream.Wrap(s.flow.in.reader, err)))
				return
			}
			s.flow.deliver(data)
			if !yield(v, nil) {
				return
			}
		}
	}
}

// Event is the id, the type and the retry of the event that was yielded last,
// without its data; zero for streams that are not of events.
func (s *Stream[T]) Event() stream.Event {
	if s == nil || s.flow == nil {
		return stream.Event{}
	}
	return s.flow.event
}

// Close frees the connection. It may be called more than once, and on a nil
// Stream.
func (s *Stream[T]) Close() error {
	if s == nil || s.flow == nil {
		return nil
	}
	s.flow.close()
	return nil
}

// StreamError is an item that is an error, by the pointer that the policy of the operation
// has for it: the server has failed after its header said that all is well.
type StreamError struct {
	// Event is the type of the event; empty for other streams, and for those without one.
	Event string
	// Code is the value at the pointer: a string's characters, anything else as JSON.
	Code string
	// Data is the item.
	Data []byte
}

// Error is the code, where it is a short one.
func (e *StreamError) Error() string {
	if e == nil || e.Code == "" || e.Code[0] == '{' || e.Code[0] == '[' {
		return "the stream tells of an error"
	}
	return "the stream tells of an error: " + shorten(e.Code)
}

// fault is err as the caller gets it.
func (f *flow) fault(err error) error {
	body := f.current()
	c := body.c
	if ctxErr := f.root.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if own, ok := errors.AsType[*fault.Error](err); ok {
		return own
	}
	if errors.Is(err, ErrClosed) {
		return ErrClosed
	}
	out := &fault.Error{
		Op: c.spec.ID, Kind: fault.Response, Status: body.status, Attempts: c.meta.Tries, Key: c.pipe.Key,
		Effect: effectOf(c, body.status), Err: err,
	}
	if event, ok := errors.AsType[*StreamError](err); ok {
		// How far the work came is not known; a status of 500 says as much.
		out.Kind, out.Err, out.Effect = fault.Status, event, effectOf(c, http.StatusInternalServerError)
	}
	return out
}
