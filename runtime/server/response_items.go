package server

import (
	"iter"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/stream"
)

// Events answers with server sent events whose data is JSON, each sent when the
// sequence yields it. When the client goes away the sequence is stopped. An error
// in it breaks the connection off, so that the client does not take what it got for
// all.
func Events[T any](w *Response, status int, contentType string, c json.Codec[T], seq iter.Seq2[T, error]) {
	writeItems(w, status, contentType, stream.Events, c, seq)
}

// EventsOf is Events for items that are more than their data.
func EventsOf[T any](w *Response, status int, contentType string, event func(*T) (stream.Event, error), seq iter.Seq2[T, error]) {
	if !w.beginItems(status, contentType, stream.Events, seq == nil) {
		return
	}
	w.items = func(out itemWriter) error {
		for v, err := range seq {
			if err != nil {
				return err
			}
			e, err := event(&v)
			if err != nil {
				return err
			}
			if err := out.w.Event(e); err != nil {
				return err
			}
		}
		return nil
	}
}

// EventText is Events for data that is text.
func EventText(w *Response, status int, contentType string, seq iter.Seq2[string, error]) {
	EventsOf(w, status, contentType, func(s *string) (stream.Event, error) {
		return stream.Event{Data: []byte(*s)}, nil
	}, seq)
}

// Lines answers with JSON lines; see Events.
func Lines[T any](w *Response, status int, contentType string, c json.Codec[T], seq iter.Seq2[T, error]) {
	writeItems(w, status, contentType, stream.Lines, c, seq)
}

// Sequence answers with a JSON text sequence; see Events.
func Sequence[T any](w *Response, status int, contentType string, c json.Codec[T], seq iter.Seq2[T, error]) {
	writeItems(w, status, contentType, stream.Sequence, c, seq)
}

func writeItems[T any](w *Response, status int, contentType string, f stream.Format, c json.Codec[T], seq iter.Seq2[T, error]) {
	if !w.beginItems(status, contentType, f, seq == nil) {
		return
	}
	w.items = func(out itemWriter) error {
		var buf []byte
		for v, err := range seq {
			if err != nil {
				return err
			}
			if buf, err = json.Encode(buf[:0], &v, c, responseMode); err != nil {
				return err
			}
			if err := out.w.Item(buf); err != nil {
				return err
			}
		}
		return nil
	}
}

func (w *Response) beginItems(status int, contentType string, f stream.Format, none bool) bool {
	if none {
		w.fail(errNilResult)
		return false
	}
	w.format = f
	return w.begin(status, contentType, itemsBody)
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
