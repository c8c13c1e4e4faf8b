package multipart

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
)

// Parts puts a [Body] together from typed values: for requests and responses alike.
// What cannot be written is told to the function that it was made with. It is used by
// one goroutine.
type Parts struct {
	body   *Body
	mode   json.Mode
	fail   func(name string, err error)
	header http.Header // of the next part

	// each writes the headers of the i-th part of a list.
	each func(i int)
	next int
}

// NewParts begins a body of a media type; empty, or a range such as multipart/*, is
// multipart/form-data.
// fail gets the errors of values, with the name of their part or header.
func NewParts(mediaType string, mode json.Mode, fail func(name string, err error)) *Parts {
	return &Parts{body: New(content.Concrete(mediaType, content.TypeMultipart)), mode: mode, fail: fail}
}

// Body is what was put together.
func (p *Parts) Body() *Body { return p.body }

// Header sets a header of the part that is added next; one without a value is
// left out.
func (p *Parts) Header(name string, style param.Style, v param.Value) {
	b, err := param.AppendHeader(nil, style, v)
	if err != nil {
		p.fail(name, err)
		return
	}
	if v.Absent() {
		return
	}
	if p.header == nil {
		p.header = make(http.Header)
	}
	key := http.CanonicalHeaderKey(name)
	p.header[key] = append(p.header[key], string(b))
}

// errHeaders: a list of headers that goes with fewer parts.
var errHeaders = errors.New("headers are given for more parts than there are")

// EachHeader gives the parts of the list that is added next headers of their own:
// write is called for each part, with the zero H where list ends before the parts do.
// parts is how many there will be; headers for more than those are an error.
func EachHeader[H any](p *Parts, name string, parts int, list []H, write func(*H, *Parts)) {
	if len(list) > parts {
		p.body.Fail(name, errHeaders)
		return
	}
	p.next = 0
	p.each = func(i int) {
		var h H
		if i < len(list) {
			h = list[i]
		}
		write(&h, p)
	}
}

// begin makes the headers of the next part of a list ready.
func (p *Parts) begin() {
	if p.each != nil {
		p.each(p.next)
		p.next++
	}
}

// end is the end of a list.
func (p *Parts) end() { p.each = nil }

// take is the header for the part that is being added.
func (p *Parts) take() http.Header {
	h := p.header
	p.header = nil
	return h
}

// Value adds a part that is a text; one without a value is left out. An empty
// media type is plain text, and not sent.
func (p *Parts) Value(name, mediaType string, v param.Value) {
	header := p.take()
	if v.Absent() {
		return
	}
	b, err := param.AppendText(nil, v)
	if err != nil {
		p.fail(name, err)
		return
	}
	p.body.Bytes(name, mediaType, b, header)
}

// JSON adds a part that is JSON.
func (p *Parts) JSON(name, mediaType string, v json.Marshaler) {
	b, err := json.Append(nil, v, p.mode)
	p.bytes(name, mediaType, b, err)
}

// JSONPart adds a part that is JSON, which a codec writes.
func JSONPart[T any](p *Parts, name, mediaType string, v *T, c json.Codec[T]) {
	b, err := json.Encode(nil, v, c, p.mode)
	p.bytes(name, mediaType, b, err)
}

func (p *Parts) bytes(name, mediaType string, b []byte, err error) {
	header := p.take()
	if err != nil {
		p.body.Fail(name, err)
		return
	}
	if mediaType == "" {
		mediaType = content.TypeJSON
	}
	p.body.Bytes(name, mediaType, b, header)
}

// JSONPartPtr is JSONPart for a part that may be absent, which nil says.
func JSONPartPtr[T any](p *Parts, name, mediaType string, v *T, c json.Codec[T]) {
	if v == nil {
		p.header = nil // of the part that is not there
		return
	}
	JSONPart(p, name, mediaType, v, c)
}

// File adds a part that is a file; an absent file is left out. The media type
// counts where the file has none of its own.
func (p *Parts) File(name, mediaType string, f File) {
	if header := p.take(); !f.IsZero() {
		p.body.File(name, mediaType, f, header)
	}
}

// Files adds one part for each file.
func (p *Parts) Files(name, mediaType string, files []File) {
	for _, f := range files {
		p.begin()
		p.File(name, mediaType, f)
	}
	p.end()
}

// PartList adds a part of text for each item.
func PartList[T any](p *Parts, name, mediaType string, items []T, c param.Codec[T]) {
	for i := range items {
		p.begin()
		p.Value(name, mediaType, c.Format(items[i]))
	}
	p.end()
}

// JSONPartList adds a part of JSON for each item.
func JSONPartList[T any](p *Parts, name, mediaType string, items []T, c json.Codec[T]) {
	for i := range items {
		p.begin()
		JSONPart(p, name, mediaType, &items[i], c)
	}
	p.end()
}

func sortedNames[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// PartMap adds a part of text for each member, in the order of their names.
func PartMap[T any](p *Parts, m map[string]T, c param.Codec[T]) {
	for _, name := range sortedNames(m) {
		p.Value(name, "", c.Format(m[name]))
	}
}

// JSONPartMap adds a part of JSON for each member, in the order of their names.
func JSONPartMap[T any](p *Parts, m map[string]T, c json.Codec[T]) {
	for _, name := range sortedNames(m) {
		v := m[name]
		JSONPart(p, name, "", &v, c)
	}
}

// closeReaders closes the readers of files that can be closed.
func (b *Body) closeReaders() {
	for _, c := range b.readers {
		_ = c.Close() // it was only read
	}
	b.readers = nil
}

// Close closes the readers of the files of the body, for the side that has been handed
// them for good. It may be called more than once.
func (p *Parts) Close() { p.body.closeReaders() }

// keepReader notes a reader that Close closes.
func (b *Body) keepReader(f File) {
	if c, ok := f.Reader.(io.Closer); ok && f.Open == nil {
		b.readers = append(b.readers, c)
	}
}
