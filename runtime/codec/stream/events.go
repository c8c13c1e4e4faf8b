package stream

import (
	"bytes"
	"io"
	"strconv"
	"time"
)

// Event is one server sent event.
type Event struct {
	// ID is the last event id in force; it stays until another one is sent.
	ID string
	// Name is the event's type; empty stands for "message".
	Name string
	// Data is the text of the data lines, joined by line feeds.
	Data []byte
	// Retry is how long the server asks to wait before coming back. A reader
	// keeps the last one; zero is none.
	Retry time.Duration
}

// EventReader reads server sent events as the HTML standard says: lines end in
// CR, LF or both, comments are skipped, an event ends at a blank line and one
// that the stream's end cuts off is dropped. An event without data is none.
type EventReader struct {
	buf     buffer
	limit   int
	started bool
	skipLF  bool // the line before ended in CR, so a LF belongs to it
	number  int
	id      string // of the last field; in force from the next dispatch on
	event   Event
	data    []byte
	hasData bool
	err     error
}

// NewEventReader reads from r. limit bounds one event with all its lines; zero
// is MaxEvent.
func NewEventReader(r io.Reader, limit int) *EventReader {
	if limit <= 0 {
		limit = MaxEvent
	}
	return &EventReader{buf: buffer{src: r}, limit: limit}
}

// Event is the event that Next gave last. Its Data is good until the next call
// of Next.
func (r *EventReader) Event() Event { return r.event }

// Number is the number of that event, from 1 on.
func (r *EventReader) Number() int { return r.number }

func (r *EventReader) position() (string, int) { return "event", r.number }

// Next is the data of the next event.
func (r *EventReader) Next() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	if !r.started {
		r.started = true
		r.buf.skipPrefix("\xef\xbb\xbf")
	}
	r.data, r.hasData, r.event.Name = r.data[:0], false, ""
	for size := 0; ; {
		line, err := r.line(r.limit - size)
		if err != nil {
			return nil, r.fail(err)
		}
		if len(line) > 0 {
			if line[0] != ':' { // a comment costs nothing, however many there are
				size += len(line)
				r.field(line)
			}
			continue
		}
		size = 0
		r.event.ID = r.id
		if !r.hasData {
			r.event.Name = ""
			continue
		}
		r.number++
		r.event.Data = r.data[:len(r.data)-1] // without the last line feed
		return r.event.Data, nil
	}
}

// fail ends the stream. An event that is under way is dropped.
func (r *EventReader) fail(err error) error {
	r.event.Name, r.event.Data = "", nil
	if r.err = err; err != io.EOF { //nolint:errorlint // A wrapped end is a fault.
		r.number++
		r.err = Wrap(r, err)
	}
	return r.err
}

// line is the next line. A line that the stream's end cuts off is none.
func (r *EventReader) line(limit int) ([]byte, error) {
	if r.skipLF {
		// Looked at only now: after a CR the LF may never come.
		if c, ok := r.buf.peek(); ok && c == '\n' {
			r.buf.start++
		}
		r.skipLF = false
	}
	line, stop, ok, err := r.buf.until(limit, "\r\n")
	if !ok {
		return nil, err
	}
	r.skipLF = stop == '\r'
	return line, nil
}

// field takes one line of an event.
func (r *EventReader) field(line []byte) {
	name, value, found := bytes.Cut(line, []byte(":"))
	if found && len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "data":
		r.hasData = true
		r.data = append(append(r.data, value...), '\n')
	case "event":
		r.event.Name = string(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			r.id = string(value)
		}
	case "retry":
		r.retry(value)
	}
}

// retry takes digits only, of milliseconds.
func (r *EventReader) retry(value []byte) {
	for _, c := range value {
		if c < '0' || c > '9' {
			return
		}
	}
	if ms, err := strconv.ParseInt(string(value), 10, 64); err == nil && ms <= int64(maxRetry/time.Millisecond) {
		r.event.Retry = time.Duration(ms) * time.Millisecond
	}
}

// maxRetry keeps an absurd wait from ending a stream for good.
const maxRetry = 24 * time.Hour
