package server

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// requestMode is how bodies are read: all that the document says holds.
var requestMode = json.Mode{Direction: json.Request, Strict: true}

// mergePatch is the media type of RFC 7396.
const mergePatch = "application/merge-patch+json"

// mode is requestMode for this request. What a patch does not name it leaves alone,
// so nothing is filled in; a PATCH of plain JSON is meant in the same way.
func (s *Request) mode() json.Mode {
	m := requestMode
	m.Patch = s.http.Method == http.MethodPatch || content.Match(mergePatch, s.body.media)
	return m
}

// JSON reads a body of JSON. An optional body that is not there leaves v as it is,
// and so does null, which callers send for no body; for a required one null is a value
// like any other, so it fits only where the schema says so.
func (s *Request) JSON(v json.Unmarshaler, required bool) {
	if data, ok := s.read(required); ok && (required || !isNull(data)) {
		s.noteJSON(json.UnmarshalMode(data, v, s.mode()))
	}
}

// isNull reports a body that is the JSON text null.
func isNull(data []byte) bool { return string(bytes.Trim(data, " \t\r\n")) == "null" }

// JSONPtr reads an optional body of JSON; dst stays nil where there is none, or
// null that the schema does not have as a value.
func JSONPtr[T any, P interface {
	*T
	json.Unmarshaler
}](s *Request, dst **T) {
	if data, ok := s.read(false); ok {
		v := new(T)
		err := json.UnmarshalMode(data, P(v), s.mode())
		if err != nil && isNull(data) {
			return
		}
		s.noteJSON(err)
		*dst = v
	}
}

// ReadJSON is [Request.JSON] for a value that a codec reads. The null of an optional
// body is a value where the codec takes it.
func ReadJSON[T any](s *Request, c json.Codec[T], v *T, required bool) {
	data, ok := s.read(required)
	if !ok {
		return
	}
	var got T
	err := json.Decode(data, &got, c, s.mode())
	if err != nil && !required && isNull(data) {
		return
	}
	s.noteJSON(err)
	*v = got
}

// ReadJSONOpt is ReadJSON for an optional body.
func ReadJSONOpt[T any](s *Request, c json.Codec[T], dst *value.Opt[T]) {
	if data, ok := s.read(false); ok {
		var v T
		err := json.Decode(data, &v, c, s.mode())
		if err != nil && isNull(data) {
			return
		}
		s.noteJSON(err)
		dst.Set(v)
	}
}

// ReadJSONOptNull is ReadJSON for an optional body that may be null.
func ReadJSONOptNull[T any](s *Request, c json.Codec[T], dst *value.OptNull[T]) {
	if data, ok := s.read(false); ok {
		d := json.NewDecoder(data, s.mode())
		json.DecodeOptNull(d, dst, c)
		d.End()
		s.noteJSON(d.Err())
	}
}

// noteJSON notes what is wrong with a JSON text.
func (s *Request) noteJSON(err error) {
	s.body.held = true
	if err == nil {
		return
	}
	var invalid *json.InvalidError
	var syntax *json.SyntaxError
	switch {
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
