package client

import (
	"bytes"
	"errors"
	"io"
	"net/textproto"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// Fields is the body of a response that is a form: a urlencoded one, or one of several
// parts. What is wrong with it is collected, and told by [Finish].
//
//	func fieldsGetToken(r *client.Response, v *Token) error {
//		f := r.Form()
//		field.Get(f.Field("access_token", param.Form), param.String, &v.AccessToken)
//		return client.Finish(f, v)
//	}
type Fields struct {
	field.Form

	r     *Response
	parts *multipart.Form // of a multipart body
	body  *Body           // that files are read from
	wrong []check.Violation
	err   error // nothing can be read
}

// Form reads a urlencoded body.
func (r *Response) Form() *Fields {
	f := &Fields{r: r}
	data, err := r.bytes()
	if err != nil {
		f.err = r.wrong(err)
		return f
	}
	pairs, err := param.ParseForm(string(data))
	if err != nil {
		f.err = r.wrong(param.At(err, check.InBody, ""))
		return f
	}
	f.Form = field.URLEncoded((*formSink)(f), nil, pairs)
	return f
}

// Multipart reads a body of several parts. With whole it is read to its end, files
// included, within the limit of a body that is held in memory; otherwise as far as its
// fields need it, and its files are read as they arrive: see [multipart.Form]. With
// extra, fields that are not declared are kept for GetExtra.
func (r *Response) Multipart(whole, extra bool, declared ...multipart.Declared) *Fields {
	f := &Fields{r: r}
	var src io.Reader
	if whole {
		data, err := r.bytes()
		if err != nil {
			f.err = r.wrong(err)
			return f
		}
		src = bytes.NewReader(data)
	} else {
		f.body = r.take()
		f.body.early = true
		src = f.body
	}
	f.begin(src, multipart.FormOptions{Declared: declared, Extra: extra, Memory: r.c.core.limit, Whole: whole})
	return f
}

// begin reads the parts that have to be there first.
func (f *Fields) begin(src io.Reader, opt multipart.FormOptions) {
	body := f.body
	if body != nil {
		opt.Late = body.late
		opt.End = func() {
			if body.early {
				return // finish does what is to be done
			}
			_, _ = io.CopyN(io.Discard, body, maxDrain) // the connection is all that is at stake
			_ = body.Close()                            // it was only read
		}
	}
	reader, err := multipart.NewReader(src, f.r.contentType, multipart.Limits{Text: f.r.c.core.limit})
	if err == nil {
		f.parts, err = multipart.ReadForm(reader, opt)
	}
	if body != nil {
		body.early = false
	}
	switch {
	case errors.Is(err, multipart.ErrTooLarge):
		f.err = f.r.wrong(&BodyTooLargeError{f.r.c.core.limit})
	case err != nil:
		f.err = f.r.wrong(err)
	case body != nil && !f.parts.Streaming():
		// All of it was read; nothing is handed over.
		body.idle.Stop()
		f.r.taken, f.r.open, f.body = nil, false, nil
	}
	if err == nil {
		f.Form = field.Multipart((*formSink)(f), nil, f.parts)
	}
}

// formSink is a form as the sink of its fields.
type formSink Fields

// Wrong implements [field.Sink].
func (f *formSink) Wrong(in, name string, err error) {
	(*Fields)(f).Note(field.Violations(in, name, err)...)
}

// WrongForm implements [field.FormSink].
func (f *formSink) WrongForm(err error) {
	(*Fields)(f).Note(param.Violations(err, check.InBody, "")...)
}

// late is a fault of the body that comes up when a file is read.
func (b *Body) late(err error) error {
	if _, own := errors.AsType[*fault.Error](err); own || errors.Is(err, ErrClosed) || b.c.ctx.Err() != nil {
		return err
	}
	_ = b.end(err) // nothing more of it can be read
	return &fault.Error{
		Op: b.c.spec.ID, Kind: fault.Response, Status: b.status, Attempts: b.c.meta.Tries, Key: b.c.pipe.Key,
		Effect: effectOf(b.c, b.status), Err: err,
	}
}

// Body is what the files are read from; nil where they are in memory. Closing it frees
// the connection.
func (f *Fields) Body() *Body { return f.body }

// Finish tells what is wrong with a form that was read into v. The rules are its
// constraints, which strict clients check.
func Finish[T any](f *Fields, v *T, rules ...func(*T, *check.Checker)) error {
	err := f.problem()
	if err == nil && f.r.c.core.strict {
		var checker check.Checker
		checker.Travel(check.InResponse)
		for _, rule := range rules {
			rule(v, &checker)
		}
		if err = checker.Err(); err != nil {
			err = f.r.wrong(err)
		}
	}
	if err != nil && f.body != nil {
		// Nobody gets the files.
		f.body.drop()
		f.r.taken, f.r.open, f.body = nil, false, nil
	}
	return err
}

// problem is why the form cannot be read.
func (f *Fields) problem() error {
	if f.err == nil && len(f.wrong) > 0 {
		f.err = f.r.wrong(&check.Error{Violations: f.wrong})
	}
	return f.err
}

// DecodeFields reads the body with a function, for results that are a form.
func DecodeFields[T any](r *Response, read func(*Response, *T) error) (T, error) {
	var v T
	if err := read(r, &v); err != nil {
		var zero T
		return zero, err
	}
	return v, nil
}

// DecodeNewFields is DecodeFields for results behind a pointer.
func DecodeNewFields[T any](r *Response, read func(*Response, *T) error) (*T, error) {
	v := new(T)
	if err := read(r, v); err != nil {
		return nil, err
	}
	return v, nil
}

// FieldsPtr reads a form into one of several fields.
func FieldsPtr[T any](r *Response, v **T, read func(*Response, *T) error) error {
	*v = new(T)
	return read(r, *v)
}

// Heads are the headers of the parts of a name; see [multipart.ReadHead].
func (f *Fields) Heads(name string) []textproto.MIMEHeader {
	if f.parts == nil {
		return nil
	}
	return f.parts.Heads(name)
}

// Note takes what is wrong with a part.
func (f *Fields) Note(violations ...check.Violation) {
	room := max(0, check.MaxViolations-len(f.wrong))
	f.wrong = append(f.wrong, violations[:min(room, len(violations))]...)
}

func (f *Fields) note(name, rule, detail string) {
	f.Note(check.Violation{In: check.InBody, Pointer: string(check.AppendPointer(nil, name)), Rule: rule, Detail: detail})
}

// File is a part that is a file. The zero File is an optional one that is absent.
func (f *Fields) File(name string, dst *multipart.File, required bool) {
	if f.err != nil {
		return
	}
	f.Asked(name)
	list := f.parts.Files(name)
	switch {
	case len(list) == 1:
		*dst = list[0]
	case len(list) > 1:
		f.note(name, "style", "is given more than once")
	case required:
		f.note(name, "required", "is missing")
	}
}

// Files are all parts of a name, each a file.
func (f *Fields) Files(name string, dst *[]multipart.File, required bool) {
	if f.err != nil {
		return
	}
	f.Asked(name)
	*dst = f.parts.Files(name)
	if required && len(*dst) == 0 {
		f.note(name, "required", "is missing")
	}
}
