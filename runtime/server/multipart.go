package server

import (
	"errors"
	"net/http"
	"time"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
)

// Part is a field of a multipart body, as the document declares it.
type Part = multipart.Declared

// unbounded is a number of bytes that nobody has, with room to count on.
const unbounded = 1 << 62

// Multipart reads a body of several parts as far as it has to: see [multipart.Form],
// whose rules say what is there before the method is called and which files are read
// as they arrive. What is kept in memory is bounded by the limit of a body.
//
// With extra, fields that are not declared are kept for GetExtra. The result is
// nil where there is no body, or none that can be read.
func (s *Request) Multipart(required, extra bool, declared ...Part) *Form {
	if !s.open(required) {
		return nil
	}
	x := s.body.x
	limit := x.endpoint.streamLimit
	if limit >= 0 && s.http.ContentLength > limit {
		s.refuse(tooLarge())
		return nil
	}
	body := s.stream(limit)
	memory := x.endpoint.bodyLimit
	if memory < 0 {
		memory = unbounded
	}
	r, err := multipart.NewReader(body, s.body.media, multipart.Limits{Text: memory})
	if err != nil {
		s.refuse(problem(http.StatusBadRequest, err.Error()))
		return nil
	}
	var form *multipart.Form
	err = x.arriving(body, func() (err error) {
		form, err = multipart.ReadForm(r, multipart.FormOptions{Declared: declared, Extra: extra, Memory: memory, Late: lateFault})
		return err
	})
	if err != nil {
		s.noteParts(err)
		return nil
	}
	if form.Streaming() {
		x.streaming(body)
	}
	return &Form{s: s, form: field.Multipart((*sink)(s), &s.field, form), parts: form}
}

// lateFault makes a violation that comes up while the method is running the answer to
// a method that returns it.
func lateFault(err error) error {
	if _, wrong := errors.AsType[*check.Error](err); wrong {
		return &requestError{err}
	}
	return err
}

// arriving reads a part of a body that is otherwise a stream, which does not count
// as the method's time.
func (x *exchange) arriving(body *bodyReader, read func() error) error {
	if !x.watch(body) {
		x.boundRead()
		defer x.unboundRead()
		return read()
	}
	begin := time.Now()
	err := read()
	if !x.end.IsZero() {
		x.end = x.end.Add(time.Since(begin))
		x.call.Reset(x.end)
	}
	return err
}

// noteParts notes why a body of several parts could not be read.
func (s *Request) noteParts(err error) {
	var list *check.Error
	switch {
	case errors.As(err, &list):
		s.note(list.Violations...)
		s.body.broken = true
	case errors.Is(err, multipart.ErrTooLarge):
		s.refuse(tooLarge())
	case errors.Is(err, multipart.ErrHeaderTooLarge):
		s.refuse(problem(http.StatusRequestEntityTooLarge, "a part of the request body has too large a header"))
	case errors.Is(err, multipart.ErrTooManyParts):
		s.refuse(problem(http.StatusRequestEntityTooLarge, "the request body has too many parts"))
	default:
		s.readError(err)
	}
}

// FileInfo is the name and the content type of a file in a request. It waits for
// the file to arrive, and passes over what comes before it; ok is false where it
// never comes.
func FileInfo(f multipart.File) (name, contentType string, ok bool) { return multipart.FileInfo(f) }
