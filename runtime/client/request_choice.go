package client

import (
	"errors"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
)

// Choose tells which of several media types the body is given in: the index of
// the only one that is set. It is -1, and the request fails, when several are,
// or when none is although the body is required; an optional body that is not
// there gives -1 without a failure.
func (r *Request) Choose(required bool, set ...bool) int {
	chosen := -1
	for i, is := range set {
		switch {
		case !is:
		case chosen >= 0:
			r.Fail(errors.New("the body is given in several media types: set one of its fields"))
			return -1
		default:
			chosen = i
		}
	}
	if chosen < 0 && required {
		r.Fail(errors.New("the body is required: set one of its fields"))
	}
	return chosen
}

// TextValue makes a value the body, as text; one that is absent is no body.
func (r *Request) TextValue(mediaType string, v param.Value) {
	if v.Absent() {
		return
	}
	text, err := param.AppendText(nil, v)
	if err != nil {
		r.fail(err, check.InBody, "")
		return
	}
	r.Bytes(content.Concrete(mediaType, content.TypeText), text)
}

// JSONOrNull is JSONValue for a body that is null when v is nil.
func JSONOrNull[T any](r *Request, mediaType string, v *T, c json.Codec[T]) {
	if v == nil {
		r.Bytes(content.Concrete(mediaType, content.TypeJSON), []byte("null"))
		return
	}
	JSONValue(r, mediaType, v, c)
}

// WholeQuery makes v the query, all of it, percent-encoded as one text.
func (r *Request) WholeQuery(v param.Value) {
	b, err := param.AppendQuery(nil, "", param.Form, v)
	if err != nil {
		r.fail(err, check.InQuery, "")
		return
	}
	if len(b) > 0 {
		b = b[1:] // the equals sign behind the name that there is not
	}
	r.query = append(r.query, b...)
}
