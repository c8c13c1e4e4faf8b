package server

import (
	"io"
	"net/http"
	"strings"
	"time"
)

// What is done for a body that the method has not read to its end.
const (
	drainBytes = 256 << 10             // read at most, to keep the connection
	drainQuick = 50 * time.Millisecond // before the answer
	drainSlow  = 5 * time.Second       // after it, by net/http
)

// settleBody decides, before the header is sent, about a body that the method has
// not read to its end. What is there at once is read; with more to come the
// connection is closed after the answer, which does not wait for it. An answer that
// is a stream may go on reading.
func (x *exchange) settleBody() {
	b := x.streamed
	if b == nil || b.ended.Load() || x.keep || x.r.ProtoMajor != 1 {
		return
	}
	if kind := x.response.kind; kind == readerBody || kind == itemsBody {
		_ = x.control().EnableFullDuplex() // not every ResponseWriter has to
		x.w.Header()["Connection"] = []string{"close"}
		return
	}
	_ = x.control().SetReadDeadline(time.Now().Add(drainQuick))
	if _, err := io.CopyN(io.Discard, b.src, drainBytes); isEnd(err) {
		b.ended.Store(true)
		_ = x.control().SetReadDeadline(time.Time{})
		return
	}
	x.hangUp()
}

// hangUp has the connection closed after the answer. A client that is still sending
// would lose the answer if that happened at once, so net/http has to wait a moment in
// between. It does so after a body that was too large, and that is how to ask for it.
func (x *exchange) hangUp() {
	x.w.Header()["Connection"] = []string{"close"}
	w := x.w
	for {
		outer, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			break
		}
		w = outer.Unwrap()
	}
	_, _ = http.MaxBytesReader(w, io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
}

// drain bounds how long net/http waits for the rest of a body.
func (x *exchange) drain() {
	if b := x.streamed; b != nil && !b.ended.Load() {
		_ = x.control().SetReadDeadline(time.Now().Add(drainSlow))
	}
}
