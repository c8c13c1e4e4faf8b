package server

import (
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/value"
)

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

// ReadText reads a body of text that is the text of a value.
func ReadText[T any](s *Request, c param.Codec[T], dst *T, required bool) {
	text, ok := s.text(required)
	if !ok {
		return
	}
	v, err := c.Parse(param.TextRaw(text))
	if err != nil {
		s.note(param.Violations(err, check.InBody, "")...)
		return
	}
	*dst = v
}

// ReadTextOpt is ReadText for an optional body.
func ReadTextOpt[T any](s *Request, c param.Codec[T], dst *value.Opt[T]) {
	if s.open(false) {
		var v T
		ReadText(s, c, &v, false)
		dst.Set(v)
	}
}

// ReadTextPtr is ReadTextOpt for a value behind a pointer.
func ReadTextPtr[T any](s *Request, c param.Codec[T], dst **T) {
	if s.open(false) {
		*dst = new(T)
		ReadText(s, c, *dst, false)
	}
}
