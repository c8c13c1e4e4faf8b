package stream

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// Format is the layout of a stream that is written.
type Format uint8

// The formats.
const (
	Events   Format = iota // text/event-stream
	Lines                  // JSON lines
	Sequence               // JSON text sequence
)

// Writer writes items, each in one Write, and flushes after each.
type Writer struct {
	dst    io.Writer
	flush  func() error
	format Format
	buf    []byte
}

// NewWriter writes to w. flush is called after each item; where it is nil, w's
// own Flush is used if it has one.
func NewWriter(w io.Writer, format Format, flush func() error) *Writer {
	if flush == nil {
		switch f := w.(type) {
		case interface{ Flush() error }:
			flush = f.Flush
		case interface{ Flush() }:
			flush = func() error { f.Flush(); return nil }
		default:
			flush = func() error { return nil }
		}
	}
	return &Writer{dst: w, flush: flush, format: format}
}

var errLineBreak = errors.New("a field of an event must not hold a line break")

// Item writes one item: an event of this data, or JSON text.
func (w *Writer) Item(data []byte) error {
	switch w.format {
	case Events:
		return w.Event(Event{Data: data})
	case Sequence:
		w.buf = append(w.buf[:0], recordSeparator)
	default:
		if bytes.IndexByte(data, '\n') >= 0 {
			return errors.New("an item of JSON lines must not hold a line break")
		}
		w.buf = w.buf[:0]
	}
	w.buf = append(append(w.buf, data...), '\n')
	return w.send()
}

// Event writes an event, whatever the format. Each line of its data is a line
// of its own; a carriage return in it arrives as a line feed, for the format
// has no other way.
func (w *Writer) Event(e Event) error {
	if strings.ContainsAny(e.ID, "\r\n\x00") || strings.ContainsAny(e.Name, "\r\n") {
		return errLineBreak
	}
	b := w.buf[:0]
	if e.Name != "" {
		b = append(append(append(b, "event: "...), e.Name...), '\n')
	}
	if e.ID != "" {
		b = append(append(append(b, "id: "...), e.ID...), '\n')
	}
	if e.Retry > 0 {
		b = strconv.AppendInt(append(b, "retry: "...), int64(e.Retry/time.Millisecond), 10)
		b = append(b, '\n')
	}
	for rest := e.Data; ; {
		i := bytes.IndexAny(rest, "\r\n")
		line := rest
		if i >= 0 {
			line = rest[:i]
		}
		b = append(append(append(b, "data: "...), line...), '\n')
		if i < 0 {
			break
		}
		if rest[i] == '\r' && i+1 < len(rest) && rest[i+1] == '\n' {
			i++
		}
		rest = rest[i+1:]
	}
	b = append(b, '\n')
	w.buf = b
	return w.send()
}

// Comment writes a comment, which keeps an idle connection open. Other formats
// than Events have none and write nothing.
func (w *Writer) Comment(text string) error {
	if w.format != Events {
		return nil
	}
	if strings.ContainsAny(text, "\r\n") {
		return errLineBreak
	}
	w.buf = append(append(append(w.buf[:0], ": "...), text...), "\n\n"...)
	return w.send()
}

// send writes the buffer and keeps it unless it has grown large.
func (w *Writer) send() error {
	_, err := w.dst.Write(w.buf)
	if cap(w.buf) > 64<<10 {
		w.buf = nil
	}
	if err != nil {
		return err
	}
	return w.flush()
}
