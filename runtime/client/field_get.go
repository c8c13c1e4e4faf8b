package client

import (
	"errors"
	"strconv"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// Field is one field of a form, as it came: see Get.
type Field struct {
	f     *Fields
	name  string
	raw   param.Raw
	texts []string // of a field that several parts of a body hold
}

// Field is a field of the form. The style counts for urlencoded bodies only: in
// a multipart one each part is one value.
func (f *Fields) Field(name string, style param.Style) Field {
	if f.err != nil {
		return Field{}
	}
	f.asked = append(f.asked, name)
	p := Field{f: f, name: name}
	if f.parts != nil {
		p.texts = f.parts.Texts(name)
		return p
	}
	p.raw = f.pairs.Raw(name, style)
	return p
}

// fail notes what is wrong with the field. That of a form that could not be read has
// nothing to say.
func (p Field) fail(err error) {
	if p.f == nil {
		return
	}
	list := param.Violations(err, check.InBody, "")
	base := string(check.AppendPointer(nil, p.name))
	for i := range list {
		list[i].Pointer = base + list[i].Pointer
	}
	p.f.Note(list...)
}

// one is the raw text of a field that is no list.
func (p Field) one() (param.Raw, error) {
	switch len(p.texts) {
	case 0:
		return p.raw, nil
	case 1:
		return param.TextRaw(p.texts[0]), nil
	}
	return param.Raw{}, &check.Error{Violations: []check.Violation{{Rule: "style", Detail: "is given more than once"}}}
}

// parseField reads a field. It is false where the field is absent or wrong; what is
// wrong is noted.
func parseField[T any](p Field, c param.Codec[T], required bool) (T, bool) {
	raw, err := p.one()
	var v T
	if err == nil {
		v, err = c.Parse(raw)
	}
	if err == nil {
		return v, true
	}
	if required || !errors.Is(err, param.ErrAbsent) {
		p.fail(err)
	}
	var zero T
	return zero, false
}

// Get reads a field that has to be there.
func Get[T any](p Field, c param.Codec[T], dst *T) {
	if v, ok := parseField(p, c, true); ok {
		*dst = v
	}
}

// GetOpt reads a field that may be absent; dst stays as it is where there is none.
func GetOpt[T any](p Field, c param.Codec[T], dst *value.Opt[T]) {
	if v, ok := parseField(p, c, false); ok {
		dst.Set(v)
	}
}

// GetDefault reads a field whose absence stands for a value that dst already has.
func GetDefault[T any](p Field, c param.Codec[T], dst *T) {
	if v, ok := parseField(p, c, false); ok {
		*dst = v
	}
}

// GetPtr reads a field that may be absent into a new T.
func GetPtr[T any](p Field, c param.Codec[T], dst **T) {
	if v, ok := parseField(p, c, false); ok {
		*dst = &v
	}
}

// GetNull reads a field that may be null: where it is absent it stays null, for forms
// have no other way to say so.
func GetNull[T any](p Field, c param.Codec[T], dst *value.Null[T]) {
	if v, ok := parseField(p, c, false); ok {
		dst.Set(v)
	}
}

// GetOptNull reads a field that may be absent or null.
func GetOptNull[T any](p Field, c param.Codec[T], dst *value.OptNull[T]) {
	if v, ok := parseField(p, c, false); ok {
		dst.Set(v)
	}
}

// GetList reads a list; one that need not be there stays as it is where there is none.
func GetList[T any](p Field, c param.Codec[T], dst *[]T, required bool) {
	v, err := fieldList(p, c)
	if err == nil {
		*dst = v
		return
	}
	if required || !errors.Is(err, param.ErrAbsent) {
		p.fail(err)
	}
}

func fieldList[T any](p Field, c param.Codec[T]) ([]T, error) {
	if len(p.texts) == 0 {
		return param.ParseList(p.raw, c)
	}
	out := make([]T, 0, len(p.texts))
	var wrong []check.Violation
	for i, text := range p.texts {
		v, err := c.Parse(param.TextRaw(text))
		if err == nil {
			out = append(out, v)
			continue
		}
		found := param.Violations(err, "", "")
		for j := range found {
			found[j].Pointer = "/" + strconv.Itoa(i) + found[j].Pointer
		}
		if wrong = append(wrong, found...); len(wrong) >= check.MaxViolations {
			break
		}
	}
	if wrong != nil {
		return nil, &check.Error{Violations: wrong}
	}
	return out, nil
}

// GetExtra reads all fields that were not asked for before.
func GetExtra[T any](f *Fields, c param.Codec[T], dst *map[string]T) {
	if f.err != nil {
		return
	}
	if f.parts != nil {
		for _, name := range f.parts.Others(f.asked) {
			p := Field{f: f, name: name, texts: f.parts.Texts(name)}
			if v, ok := parseField(p, c, true); ok {
				if *dst == nil {
					*dst = make(map[string]T)
				}
				(*dst)[name] = v
			}
		}
		return
	}
	f.pairs.Reserve(f.asked...)
	o := f.pairs.Raw("", param.Form|param.Explode).Object()
	param.GetExtra(o, c, dst)
	if err := o.Err(); err != nil && !errors.Is(err, param.ErrAbsent) {
		f.Note(param.Violations(err, check.InBody, "")...)
	}
}
