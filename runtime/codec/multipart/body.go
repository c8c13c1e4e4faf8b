package multipart

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/codec/content"
)

// Body is a body that is put together part by part. Use New. The first error
// sticks and is returned by Source.
type Body struct {
	boundary string
	media    string
	parts    []part
	readers  []io.Closer // of files; see Parts.Close
	err      error
}

// part is a part's header, as it is written, and its bytes.
type part struct {
	name   string
	head   []byte
	source content.Source
}

// New is an empty body of a media type such as multipart/form-data; empty is
// that one.
func New(mediaType string) *Body {
	if mediaType = content.Bare(mediaType); mediaType == "" {
		mediaType = content.TypeMultipart
	}
	// Text has 130 bits or more, so no part holds the boundary by chance.
	b := &Body{media: mediaType, boundary: "holdfast" + rand.Text()}
	if !content.Valid(mediaType) {
		b.err = errors.New("a multipart body needs a concrete media type")
	}
	return b
}

// ContentType is the media type with the boundary.
func (b *Body) ContentType() string { return b.media + "; boundary=" + b.boundary }

// Text adds a part of text. An empty content type is none, which means plain
// text.
func (b *Body) Text(name, contentType, text string, header http.Header) {
	b.Bytes(name, contentType, []byte(text), header)
}

// Bytes adds a part whose bytes are there already, such as one of JSON. It
// keeps them.
func (b *Body) Bytes(name, contentType string, data []byte, header http.Header) {
	b.add(name, "", contentType, header, content.Bytes(data))
}

// File adds a file. The content type counts where the file has none of its
// own; without either it is application/octet-stream. A part without a file
// name is one that servers take for a field, so it gets one.
func (b *Body) File(name, contentType string, f File, header http.Header) {
	if f.IsZero() {
		b.fail(name, errors.New("the file has neither Open nor Reader"))
		return
	}
	if f.ContentType != "" {
		contentType = f.ContentType
	}
	if contentType == "" || content.IsRange(contentType) {
		contentType = content.TypeBinary
	}
	if f.Name == "" {
		f.Name = name
	}
	b.keepReader(f)
	b.add(name, f.Name, contentType, header, f.Source())
}

// Fail makes the body fail, for a part that cannot be written.
func (b *Body) Fail(name string, err error) { b.fail(name, err) }

func (b *Body) fail(name string, err error) {
	if b.err == nil {
		b.err = fmt.Errorf("part %s: %w", name, err)
	}
}

func (b *Body) add(name, fileName, contentType string, header http.Header, source content.Source) {
	head := append(make([]byte, 0, 160), `Content-Disposition: form-data; name="`...)
	head, err := appendQuoted(head, name)
	if err == nil && fileName != "" {
		head = append(head, `"; filename="`...)
		head, err = appendQuoted(head, fileName)
	}
	head = append(head, '"', '\r', '\n')
	if err == nil && contentType != "" {
		if !content.Valid(contentType) {
			err = errors.New("the content type cannot be sent")
		}
		head = append(append(append(head, "Content-Type: "...), contentType...), "\r\n"...)
	}
	if err == nil {
		head, err = appendHeader(head, header)
	}
	if err != nil {
		b.fail(name, err)
		return
	}
	b.parts = append(b.parts, part{name, append(head, "\r\n"...), source})
}

// appendQuoted writes a parameter of Content-Disposition. RFC 7578 sends other
// letters as UTF-8; quotation marks are escaped as a quoted string does it.
func appendQuoted(dst []byte, s string) ([]byte, error) {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c == 0x7f:
			return dst, errors.New("a name holds a control character")
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		default:
			dst = append(dst, c)
		}
	}
	return dst, nil
}

