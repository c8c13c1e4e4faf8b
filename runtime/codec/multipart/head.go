package multipart

import (
	"errors"
	"net/http"
	"net/textproto"
	"strconv"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// Head is the header of one part that is being read into typed fields. What is wrong
// with it is collected.
type Head struct {
	header  http.Header
	pointer string
	wrong   []check.Violation
}

// HeadSource is a form whose parts have headers.
type HeadSource interface {
	// Heads are the headers of the parts of a name, one for each.
	Heads(name string) []textproto.MIMEHeader
	// Note takes what is wrong with them.
	Note(violations ...check.Violation)
}

// ReadHead reads the header of the part of a name; one that is absent has none.
func ReadHead(f HeadSource, name string, read func(*Head)) {
	// A part that is given more than once is reported with its value.
	for _, h := range f.Heads(name) {
		head := Head{header: http.Header(h), pointer: string(check.AppendPointer(nil, name))}
		read(&head)
		f.Note(head.wrong...)
		return
	}
}

// ReadHeads reads the headers of all parts of a name, in their order.
func ReadHeads[H any](f HeadSource, name string, dst *[]H, read func(*H, *Head)) {
	base := string(check.AppendPointer(nil, name))
	for i, h := range f.Heads(name) {
		var v H
		head := Head{header: http.Header(h), pointer: base + "/" + strconv.Itoa(i)}
		read(&v, &head)
		f.Note(head.wrong...)
		*dst = append(*dst, v)
	}
}

// fail notes what is wrong with a header.
func (h *Head) fail(name string, err error) {
	for _, v := range param.Violations(err, check.InBody, "") {
		v.In, v.Pointer, v.Detail = check.InBody, h.pointer, "header "+name+": "+v.Detail
		h.wrong = append(h.wrong, v)
	}
}

func readHeader[T any](h *Head, name string, style param.Style, c param.Codec[T], required bool) (T, bool) {
	v, err := c.Parse(param.HeaderRaw(h.header.Values(name), style))
	if err == nil {
		return v, true
	}
	if required || !errors.Is(err, param.ErrAbsent) {
		h.fail(name, err)
	}
	var zero T
	return zero, false
}

// HeaderValue reads a header that has to be there.
func HeaderValue[T any](h *Head, name string, style param.Style, c param.Codec[T], dst *T) {
	if v, ok := readHeader(h, name, style, c, true); ok {
		*dst = v
	}
}

// HeaderOpt reads a header that may be absent.
func HeaderOpt[T any](h *Head, name string, style param.Style, c param.Codec[T], dst *value.Opt[T]) {
	if v, ok := readHeader(h, name, style, c, false); ok {
		dst.Set(v)
	}
}

// HeaderPtr reads a header that may be absent into a new T.
func HeaderPtr[T any](h *Head, name string, style param.Style, c param.Codec[T], dst **T) {
	if v, ok := readHeader(h, name, style, c, false); ok {
		*dst = &v
	}
}

// HeaderNilable reads a header that may be absent, which its type says by nil.
func HeaderNilable[T any](h *Head, name string, style param.Style, c param.Codec[T], dst *T) {
	if v, ok := readHeader(h, name, style, c, false); ok {
		*dst = v
	}
}

// HeaderList reads a header that is a list; nil is an absent one.
func HeaderList[T any](h *Head, name string, style param.Style, c param.Codec[T], dst *[]T, required bool) {
	v, err := param.ParseList(param.HeaderRaw(h.header.Values(name), style), c)
	switch {
	case err == nil:
		*dst = v
	case required || !errors.Is(err, param.ErrAbsent):
		h.fail(name, err)
	}
}
