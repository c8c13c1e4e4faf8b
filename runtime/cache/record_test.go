package cache_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/holdfast-go/holdfast/runtime/cache"
)

// A response is stored with the end of its body and never before.
func TestStoredAtEnd(t *testing.T) {
	broken := errors.New("broken")
	for _, tc := range []struct {
		name   string
		length int64
		body   func() io.Reader
		read   func(io.Reader)
		stored bool
	}{
		{"whole", 4, func() io.Reader { return strings.NewReader("text") }, func(r io.Reader) { _, _ = io.ReadAll(r) }, true},
		{"of unknown length", -1, func() io.Reader { return strings.NewReader("text") }, func(r io.Reader) { _, _ = io.ReadAll(r) }, true},
		{"by one byte", -1, func() io.Reader { return iotest.OneByteReader(strings.NewReader("text")) }, func(r io.Reader) { _, _ = io.ReadAll(r) }, true},
		{"end with data", -1, func() io.Reader { return iotest.DataErrReader(strings.NewReader("text")) }, func(r io.Reader) { _, _ = io.ReadAll(r) }, true},
		{"the end not asked for", 4, func() io.Reader { return strings.NewReader("text") }, func(r io.Reader) { _, _ = io.ReadFull(r, make([]byte, 4)) }, true},
		{"the end not known", -1, func() io.Reader { return strings.NewReader("text") }, func(r io.Reader) { _, _ = io.ReadFull(r, make([]byte, 4)) }, false},
		{"closed early", 4, func() io.Reader { return strings.NewReader("text") }, func(r io.Reader) { _, _ = io.ReadFull(r, make([]byte, 2)) }, false},
		{"not read", 4, func() io.Reader { return strings.NewReader("text") }, func(io.Reader) {}, false},
		{"too short", 5, func() io.Reader { return strings.NewReader("text") }, func(r io.Reader) { _, _ = io.ReadAll(r) }, false},
		{"broken", -1, func() io.Reader { return io.MultiReader(strings.NewReader("te"), iotest.ErrReader(broken)) }, func(r io.Reader) { _, _ = io.ReadAll(r) }, false},
		{"too large", -1, func() io.Reader { return bytes.NewReader(make([]byte, 101)) }, func(r io.Reader) { _, _ = io.ReadAll(r) }, false},
		{"told to be too large", 101, func() io.Reader { return bytes.NewReader(make([]byte, 101)) }, func(r io.Reader) { _, _ = io.ReadAll(r) }, false},
		{"as large as allowed", -1, func() io.Reader { return bytes.NewReader(make([]byte, 100)) }, func(r io.Reader) { _, _ = io.ReadAll(r) }, true},
		{"empty", 0, func() io.Reader { return strings.NewReader("") }, func(io.Reader) {}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			store := &cache.Memory{}
			u := use(t, cache.Options{MaxEntry: 100, Store: store}, nil, func(int, *http.Request) *reply {
				h := response(200, "", "Cache-Control: max-age=60")
				h.body, h.length = tc.body(), tc.length
				return h
			})
			h, err := u.RoundTrip(u.request("GET", "http://x.test/a"))
			if err != nil {
				t.Fatal(err)
			}
			if store.Len() != 0 && tc.length != 0 {
				t.Error("it is stored before its body was read")
			}
			tc.read(h.Body)
			_ = h.Body.Close()
			_ = h.Body.Close()
			if stored := store.Len() == 1; stored != tc.stored {
				t.Errorf("stored %v", stored)
			}
		})
	}
}
