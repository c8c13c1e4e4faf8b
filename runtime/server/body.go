package server

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/runtime/check"
	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// bodyState is what is known of a request's body.
type bodyState struct {
	x       *exchange
	checked bool // presence and type
	present bool
	index   int // in route.consumes; -1: none fits
	reader  *bodyReader
	data    []byte // all of it, when it was read
	whole   bool
	media   string
	broken  bool // it is not even JSON
	held    bool // it was read as JSON, and with that held to its schemas
}

// bodyReader reads a request's body within its limit and within the time that it
// may be silent. It belongs to one request and is not pooled, since a method may
// hold on to it.
type bodyReader struct {
	src    io.ReadCloser
	limit  int64 // negative: none
	left   int64
	peeked [1]byte
	n      int // bytes in peeked
	err    error

	ended atomic.Bool // there is nothing left to read
	clock *uploadClock

	mu       sync.Mutex
	idle     time.Duration // zero: no bound
	conn     *http.ResponseController
	detached bool // the request is over
}

// Read reads on. A body over its limit ends in a *http.MaxBytesError.
func (b *bodyReader) Read(p []byte) (int, error) {
	if b.err != nil && b.n == 0 {
		return 0, b.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	if b.n > 0 {
		if b.n = 0; b.limit == 0 {
			return 0, b.fail(&http.MaxBytesError{Limit: b.limit})
		}
		p[0] = b.peeked[0]
		return 1, nil
	}
	if b.limit >= 0 && int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // one more, to tell the end from too much
	}
	if !b.watch() {
		return 0, b.fail(http.ErrBodyReadAfterClose)
	}
	n, err := b.src.Read(p)
	b.clock.tick()
	if b.limit >= 0 {
		if int64(n) > b.left {
			n, err = int(b.left), &http.MaxBytesError{Limit: b.limit}
		}
		b.left -= int64(n)
	}
	if err != nil {
		b.unwatch()
		err = b.fail(err)
	}
	return n, err
}

// fail notes how reading ended.
func (b *bodyReader) fail(err error) error {
	if isEnd(err) {
		b.ended.Store(true)
		b.clock.stop()
	} else if _, tooMuch := errors.AsType[*http.MaxBytesError](err); !tooMuch {
		err = &requestError{err}
	}
	b.err = err
	return err
}

// uploadClock holds the bound on a method back while its body arrives, as the
// client's clocks do: the bound counts from the last byte on. Until then it counts
// from the last read, so that a method that does not read is bounded as any other.
// All methods work on a nil clock.
type uploadClock struct {
	ctx   *callContext
	start time.Time
	span  time.Duration
	last  atomic.Int64 // of the last read, since start

	mu   sync.Mutex
	free bool // the bound no longer holds
}

// tick notes a read.
func (c *uploadClock) tick() {
	if c != nil {
		c.last.Store(int64(time.Since(c.start)))
	}
}

// stop makes the bound one that does not move any more.
func (c *uploadClock) stop() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.free {
		c.ctx.Reset(c.end())
	}
}

// lift takes the bound away for good.
func (c *uploadClock) lift() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free = true
}

// end is when the method's time is over if nothing more is read.
func (c *uploadClock) end() time.Time {
	return c.start.Add(time.Duration(c.last.Load()) + c.span)
}

// watch bounds the silence until the next byte. It is false when the request is
// over: its connection may have gone on to another one.
func (b *bodyReader) watch() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.idle > 0 && !b.detached {
		// Not every ResponseWriter can; then nothing bounds the silence.
		_ = b.conn.SetReadDeadline(time.Now().Add(b.idle))
	}
	return !b.detached
}

// unwatch takes the bound away: the server goes on reading to notice that the
// caller leaves.
func (b *bodyReader) unwatch() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.idle > 0 && !b.detached {
		_ = b.conn.SetReadDeadline(time.Time{})
	}
}

// detach takes the body from a method that still reads it, for the answer cannot
// be written while it does.
func (b *bodyReader) detach(conn *http.ResponseController) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.detached = true
	if !b.ended.Load() {
		_ = conn.SetReadDeadline(time.Unix(1, 0)) // a read that is running ends
	}
}

// tooLarge is the answer to a body over its limit.
func tooLarge() *fault.Problem {
	return problem(http.StatusRequestEntityTooLarge, "the request body is larger than this server takes")
}

// ContentType is the media type of the request's body as it was sent, with its
// parameters.
func (s *Request) ContentType() string { return s.http.Header.Get("Content-Type") }

// ContentLength is the number of bytes of the body, and -1 where that is not known.
func (s *Request) ContentLength() int64 { return s.http.ContentLength }

// Match is the index, among the operation's Consumes, of the media type that the
// body has: the most specific one that fits. It is -1 where there is no body, or
// none that the operation takes; what is wrong is noted.
func (s *Request) Match(required bool) int {
	if !s.open(required) {
		return -1
	}
	return s.body.index
}

