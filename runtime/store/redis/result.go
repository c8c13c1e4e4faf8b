package redisstore

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/holdfast-go/holdfast/runtime/store"
)

// resultVersion is the first byte of a result's binary form; another is not read.
const resultVersion = 1

var errResult = errors.New("redisstore: a kept result is broken, or of another version")

// writeResult is the binary form of a result: the version, the status, each header with
// its values, all counted, and the body to the end.
func writeResult(r store.Result) []byte {
	b := []byte{resultVersion}
	b = binary.AppendUvarint(b, uint64(max(0, r.Status)))
	b = binary.AppendUvarint(b, uint64(len(r.Header)))
	for _, f := range r.Header {
		b = appendText(b, f.Name)
		b = binary.AppendUvarint(b, uint64(len(f.Values)))
		for _, v := range f.Values {
			b = appendText(b, v)
		}
	}
	return append(b, r.Body...)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// readResult reads the binary form. The result keeps a part of b.
func readResult(b []byte) (store.Result, error) {
	if len(b) == 0 || b[0] != resultVersion {
		return store.Result{}, errResult
	}
	r := reader{b: b[1:]}
	out := store.Result{Status: int(r.number())}
	for range r.count() {
		f := store.HeaderField{Name: r.text()}
		for range r.count() {
			f.Values = append(f.Values, r.text())
		}
		out.Header = append(out.Header, f)
	}
	if r.broken {
		return store.Result{}, errResult
	}
	if len(r.b) > 0 {
		out.Body = r.b
	}
	return out, nil
}

// reader reads what may be broken.
type reader struct {
	b      []byte
	broken bool
}

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > math.MaxInt32 {
		r.broken, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count is a number of things that take a byte each at least, so that a broken one does
// not make a loop longer than what there is to read.
func (r *reader) count() int {
	n := int(r.number())
	if n > len(r.b) {
		r.broken, r.b = true, nil
		return 0
	}
	return n
}

func (r *reader) text() string {
	n := r.count()
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}
