package client

import (
	"errors"
	"io"
	"sync"
)

// relaySize is the most that is read of a source at a time, in bytes.
const relaySize = 32 << 10

// errTryEnded is what a relay's reader gets when the try has ended. It is no fault
// of the source.
var errTryEnded = errors.New("the try has ended")

// relay reads a source in a goroutine of its own. net/http returns from a request
// that was cancelled only after the Read of its body has, so a source that waits
// would hold a call that has ended. With a relay the source alone goes on waiting.
type relay struct {
	src io.ReadCloser
	end <-chan struct{} // closed when the try has ended

	begin sync.Once // starts the goroutine, or keeps it from being started
	leave sync.Once
	left  chan struct{} // closed by Close
	ask   chan int      // how many bytes are wanted
	give  chan piece    // one buffered, so that the goroutine is never held
	buf   []byte        // the goroutine's from ask to give
	err   error         // how reading has ended; of Read alone
}

// piece is what a Read of the source has given.
type piece struct {
	n   int
	err error
}

func newRelay(src io.ReadCloser, end <-chan struct{}) *relay {
	return &relay{src: src, end: end, left: make(chan struct{}), ask: make(chan int), give: make(chan piece, 1)}
}

// run serves Reads until the source or the try ends. Only it touches the source, so
// that Read and Close of the source never meet.
func (r *relay) run() {
	defer func() { _ = r.src.Close() }() // it was only read
	for {
		select {
		case <-r.end:
			return
		case <-r.left:
			return
		case n := <-r.ask:
			n, err := r.src.Read(r.buf[:n])
			r.give <- piece{n, err}
			if err != nil {
				return
			}
		}
	}
}

// Read is for one goroutine. Its errors stay.
func (r *relay) Read(p []byte) (int, error) {
	if r.err != nil || len(p) == 0 {
		return 0, r.err
	}
	r.begin.Do(func() {
		r.buf = make([]byte, relaySize)
		go r.run()
	})
	var n int
	n, r.err = r.read(p)
	return n, r.err
}

func (r *relay) read(p []byte) (int, error) {
	select {
	case <-r.end:
		return 0, errTryEnded
	case <-r.left:
		return 0, errTryEnded
	case r.ask <- min(len(p), relaySize):
	}
	select {
	case <-r.end:
		return 0, errTryEnded
	case <-r.left:
		return 0, errTryEnded
	case got := <-r.give:
		return copy(p, r.buf[:got.n]), got.err
	}
}

// Close may be called while Read runs, and more than once. The source is closed when
// its own Read has returned.
func (r *relay) Close() error {
	r.leave.Do(func() { close(r.left) })
	r.begin.Do(func() { _ = r.src.Close() })
	return nil
}