// open looks, once, whether there is a body and whether its type is one that the
// operation takes. It is false where there is nothing to read.
func (s *Request) open(required bool) bool {
	b := &s.body
	if b.checked {
		return b.present && b.index >= 0
	}
	b.checked = true
	b.index = -1
	b.present = s.hasBody()
	if !b.present {
		if required {
			s.Fail("", "required", "request body required")
		}
		return false
	}
	if c := s.http.Header.Get("Content-Encoding"); c != "" && !strings.EqualFold(c, "identity") {
		p := problem(http.StatusUnsupportedMediaType, "the request body is compressed, which this server does not take")
		s.body.x.w.Header().Set("Accept-Encoding", "identity")
		s.refuse(p)
		return false
	}
	if b.media = s.ContentType(); b.media == "" {
		b.index = bestType(s.route.consumes, content.TypeBinary) // RFC 9110, 8.3
	} else {
		b.index = bestType(s.route.consumes, b.media)
	}
	if b.index < 0 {
		s.refuseType()
		return false
	}
	return true
}

// bestType is the index of the most specific media type or range that fits.
func bestType(consumes []string, contentType string) int {
	if len(consumes) == 0 {
		return 0
	}
	best, rank := -1, -1
	for i, pattern := range consumes {
		if !content.Match(pattern, contentType) {
			continue
		}
		r := 2
		if content.IsRange(pattern) {
			r = 1
			if strings.HasPrefix(pattern, "*") {
				r = 0
			}
		}
		if r > rank {
			best, rank = i, r
		}
	}
	return best
}

// refuseType notes that the body's type is none that the operation takes.
func (s *Request) refuseType() {
	accepted := strings.Join(s.route.consumes, ", ")
	detail := "the request body has no content type"
	if s.body.media != "" {
		detail = "the content type of the request body is not accepted"
	}
	p := problem(http.StatusUnsupportedMediaType, detail+"; accepted: "+accepted)
	h := s.body.x.w.Header()
	switch s.http.Method {
	case http.MethodPost:
		h.Set("Accept-Post", accepted)
	case http.MethodPatch:
		h.Set("Accept-Patch", accepted)
	}
	h.Set("Accept", accepted) // RFC 9110, 15.5.16
	s.refuse(p)
}

// hasBody reports whether the request has a body of one byte or more. Where only
// reading tells, it reads one.
func (s *Request) hasBody() bool {
	r := s.http
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return false
	}
	s.body.reader = &bodyReader{src: r.Body, limit: -1}
	if r.ContentLength > 0 {
		return true
	}
	b := s.body.reader
	for {
		n, err := r.Body.Read(b.peeked[:])
		if err != nil {
			err = b.fail(err)
		}
		if n > 0 {
			b.n = n
			return true
		}
		if isEnd(err) {
			return false
		}
		if err != nil {
			s.readError(err)
			return false
		}
	}
}

// stream is the body as a reader within a limit; negative is none.
func (s *Request) stream(limit int64) *bodyReader {
	b := s.body.reader
	b.limit, b.left = limit, max(0, limit-int64(b.n)) // what was read already counts
	return b
}

// read is the whole body.
func (s *Request) read(required bool) ([]byte, bool) {
	b := &s.body
	if b.whole {
		return b.data, true
	}
	if !s.open(required) {
		return nil, false
	}
	limit := b.x.endpoint.bodyLimit
	length := s.http.ContentLength
	if limit >= 0 && length > limit {
		s.refuse(tooLarge())
		return nil, false
	}
	r := s.stream(limit)
	b.x.boundRead()
	data, err := appendAll(b.data[:0], r, length)
	b.x.unboundRead()
	b.data = data
	if err != nil {
		s.readError(err)
		return nil, false
	}
	b.whole = true
	return data, true
}

// appendAll reads to the end. length is what the reader is said to have.
func appendAll(dst []byte, r io.Reader, length int64) ([]byte, error) {
	const first = 512
	if want := min(max(length, 0), maxPooled); int64(cap(dst)) <= want {
		dst = make([]byte, 0, max(want+1, first))
	}
	for {
		if len(dst) == cap(dst) {
			dst = append(dst, 0)[:len(dst)]
		}
		n, err := r.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		if isEnd(err) {
			return dst, nil
		}
		if err != nil {
			return dst, err
		}
	}
}

// isEnd reports whether a reader has come to its end, which it says by io.EOF and by
// nothing that wraps it.
func isEnd(err error) bool { return err == io.EOF } //nolint:errorlint // As said.

// readError notes why the body could not be read.
func (s *Request) readError(err error) {
	s.refuse((&requestError{err}).problem())
	x := s.body.x
	x.cause = err
	if isTimeout(err) {
		// net/http would wait for the rest before it sends the answer, for ever.
		x.hangUp()
		_ = x.control().SetReadDeadline(time.Now().Add(drainQuick))
	}
}

// isTimeout reports whether an error is that of a deadline.
func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// bodyViolation is a violation of the whole body.
func bodyViolation(rule, detail string) check.Violation {
	return check.Violation{In: check.InBody, Rule: rule, Detail: detail}
}
