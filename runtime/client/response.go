package client

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/deadline"
)

// Response is a response that is being decoded. It is good until the decoder
// returns; what it hands over open (a Body, a Stream) lives on.
//
//	func decodeGetPet(r *client.Response) (*Pet, error) {
//		switch {
//		case r.Is(200, "application/json"):
//			return client.DecodeJSON[Pet](r)
//		case r.Is(404, "application/problem+json"):
//			var e NotFound
//			client.HeaderOpt(r, "Retry-After", param.Simple, param.Int64, &e.RetryAfter)
//			return nil, r.Fail(&e, r.JSON(&e.Body))
//		}
//		return nil, r.Undeclared()
//	}
type Response struct {
	c           *call
	status      int
	header      http.Header
	contentType string
	length      int64 // of the body; negative where it is not known

	body   io.ReadCloser // nil when there is none, or no more
	data   []byte        // what was read of it
	whole  bool          // data is all of it
	buffer *[]byte       // pooled, behind data
	field  field.Value   // the header asked for last
	err    error         // the first header that cannot be read
	open   bool          // the body was handed over
	taken  *Body         // to whom
	idle   *deadline.Idle
}

// start takes up a new response.
func (r *Response) start(c *call, h *http.Response) {
	r.free()
	*r = Response{
		c: c, status: h.StatusCode, header: h.Header, length: h.ContentLength, body: h.Body,
		contentType: h.Header.Get("Content-Type"),
	}
	if c.spec.Method == http.MethodHead || h.StatusCode == http.StatusNoContent || h.StatusCode == http.StatusNotModified {
		r.end()
		return
	}
	if h.Body == nil || h.Body == http.NoBody {
		r.end()
		return
	}
	// The transport takes off what it asked for itself; a transport of the
	// caller's, or a server that was not asked, may leave it to us.
	if !h.Uncompressed && strings.EqualFold(h.Header.Get("Content-Encoding"), "gzip") {
		r.body, r.length = &unzip{src: h.Body}, -1
	}
}

// end notes that there is no more of the body.
func (r *Response) end() {
	if r.body != nil {
		_ = r.body.Close() // it was only read
		r.body = nil
	}
	r.whole = true
}

// free gives the buffer back.
func (r *Response) free() {
	if p := r.buffer; p != nil {
		r.buffer, r.data = nil, nil
		if cap(*p) <= maxPooled {
			buffers.Put(p)
		}
	}
}

// unzip starts reading when it is read first, for the header of the format may
// be long in coming.
type unzip struct {
	src io.ReadCloser
	z   *gzip.Reader
}

func (u *unzip) Read(p []byte) (int, error) {
	if u.z == nil {
		z, err := gzip.NewReader(u.src)
		if err != nil {
			return 0, err
		}
		u.z = z
	}
	return u.z.Read(p)
}

func (u *unzip) Close() error { return u.src.Close() }

// StatusCode is the response's status.
func (r *Response) StatusCode() int { return r.status }

// ContentType is the response's media type as it came, with its parameters.
func (r *Response) ContentType() string { return r.contentType }

// Is reports whether the response has the status and fits the media type, a
// range such as image/* included. An empty media type stands for a response
// without a declared body; a response without a Content-Type fits any.
func (r *Response) Is(status int, mediaType string) bool {
	return r.status == status && r.fits(mediaType)
}

// InRange is Is for 4XX, with class 4.
func (r *Response) InRange(class int, mediaType string) bool {
	return r.status/100 == class && r.fits(mediaType)
}

// Other is Is for the default response, whatever the status.
func (r *Response) Other(mediaType string) bool { return r.fits(mediaType) }

// IsLike is Is for any JSON type in place of another: services often mistake
// one for another. It is for the cases after all exact ones.
func (r *Response) IsLike(status int, mediaType string) bool {
	return r.status == status && content.IsJSON(mediaType) && content.IsJSON(r.contentType)
}

func (r *Response) fits(mediaType string) bool {
	return mediaType == "" || r.contentType == "" || content.Match(mediaType, r.contentType)
}

// fill reads on until data has n bytes or the body ends.
func (r *Response) fill(n int64) error {
	if r.whole {
		return nil
	}
	if r.body == nil {
		return &readError{ErrClosed}
	}
	if r.buffer == nil {
		r.buffer = buffers.Get().(*[]byte)
		r.data = (*r.buffer)[:0]
	}
	b := r.data
	for int64(len(b)) < n {
		if len(b) == cap(b) {
			b = grow(b, r.length)
		}
		r.idle.Begin()
		got, err := r.body.Read(b[len(b):min(int64(cap(b)), n)])
		r.idle.End()
		b = b[:len(b)+got]
		r.data, *r.buffer = b, b
		if err == io.EOF {
			r.end()
			return nil
		}
		if err != nil {
			r.abandon()
			return &readError{err}
		}
	}
	return nil
}

// grow makes room in a buffer; length is what is expected, if it is known.
func grow(b []byte, length int64) []byte {
	size := max(2*cap(b), 4<<10)
	// One byte more lets the end be seen without growing again. What a server
	// promises is believed only so far.
	if length >= int64(len(b)) && length < 1<<20 {
		size = max(size, int(length)+1)
	}
	bigger := make([]byte, len(b), size)
	copy(bigger, b)
	return bigger
}

