package server

import (
	"fmt"
	"io"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
)

// Fields is a urlencoded answer that is being written.
type Fields struct{ w *Response }

// Form answers with a urlencoded form.
func (w *Response) Form(status int, contentType string) Fields {
	if w.begin(status, content.Concrete(contentType, content.TypeForm), bytesBody) {
		w.buf = w.buf[:0]
	}
	return Fields{w}
}

// Field adds a field; one without a value is left out.
func (f Fields) Field(name string, style param.Style, v param.Value) {
	b, err := param.AppendForm(f.w.buf, name, style, v)
	if err != nil {
		f.w.fail(fmt.Errorf("the field %s cannot be written: %w", name, err))
		return
	}
	f.w.buf = b
}

// Multipart answers with a body of several parts, which are added to what it returns.
// The readers of their files are read to their end and closed, if they are io.Closers;
// they are closed as well where the answer cannot be sent.
func (w *Response) Multipart(status int, contentType string) *multipart.Parts {
	p := multipart.NewParts(contentType, responseMode, func(name string, err error) {
		w.fail(fmt.Errorf("the part %s cannot be written: %w", name, err))
	})
	if w.begin(status, p.Body().ContentType(), readerBody) {
		w.parts = p
	}
	return p
}

// Check holds a body that is no JSON to its constraints, where the handler was made
// with ValidateResponses.
func Check[T any](w *Response, v *T, rules ...func(*T, *check.Checker)) {
	if !w.strict || v == nil {
		return
	}
	var checker check.Checker
	checker.Travel(check.InResponse)
	for _, rule := range rules {
		rule(v, &checker)
	}
	w.fail(checker.Err())
}

// maxWhole is the size, in bytes, up to which parts that are in memory already are
// answered as bytes: a claim of an idempotency key can keep those.
const maxWhole = 1 << 20

// finish completes an answer of several parts.
func (w *Response) finish() {
	p := w.parts
	if p == nil {
		return
	}
	if w.err != nil {
		p.Close()
		return
	}
	source, err := p.Body().Source()
	var r io.ReadCloser
	if err == nil {
		r, err = source.Open()
	}
	if err != nil {
		w.fail(err)
		p.Close()
		return
	}
	if source.Local && source.Size >= 0 && source.Size <= maxWhole {
		w.buf, err = appendAll(w.buf[:0], r, source.Size)
		w.fail(err)
		w.kind = bytesBody
		_ = r.Close() // it was only read
		return
	}
	w.reader, w.length = &partsReader{r, p}, source.Size
}

// partsReader is a body of several parts that is being sent.
type partsReader struct {
	io.ReadCloser
	parts *multipart.Parts
}

// Close ends the reading and closes the readers of the files.
func (r *partsReader) Close() error {
	err := r.ReadCloser.Close()
	r.parts.Close()
	return err
}
