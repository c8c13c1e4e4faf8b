package client

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"sync"

	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/stream"
)

// Lines makes a sequence of items the body, each one line of JSON. It is taken
// as it is sent, so the call makes one try. An error in the sequence ends the
// call.
func Lines[T any](r *Request, mediaType string, items iter.Seq2[T, error], c json.Codec[T]) {
	streamed(r, mediaType, stream.Lines, items, jsonBytes(c))
}

// Sequence is Lines for a JSON text sequence.
func Sequence[T any](r *Request, mediaType string, items iter.Seq2[T, error], c json.Codec[T]) {
	streamed(r, mediaType, stream.Sequence, items, jsonBytes(c))
}

// Events is Lines for server sent events whose data is JSON.
func Events[T any](r *Request, mediaType string, items iter.Seq2[T, error], c json.Codec[T]) {
	streamed(r, mediaType, stream.Events, items, jsonBytes(c))
}

// EventText is Lines for server sent events whose data is text.
func EventText(r *Request, mediaType string, items iter.Seq2[string, error]) {
	streamed(r, mediaType, stream.Events, items, func(v *string) ([]byte, error) { return []byte(*v), nil })
}

// EventObjects is Lines for server sent events that are objects of event, data,
// id and retry.
func EventObjects[T any](r *Request, mediaType string, items iter.Seq2[T, error], c json.Codec[T]) {
	streamedTo(r, mediaType, stream.Events, items, func(w *stream.Writer, v *T) error {
		text, err := json.Encode(nil, v, c, requestMode)
		if err != nil {
			return err
		}
		event, err := stream.ParseEvent(text)
		if err != nil {
			return err
		}
		return w.Event(event)
	})
}

func jsonBytes[T any](c json.Codec[T]) func(*T) ([]byte, error) {
	return func(v *T) ([]byte, error) { return json.Encode(nil, v, c, requestMode) }
}

func streamed[T any](r *Request, mediaType string, format stream.Format, items iter.Seq2[T, error], encode func(*T) ([]byte, error)) {
	streamedTo(r, mediaType, format, items, func(w *stream.Writer, v *T) error {
		text, err := encode(v)
		if err != nil {
			return err
		}
		return w.Item(text)
	})
}

func streamedTo[T any](r *Request, mediaType string, format stream.Format, items iter.Seq2[T, error], write func(*stream.Writer, *T) error) {
	if items == nil {
		r.Fail(errors.New("the body is required, and its sequence is nil"))
		return
	}
	if !r.setType(mediaType) {
		return
	}
	opened := false
	r.kind = sourceBody
	r.source = content.Source{Size: content.Unknown, Open: func() (io.ReadCloser, error) {
		if opened {
			return nil, content.ErrConsumed
		}
		opened = true
		return newItemReader(format, items, write), nil
	}}
}

// itemReader is a sequence as bytes: it takes an item when one is asked for.
type itemReader[T any] struct {
	next  func() (T, error, bool)
	stop  func()
	buf   bytes.Buffer
	out   *stream.Writer
	write func(*stream.Writer, *T) error
	err   error

	mu              sync.Mutex
	reading, closed bool
}

func newItemReader[T any](format stream.Format, items iter.Seq2[T, error], write func(*stream.Writer, *T) error) *itemReader[T] {
	r := &itemReader[T]{write: write}
	r.next, r.stop = iter.Pull2(items)
	r.out = stream.NewWriter(&r.buf, format, func() error { return nil })
	return r
}

// Read gives what is left of an item, or the next one.
func (r *itemReader[T]) Read(p []byte) (int, error) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return 0, io.ErrClosedPipe
	}
	r.reading = true
	r.mu.Unlock()
	defer r.readEnded()
	for r.buf.Len() == 0 {
		if r.err != nil {
			return 0, r.err
		}
		v, err, ok := r.next()
		switch {
		case !ok:
			r.err = io.EOF
		case err != nil:
			r.err = err
		default:
			r.err = r.write(r.out, &v)
		}
	}
	return r.buf.Read(p)
}

func (r *itemReader[T]) readEnded() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reading = false; r.closed {
		r.stop()
	}
}

// Close ends the sequence. A transport may close while it reads, which the
// sequence itself must not see.
func (r *itemReader[T]) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed = true; !r.reading {
		r.stop()
	}
	return nil
}
