package client

import (
	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/stream"
)

// DecodeJSON reads the body into a new T.
func DecodeJSON[T any, P interface {
	*T
	json.Unmarshaler
}](r *Response) (*T, error) {
	v := new(T)
	if err := r.JSON(P(v)); err != nil {
		return nil, err
	}
	return v, nil
}

// DecodeValue reads the body with a codec, for results that have no methods. The
// rules are those of [ReadJSON].
func DecodeValue[T any](r *Response, c json.Codec[T], rules ...func(*T, *check.Checker)) (T, error) {
	var v T
	if err := ReadJSON(r, c, &v, rules...); err != nil {
		var zero T
		return zero, err
	}
	return v, nil
}

// DecodeText reads the body as text.
func DecodeText(r *Response) (string, error) {
	var s string
	err := r.Text(&s)
	return s, err
}

// DecodeNone takes a response without a body. One that is there is ignored.
func DecodeNone(*Response) (None, error) { return None{}, nil }

// DecodeBody hands the body over, open. It has to be closed.
func DecodeBody(r *Response) (*Body, error) { return r.take(), nil }

// DecodeEvents hands a stream of server sent events over, whose data is JSON. An event
// whose data is [DONE], which is none, ends it.
func DecodeEvents[T any](r *Response, c json.Codec[T]) (*Stream[T], error) {
	return newStream(r, jsonItem(r, c), func(body *Body) items {
		events := stream.NewEventReader(body, r.c.core.eventLimit())
		return items{reader: events, events: events, marked: true}
	})
}

// DecodeEventText hands a stream of server sent events over, whose data is
// text.
func DecodeEventText(r *Response) (*Stream[string], error) {
	text := func(data []byte) (string, error) { return string(data), nil }
	return newStream(r, text, func(body *Body) items {
		events := stream.NewEventReader(body, r.c.core.eventLimit())
		return items{reader: events, events: events}
	})
}

// DecodeLines hands a stream of JSON lines over.
func DecodeLines[T any](r *Response, c json.Codec[T]) (*Stream[T], error) {
	return newStream(r, jsonItem(r, c), func(body *Body) items {
		return items{reader: stream.NewLineReader(body, r.c.core.lineLimit())}
	})
}

// DecodeSequence hands a JSON text sequence over.
func DecodeSequence[T any](r *Response, c json.Codec[T]) (*Stream[T], error) {
	return newStream(r, jsonItem(r, c), func(body *Body) items {
		return items{reader: stream.NewSequenceReader(body, r.c.core.lineLimit())}
	})
}

func jsonItem[T any](r *Response, c json.Codec[T]) func([]byte) (T, error) {
	mode := r.mode()
	return func(data []byte) (T, error) {
		var v T
		err := json.Decode(data, &v, c, mode)
		return v, err
	}
}

// take hands the body over.
func (r *Response) take() *Body {
	b := &Body{
		ContentType: r.contentType, Length: r.length, c: r.c, status: r.status,
		head: append([]byte(nil), r.data...), // the buffer is given back
	}
	if r.whole {
		// What was read already is all there is.
		b.Length = int64(len(b.head))
		return b
	}
	if r.body == nil {
		b.err = ErrClosed // it broke off, or had to make room for another try
		return b
	}
	b.rest, b.idle = r.body, r.c.pipe.Idle()
	r.taken, r.open = b, true
	return b
}
