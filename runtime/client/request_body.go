package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
)

// buffers are for texts whose length is not known beforehand.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxPooled is the largest buffer that is kept.
const maxPooled = 64 << 10

// withBuffer calls f with an empty buffer that f appends to and returns.
func withBuffer(f func([]byte) []byte) {
	p := buffers.Get().(*[]byte)
	b := f((*p)[:0])
	if cap(b) <= maxPooled {
		*p = b
		buffers.Put(p)
	}
}

var requestMode = json.Mode{Direction: json.Request}

// setType notes the body's media type. A range says which types are allowed;
// the caller has to say which one it is.
func (r *Request) setType(mediaType string) bool {
	switch {
	case content.Valid(mediaType):
		r.contentType = mediaType
		return true
	case content.IsRange(mediaType):
		r.Fail(fmt.Errorf("the body needs a content type: the document says %s, which is a range", mediaType))
	default:
		r.Fail(errors.New("the body's content type is not one that can be sent"))
	}
	return false
}

// JSON makes v the body. Where the media type is a range such as */* it is sent as
// application/json.
func (r *Request) JSON(mediaType string, v json.Marshaler) {
	r.appended(mediaType, func(b []byte) ([]byte, error) { return json.Append(b, v, requestMode) })
}

// JSONValue makes a value the body that a codec writes.
func JSONValue[T any](r *Request, mediaType string, v *T, c json.Codec[T]) {
	r.appended(mediaType, func(b []byte) ([]byte, error) { return json.Encode(b, v, c, requestMode) })
}

// appended makes what f appends the body.
func (r *Request) appended(mediaType string, f func([]byte) ([]byte, error)) {
	if !r.setType(content.Concrete(mediaType, content.TypeJSON)) {
		return
	}
	withBuffer(func(b []byte) []byte {
		b, err := f(b)
		if err != nil {
			r.Fail(fmt.Errorf("the body cannot be written: %w", err))
			return b
		}
		r.body, r.kind = bytes.Clone(b), bytesBody
		return b
	})
}

// Text makes a text the body, in UTF-8. Where the media type is a range such as
// text/* it is sent as text/plain.
func (r *Request) Text(mediaType, text string) {
	r.Bytes(content.Concrete(mediaType, content.TypeText), []byte(text))
}

// Bytes makes b the body. It must not change during the call.
func (r *Request) Bytes(mediaType string, b []byte) {
	if r.setType(mediaType) {
		r.body, r.kind = b, bytesBody
	}
}

// Binary makes what a reader gives the body, read as it is sent. Its size is
// sent where it is known: of files, buffers, strings and whatever can seek;
// those can be sent again as well, while any other reader allows one try. A nil
// reader is an empty body. A reader that waits does not hold a call that is over; it
// must not be used again before its own Read has returned.
func (r *Request) Binary(mediaType string, body io.Reader) {
	if r.setType(mediaType) {
		r.source, r.kind = content.Of(body), sourceBody
	}
}

// File makes a file the body. Its own content type comes before the given one.
func (r *Request) File(mediaType string, f multipart.File) {
	if f.ContentType != "" {
		if !content.Match(mediaType, f.ContentType) {
			r.Fail(fmt.Errorf("the body's content type is not %s", mediaType))
			return
		}
		mediaType = f.ContentType
	}
	if r.setType(mediaType) {
		r.source, r.kind = f.Source(), sourceBody
	}
}

// Form is a urlencoded body that is being written.
type Form struct{ r *Request }

// Form starts a urlencoded body.
func (r *Request) Form(mediaType string) Form {
	if r.setType(mediaType) {
		r.kind = bytesBody
	}
	return Form{r}
}

// Field adds a field; one without a value is left out.
func (f Form) Field(name string, style param.Style, v param.Value) {
	var err error
	f.r.body, err = param.AppendForm(f.r.body, name, style, v)
	f.r.fail(err, check.InBody, name)
}

// FieldList is Field for a list.
func FieldList[T any](f Form, name string, style param.Style, c param.Codec[T], items []T) {
	var err error
	f.r.body, err = param.AppendFormList(f.r.body, name, style, c, items)
	f.r.fail(err, check.InBody, name)
}

// Multipart starts a body of several parts. It is finished when the request
// is.
func (r *Request) Multipart(mediaType string) *multipart.Parts {
	r.parts = multipart.NewParts(mediaType, requestMode, func(name string, err error) { r.fail(err, check.InBody, name) })
	return r.parts
}

// finishParts makes the parts the body.
func (r *Request) finishParts() {
	body := r.parts.Body()
	source, err := body.Source()
	if err != nil {
		r.Fail(err)
		return
	}
	r.contentType = body.ContentType()
	r.source, r.kind = source, sourceBody
}
