package multipart_test

import (
	"bytes"
	"errors"
	"io"
	"mime"
	stdmultipart "mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/codec/content"
	"github.com/holdfast-go/holdfast/runtime/codec/multipart"
)

func source(t *testing.T, b *multipart.Body) content.Source {
	t.Helper()
	s, err := b.Source()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func readAll(t *testing.T, s content.Source) []byte {
	t.Helper()
	r, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What is written is read by the standard library and by Reader, twice, and is
// as long as it was said to be.
func TestWriteAndRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a \"b\".txt")
	if err := os.WriteFile(path, []byte("file"), 0o600); err != nil {
		t.Fatal(err)
	}
	onDisk, err := multipart.FileOf(path)
	if err != nil {
		t.Fatal(err)
	}
	b := multipart.New("")
	b.Text("note", "", "hello\r\n", nil)
	b.Bytes("meta", "application/json", []byte(`{"a":1}`), http.Header{"X-Two": {"2"}, "X-One": {"1"}})
	b.File("doc", "text/plain", onDisk, nil)
	b.File("img", "image/*", multipart.FileReader("", strings.NewReader("png")), nil)
	b.File("img", "", multipart.File{Name: "ü.png", ContentType: "image/png", Reader: bytes.NewReader([]byte("png2"))}, nil)
	b.Text("empty", "", "", nil)
	s := source(t, b)
	data := readAll(t, s)
	if s.Size != int64(len(data)) || !s.Replayable {
		t.Errorf("size %d of %d, replayable %v", s.Size, len(data), s.Replayable)
	}
	if again := readAll(t, s); !bytes.Equal(data, again) {
		t.Error("the second reading differs")
	}
	type got struct{ name, file, contentType, text string }
	want := []got{
		{"note", "", "", "hello\r\n"},
		{"meta", "", "application/json", `{"a":1}`},
		{"doc", `a "b".txt`, "text/plain", "file"},
		{"img", "img", "application/octet-stream", "png"},
		{"img", "ü.png", "image/png", "png2"},
		{"empty", "", "", ""},
	}
	_, params, err := mime.ParseMediaType(b.ContentType())
	if err != nil {
		t.Fatal(err)
	}
	std := stdmultipart.NewReader(bytes.NewReader(data), params["boundary"])
	r, err := multipart.NewReader(bytes.NewReader(data), b.ContentType(), multipart.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		p, err := std.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(p)
		if g := (got{p.FormName(), p.FileName(), p.Header.Get("Content-Type"), string(text)}); g != w {
			t.Errorf("the standard library reads %q, want %q", g, w)
		}
		own, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		ownText, err := own.Text()
		if g := (got{own.Name, own.FileName, own.ContentType, ownText}); g != w || err != nil {
			t.Errorf("Reader reads %q, %v, want %q", g, err, w)
		}
		if own.Name == "meta" && (own.Header.Get("X-One") != "1" || own.Header.Get("X-Two") != "2") {
			t.Errorf("headers %v", own.Header)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

type onlyReader struct{ io.Reader }

func TestReaderPartIsSentOnce(t *testing.T) {
	b := multipart.New("")
	b.File("f", "", multipart.FileReader("f", onlyReader{strings.NewReader("x")}), nil)
	s := source(t, b)
	if s.Replayable || s.Size != content.Unknown {
		t.Errorf("size %d, replayable %v", s.Size, s.Replayable)
	}
	readAll(t, s)
	r, _ := s.Open()
	if _, err := io.ReadAll(r); !errors.Is(err, content.ErrConsumed) {
		t.Errorf("second time: %v", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, fill := range map[string]func(*multipart.Body){
		"control character": func(b *multipart.Body) { b.Text("a\r\nX: y", "", "", nil) },
		"content type":      func(b *multipart.Body) { b.Text("a", "text/plain\r\nX: y", "", nil) },
		"line break":        func(b *multipart.Body) { b.Text("a", "", "", http.Header{"X": {"a\nb"}}) },
		"cannot be sent":    func(b *multipart.Body) { b.Text("a", "", "", http.Header{"X:": {"a"}}) },
		"neither":           func(b *multipart.Body) { b.File("a", "", multipart.File{}, nil) },
	} {
		b := multipart.New("")
		fill(b)
		b.Text("later", "", "", nil)
		if _, err := b.Source(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := multipart.New("multipart/*").Source(); err == nil {
		t.Error("a range is sent")
	}
	for size, say := range map[int64]string{2: "longer", 9: "shorter"} {
		b := multipart.New("")
		b.File("a", "", multipart.File{Size: size, Reader: onlyReader{strings.NewReader("four")}}, nil)
		r, _ := source(t, b).Open()
		if _, err := io.ReadAll(r); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("size %d: %v", size, err)
		}
	}
}

func TestReadBounds(t *testing.T) {
	b := multipart.New("")
	for range 3 {
		b.Text("a", "", "12345", nil)
	}
	data := readAll(t, source(t, b))
	r, err := multipart.NewReader(bytes.NewReader(data), b.ContentType(), multipart.Limits{Parts: 2, Text: 4})
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Text(); !errors.Is(err, multipart.ErrTooLarge) {
		t.Errorf("text: %v", err)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); !errors.Is(err, multipart.ErrTooManyParts) {
		t.Errorf("parts: %v", err)
	}
	for _, contentType := range []string{"", "multipart/form-data", "text/plain; boundary=a", "multipart/form-data; boundary=" + strings.Repeat("a", 71)} {
		if _, err := multipart.NewReader(nil, contentType, multipart.Limits{}); !errors.Is(err, multipart.ErrNotMultipart) {
			t.Errorf("%q: %v", contentType, err)
		}
	}
}

// The first part is there while the second is still being written.
func TestReadStreams(t *testing.T) {
	in, out := io.Pipe()
	first := make(chan struct{})
	b := multipart.New("")
	b.File("a", "", multipart.FileReader("a", strings.NewReader("one")), nil)
	b.File("b", "", multipart.FileReader("b", waiting{first, strings.NewReader("two")}), nil)
	go func() {
		body, _ := source2(b).Open()
		_, err := io.Copy(out, body)
		_ = out.CloseWithError(err)
	}()
	r, err := multipart.NewReader(in, b.ContentType(), multipart.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if text, err := p.Text(); text != "one" || err != nil {
		t.Fatalf("%q, %v", text, err)
	}
	close(first)
	p, err = r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if text, err := p.Text(); text != "two" || err != nil {
		t.Fatalf("%q, %v", text, err)
	}
}

func source2(b *multipart.Body) content.Source { s, _ := b.Source(); return s }

type waiting struct {
	until chan struct{}
	r     io.Reader
}

func (w waiting) Read(p []byte) (int, error) { <-w.until; return w.r.Read(p) }

// zeros is a file of any size.
type zeros struct{ left int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), z.left))
	z.left -= int64(n)
	return n, nil
}

func TestLargeFileInConstantMemory(t *testing.T) {
	const size = 1 << 30
	b := multipart.New("")
	b.File("big", "", multipart.File{Size: size, Reader: &zeros{size}}, nil)
	s := source(t, b)
	if s.Size <= size {
		t.Errorf("size %d", s.Size)
	}
	r, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, err := io.Copy(io.Discard, r)
	runtime.ReadMemStats(&after)
	if n != s.Size || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("%d bytes allocated", grown)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--b--\r\n"), "multipart/form-data; boundary=b")
	f.Add([]byte("--b--"), "multipart/mixed; boundary=\"b\"")
	f.Fuzz(func(t *testing.T, data []byte, contentType string) {
		r, err := multipart.NewReader(bytes.NewReader(data), contentType, multipart.Limits{Parts: 10, Text: 1000})
		if err != nil {
			return
		}
		for range 20 {
			p, err := r.Next()
			if err != nil {
				return
			}
			_, _ = p.Bytes()
		}
		t.Error("more parts than the limit")
	})
}
