package server

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/codec/stream"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/retry"
)

// requestIDHeader carries the request's id in both directions.
const requestIDHeader = "X-Request-Id"

// maxRequestID is the longest id, in bytes, that is taken from a caller.
const maxRequestID = 128

// identify gives the request its id: the caller's where it has a sensible form, for
// it ends up in logs and in the answer.
func (x *exchange) identify() {
	c := x.call
	if lines := x.r.Header[requestIDHeader]; len(lines) == 1 && isRequestID(lines[0]) {
		c.requestID = lines[0]
	} else {
		c.requestID = newRequestID()
	}
	c.idLine[0] = c.requestID
	x.w.Header()[requestIDHeader] = c.idLine[:1:1]
}

// newRequestID is 32 random hexadecimal digits. They tell requests apart and protect
// nothing.
func newRequestID() string {
	const digits = "0123456789abcdef"
	var b [32]byte
	high, low := rand.Uint64(), rand.Uint64() //nolint:gosec // As said.
	for i := range 16 {
		b[i] = digits[high>>(4*i)&15]
		b[16+i] = digits[low>>(4*i)&15]
	}
	return string(b[:])
}

func isRequestID(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return s != "" && len(s) <= maxRequestID
}

// begin sends the status and the header.
func (x *exchange) begin(status int) {
	x.status, x.wrote = status, true
	x.settleLimits(status)
	x.settleRetries(status)
	x.settleBody()
	x.w.WriteHeader(status)
}

// settleRetries asks the layers above not to retry a failure that has been retried below.
func (x *exchange) settleRetries(status int) {
	if status >= http.StatusInternalServerError && x.call != nil && x.call.retries.Exhausted() {
		x.w.Header()[retry.ShouldRetryHeader] = []string{"false"}
	}
}

// retryAfter sets the header, in whole seconds, at least one.
func (x *exchange) retryAfter(d time.Duration) {
	x.w.Header()["Retry-After"] = []string{strconv.FormatInt(seconds(d), 10)}
}

// seconds rounds up, to at least one.
func seconds(d time.Duration) int64 {
	return max(1, int64((d-1)/time.Second)+1)
}

var (
	typeJSON    = []string{"application/json"}
	typeProblem = []string{fault.ProblemType}
)

// problem answers with problem details.
func (x *exchange) problem(p *fault.Problem) {
	x.status = p.Status
	x.forgetFields()
	x.cacheFields(p.Status)
	if x.h.render != nil {
		x.wrote = true
		x.settleLimits(p.Status)
		x.settleRetries(p.Status)
		x.settleBody()
		x.h.render(x.w, x.r, p)
		return
	}
	w := &x.response
	w.closeReader()
	w.reset()
	w.buf = p.AppendJSON(w.buf)
	h := x.w.Header()
	h["Content-Type"] = typeProblem
	x.contentLength(len(w.buf))
	x.begin(p.Status)
	if x.r.Method != http.MethodHead {
		_, _ = x.w.Write(w.buf) // whoever has gone needs no answer
	}
}

// send writes the response.
func (x *exchange) send(w *Response) {
	h := x.w.Header()
	x.sendHeader(w)
	if x.unmodified(w) {
		x.notModified(w)
		return
	}
	if w.kind == noBody || !bodyAllowed(w.status) {
		w.closeReader()
		x.begin(w.status)
		return
	}
	switch w.contentType {
	case typeJSON[0]:
		h["Content-Type"] = typeJSON
	case typeProblem[0]:
		h["Content-Type"] = typeProblem
	default:
		h["Content-Type"] = []string{w.contentType}
	}
	switch w.kind {
	case bytesBody:
		x.contentLength(len(w.buf))
		x.begin(w.status)
		if x.r.Method != http.MethodHead {
			_, _ = x.w.Write(w.buf)
		}
	case readerBody:
		x.sendReader(w)
	case itemsBody:
		x.sendItems(w)
	}
}

// contentLength sets the header.
func (x *exchange) contentLength(n int) {
	x.call.lengthLine[0] = strconv.Itoa(n)
	x.w.Header()["Content-Length"] = x.call.lengthLine[:1:1]
}

// sendHeader sets the headers that the document declares. Where one is also the
// handler's own, the document's counts; framing is net/http's alone.
func (x *exchange) sendHeader(w *Response) {
	h := x.w.Header()
	for _, f := range w.header {
		switch f.name {
		case requestIDHeader, "Ratelimit", "Ratelimit-Policy":
			h[f.name] = []string{f.value}
		case "Content-Length":
			if x.r.Method == http.MethodHead { // of what GET would give
				h[f.name] = []string{f.value}
			}
		case "Transfer-Encoding", "Connection":
		default:
			h.Add(f.name, f.value)
		}
	}
}

// bodyAllowed reports whether a response of a status may have a body.
func bodyAllowed(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified && status != http.StatusResetContent
}

// closeReader closes what a response would have been read from.
func (w *Response) closeReader() {
	if c, ok := w.reader.(io.Closer); ok {
		_ = c.Close()
	}
	w.reader = nil
}

