package stream

import (
	"bytes"
	"io"
)

// buffer reads ahead and grows no further than one item needs.
type buffer struct {
	src   io.Reader
	data  []byte
	start int // of what is not consumed
	end   int
	err   error // of src; held back until the data is used up
}

const firstBuffer = 4 << 10

// maxEmptyReads bounds reads that give nothing and no error.
const maxEmptyReads = 100

// fill reads more. It reports false when there is nothing more to come.
func (b *buffer) fill() bool {
	if b.err != nil {
		return false
	}
	if b.end == len(b.data) {
		b.makeRoom()
	}
	for range maxEmptyReads {
		n, err := b.src.Read(b.data[b.end:])
		b.end += n
		b.err = err
		if n > 0 || err != nil {
			return n > 0
		}
	}
	b.err = io.ErrNoProgress
	return false
}

// makeRoom moves what is left to the front, and doubles the buffer when that
// fills more than half of it.
func (b *buffer) makeRoom() {
	left := b.end - b.start
	target := b.data
	switch {
	case b.data == nil:
		target = make([]byte, firstBuffer)
	case left > len(b.data)/2:
		target = make([]byte, 2*len(b.data))
	}
	copy(target, b.data[b.start:b.end])
	b.data, b.start, b.end = target, 0, left
}

// until consumes up to and with the first byte of the set and returns what is
// before it. ok is false when the stream ends without one; then the rest is
// returned. A text longer than limit is ErrTooLarge. The bytes are good until
// the next call.
func (b *buffer) until(limit int, set string) (text []byte, stop byte, ok bool, err error) {
	seen := 0
	for {
		if i := bytes.IndexAny(b.data[b.start+seen:b.end], set); i >= 0 {
			text = b.data[b.start : b.start+seen+i]
			stop = b.data[b.start+seen+i]
			b.start += seen + i + 1
			if len(text) > limit {
				return nil, 0, false, ErrTooLarge
			}
			return text, stop, true, nil
		}
		seen = b.end - b.start
		if seen > limit {
			return nil, 0, false, ErrTooLarge
		}
		if !b.fill() {
			text = b.data[b.start:b.end]
			b.start = b.end
			return text, 0, false, b.err
		}
	}
}

// peek is the next byte, read if necessary.
func (b *buffer) peek() (byte, bool) {
	if b.start == b.end && !b.fill() {
		return 0, false
	}
	return b.data[b.start], true
}

// skipPrefix consumes prefix if the stream goes on with it.
func (b *buffer) skipPrefix(prefix string) {
	for b.end-b.start < len(prefix) {
		have := b.data[b.start:b.end]
		if string(have) != prefix[:len(have)] || !b.fill() {
			return
		}
	}
	if string(b.data[b.start:b.start+len(prefix)]) == prefix {
		b.start += len(prefix)
	}
}
