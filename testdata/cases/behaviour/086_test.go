package api_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	api "cases/c086"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/value"
)

type service struct {
	put func(context.Context, api.PutBigRequest) (*api.PutBigResponse, error)
	get func(context.Context, api.GetBigRequest) (api.GetBigResult, error)
}

func (s *service) PutBig(ctx context.Context, req api.PutBigRequest) (*api.PutBigResponse, error) {
	return s.put(ctx, req)
}

func (s *service) GetBig(ctx context.Context, req api.GetBigRequest) (api.GetBigResult, error) {
	return s.get(ctx, req)
}

func newClient(t *testing.T, url string, opts ...client.Option) *api.Client {
	t.Helper()
	c, err := api.New(append(opts, client.BaseURL(url))...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const (
	big       = 2 << 30
	heapLimit = 16 << 20
	// patience is for slow machines; a policy would say how long a call may take.
	patience = 10 * time.Minute
)

// zeros is an endless reader.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// heap is a writer that counts its bytes and looks at the heap every 64 MiB of them.
type heap struct{ n, next, most int64 }

func (h *heap) Write(p []byte) (int, error) {
	h.n += int64(len(p))
	if h.n >= h.next {
		h.next = h.n + 64<<20
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		h.most = max(h.most, int64(m.HeapAlloc))
	}
	return len(p), nil
}

func (h *heap) check(t *testing.T) {
	t.Helper()
	if h.n != big {
		t.Errorf("%d bytes arrived, want %d", h.n, big)
	}
	if h.most == 0 || h.most >= heapLimit {
		t.Errorf("the heap grew to %d bytes, want less than %d", h.most, heapLimit)
	}
}

func TestLargeUpload(t *testing.T) {
	debug.FreeOSMemory() // what other tests have left does not count
	var h heap
	var length int64
	url := kit.Serve(t, api.NewHandler(&service{put: func(ctx context.Context, req api.PutBigRequest) (*api.PutBigResponse, error) {
		_, err := io.Copy(&h, req.Body)
		return &api.PutBigResponse{ETag: value.Some(`"` + req.Key + `"`)}, err
	}}))
	c := newClient(t, url, client.BeforeAttempt(func(r *http.Request) error {
		length = r.ContentLength
		return nil
	}))
	res, err := c.PutBig(t.Context(), api.PutBigRequest{Key: "a/b", Body: io.LimitReader(zeros{}, big)}, client.PerTry(patience), client.Within(patience))
	if err != nil || !reflect.DeepEqual(res, &api.PutBigResponse{ETag: value.Some(`"a/b"`)}) {
		t.Fatalf("%+v, %v", res, err)
	}
	if length > 0 {
		t.Errorf("length %d of a reader that does not tell", length)
	}
	h.check(t)
}

func TestLargeDownload(t *testing.T) {
	debug.FreeOSMemory()
	url := kit.Serve(t, api.NewHandler(&service{get: func(context.Context, api.GetBigRequest) (api.GetBigResult, error) {
		return &api.GetBigOK{Body: io.NopCloser(io.LimitReader(zeros{}, big))}, nil
	}}))
	res, err := newClient(t, url).GetBig(t.Context(), api.GetBigRequest{Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	body := res.(*api.GetBigOK).Body
	var h heap
	if _, err := io.Copy(&h, body); err != nil {
		t.Fatal(err)
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
	h.check(t)
}

// A size that is known is sent, and what can be read again can be sent again.
func TestKnownSizes(t *testing.T) {
	wire := kit.Record(t, kit.Reply{Status: http.StatusCreated, Header: map[string]string{"ETag": `"1"`}})
	var rewinds bool
	c := newClient(t, wire.URL, client.BeforeAttempt(func(r *http.Request) error {
		rewinds = r.GetBody != nil
		return nil
	}))
	file, err := os.Create(filepath.Join(t.TempDir(), "big"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString("hello file"); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		body    io.Reader
		text    string
		length  int64
		rewinds bool
	}{
		{"*os.File", file, "hello file", 10, true},
		{"*bytes.Reader", bytes.NewReader([]byte("hello")), "hello", 5, true},
		{"*strings.Reader", strings.NewReader("hello"), "hello", 5, true},
		{"*bytes.Buffer", bytes.NewBufferString("hello"), "hello", 5, true},
		{"io.Reader", io.LimitReader(strings.NewReader("hello"), 10), "hello", -1, false},
	} {
		res, err := c.PutBig(t.Context(), api.PutBigRequest{Key: "k", Body: test.body})
		if err != nil || res.ETag != value.Some(`"1"`) {
			t.Errorf("%s: %+v, %v", test.name, res, err)
			continue
		}
		last := wire.Last(t)
		if last.Body != test.text || last.Length != test.length || rewinds != test.rewinds {
			t.Errorf("%s: %q of length %d, rewinds %v; want %q, %d, %v", test.name, last.Body, last.Length, rewinds, test.text, test.length, test.rewinds)
		}
		if got := last.Header.Get("Content-Type"); got != "application/octet-stream" || last.Target != "/big/k" {
			t.Errorf("%s: %q to %s", test.name, got, last.Target)
		}
	}

	url := kit.Serve(t, api.NewHandler(&service{get: func(context.Context, api.GetBigRequest) (api.GetBigResult, error) {
		f, err := os.Open(file.Name())
		return &api.GetBigOK{Body: f}, err
	}}))
	if got := kit.Send(t, http.MethodGet, url+"/big/k", ""); got.Body != "hello file" || got.Header.Get("Content-Length") != "10" {
		t.Errorf("download of a file: %+v", got)
	}
}

func TestRange(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(&service{get: func(_ context.Context, req api.GetBigRequest) (api.GetBigResult, error) {
		if req.Range != value.Some("bytes=1-3") {
			return nil, errors.ErrUnsupported
		}
		return &api.GetBigPartialContent{ContentRange: value.Some("bytes 1-3/10"), Body: io.NopCloser(strings.NewReader("ell"))}, nil
	}}))
	res, err := newClient(t, url).GetBig(t.Context(), api.GetBigRequest{Key: "k", Range: value.Some("bytes=1-3")})
	part, ok := res.(*api.GetBigPartialContent)
	if err != nil || !ok {
		t.Fatalf("%#v, %v", res, err)
	}
	text, err := io.ReadAll(part.Body)
	if err != nil || string(text) != "ell" || part.ContentRange != value.Some("bytes 1-3/10") || part.ContentType != "application/octet-stream" {
		t.Errorf("%q, %v, %+v", text, err, part)
	}
}

// endless is a download that goes on until it is closed.
type endless struct {
	zeros
	closed chan struct{}
}

func (e endless) Close() error {
	close(e.closed)
	return nil
}

// Closing a body that was not read to its end frees its connection on both sides.
func TestCloseReleasesTheConnection(t *testing.T) {
	source := endless{closed: make(chan struct{})}
	url := kit.Serve(t, api.NewHandler(&service{get: func(context.Context, api.GetBigRequest) (api.GetBigResult, error) {
		return &api.GetBigOK{Body: source}, nil
	}}))
	// With one connection at most, a second call needs the first one's back.
	transport := &http.Transport{MaxConnsPerHost: 1}
	defer transport.CloseIdleConnections()
	c := newClient(t, url, client.Transport(transport))
	for range 3 {
		source.closed = make(chan struct{})
		res, err := c.GetBig(t.Context(), api.GetBigRequest{Key: "k"})
		if err != nil {
			t.Fatal(err)
		}
		body := res.(*api.GetBigOK).Body
		if _, err := io.ReadFull(body, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		if err := body.Close(); err != nil {
			t.Error(err)
		}
		<-source.closed
		if _, err := body.Read(make([]byte, 1)); !errors.Is(err, client.ErrClosed) {
			t.Errorf("read of a closed body: %v", err)
		}
	}
}

func TestCancelDownload(t *testing.T) {
	hold := make(chan struct{})
	r, w := io.Pipe()
	defer w.Close()
	url := kit.Serve(t, api.NewHandler(&service{get: func(context.Context, api.GetBigRequest) (api.GetBigResult, error) {
		return &api.GetBigOK{Body: r}, nil
	}}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		_, _ = w.Write([]byte("x"))
		<-hold
		cancel()
	}()
	res, err := newClient(t, url).GetBig(ctx, api.GetBigRequest{Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	body := res.(*api.GetBigOK).Body
	defer body.Close()
	if _, err := io.ReadFull(body, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	close(hold)
	_, err = body.Read(make([]byte, 1))
	if took := time.Since(start); !errors.Is(err, context.Canceled) || took > time.Second {
		t.Errorf("%v after %v, want context.Canceled within a second", err, took)
	}
}

func TestCancelUpload(t *testing.T) {
	gone := make(chan struct{})
	begun := make(chan struct{})
	url := kit.Serve(t, api.NewHandler(&service{put: func(ctx context.Context, req api.PutBigRequest) (*api.PutBigResponse, error) {
		close(begun)
		_, err := io.Copy(io.Discard, req.Body)
		close(gone)
		return nil, err
	}}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w := io.Pipe()
	defer w.Close()
	var start time.Time
	go func() {
		_, _ = w.Write([]byte("x"))
		<-begun
		start = time.Now()
		cancel()
	}()
	_, err := newClient(t, url).PutBig(ctx, api.PutBigRequest{Key: "k", Body: r})
	var failed *fault.Error
	if !errors.Is(err, context.Canceled) || !errors.As(err, &failed) || failed.Kind != fault.Canceled {
		t.Errorf("%v, want one of kind Canceled", err)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("ended %v after it was cancelled", took)
	}
	<-gone
}

// A key that leaves nothing of the path is not sent.
func TestEmptyKey(t *testing.T) {
	wire := kit.Record(t)
	_, err := newClient(t, wire.URL).GetBig(t.Context(), api.GetBigRequest{})
	if err == nil || !strings.Contains(err.Error(), "path key") || len(wire.Requests()) != 0 {
		t.Errorf("%v, %d requests", err, len(wire.Requests()))
	}
}
