package multipart

import (
	"net/http"
	"net/textproto"
	"strconv"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
)

// Head is the header of one part that is being read into typed fields. What is wrong
// with it is collected.
type Head struct {
	header  http.Header
	pointer string
	value   field.Value // the header asked for last
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

// Header is a header of the part, valid until the next is asked for.
func (h *Head) Header(name string, style param.Style) *field.Value {
	return h.value.Set((*headSink)(h), check.InHeader, name, param.HeaderRaw(h.header.Values(name), style))
}

// headSink is the header of a part as the sink of its fields.
type headSink Head

// Wrong implements [field.Sink]. What is wrong with a header is so with its part,
// which has a pointer: the detail names the header.
func (h *headSink) Wrong(_, name string, err error) {
	for _, v := range param.Violations(err, check.InBody, "") {
		v.In, v.Pointer, v.Detail = check.InBody, h.pointer, "header "+name+": "+v.Detail
		h.wrong = append(h.wrong, v)
	}
}
