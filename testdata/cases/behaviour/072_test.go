package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"testing"

	api "cases/c072"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	parts "github.com/holdfast-go/holdfast/runtime/codec/multipart"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// service is the method of the operation.
type service func(api.IngestRequest) error

func (s service) Ingest(_ context.Context, req api.IngestRequest) error { return s(req) }

func newClient(t *testing.T, url string) *api.Client {
	t.Helper()
	c, err := api.New(client.BaseURL(url))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// upload sends a multipart body that write writes while the server reads.
func upload(t *testing.T, url string, write func(*multipart.Writer) error) (status int) {
	t.Helper()
	r, w := io.Pipe()
	form := multipart.NewWriter(w)
	go func() {
		err := write(form)
		if err == nil {
			err = form.Close()
		}
		w.CloseWithError(err)
	}()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/ingest", r)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

func addFile(form *multipart.Writer, name, text string) error {
	w, err := form.CreateFormFile(name, name+".bin")
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}

// The method has read the first part before the second one is written.
func TestMethodRunsWhileTheBodyArrives(t *testing.T) {
	first := make(chan string, 1)
	var second string
	url := kit.Serve(t, api.NewHandler(service(func(req api.IngestRequest) error {
		a, err := io.ReadAll(req.Body.A.Reader)
		if err != nil {
			return err
		}
		first <- string(a)
		b, err := io.ReadAll(req.Body.B.Reader)
		second = string(b)
		return err
	})))
	var seen string
	status := upload(t, url, func(form *multipart.Writer) error {
		if err := addFile(form, "a", "alpha"); err != nil {
			return err
		}
		// The boundary behind a part is what ends it, so b begins before a can end.
		w, err := form.CreateFormFile("b", "b.bin")
		if err != nil {
			return err
		}
		select {
		case seen = <-first:
		case <-t.Context().Done():
			return t.Context().Err()
		}
		_, err = io.WriteString(w, "beta")
		return err
	})
	if status != http.StatusAccepted || seen != "alpha" || second != "beta" {
		t.Errorf("status %d, first %q, second %q", status, seen, second)
	}
}

// The same from the generated client, whose second file is a pipe.
func TestClientStreams(t *testing.T) {
	r, w := io.Pipe()
	var second string
	url := kit.Serve(t, api.NewHandler(service(func(req api.IngestRequest) error {
		a, err := io.ReadAll(req.Body.A.Reader)
		if err != nil {
			return err
		}
		go func() {
			_, err := io.WriteString(w, "after "+string(a))
			w.CloseWithError(err)
		}()
		b, err := io.ReadAll(req.Body.B.Reader)
		second = string(b)
		return err
	})))
	err := newClient(t, url).Ingest(t.Context(), api.IngestRequest{Body: api.IngestBody{
		A: parts.FileBytes("a.bin", []byte("alpha")), B: parts.FileReader("b.bin", r),
	}})
	if err != nil || second != "after alpha" {
		t.Errorf("second %q, %v", second, err)
	}
}

// What the client sends is multipart/form-data with a part for each file.
func TestBodyOnTheWire(t *testing.T) {
	wire := kit.Record(t, kit.Reply{Status: http.StatusAccepted})
	err := newClient(t, wire.URL).Ingest(t.Context(), api.IngestRequest{Body: api.IngestBody{
		A: parts.FileBytes("a.bin", []byte("\x00alpha")), B: parts.FileBytes("", []byte("beta")),
	}})
	if err != nil {
		t.Fatal(err)
	}
	last := wire.Last(t)
	media, params, err := mime.ParseMediaType(last.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" {
		t.Fatalf("Content-Type %q", last.Header.Get("Content-Type"))
	}
	if last.Length != int64(len(last.Body)) {
		t.Errorf("length %d of %d bytes", last.Length, len(last.Body))
	}
	var got []string
	for form := multipart.NewReader(strings.NewReader(last.Body), params["boundary"]); ; {
		part, err := form.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		if part.FileName() == "" {
			t.Errorf("%s has no file name", part.FormName())
		}
		got = append(got, fmt.Sprintf("%s %s %q", part.FormName(), part.Header.Get("Content-Type"), text))
	}
	want := []string{`a application/octet-stream "\x00alpha"`, `b application/octet-stream "beta"`}
	if !kit.SameSet(got, want) {
		t.Errorf("parts %q, want %q", got, want)
	}
}

// A method may return without reading; what it leaves does not become the next
// request.
func TestRestIsLeftUnread(t *testing.T) {
	for _, size := range []int{10, 200 << 10, 4 << 20} {
		url := kit.Serve(t, api.NewHandler(service(func(api.IngestRequest) error { return nil })))
		for range 3 {
			status := upload(t, url, func(form *multipart.Writer) error {
				if err := addFile(form, "a", "alpha"); err != nil {
					return err
				}
				// The server may hang up on so much that nobody reads.
				_ = addFile(form, "b", strings.Repeat("b", size))
				return nil
			})
			if status != http.StatusAccepted {
				t.Errorf("%d bytes unread: status %d", size, status)
			}
		}
	}
}

func TestTooLargeBody(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var errs []error
	h := api.NewHandler(service(func(req api.IngestRequest) error {
		_, err := io.Copy(io.Discard, req.Body.A.Reader)
		if err == nil {
			_, err = io.Copy(io.Discard, req.Body.B.Reader)
		}
		errs = append(errs, err)
		return err
	}), server.StreamLimit(64<<10))
	url := kit.Serve(t, h)
	const large = 100 << 10
	status := upload(t, url, func(form *multipart.Writer) error {
		if err := addFile(form, "a", "alpha"); err != nil {
			return err
		}
		_ = addFile(form, "b", strings.Repeat("b", large))
		return nil
	})
	var tooLarge *http.MaxBytesError
	if status != http.StatusRequestEntityTooLarge || len(errs) != 1 || !errors.As(errs[0], &tooLarge) {
		t.Errorf("in chunks: status %d, the method got %v", status, errs)
	}

	// With a length that says so, no method is called.
	errs = nil
	body := "--x\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a\"\r\n\r\n" + strings.Repeat("a", large) + "\r\n--x--\r\n"
	got := kit.Send(t, http.MethodPost, url+"/ingest", body, "Content-Type: multipart/form-data; boundary=x")
	if got.Status != http.StatusRequestEntityTooLarge || len(errs) != 0 {
		t.Errorf("with a length: status %d, %d calls", got.Status, len(errs))
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) != 0 {
		t.Errorf("temporary files %v, %v", left, err)
	}
}