// abandon closes the connection: nothing more of this body is wanted.
func (r *Response) abandon() {
	if r.body != nil {
		_ = r.body.Close() // the error that matters is another one
		r.body = nil
	}
}

// bytes is the whole body, up to the limit.
func (r *Response) bytes() ([]byte, error) {
	limit := r.c.core.limit
	if !r.whole && r.length > limit {
		r.abandon()
		return nil, &BodyTooLargeError{limit}
	}
	if err := r.fill(limit + 1); err != nil {
		return nil, err
	}
	if int64(len(r.data)) > limit {
		r.abandon()
		return nil, &BodyTooLargeError{limit}
	}
	return r.data, nil
}

// finish lets the connection be used again: what is left of the body is read,
// if it is not much.
func (r *Response) finish() {
	if r.body == nil || r.open {
		return
	}
	_, _ = io.CopyN(io.Discard, r.body, maxDrain) // the connection is all that is at stake
	r.abandon()
}

// wrong is err about this response.
func (r *Response) wrong(err error) error {
	if isRead(err) {
		return err
	}
	return &DecodeError{StatusCode: r.status, ContentType: r.contentType, Err: err}
}

func isRead(err error) bool {
	_, is := errors.AsType[*readError](err)
	return is
}

func (r *Response) mode() json.Mode {
	return json.Mode{Direction: json.Response, Strict: r.c.core.strict}
}

// JSON reads the body, which has to be one JSON value, into v. An empty one is
// an error. Where the client is strict v's constraints are checked.
func (r *Response) JSON(v json.Unmarshaler) error {
	data, err := r.jsonBytes()
	if err != nil {
		return err
	}
	if err := json.UnmarshalMode(data, v, r.mode()); err != nil {
		return r.wrong(err)
	}
	return r.validate(v)
}

// ReadJSON is Response.JSON for a value that a codec reads. The rules are the
// constraints of a type that does not check itself.
func ReadJSON[T any](r *Response, c json.Codec[T], v *T, rules ...func(*T, *check.Checker)) error {
	data, err := r.jsonBytes()
	if err != nil {
		return err
	}
	if err := json.Decode(data, v, c, r.mode()); err != nil {
		return r.wrong(err)
	}
	if len(rules) == 0 || !r.c.core.strict {
		return r.validate(v)
	}
	var checker check.Checker
	checker.Travel(check.InResponse)
	checker.Hold(true)
	for _, rule := range rules {
		rule(v, &checker)
	}
	if err := checker.Err(); err != nil {
		return r.wrong(err)
	}
	return nil
}

func (r *Response) jsonBytes() ([]byte, error) {
	data, err := r.bytes()
	if err == nil && len(data) == 0 {
		err = ErrEmptyBody
	}
	if err != nil {
		return nil, r.wrong(err)
	}
	return data, nil
}

func (r *Response) validate(v any) error {
	if !r.c.core.strict {
		return nil
	}
	if checked, ok := v.(check.Validator); ok {
		if err := check.BodyRead(checked, check.InResponse); err != nil {
			return r.wrong(err)
		}
	}
	return nil
}

// Text reads the body as text, which may be empty.
func (r *Response) Text(s *string) error {
	data, err := r.bytes()
	if err != nil {
		return r.wrong(err)
	}
	*s = string(data)
	return nil
}

// Fail is e, the document's own error for this response. errs are those of
// reading its body: if there is one, e would be half empty and a *StatusError
// with what went wrong takes its place.
func (r *Response) Fail(e error, errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return r.statusError(err)
		}
	}
	r.err = nil // a failure is not made another one by a header that cannot be read
	return e
}

// Undeclared is the error of a response that the document does not declare.
func (r *Response) Undeclared() error {
	r.err = nil
	return r.statusError(nil)
}

func (r *Response) statusError(cause error) error {
	if fillErr := r.fill(maxPrefix); fillErr != nil && cause == nil && r.status < http.StatusBadRequest {
		cause = fillErr
	}
	prefix := r.data[:min(len(r.data), maxPrefix)]
	if decode, ok := errors.AsType[*DecodeError](cause); ok {
		cause = decode.Err // the status stands in the error around it
	}
	return &StatusError{
		StatusCode: r.status, ContentType: r.contentType, Header: r.header, Body: append([]byte(nil), prefix...), Err: cause,
	}
}

// Header is a header of the response, valid until the next is asked for. The call
// fails where it cannot be read, although the response is a success.
func (r *Response) Header(name string, style param.Style) *field.Value {
	return r.field.Set((*headerSink)(r), check.InHeader, name, param.HeaderRaw(r.header.Values(name), style))
}

// headerSink is a response as the sink of its headers: the first that cannot be read
// counts.
type headerSink Response

// Wrong implements [field.Sink].
func (r *headerSink) Wrong(in, name string, err error) {
	if r.err == nil {
		r.err = (*Response)(r).wrong(param.At(err, in, name))
	}
}

// HeaderLines takes the lines of a header that cannot be joined, such as
// Set-Cookie.
func HeaderLines(r *Response, name string, dst *[]string) {
	*dst = append([]string(nil), r.header.Values(name)...)
}
