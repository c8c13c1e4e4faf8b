package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/codec/stream"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// Response is an answer that is being put together. Nothing of it is sent before
// it is complete: what cannot be written sticks, and is answered with 500 instead.
// It must not be kept.
type Response struct {
	status      int
	contentType string
	kind        bodyKind
	buf         []byte // of bytesBody; kept for the next request
	reader      io.Reader
	length      int64 // of readerBody; negative where it is not known
	items       func(itemWriter) error
	parts       *multipart.Parts // of readerBody, until it is finished
	format      stream.Format
	header      []headerLine
	err         error

	accept  []string // what the client takes
	encoder json.Encoder
	strict  bool // held to the schema: ValidateResponses
}

// headerLine is one line of a header.
type headerLine struct{ name, value string }

// bodyKind is where a body comes from.
type bodyKind uint8

const (
	noBody bodyKind = iota
	bytesBody
	readerBody
	itemsBody
)

// itemWriter takes the items of a stream. Its methods fail when the caller has
// gone.
type itemWriter struct{ w *stream.Writer }

// responseMode is how results are written: without what only requests carry.
var responseMode = json.Mode{Direction: json.Response}

// reset makes the response ready for another answer.
func (w *Response) reset() {
	strict, buf, header, accept := w.strict, w.buf, w.header, w.accept
	if cap(buf) > maxPooled {
		buf = nil
	}
	clear(header)
	*w = Response{strict: strict, buf: buf[:0], header: header[:0], accept: accept}
}

// fail notes why the answer cannot be sent.
func (w *Response) fail(err error) {
	if w.err == nil && err != nil {
		w.err = err
	}
}

// Fail makes the answer one that cannot be sent: it becomes 500, and OnError gets
// err.
func (w *Response) Fail(err error) { w.fail(err) }

// errTwice: an encoder that writes two answers.
var errTwice = errors.New("the response was written twice")

// begin notes the status and the content type.
func (w *Response) begin(status int, contentType string, kind bodyKind) bool {
	if w.status != 0 {
		w.fail(errTwice)
		return false
	}
	if status < 200 || status > 999 {
		w.fail(fmt.Errorf("the status %d is not one of a response", status))
		status = http.StatusInternalServerError
	}
	w.status, w.kind = status, kind
	if kind == noBody {
		return true
	}
	if contentType != content.TypeJSON && !content.Valid(contentType) {
		if content.IsRange(contentType) {
			w.fail(errors.New("the response needs a concrete content type: the document gives a range"))
		} else {
			w.fail(errors.New("the content type is not one that can be sent"))
		}
		return false
	}
	w.contentType = contentType
	return true
}

// Within is the status of a response that the document declares for a range such as 4XX,
// which is class 4. A status outside of it fails: what is sent would not be what the
// document says of that status.
func (w *Response) Within(class, status int) int {
	if status/100 != class {
		w.fail(fmt.Errorf("the status %d is not one of %dXX", status, class))
		return http.StatusInternalServerError
	}
	return status
}

// Empty answers without a body.
func (w *Response) Empty(status int) { w.begin(status, "", noBody) }

// JSON answers with a JSON text. Where the content type is a range such as */* it is
// sent as application/json.
func (w *Response) JSON(status int, contentType string, v json.Marshaler) {
	if !w.begin(status, content.Concrete(contentType, content.TypeJSON), bytesBody) {
		return
	}
	if w.strict {
		if c, ok := v.(check.Validator); ok {
			w.fail(check.BodyOf(c, check.InResponse))
		}
	}
	w.encoder.Start(w.buf[:0], responseMode)
	w.encoder.Value(v)
	w.encoded()
}

// JSONValue is JSON for a value that a codec writes. The rules are checked where
// the handler was made with ValidateResponses.
func JSONValue[T any](w *Response, status int, contentType string, v *T, c json.Codec[T], rules ...func(*T, *check.Checker)) {
	if !w.begin(status, content.Concrete(contentType, content.TypeJSON), bytesBody) {
		return
	}
	if w.strict {
		var checker check.Checker
		checker.Travel(check.InResponse)
		for _, rule := range rules {
			rule(v, &checker)
		}
		w.fail(checker.Err())
	}
	w.encoder.Start(w.buf[:0], responseMode)
	c.Encode(&w.encoder, v)
	w.encoded()
}

