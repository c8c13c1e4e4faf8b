package content_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/codec/content"
)

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		pattern, contentType string
		want                 bool
	}{
		{"application/json", "application/json; charset=UTF-8", true},
		{"application/json", "APPLICATION/JSON", true},
		{"application/json; charset=utf-8", "application/json", true},
		{"application/hal+json", "application/hal+json;profile=x", true},
		{"application/json", "application/problem+json", false},
		{"image/*", "image/png", true},
		{"image/*", "image/svg+xml", true},
		{"image/*", "text/plain", false},
		{"*/*", "application/json", true},
		{"*", "application/json", true},
		{"*/*", "", false},
		{"text/plain", "text/", false},
		{"text/*", "text/", false},
		{"application/json", "application/json " + strings.Repeat("x", 1000), false},
	} {
		if got := content.Match(test.pattern, test.contentType); got != test.want {
			t.Errorf("Match(%q, %q) = %v", test.pattern, test.contentType, got)
		}
	}
}

func TestConcrete(t *testing.T) {
	for _, test := range []struct{ mediaType, usual, want string }{
		{"*/*", "application/json", "application/json"},
		{"application/*", "application/json", "application/json"},
		{"*", "text/plain", "text/plain"},
		{"text/*;q=1", "text/plain", "text/plain"},
		{"image/*", "text/plain", "image/*"},
		{"text/csv", "text/plain", "text/csv"},
		{"", "text/plain", ""},
	} {
		if got := content.Concrete(test.mediaType, test.usual); got != test.want {
			t.Errorf("Concrete(%q, %q) = %q, want %q", test.mediaType, test.usual, got, test.want)
		}
	}
}

func TestTypes(t *testing.T) {
	for _, json := range []string{"application/json", "application/vnd.a+JSON; x=y", "text/json"} {
		if !content.IsJSON(json) {
			t.Errorf("%s is not JSON", json)
		}
	}
	for _, other := range []string{"", "+json", "application/jsonl", "text/plain", "application/x-json+xml"} {
		if content.IsJSON(other) {
			t.Errorf("%s is JSON", other)
		}
	}
	for _, valid := range []string{"image/png", "text/plain; charset=utf-8", "application/vnd.a.v2+json"} {
		if !content.Valid(valid) {
			t.Errorf("%s is not valid", valid)
		}
	}
	for _, bad := range []string{"", "image", "image/", "/png", "image/*", "*/*", "a b/c", "text/plain\r\nX: y", "text/plain; a=\x7f"} {
		if content.Valid(bad) {
			t.Errorf("%q is valid", bad)
		}
	}
}

// onlyReader hides everything but Read.
type onlyReader struct{ r io.Reader }

func (o onlyReader) Read(p []byte) (int, error) { return o.r.Read(p) }

// seeker hides everything but Read and Seek.
type seeker struct{ r *strings.Reader }

func (s seeker) Read(p []byte) (int, error)              { return s.r.Read(p) }
func (s seeker) Seek(n int64, whence int) (int64, error) { return s.r.Seek(n, whence) }

func TestSources(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("xhello"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	advance := func(r io.Reader) io.Reader {
		if _, err := io.ReadFull(r, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		return r
	}
	for name, r := range map[string]io.Reader{
		"bytes.Reader":   advance(bytes.NewReader([]byte("xhello"))),
		"strings.Reader": advance(strings.NewReader("xhello")),
		"bytes.Buffer":   advance(bytes.NewBufferString("xhello")),
		"file":           advance(file),
		"seeker":         advance(seeker{strings.NewReader("xhello")}),
	} {
		s := content.Of(r)
		if s.Size != 5 || !s.Replayable {
			t.Errorf("%s: size %d, replayable %v", name, s.Size, s.Replayable)
		}
		for range 3 {
			body, err := s.Open()
			if err != nil {
				t.Fatal(err)
			}
			if b, err := io.ReadAll(body); err != nil || string(b) != "hello" {
				t.Errorf("%s: %q, %v", name, b, err)
			}
			_ = body.Close()
		}
	}
	s := content.Of(onlyReader{strings.NewReader("hello")})
	if s.Size != content.Unknown || s.Replayable {
		t.Errorf("reader: size %d, replayable %v", s.Size, s.Replayable)
	}
	if _, err := s.Open(); err != nil {
		t.Error(err)
	}
	if _, err := s.Open(); !errors.Is(err, content.ErrConsumed) {
		t.Errorf("second time: %v", err)
	}
	for _, none := range []io.Reader{nil, (*bytes.Buffer)(nil), (*bytes.Reader)(nil), (*strings.Reader)(nil), (*os.File)(nil)} {
		if s := content.Of(none); s.Size != 0 || !s.Replayable {
			t.Errorf("%T: size %d", none, s.Size)
		}
	}
}

// A pipe is an *os.File that cannot be read twice.
func TestPipeIsReadOnce(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if s := content.Of(r); s.Replayable || s.Size != content.Unknown {
		t.Errorf("size %d, replayable %v", s.Size, s.Replayable)
	}
}
