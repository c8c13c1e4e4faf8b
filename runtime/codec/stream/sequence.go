package stream

import (
	"bytes"
	"errors"
	"io"
)

// SequenceReader reads a JSON text sequence, RFC 7464: a record separator
// before each item and a line feed after it. An item is handed out at its line
// feed, without waiting for the next one. A number or a literal that the
// stream ends, or the next separator follows, without white space between may
// have been cut and is refused; so is a text whose brackets are still open.
type SequenceReader struct {
	buf    buffer
	limit  int
	number int
	err    error
}

// NewSequenceReader reads from r. limit bounds one record; zero is MaxLine.
func NewSequenceReader(r io.Reader, limit int) *SequenceReader {
	if limit <= 0 {
		limit = MaxLine
	}
	return &SequenceReader{buf: buffer{src: r}, limit: limit}
}

const recordSeparator = 0x1e

var errNoSeparator = errors.New("a record does not begin with a record separator")

// Next is the next record that is not empty.
func (r *SequenceReader) Next() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	text, err := r.record()
	if err == io.EOF { //nolint:errorlint // A wrapped end is a fault.
		r.err = err
		return nil, err
	}
	r.number++
	if err != nil {
		r.err = Wrap(r, err)
		return nil, r.err
	}
	return text, nil
}

// Number is the number of the record that Next gave last, from 1 on.
func (r *SequenceReader) Number() int { return r.number }

func (r *SequenceReader) position() (string, int) { return "record", r.number }

// record is the next record without the white space around it.
func (r *SequenceReader) record() ([]byte, error) {
	if err := r.skipToSeparator(); err != nil {
		return nil, err
	}
	var text jsonText
	for seen := 0; ; {
		for seen < r.buf.end-r.buf.start {
			c := r.buf.data[r.buf.start+seen]
			if c == recordSeparator && text.blank() {
				// RFC 7464, 2.1: several separators in a row are one.
				r.buf.start += seen + 1
				seen = 0
				continue
			}
			if c == recordSeparator || text.add(c) && c == '\n' {
				return r.take(seen, &text, c)
			}
			if seen++; seen > r.limit {
				return nil, ErrTooLarge
			}
		}
		if !r.buf.fill() {
			if r.buf.err != io.EOF || text.blank() { //nolint:errorlint // A wrapped end is a fault.
				return nil, r.buf.err
			}
			return r.take(seen, &text, 0)
		}
	}
}

// take consumes a record of n bytes which c, if it is not zero, ended.
func (r *SequenceReader) take(n int, text *jsonText, c byte) ([]byte, error) {
	raw := r.buf.data[r.buf.start : r.buf.start+n]
	r.buf.start += n
	if c == '\n' {
		r.buf.start++
	}
	if !text.whole() {
		return nil, ErrTruncated
	}
	return bytes.Trim(raw, blanks), nil
}

const blanks = " \t\r\n"

// skipToSeparator consumes white space and one separator.
func (r *SequenceReader) skipToSeparator() error {
	for {
		c, ok := r.buf.peek()
		if !ok {
			return r.buf.err
		}
		switch c {
		case ' ', '\t', '\r', '\n':
		case recordSeparator:
			r.buf.start++
			return nil
		default:
			return errNoSeparator
		}
		r.buf.start++
	}
}

// jsonText follows a JSON text byte by byte, just far enough to know where it
// may end.
type jsonText struct {
	depth    int
	any      bool // a byte that is not white space was there
	inString bool
	escape   bool
	bare     bool // the last byte belongs to a number or literal
}

// add takes the next byte and reports whether the text may end after it.
func (t *jsonText) add(c byte) bool {
	switch {
	case t.inString:
		switch {
		case t.escape:
			t.escape = false
		case c == '\\':
			t.escape = true
		case c == '"':
			t.inString = false
		}
		return false
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		t.bare = false
		return t.any && t.depth <= 0
	}
	t.any = true
	t.bare = false
	switch c {
	case '"':
		t.inString = true
	case '{', '[':
		t.depth++
	case '}', ']':
		t.depth--
	default:
		t.bare = true
	}
	return false
}

func (t *jsonText) blank() bool { return !t.any }

// whole reports whether the text cannot have been cut here.
func (t *jsonText) whole() bool { return t.any && t.depth <= 0 && !t.inString && !t.bare }