// encoded takes what the encoder has written.
func (w *Response) encoded() {
	var err error
	w.buf, err = w.encoder.Text()
	w.encoder.Start(nil, responseMode) // it must not hold on to the buffer
	if err != nil {
		w.fail(fmt.Errorf("the result cannot be written: %w", err))
	}
}

// JSONOrNull is JSONValue for a body that is null when v is nil.
func JSONOrNull[T any](w *Response, status int, contentType string, v *T, c json.Codec[T], rules ...func(*T, *check.Checker)) {
	if v == nil {
		w.Bytes(status, content.Concrete(contentType, content.TypeJSON), []byte("null"))
		return
	}
	JSONValue(w, status, contentType, v, c, rules...)
}

// Text answers with a text, in UTF-8. Where the content type is a range such as
// text/* it is sent as text/plain.
func (w *Response) Text(status int, contentType, text string) {
	if w.begin(status, withCharset(content.Concrete(contentType, content.TypeText)), bytesBody) {
		w.buf = append(w.buf[:0], text...)
	}
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

// withCharset says what the text is in, since clients guess otherwise.
func withCharset(contentType string) string {
	if strings.IndexByte(contentType, ';') < 0 && len(contentType) > 5 && strings.EqualFold(contentType[:5], "text/") {
		return contentType + "; charset=utf-8"
	}
	return contentType
}

// Bytes answers with bytes as they are. They are copied. Where the content type is a
// range it is found out from the bytes.
func (w *Response) Bytes(status int, contentType string, b []byte) {
	if content.IsRange(contentType) {
		contentType = content.Concrete(contentType, http.DetectContentType(b))
	}
	if w.begin(status, contentType, bytesBody) {
		w.buf = append(w.buf[:0], b...)
	}
}

// Prefer is the one of several media types for the same body that the client likes
// best, and the first where it likes none.
func (w *Response) Prefer(offers ...string) string {
	return offers[max(0, preferred(w.accept, offers))]
}

// Type is the content type of a body whose own type a method has set, or else the
// declared one. An own type that is not within the declared one fails the answer.
func (w *Response) Type(own, declared string) string {
	if own == "" {
		return declared
	}
	if !content.Match(declared, own) {
		w.fail(errors.New("the body's content type is not " + declared))
	}
	return own
}

// Body is a result that is a stream of bytes.
type Body struct {
	// Reader is read to its end and closed, if it is an io.Closer.
	Reader io.Reader
	// ContentType is needed where the document gives a range such as image/*, and
	// otherwise counts when it is not empty.
	ContentType string
	// Length in bytes; zero is found out from the reader where that is possible,
	// as for files and buffers, and sent in chunks where it is not.
	Length int64
}

// Stream answers with a stream of bytes, of the body's own content type or else the
// given one. Each piece is sent when the reader gives less than was asked for, so
// that the client sees the first bytes before the last are there.
func (w *Response) Stream(status int, contentType string, b Body) {
	if w.begin(status, w.Type(b.ContentType, contentType), readerBody) {
		w.reader, w.length = b.Reader, b.Length
		if w.length <= 0 {
			w.length = content.Of(b.Reader).Size
		}
	}
	if b.Reader == nil {
		w.fail(errors.New("the result has no reader"))
	}
}

// File answers with a file.
func (w *Response) File(status int, contentType string, f multipart.File) {
	if f.IsZero() {
		w.fail(errors.New("the result is a file without content"))
		return
	}
	r := f.Reader
	if f.Open != nil {
		opened, err := f.Open()
		if err != nil {
			w.fail(err)
			return
		}
		r = opened
	}
	w.Stream(status, contentType, Body{Reader: r, ContentType: f.ContentType, Length: f.Size})
}

// Problem answers with problem details.
func (w *Response) Problem(p *fault.Problem) {
	status := p.Status
	if status < 400 || status > 599 {
		status = http.StatusInternalServerError
	}
	if w.begin(status, fault.ProblemType, bytesBody) {
		w.buf = p.AppendJSON(w.buf[:0])
	}
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