// appendHeader writes further fields in the order of their names.
func appendHeader(dst []byte, header http.Header) ([]byte, error) {
	names := make([]string, 0, len(header))
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.EqualFold(name, "Content-Disposition") || strings.EqualFold(name, "Content-Type") {
			continue // written from the part itself
		}
		if !isFieldName(name) {
			return dst, errors.New("a header has a name that cannot be sent")
		}
		for _, v := range header[name] {
			if strings.ContainsAny(v, "\r\n\x00") {
				return dst, errors.New("header " + name + " holds a line break")
			}
			dst = append(append(append(append(dst, name...), ": "...), v...), "\r\n"...)
		}
	}
	return dst, nil
}

func isFieldName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == ':' {
			return false
		}
	}
	return s != ""
}

// Source is the body as it is sent. Every part is opened when its turn comes.
// The error is the first one that came up in putting it together.
func (b *Body) Source() (content.Source, error) {
	if b.err != nil {
		return content.Source{}, b.err
	}
	s := content.Source{Size: int64(len(b.boundary) + 6), Replayable: true, Local: true, Open: b.open}
	for i := range b.parts {
		p := &b.parts[i]
		s.Replayable = s.Replayable && p.source.Replayable
		s.Local = s.Local && p.source.Local
		switch {
		case p.source.Size < 0:
			s.Size = content.Unknown
		case s.Size >= 0:
			s.Size += int64(len(b.boundary)+4+len(p.head)+2) + p.source.Size
		}
	}
	return s, nil
}

func (b *Body) open() (io.ReadCloser, error) { return &reading{body: b}, nil }

// reading is one pass over the parts.
type reading struct {
	body *Body
	next int           // the part whose header comes next
	head []byte        // bytes to give before file
	file io.ReadCloser // the part that is being read
	left int64         // of file, where its size is known; else negative
	done bool
	err  error
}

// Read gives the bytes of the body in order.
func (r *reading) Read(p []byte) (int, error) {
	for {
		switch {
		case r.err != nil:
			return 0, r.err
		case len(r.head) > 0:
			n := copy(p, r.head)
			r.head = r.head[n:]
			return n, nil
		case r.file != nil:
			if n, err := r.readFile(p); n > 0 || err != nil {
				return n, err
			}
		case r.done:
			r.err = io.EOF
		default:
			r.advance()
		}
	}
}

// readFile reads on in the part; its end is nothing, without an error.
func (r *reading) readFile(p []byte) (int, error) {
	n, err := r.file.Read(p)
	if r.left >= 0 {
		if r.left -= int64(n); r.left < 0 {
			return 0, r.stop(errors.New("is longer than its size"))
		}
	}
	if err == nil {
		return n, nil
	}
	if err != io.EOF {
		return n, r.stop(err)
	}
	if r.left > 0 {
		return n, r.stop(errors.New("is shorter than its size"))
	}
	r.closeFile()
	r.head = append(r.head, "\r\n"...)
	return n, nil
}

// advance opens the next part, or comes to the end.
func (r *reading) advance() {
	b := r.body
	if r.next == len(b.parts) {
		r.done = true
		r.head = append(append(append(r.head, "--"...), b.boundary...), "--\r\n"...)
		return
	}
	p := &b.parts[r.next]
	r.next++
	file, err := p.source.Open()
	if err != nil {
		_ = r.stop(err)
		return
	}
	r.file, r.left = file, p.source.Size
	r.head = append(append(append(r.head, "--"...), b.boundary...), "\r\n"...)
	r.head = append(r.head, p.head...)
}

// stop ends the reading with an error that names the part.
func (r *reading) stop(err error) error {
	name := r.body.parts[r.next-1].name
	r.err = fmt.Errorf("part %s: %w", name, err)
	r.closeFile()
	return r.err
}

func (r *reading) closeFile() {
	if r.file != nil {
		_ = r.file.Close() // it was only read
		r.file = nil
	}
}

// Close ends the reading early.
func (r *reading) Close() error {
	r.closeFile()
	if r.err == nil {
		r.err = io.ErrClosedPipe
	}
	return nil
}
