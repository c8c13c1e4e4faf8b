// Package stream reads and writes bodies that are a sequence of items: server
// sent events, JSON lines (NDJSON) and JSON text sequences.
//
// Readers hand out an item as soon as its end has arrived and bound the size of
// one; they look at bytes only, and [Items] decodes them. Writers write an item
// at a time and flush it. Neither is for concurrent use.
package stream

import (
	"errors"
	"fmt"
	"io"
	"iter"
)

// Default bounds of one item.
const (
	MaxEvent = 1 << 20  // of an event, all its fields together
	MaxLine  = 16 << 20 // of a line or record
)

// ErrTooLarge is wrapped by the error of an item that is larger than its bound.
var ErrTooLarge = errors.New("an item of the stream is too large")

// ErrTruncated is wrapped by the error of a record whose end is missing.
var ErrTruncated = errors.New("an item of the stream is cut short")

// Reader reads a stream item by item. The bytes are good until the next call.
// After the last item it returns io.EOF, after an error that error.
type Reader interface {
	Next() ([]byte, error)
}

// ItemError is what is wrong with one item: it cannot be read, or decoded.
type ItemError struct {
	Unit   string // event, line or record
	Number int    // from 1 on
	Err    error
}

// Error is the place and the cause.
func (e *ItemError) Error() string { return fmt.Sprintf("%s %d: %v", e.Unit, e.Number, e.Err) }

// Unwrap is the cause.
func (e *ItemError) Unwrap() error { return e.Err }

// numbered is a Reader that knows where it is.
type numbered interface {
	position() (unit string, number int)
}

// Wrap is err with the place of the item that the reader gave last.
func Wrap(r Reader, err error) error {
	if n, ok := r.(numbered); ok {
		unit, number := n.position()
		return &ItemError{unit, number, err}
	}
	return err
}

// Items decodes the items of a reader. The sequence ends after the first error,
// which is the last thing it yields; the end of the stream is no error.
func Items[T any](r Reader, decode func([]byte) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var zero T
		for {
			data, err := r.Next()
			if err == io.EOF { //nolint:errorlint // A wrapped end is a fault.
				return
			}
			if err != nil {
				yield(zero, err)
				return
			}
			v, err := decode(data)
			if err != nil {
				yield(zero, Wrap(r, err))
				return
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}
