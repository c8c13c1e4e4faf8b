package server

import (
	"errors"
	"io"
	"iter"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/codec/stream"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// requestMode is how bodies are read: all that the document says holds.
var requestMode = json.Mode{Direction: json.Request, Strict: true}

// JSON reads a body of JSON. An optional body that is not there leaves v as it
// is; null is a value like any other, so it fits only where the schema says so.
func (s *Request) JSON(v json.Unmarshaler, required bool) {
	if data, ok := s.read(required); ok {
		s.noteJSON(json.UnmarshalMode(data, v, requestMode))
	}
}

// JSONPtr reads an optional body of JSON; dst stays nil where there is none.
func JSONPtr[T any, P interface {
	*T
	json.Unmarshaler
}](s *Request, dst **T) {
	if data, ok := s.read(false); ok {
		v := new(T)
		s.noteJSON(json.UnmarshalMode(data, P(v), requestMode))
		*dst = v
	}
}

// ReadJSON reads a body of JSON that a codec reads. An optional body that is not
// there leaves v as it is.
func ReadJSON[T any](s *Request, c json.Codec[T], v *T, required bool) {
	if data, ok := s.read(required); ok {
		s.noteJSON(json.Decode(data, v, c, requestMode))
	}
}

// ReadJSONOpt is ReadJSON for an optional body.
func ReadJSONOpt[T any](s *Request, c json.Codec[T], dst *value.Opt[T]) {
	if data, ok := s.read(false); ok {
		var v T
		s.noteJSON(json.Decode(data, &v, c, requestMode))
		dst.Set(v)
	}
}

// ReadJSONOptNull is ReadJSON for an optional body that may be null.
func ReadJSONOptNull[T any](s *Request, c json.Codec[T], dst *value.OptNull[T]) {
	if data, ok := s.read(false); ok {
		d := json.NewDecoder(data, requestMode)
		json.DecodeOptNull(d, dst, c)
		d.End()
		s.noteJSON(d.Err())
	}
}

// noteJSON notes what is wrong with a JSON text.
func (s *Request) noteJSON(err error) {
	var invalid *json.InvalidError
	var syntax *json.SyntaxError
	switch {
	case err == nil:
	case errors.As(err, &invalid):
		s.note(invalid.Violations...)
	case errors.As(err, &syntax):
		v := bodyViolation("json", "must be JSON: "+strings.TrimPrefix(syntax.Error(), "json: "))
		v.Pointer = syntax.Pointer
		s.note(v)
		s.body.broken = true
	default:
		s.note(bodyViolation("json", "must be JSON"))
		s.body.broken = true
	}
}

// Text reads a body of text. It is in UTF-8, or in ISO 8859-1 where its content
// type says so; other charsets are refused with 415.
func (s *Request) Text(dst *string, required bool) {
	if text, ok := s.text(required); ok {
		*dst = text
	}
}

// TextOpt is Text for an optional body.
func (s *Request) TextOpt(dst *value.Opt[string]) {
	if text, ok := s.text(false); ok {
		dst.Set(text)
	}
}

func (s *Request) text(required bool) (string, bool) {
	if !s.open(required) {
		return "", false
	}
	_, params, _ := mime.ParseMediaType(s.body.media)
	charset := params["charset"]
	latin := strings.EqualFold(charset, "iso-8859-1")
	if charset != "" && !latin && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "us-ascii") {
		s.refuse(problem(http.StatusUnsupportedMediaType, "the charset of the request body is not accepted; accepted: utf-8"))
		return "", false
	}
	data, ok := s.read(required)
	if !ok {
		return "", false
	}
	if latin {
		return fromLatin1(data), true
	}
	if !utf8.Valid(data) {
		s.note(bodyViolation("format", "must be text in UTF-8"))
		return "", false
	}
	return string(data), true
}

// fromLatin1 is ISO 8859-1 in UTF-8: its code points are Unicode's.
func fromLatin1(data []byte) string {
	var b strings.Builder
	b.Grow(len(data))
	for _, c := range data {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// Raw reads a body into memory as it is.
func (s *Request) Raw(dst *[]byte, required bool) {
	if data, ok := s.read(required); ok {
		*dst = append([]byte(nil), data...)
	}
}

// Binary hands the body over as a stream, unread. It can be read until the method
// returns. A body over the limit ends in a *http.MaxBytesError, which the method
// returns as it is for a 413.
func (s *Request) Binary(dst *io.Reader, required bool) {
	if r, ok := s.streamed(required); ok {
		*dst = r
	}
}

// File is Binary with the body's content type and, where it is known, its size.
func (s *Request) File(dst *multipart.File, required bool) {
	r, ok := s.streamed(required)
	if !ok {
		return
	}
	*dst = multipart.File{ContentType: s.body.media, Size: max(0, s.http.ContentLength), Reader: r}
}

// streamed is the body as a reader for the method.
func (s *Request) streamed(required bool) (io.Reader, bool) {
	if !s.open(required) {
		return nil, false
	}
	limit := s.body.x.endpoint.streamLimit
	if limit >= 0 && s.http.ContentLength > limit {
		s.refuse(tooLarge())
		return nil, false
	}
	r := s.stream(limit)
	s.body.x.streaming(r)
	return r, true
}

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
