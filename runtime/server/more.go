package server

import (
	"iter"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/codec/stream"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// ReadText reads a body of text that is the text of a value.
func ReadText[T any](s *Request, c param.Codec[T], dst *T, required bool) {
	text, ok := s.text(required)
	if !ok {
		return
	}
	v, err := c.Parse(param.TextRaw(text))
	if err != nil {
		s.note(param.Violations(err, check.InBody, "")...)
		return
	}
	*dst = v
}

// ReadTextOpt is ReadText for an optional body.
func ReadTextOpt[T any](s *Request, c param.Codec[T], dst *value.Opt[T]) {
	if s.open(false) {
		var v T
		ReadText(s, c, &v, false)
		dst.Set(v)
	}
}

// ReadTextPtr is ReadTextOpt for a value behind a pointer.
func ReadTextPtr[T any](s *Request, c param.Codec[T], dst **T) {
	if s.open(false) {
		*dst = new(T)
		ReadText(s, c, *dst, false)
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

// EventObjects is Events for items that are objects of event, data, id and retry.
func EventObjects[T any](w *Response, status int, contentType string, c json.Codec[T], seq iter.Seq2[T, error]) {
	EventsOf(w, status, contentType, func(v *T) (stream.Event, error) {
		object, err := json.Encode(nil, v, c, responseMode)
		if err != nil {
			return stream.Event{}, err
		}
		return stream.ParseEvent(object)
	}, seq)
}

// TextValue answers with a value as text; one that is absent is an empty text.
func (w *Response) TextValue(status int, contentType string, v param.Value) {
	if v.Absent() {
		w.Text(status, contentType, "")
		return
	}
	text, err := param.AppendText(nil, v)
	if err != nil {
		w.fail(err)
		return
	}
	w.Text(status, contentType, string(text))
}

// JSONOrNull is JSONValue for a body that is null when v is nil.
func JSONOrNull[T any](w *Response, status int, contentType string, v *T, c json.Codec[T]) {
	if v == nil {
		w.Bytes(status, content.Concrete(contentType, content.TypeJSON), []byte("null"))
		return
	}
	JSONValue(w, status, contentType, v, c)
}

// MediaFor is the one of several declared media types, or ranges of them, that a
// body's content type fits, and the first for a body that has none.
func MediaFor(contentType string, declared ...string) string {
	for _, m := range declared {
		if contentType != "" && content.Match(m, contentType) {
			return m
		}
	}
	return declared[0]
}
