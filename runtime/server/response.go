package server

import (
	"errors"
	"fmt"
	"io"
	"iter"
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
	format      stream.Format
	header      []field
	err         error

	encoder json.Encoder
	strict  bool // held to the schema: ValidateResponses
}

// field is one line of a header.
type field struct{ name, value string }

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
	strict, buf, header := w.strict, w.buf, w.header
	if cap(buf) > maxPooled {
		buf = nil
	}
	clear(header)
	*w = Response{strict: strict, buf: buf[:0], header: header[:0]}
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
	if !content.Valid(contentType) {
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
			w.fail(check.Body(c))
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

// Text answers with a text, in UTF-8. Where the content type is a range such as
// text/* it is sent as text/plain.
func (w *Response) Text(status int, contentType, text string) {
	if w.begin(status, withCharset(content.Concrete(contentType, content.TypeText)), bytesBody) {
		w.buf = append(w.buf[:0], text...)
	}
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
			if err = out.w.Item(buf); err != nil {
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

// Header sets a header that the document declares; one without a value is left out.
// Set-Cookie gets a line for each item of a list.
func (w *Response) Header(name string, style param.Style, v param.Value) {
	if v.Absent() {
		return
	}
	b, err := param.AppendHeader(nil, style, v)
	if err != nil {
		w.fail(fmt.Errorf("header %s: %w", name, err))
		return
	}
	w.addHeader(name, string(b))
}

// HeaderList is Header for a list; an empty one is left out.
func HeaderList[T any](w *Response, name string, style param.Style, c param.Codec[T], items []T) {
	if strings.EqualFold(name, "Set-Cookie") {
		for _, item := range items {
			w.Header(name, style, c.Format(item))
		}
		return
	}
	if len(items) == 0 {
		return
	}
	b, err := param.AppendHeaderList(nil, style, c, items)
	if err != nil {
		w.fail(fmt.Errorf("header %s: %w", name, err))
		return
	}
	w.addHeader(name, string(b))
}

// HeaderLines adds lines of a header as they are, such as Set-Cookie.
func (w *Response) HeaderLines(name string, lines []string) {
	for _, line := range lines {
		w.Header(name, param.Simple, param.TextValue(line))
	}
}

func (w *Response) addHeader(name, value string) {
	if !isToken(name) {
		w.fail(fmt.Errorf("%q is not the name of a header", name))
		return
	}
	w.header = append(w.header, field{http.CanonicalHeaderKey(name), value})
}

// isToken reports whether s is a token of RFC 9110.
func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}
