package server

import (
	"iter"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/stream"
)

// ReadLines hands a body of JSON lines over as a sequence, which reads as it is
// ranged over. It ends after its first error; an error that the method returns
// from it is answered with 400, or 413.
func ReadLines[T any](s *Request, c json.Codec[T], dst *iter.Seq2[T, error], required bool) {
	if r, ok := s.streamed(required); ok {
		*dst = requestItems(stream.NewLineReader(r, 0), itemOf(c))
	}
}

// ReadSequence is ReadLines for a JSON text sequence.
func ReadSequence[T any](s *Request, c json.Codec[T], dst *iter.Seq2[T, error], required bool) {
	if r, ok := s.streamed(required); ok {
		*dst = requestItems(stream.NewSequenceReader(r, 0), itemOf(c))
	}
}

// ReadEvents is ReadLines for server sent events whose data is JSON.
func ReadEvents[T any](s *Request, c json.Codec[T], dst *iter.Seq2[T, error], required bool) {
	if r, ok := s.streamed(required); ok {
		*dst = requestItems(stream.NewEventReader(r, 0), itemOf(c))
	}
}

// ReadEventText is ReadEvents for events whose data is text.
func ReadEventText(s *Request, dst *iter.Seq2[string, error], required bool) {
	if r, ok := s.streamed(required); ok {
		*dst = requestItems(stream.NewEventReader(r, 0), func(b []byte) (string, error) { return string(b), nil })
	}
}

// itemOf decodes one item of a stream.
func itemOf[T any](c json.Codec[T]) func([]byte) (T, error) {
	return func(data []byte) (T, error) {
		var v T
		err := json.Decode(data, &v, c, requestMode)
		return v, err
	}
}

// requestItems are the items of a request; their errors are the caller's fault.
func requestItems[T any](r stream.Reader, decode func([]byte) (T, error)) iter.Seq2[T, error] {
	items := stream.Items(r, decode)
	return func(yield func(T, error) bool) {
		for v, err := range items {
			if err != nil {
				err = &requestError{err}
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// ReadEventObjects is ReadEvents for events as objects of event, data, id and
// retry. With data set, data that is JSON stands in the object as JSON, else as a
// string.
func ReadEventObjects[T any](s *Request, c json.Codec[T], data bool, dst *iter.Seq2[T, error], required bool) {
	r, ok := s.streamed(required)
	if !ok {
		return
	}
	events := stream.NewEventReader(r, 0)
	decode := itemOf(c)
	*dst = requestItems(events, func([]byte) (T, error) {
		object, err := events.Event().AppendJSON(nil, data)
		if err != nil {
			var zero T
			return zero, err
		}
		return decode(object)
	})
}
