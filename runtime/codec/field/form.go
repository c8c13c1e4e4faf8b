package field

import (
	"errors"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
)

// Parts is a body of several parts.
type Parts interface {
	// Texts are the parts of a name.
	Texts(name string) []string
	// Others are the names of parts that were not asked for.
	Others(asked []string) []string
}

// FormSink takes what is wrong with the fields of a form, and with the form itself.
type FormSink interface {
	Sink
	// WrongForm takes an error of fields that nobody asked for by name, whose
	// violations name them.
	WrongForm(err error)
}

// Form is a body of fields: a urlencoded one, or one of several parts. The zero Form
// is a body that is not there, or cannot be read: all of its fields are absent, and
// none is missed. It is not safe for concurrent use.
type Form struct {
	sink  FormSink
	at    *Value
	own   Value
	pairs *param.Pairs // of a urlencoded body
	parts Parts        // of a multipart body
	asked []string
}

// Source is what has a form: one of a request, or of a response.
type Source interface {
	// Fields is the form; nil is one that is not there.
	Fields() *Form
}

// URLEncoded is a urlencoded body. Values are handed out in at, or in a place of the
// form's own where at is nil.
func URLEncoded(sink FormSink, at *Value, pairs *param.Pairs) Form {
	return Form{sink: sink, at: at, pairs: pairs}
}

// Multipart is a body of several parts; at is that of [URLEncoded].
func Multipart(sink FormSink, at *Value, parts Parts) Form {
	return Form{sink: sink, at: at, parts: parts}
}

// Fields implements [Source].
func (f *Form) Fields() *Form { return f }

// Field is a field of the form. The style counts for urlencoded bodies only: in
// a multipart one each part is one value.
func (f *Form) Field(name string, style param.Style) *Value {
	if f == nil || f.sink == nil {
		return new(Value)
	}
	f.Asked(name)
	v := f.at
	if v == nil {
		v = &f.own
	}
	v.Set(f.sink, check.InBody, name, param.Raw{})
	if f.parts != nil {
		v.texts = f.parts.Texts(name)
		return v
	}
	v.raw = f.pairs.Raw(name, style)
	return v
}

// Asked says that a field was read by other means, so that it is none of the others
// that [GetExtra] reads.
func (f *Form) Asked(name string) { f.asked = append(f.asked, name) }

// Reserve names the fields that are declared apart, so that an object whose members
// are fields of the form does not take them.
func (f *Form) Reserve(names ...string) {
	if f != nil && f.pairs != nil {
		f.pairs.Reserve(names...)
	}
}

// GetExtra reads all fields of a form that were not asked for before.
func GetExtra[T any](src Source, c param.Codec[T], dst *map[string]T) {
	f := src.Fields()
	if f == nil || f.sink == nil {
		return
	}
	if f.parts != nil {
		for _, name := range f.parts.Others(f.asked) {
			p := Value{sink: f.sink, in: check.InBody, name: name, texts: f.parts.Texts(name)}
			if v, ok := parse(&p, c, true); ok {
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
		f.sink.WrongForm(err)
	}
}