// chunks are buffers for streams of bytes.
var chunks = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// sendReader copies a stream of bytes. A fault before the first byte is a 500; one
// after it breaks the connection off, so that the client does not take what it got
// for all.
func (x *exchange) sendReader(w *Response) {
	r := w.reader
	defer w.closeReader()
	x.freeStream()
	h := x.w.Header()
	if w.length >= 0 {
		h["Content-Length"] = []string{strconv.FormatInt(w.length, 10)}
		r = &exactly{r: r, left: w.length}
	}
	if x.r.Method == http.MethodHead {
		x.begin(w.status)
		return
	}
	chunk := chunks.Get().(*[32 << 10]byte)
	defer chunks.Put(chunk)
	n, err := readSome(r, chunk[:])
	if err != nil && !isEnd(err) {
		delete(h, "Content-Length")
		for _, f := range w.header {
			delete(h, f.name)
		}
		x.cause = err
		x.h.failed(x.call, x.op(), http.StatusInternalServerError, err)
		x.problem(problem(http.StatusInternalServerError, ""))
		return
	}
	x.begin(w.status)
	out := itemSink{x}
	defer x.unboundWrites()
	for {
		if _, bad := out.Write(chunk[:n]); bad != nil {
			x.cause = bad
			return // the client has gone
		}
		if isEnd(err) {
			return
		}
		if err != nil {
			x.breakOff(err)
		}
		if n < len(chunk) {
			_ = x.flush()
		}
		n, err = readSome(r, chunk[:])
	}
}

// readSome reads until there is something. A reader that gives nothing a hundred
// times is taken for broken, as in package io.
func readSome(r io.Reader, p []byte) (int, error) {
	for range 100 {
		if n, err := r.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// exactly reads a number of bytes that was promised.
type exactly struct {
	r    io.Reader
	left int64
}

func (e *exactly) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	if int64(len(p)) > e.left {
		p = p[:e.left]
	}
	n, err := e.r.Read(p)
	if e.left -= int64(n); e.left > 0 && isEnd(err) {
		err = fmt.Errorf("the body is shorter than its length: %w", io.ErrUnexpectedEOF)
	}
	return n, err
}

// breakOff ends an answer that cannot be completed.
func (x *exchange) breakOff(err error) {
	x.cause = err
	x.h.failed(x.call, x.op(), 0, err)
	panic(http.ErrAbortHandler)
}

// sendItems writes a stream of items, each as soon as it is there.
func (x *exchange) sendItems(w *Response) {
	x.freeStream()
	x.w.Header()["Cache-Control"] = []string{"no-cache"}
	x.begin(w.status)
	if x.r.Method == http.MethodHead {
		return
	}
	if x.flush() != nil {
		return
	}
	defer x.unboundWrites()
	out := stream.NewWriter(itemSink{x}, w.format, x.flush)
	err := w.items(itemWriter{out})
	switch {
	case err == nil:
	case x.r.Context().Err() != nil:
		x.cause = err
	default:
		x.breakOff(err)
	}
}

// freeStream lifts the bounds that hold until a stream's header.
func (x *exchange) freeStream() {
	if x.streamed != nil {
		x.streamed.clock.lift()
	}
	x.call.Reset(time.Time{})
}

// itemSink writes to the client as long as it is there.
type itemSink struct{ x *exchange }

func (s itemSink) Write(p []byte) (int, error) {
	x := s.x
	if err := x.r.Context().Err(); err != nil {
		return 0, err
	}
	if t := x.endpoint.spec.Server.Timeout; t != nil && t.Idle > 0 {
		// Not every ResponseWriter can; then nothing bounds the silence.
		_ = x.control().SetWriteDeadline(time.Now().Add(t.Idle))
	}
	return x.w.Write(p)
}

// unboundWrites takes the bound on silence off the connection, which goes on to
// serve other requests.
func (x *exchange) unboundWrites() {
	if t := x.endpoint.spec.Server.Timeout; t != nil && t.Idle > 0 && x.conn != nil {
		_ = x.conn.SetWriteDeadline(time.Time{})
	}
}

// boundRead bounds the reading of a body into memory by the time that the request
// has, so that a slow caller cannot hold a slot for ever.
func (x *exchange) boundRead() {
	if !x.end.IsZero() {
		setReadDeadline(x.w, x.end)
	}
}

// setReadDeadline is that of http.ResponseController, for every request with a body:
// without the error that this makes for a ResponseWriter that cannot.
func setReadDeadline(w http.ResponseWriter, at time.Time) {
	for {
		switch v := w.(type) {
		case interface{ SetReadDeadline(at time.Time) error }:
			_ = v.SetReadDeadline(at)
			return
		case interface{ Unwrap() http.ResponseWriter }:
			w = v.Unwrap()
		default:
			return
		}
	}
}

// unboundRead takes the bound off again: the server goes on reading to notice that
// the caller leaves.
func (x *exchange) unboundRead() {
	if !x.end.IsZero() {
		setReadDeadline(x.w, time.Time{})
	}
}

// streaming hands a body over to the method, which may answer before it has read
// all of it.
func (x *exchange) streaming(b *bodyReader) {
	x.streamed = b
	x.watch(b)
}

// watch bounds the silence of a body that is read piece by piece, where the policy
// does; otherwise the time of the whole request does.
func (x *exchange) watch(b *bodyReader) bool {
	t := x.endpoint.spec.Server.Timeout
	if t == nil || t.Idle <= 0 {
		return false
	}
	b.idle, b.conn = t.Idle, x.control()
	return true
}

// control is the connection, as far as the ResponseWriter gives access to it.
func (x *exchange) control() *http.ResponseController {
	if x.conn == nil {
		x.conn = http.NewResponseController(x.w)
	}
	return x.conn
}

// flush sends what was written. A ResponseWriter that cannot is no fault.
func (x *exchange) flush() error {
	if err := x.control().Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}
