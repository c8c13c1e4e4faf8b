package cache

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// recorder passes a body on and keeps it, to be stored when it has come to its end.
type recorder struct {
	src   io.ReadCloser
	limit int64
	want  int64 // the length that was told; negative for none
	done  func(body []byte, how ending)

	mu    sync.Mutex
	kept  []byte
	how   ending
	ended bool
}

// ending is how the recording of a body has ended.
type ending uint8

const (
	whole    ending = iota
	tooLarge        // for the limit
	broken          // the source failed
	left            // the reader has closed it before its end
)

// Read passes on what there is.
func (b *recorder) Read(p []byte) (int, error) {
	n, err := b.src.Read(p)
	b.mu.Lock()
	if !b.ended {
		if int64(len(b.kept)+n) > b.limit {
			b.end(tooLarge)
		} else {
			b.kept = append(b.kept, p[:n]...)
		}
	}
	switch {
	case b.ended:
	case err == io.EOF:
		b.end(b.unless(broken, b.want < 0))
	case err != nil:
		b.end(broken)
	}
	ended := b.ended
	b.mu.Unlock()
	if ended {
		b.finish()
	}
	return n, err
}

// Close ends the reading. A body whose length is known is whole when all of it was read,
// even if nobody has asked for the end.
func (b *recorder) Close() error {
	err := b.src.Close()
	b.mu.Lock()
	if !b.ended {
		b.end(b.unless(left, false))
	}
	b.mu.Unlock()
	b.finish()
	return err
}

// unless is whole for a body that has all its bytes, or where nothing was told about
// their number and that is enough. The lock is held.
func (b *recorder) unless(other ending, untold bool) ending {
	if untold || int64(len(b.kept)) == b.want {
		return whole
	}
	return other
}

// end decides what becomes of what was kept. The lock is held.
func (b *recorder) end(how ending) {
	b.ended, b.how = true, how
	if how != whole {
		b.kept = nil
	}
}

// finish tells the outcome, once, outside the lock.
func (b *recorder) finish() {
	b.mu.Lock()
	done, kept, how := b.done, b.kept, b.how
	b.done, b.kept = nil, nil
	b.mu.Unlock()
	if done != nil {
		done(kept, how)
	}
}

// record passes a response on and stores it with its end, if it may be stored.
func (x *Exchange) record(h *http.Response, old *Entry, s Status, requested, received time.Time) *http.Response {
	c := x.c
	e, known := x.entryOf(h, requested, received)
	ok := known && e.storable(x.r, &x.control, x.rules, c.options.Shared) && h.ContentLength <= c.options.MaxEntry
	place, hash := c.place(&x.key)
	s.Stored = ok
	s.tell(h.Header, c.options.Name)
	x.told(s)
	if !ok {
		if h.StatusCode >= http.StatusInternalServerError {
			return h // it passes, and a further try may bring something
		}
		if x.flight != nil {
			place.Store(hash)
		}
		if old != nil {
			x.remove(old) // the origin has something else to say now
		}
		return h
	}
	place.CompareAndSwap(hash, 0)
	if h.Body == http.NoBody || h.ContentLength == 0 {
		_ = h.Body.Close() // there is nothing in it
		h.Body = http.NoBody
		x.recorded(e, nil, whole)
		return h
	}
	x.mu.Lock()
	x.recording = true
	x.mu.Unlock()
	if x.flight != nil {
		x.flight.expect()
	}
	b := &recorder{src: h.Body, limit: c.options.MaxEntry, want: h.ContentLength, done: func(body []byte, how ending) {
		x.recorded(e, body, how)
	}}
	if h.ContentLength > 0 {
		// A length is easily told.
		b.kept = make([]byte, 0, min(h.ContentLength, firstPiece))
	}
	h.Body = b
	return h
}

// entryOf is what of a response would be stored; known is false where it varies by
// something that cannot be told.
func (x *Exchange) entryOf(h *http.Response, requested, received time.Time) (e *Entry, known bool) {
	shared := x.c.options.Shared
	targets := x.c.options.Targets
	control, _ := controlOf(h.Header, targets)
	e = &Entry{
		Status: h.StatusCode, Header: storedHeader(h.Header, &control, shared), Requested: requested, Received: received,
	}
	if h.Header["Date"] == nil {
		e.Header["Date"] = []string{received.UTC().Format(http.TimeFormat)}
	}
	e.prepare(targets)
	names, known := varyNames(h.Header)
	e.Vary = selectors(names, x.r.Header)
	return e, known
}

// firstPiece is the most room that is made for a body before any of it is there.
const firstPiece = 64 << 10

// recorded stores a response whose body has come to its end.
func (x *Exchange) recorded(e *Entry, body []byte, how ending) {
	switch {
	case how == whole:
		e.Body = body
		x.put(e)
	case how == tooLarge:
		place, hash := x.c.place(&x.key)
		place.Store(hash)
	case how == left && x.flight != nil:
		x.flight.left = true
	}
	x.mu.Lock()
	x.recording = false
	over := x.ended || how == whole
	x.mu.Unlock()
	if over {
		x.finish()
	}
}
