package server

import (
	"net/textproto"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
)

// Form is a body of fields: a urlencoded one, or one of several parts. A nil Form
// is a body that is not there; all of its fields are absent, and none is missed.
type Form struct {
	s     *Request
	form  field.Form
	parts *multipart.Form // of a multipart body
}

// Form reads a urlencoded body. It is nil where there is none, or none that can be
// read.
func (s *Request) Form(required bool) *Form {
	data, ok := s.read(required)
	if !ok {
		return nil
	}
	pairs, err := param.ParseForm(string(data))
	if err != nil {
		s.note(param.Violations(err, check.InBody, "")...)
		s.body.broken = true
		return nil
	}
	return &Form{s: s, form: field.URLEncoded((*sink)(s), &s.field, pairs)}
}

// Fields implements [field.Source].
func (f *Form) Fields() *field.Form {
	if f == nil {
		return nil
	}
	return &f.form
}

// Field is a field of the form. The style counts for urlencoded bodies only: in
// a multipart one each part is one value.
func (f *Form) Field(name string, style param.Style) *field.Value {
	return f.Fields().Field(name, style)
}

// Reserve names the fields that are declared apart, so that an object whose members
// are fields of the form does not take them.
func (f *Form) Reserve(names ...string) { f.Fields().Reserve(names...) }

// File is a part that is a file. The zero File is an optional one that is absent.
func (f *Form) File(name string, dst *multipart.File, required bool) {
	if f == nil {
		return
	}
	f.form.Asked(name)
	list := f.parts.Files(name)
	switch {
	case len(list) == 1:
		*dst = list[0]
	case len(list) > 1:
		f.s.Fail(pointer(name), "style", "is given more than once")
	case required:
		f.s.Fail(pointer(name), "required", "is missing")
	}
}

// Files are all parts of a name, each a file.
func (f *Form) Files(name string, dst *[]multipart.File, required bool) {
	if f == nil {
		return
	}
	f.form.Asked(name)
	*dst = f.parts.Files(name)
	if required && len(*dst) == 0 {
		f.s.Fail(pointer(name), "required", "is missing")
	}
}

// Heads are the headers of the parts of a name; see [multipart.ReadHead].
func (f *Form) Heads(name string) []textproto.MIMEHeader {
	if f == nil || f.parts == nil {
		return nil
	}
	return f.parts.Heads(name)
}

// Note takes what is wrong with the headers of parts.
func (f *Form) Note(violations ...check.Violation) { f.s.note(violations...) }

func pointer(name string) string { return string(check.AppendPointer(nil, name)) }
