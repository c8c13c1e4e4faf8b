package client

import (
	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/codec/stream"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// IsJSON reports whether the response has the status and its body is JSON of any
// type: it is for responses with one type of JSON, since services often mistake
// one for another. A response without a Content-Type fits.
func (r *Response) IsJSON(status int) bool { return r.status == status && r.OtherJSON() }

// InRangeJSON is IsJSON for 4XX, with class 4.
func (r *Response) InRangeJSON(class int) bool { return r.status/100 == class && r.OtherJSON() }

// OtherJSON is IsJSON for the default response, whatever the status.
func (r *Response) OtherJSON() bool { return r.contentType == "" || content.IsJSON(r.contentType) }

// Bytes reads the body whole, for failures: what is wrong with a call must not
// keep its connection.
func (r *Response) Bytes(b *[]byte) error {
	data, err := r.bytes()
	if err != nil {
		return r.wrong(err)
	}
	*b = append([]byte(nil), data...)
	return nil
}

// ReadText reads the body as the text of a value.
func ReadText[T any](r *Response, c param.Codec[T], v *T) error {
	data, err := r.bytes()
	if err != nil {
		return r.wrong(err)
	}
	got, err := c.Parse(param.TextRaw(string(data)))
	if err != nil {
		return r.wrong(param.At(err, check.InBody, ""))
	}
	*v = got
	return nil
}

// DecodeTextValue is DecodeText for a value that a codec reads.
func DecodeTextValue[T any](r *Response, c param.Codec[T]) (T, error) {
	var v T
	err := ReadText(r, c, &v)
	return v, err
}

// ReadTextOpt is ReadText into one of several fields.
func ReadTextOpt[T any](r *Response, c param.Codec[T], v *value.Opt[T]) error {
	v.Set(*new(T))
	return ReadText(r, c, v.Ptr())
}

// ReadTextPtr is ReadText into a new T.
func ReadTextPtr[T any](r *Response, c param.Codec[T], v **T) error {
	*v = new(T)
	return ReadText(r, c, *v)
}

// ReadJSONOpt is ReadJSON into one of several fields.
func ReadJSONOpt[T any](r *Response, c json.Codec[T], v *value.Opt[T], rules ...func(*T, *check.Checker)) error {
	v.Set(*new(T))
	return ReadJSON(r, c, v.Ptr(), rules...)
}

// ReadJSONOptNull is ReadJSONOpt for a body that may be null.
func ReadJSONOptNull[T any](r *Response, c json.Codec[T], v *value.OptNull[T], rules ...func(*T, *check.Checker)) error {
	var n value.Null[T]
	err := ReadJSON(r, json.Null(c), &n, nullRules(rules)...)
	if got, ok := n.Get(); ok {
		v.Set(got)
	} else {
		v.SetNull()
	}
	return err
}

// nullRules are rules that a null passes.
func nullRules[T any](rules []func(*T, *check.Checker)) []func(*value.Null[T], *check.Checker) {
	if len(rules) == 0 {
		return nil
	}
	return []func(*value.Null[T], *check.Checker){check.NullOf(check.All(rules...))}
}

// ReadJSONPtr is ReadJSON into a new T.
func ReadJSONPtr[T any](r *Response, c json.Codec[T], v **T, rules ...func(*T, *check.Checker)) error {
	*v = new(T)
	return ReadJSON(r, c, *v, rules...)
}

// DecodeEventObjects hands a stream of server sent events over as objects of
// event, data, id and retry. With data set, data that is JSON stands in the
// object as JSON, else as a string.
func DecodeEventObjects[T any](r *Response, c json.Codec[T], data bool) (*Stream[T], error) {
	return newStream(r, jsonItem(r, c), func(body *Body) items {
		events := stream.NewEventReader(body, r.c.core.eventLimit())
		return items{reader: events, events: events, object: func() ([]byte, error) { return events.Event().AppendJSON(nil, data) }}
	})
}
