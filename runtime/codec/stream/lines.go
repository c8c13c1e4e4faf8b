package stream

import (
	"bytes"
	"errors"
	"io"
)

// LineReader reads JSON lines: each line is one item, blank lines do not count
// as items, and the last line needs no end. A carriage return before the end
// of a line belongs to it.
type LineReader struct {
	buf    buffer
	limit  int
	number int
	err    error
}

// NewLineReader reads from r. limit bounds one line; zero is MaxLine.
func NewLineReader(r io.Reader, limit int) *LineReader {
	if limit <= 0 {
		limit = MaxLine
	}
	return &LineReader{buf: buffer{src: r}, limit: limit}
}

// Next is the next line that is not blank.
func (r *LineReader) Next() ([]byte, error) {
	for r.err == nil {
		line, _, ok, err := r.buf.until(r.limit, "\n")
		if ok || len(line) > 0 || errors.Is(err, ErrTooLarge) {
			r.number++
		}
		if !ok {
			r.err = err
			if err != io.EOF { //nolint:errorlint // A wrapped end is a fault.
				r.err = Wrap(r, err)
				return nil, r.err
			}
		}
		if line = bytes.Trim(line, " \t\r"); len(line) > 0 {
			return line, nil
		}
	}
	return nil, r.err
}

// Number is the number of the line that Next gave last, from 1 on. Blank lines
// count.
func (r *LineReader) Number() int { return r.number }

func (r *LineReader) position() (string, int) { return "line", r.number }
