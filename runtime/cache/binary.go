package cache

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"net/http"
	"slices"
	"time"
)

// binaryVersion is the first byte of an entry's binary form. Another one is not read:
// what a store holds in an older form is then a miss.
const binaryVersion = 1

var errEntry = errors.New("cache: no entry in its binary form")

// AppendBinary appends the entry's binary form, for stores outside of the process.
func (e *Entry) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, binaryVersion)
	b = binary.AppendVarint(b, int64(e.Status))
	b = binary.AppendVarint(b, e.Requested.UnixNano())
	b = binary.AppendVarint(b, e.Received.UnixNano())
	b = binary.AppendUvarint(b, uint64(len(e.Vary)))
	for _, s := range e.Vary {
		b = appendText(appendText(b, s.Name), s.Value)
	}
	b = binary.AppendUvarint(b, uint64(len(e.Header)))
	for _, name := range slices.Sorted(maps.Keys(e.Header)) {
		b = appendText(b, name)
		b = binary.AppendUvarint(b, uint64(len(e.Header[name])))
		for _, v := range e.Header[name] {
			b = appendText(b, v)
		}
	}
	return append(b, e.Body...), nil
}

// MarshalBinary is encoding.BinaryMarshaler.
func (e *Entry) MarshalBinary() ([]byte, error) { return e.AppendBinary(nil) }

// UnmarshalBinary reads the binary form. The entry keeps a part of data, which must not
// change after.
func (e *Entry) UnmarshalBinary(data []byte) error {
	if len(data) == 0 || data[0] != binaryVersion {
		return errEntry
	}
	r := reader{b: data[1:]}
	status, requested, received := r.number(), r.number(), r.number()
	vary := make([]Selector, 0, r.count())
	for range cap(vary) {
		vary = append(vary, Selector{r.text(), r.text()})
	}
	n := r.count()
	header := make(http.Header, n)
	for range n {
		name := r.text()
		values := make([]string, 0, r.count())
		for range cap(values) {
			values = append(values, r.text())
		}
		header[name] = values
	}
	if r.failed || status < 100 || status > 999 {
		return errEntry
	}
	*e = Entry{
		Status: int(status), Requested: time.Unix(0, requested), Received: time.Unix(0, received), Vary: vary, Header: header, Body: r.b,
	}
	e.prepare(nil)
	return nil
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// reader reads what may be broken.
type reader struct {
	b      []byte
	failed bool
}

func (r *reader) number() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.failed, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count is a number of things each of which takes a byte at least, so that a broken one
// makes no room for more than there is.
func (r *reader) count() int {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > math.MaxInt32 || int(v) > len(r.b)-n {
		r.failed, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

func (r *reader) text() string {
	n := r.count()
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}
