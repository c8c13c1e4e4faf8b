package sqlstore

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/holdfast-go/holdfast/runtime/store"
)

// digest is what a key is found by: SHA-256 over its kind and its parts, each with its
// length before it, so that no two keys are one when their parts are joined. Keys come from
// callers, with any bytes in them, which a text column does not take.
func digest(kind string, parts ...string) []byte {
	h := sha256.New()
	var length [8]byte
	for _, part := range append([]string{kind}, parts...) {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write([]byte(part))
	}
	return h.Sum(nil)
}

func recordKey(id store.RecordID) []byte {
	return digest("holdfast/idempotency", id.Scope, id.Operation, id.Key)
}

// lockNumber is the number of an advisory lock: 64 bits of a digest. Two keys that share
// one are taken for the same at the same moment only, which costs a wait.
func lockNumber(key []byte) int64 {
	return int64(binary.BigEndian.Uint64(key))
}

// maxShown is the longest name, in bytes, of an operation in the table.
const maxShown = 200

// shown is the name of an operation for those who look at the table. PostgreSQL's texts
// are UTF-8 without NUL.
func shown(operation string) string {
	if len(operation) > maxShown {
		operation = operation[:maxShown]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(operation, string(utf8.RuneError)), "\x00", string(utf8.RuneError))
}

var errHeader = errors.New("sqlstore: the header of a stored result is broken")

// appendHeader writes the fields of a header so that any bytes are kept: a text is its
// length and its bytes, a list its length and its elements. Lengths are uvarints.
func appendHeader(b []byte, fields []store.HeaderField) []byte {
	text := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	b = binary.AppendUvarint(b, uint64(len(fields)))
	for _, f := range fields {
		text(f.Name)
		b = binary.AppendUvarint(b, uint64(len(f.Values)))
		for _, v := range f.Values {
			text(v)
		}
	}
	return b
}

// headerReader reads what appendHeader wrote. Every length is held against what is left:
// nothing larger than the input is made.
type headerReader struct {
	rest []byte
	bad  bool
}

func (r *headerReader) length() int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > uint64(len(r.rest)-size) {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

func (r *headerReader) text() string {
	n := r.length()
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}

func parseHeader(b []byte) ([]store.HeaderField, error) {
	if len(b) == 0 {
		return nil, nil
	}
	r := headerReader{rest: b}
	var fields []store.HeaderField
	for n := r.length(); n > 0 && !r.bad; n-- {
		f := store.HeaderField{Name: r.text()}
		for n := r.length(); n > 0 && !r.bad; n-- {
			f.Values = append(f.Values, r.text())
		}
		fields = append(fields, f)
	}
	if r.bad || len(r.rest) > 0 {
		return nil, errHeader
	}
	return fields, nil
}
