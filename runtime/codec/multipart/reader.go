package multipart

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/textproto"
	"strings"
)

// Limits bound what a Reader takes. A zero field is the default.
type Limits struct {
	// Parts is the number of parts; 1,000 by default.
	Parts int
	// Text is the number of bytes of one part that Bytes and Text read; 1 MiB
	// by default.
	Text int64
	// Header is the number of bytes of the header of one part; 64 KiB by default.
	Header int
}

const (
	defaultParts  = 1000
	defaultText   = 1 << 20
	defaultHeader = 64 << 10
)

// Errors of reading.
var (
	// ErrNotMultipart: the Content-Type is no multipart, or has no boundary.
	ErrNotMultipart = errors.New("the body is not multipart, or its boundary is missing")
	// ErrTooManyParts: there are more parts than the limit.
	ErrTooManyParts = errors.New("the body has too many parts")
	// ErrTooLarge: a part that is read whole is larger than the limit.
	ErrTooLarge = errors.New("a part is too large")
	// ErrHeaderTooLarge: the header of a part is larger than the limit.
	ErrHeaderTooLarge = errors.New("the header of a part is too large")
)

// Reader hands out the parts of a body as they arrive. It is used by one
// goroutine.
type Reader struct {
	inner  *multipart.Reader
	limits Limits
	parts  int
}

// NewReader reads a body of this Content-Type.
func NewReader(body io.Reader, contentType string, limits Limits) (*Reader, error) {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || !strings.HasPrefix(media, "multipart/") || params["boundary"] == "" || len(params["boundary"]) > 70 {
		return nil, ErrNotMultipart
	}
	if limits.Parts == 0 {
		limits.Parts = defaultParts
	}
	if limits.Text == 0 {
		limits.Text = defaultText
	}
	if limits.Header == 0 {
		limits.Header = defaultHeader
	}
	return &Reader{inner: multipart.NewReader(cutOff(body), params["boundary"]), limits: limits}, nil
}

// cutOff makes a body that ends before its last boundary an error wherever it ends:
// mime/multipart takes the end of the text where a part's header should be for the
// end of the parts. The line end lets the last boundary do without its own.
func cutOff(body io.Reader) io.Reader {
	return io.MultiReader(body, strings.NewReader("\r\n"), cut{})
}

type cut struct{}

func (cut) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// Part is one part. Reading it reads on in the body; what is left unread when
// the next part is asked for is skipped.
type Part struct {
	Name        string // of the field
	FileName    string // without directories; empty for a field
	ContentType string // as it is written, empty for none
	Header      textproto.MIMEHeader

	inner *multipart.Part
	limit int64
}

// Next is the next part, and io.EOF after the last one. It waits until the
// part's header has arrived.
func (r *Reader) Next() (*Part, error) {
	inner, err := r.inner.NextRawPart()
	if err == io.EOF {
		return nil, io.EOF
	}
	if err != nil {
		return nil, fmt.Errorf("reading a part: %w", err)
	}
	if r.parts++; r.parts > r.limits.Parts {
		return nil, ErrTooManyParts
	}
	if headerSize(inner.Header) > r.limits.Header {
		return nil, ErrHeaderTooLarge
	}
	return &Part{
		Name: partName(inner), FileName: inner.FileName(), ContentType: inner.Header.Get("Content-Type"),
		Header: inner.Header, inner: inner, limit: r.limits.Text,
	}, nil
}

// headerSize is the number of bytes of a part's header, without line ends.
func headerSize(h textproto.MIMEHeader) int {
	size := 0
	for name, lines := range h {
		for _, line := range lines {
			size += len(name) + len(line) + len(": ")
		}
	}
	return size
}

// partName is the name that a part's Content-Disposition gives it. RFC 7578 wants the
// disposition form-data; senders of multipart/mixed write others.
func partName(p *multipart.Part) string {
	if name := p.FormName(); name != "" {
		return name
	}
	_, params, err := mime.ParseMediaType(p.Header.Get("Content-Disposition"))
	if err != nil {
		return ""
	}
	return params["name"]
}

// Read reads the part's bytes.
func (p *Part) Read(b []byte) (int, error) { return p.inner.Read(b) }

// Close skips what is left of the part.
func (p *Part) Close() error { return p.inner.Close() }

// Bytes reads the whole part, up to the limit.
func (p *Part) Bytes() ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(p.inner, p.limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading part %s: %w", p.Name, err)
	}
	if int64(len(data)) > p.limit {
		return nil, ErrTooLarge
	}
	return data, nil
}

// Text reads the whole part as text, up to the limit.
func (p *Part) Text() (string, error) {
	data, err := p.Bytes()
	return string(data), err
}

// File is the part as a file that can be read once, until the next part is
// asked for.
func (p *Part) File() File {
	return File{Name: p.FileName, ContentType: p.ContentType, Reader: p}
}
