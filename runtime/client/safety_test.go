package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Every failure is an error and a zero result, never a panic.
func TestNilSafety(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	get := GetBookingRequest{ID: "1"}
	for name, handler := range map[string]http.HandlerFunc{
		"500":        answer(500, "text/plain", "x"),
		"wrong type": answer(200, "text/html", "<p>"),
		"empty":      answer(200, "application/json", ""),
		"null":       answer(200, "application/json", "null"),
	} {
		c, err := New(client.BaseURL(newServer(t, handler)), nil, client.HTTP(nil), client.Transport(nil), client.Observe(nil),
			client.BeforeAttempt(nil), client.AfterAttempt(nil))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := c.GetBooking(t.Context(), get, nil, client.NoRetry()); b != nil || err == nil {
			t.Errorf("%s: %v, %v", name, b, err)
		}
	}
	c, err := New(client.BaseURL(closed.URL))
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.GetBooking(t.Context(), get, client.NoRetry())
	if f := faultOf(t, err); b != nil || f.Kind != fault.Transport || f.Effect != fault.Safe {
		t.Errorf("dial: %v, %v", b, err)
	}
	if b, err := c.GetBooking(nil, get); b != nil || faultOf(t, err).Kind != fault.Request { //nolint:staticcheck // what it is about
		t.Errorf("nil context: %v, %v", b, err)
	}
	if b, err := (&Client{}).GetBooking(t.Context(), get); b != nil || faultOf(t, err).Kind != fault.Request {
		t.Errorf("zero client: %v, %v", b, err)
	}
	if b, err := (&Client{new(client.Core)}).GetBooking(t.Context(), get); b != nil || err == nil {
		t.Errorf("zero core: %v, %v", b, err)
	}
	if _, err := client.Do(t.Context(), c.core, &client.Operation[None]{}, nil, nil); err == nil {
		t.Error("an operation without a spec is called")
	}
	if err := client.Exec(t.Context(), c.core, op("GET", "/", noContent), nil, nil); err == nil {
		t.Error("nothing listens, yet the call succeeds")
	}
	var none *http.Client
	var typed *http.Transport
	if _, err := New(client.BaseURL(closed.URL), client.HTTP(none), client.Transport(typed)); err != nil {
		t.Error(err)
	}
	// A transport that breaks its contract.
	c, err = New(client.BaseURL(closed.URL), client.Transport(transport(func(*http.Request) (*http.Response, error) { return nil, nil }))) //nolint:nilnil // What it is about.
	if err != nil {
		t.Fatal(err)
	}
	if b, err := c.GetBooking(t.Context(), get); b != nil || err == nil {
		t.Errorf("no response: %v, %v", b, err)
	}
	var status *client.StatusError
	var decode *client.DecodeError
	if status.Error() == "" || status.Unwrap() != nil || decode.Error() == "" || decode.Unwrap() != nil {
		t.Error("nil errors")
	}
	var noCore *client.Core
	noCore.CloseIdle()
	if noCore.Breakers() != nil || new(client.Core).Breakers() != nil {
		t.Error("breakers of nothing")
	}
}

type None = client.None

// A context that has ended sends nothing and is told by its own error.
func TestEndedContext(t *testing.T) {
	sends := 0
	c := coreOf(t, &client.API{}, client.BaseURL("http://h"), client.Transport(transport(func(*http.Request) (*http.Response, error) { sends++; return nil, io.EOF })))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := client.Do(ctx, c, op("GET", "/", noContent), new(encoder), nil)
	if f := faultOf(t, err); !errors.Is(err, context.Canceled) || f.Kind != fault.Canceled || sends != 0 {
		t.Errorf("%v, %d sends", err, sends)
	}
}

// sized is n bytes from nowhere.
type sized struct{ left int64 }

func (s *sized) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), s.left))
	s.left -= int64(n)
	return n, nil
}

// peak watches the heap while f runs.
func peak(f func()) uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	base, top := m.HeapAlloc, uint64(0)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
				runtime.ReadMemStats(&m)
				top = max(top, m.HeapAlloc)
			}
		}
	})
	f()
	close(done)
	wg.Wait()
	if top < base {
		return 0
	}
	return top - base
}

// 512 MiB each way in constant memory; a size that is known is sent as such.
func TestLargeBodies(t *testing.T) {
	const size, limit = 512 << 20, 16 << 20
	var length int64
	c := core(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			n, _ := io.CopyBuffer(io.Discard, r.Body, make([]byte, 256<<10))
			length = r.ContentLength
			if n == size {
				w.WriteHeader(http.StatusNoContent)
			}
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = io.CopyBuffer(onlyWriter{w}, &sized{size}, make([]byte, 256<<10))
	})
	long := func(s *policy.Spec) { s.Client.Timeout = &policy.Timeout{Idle: time.Minute, Total: policy.None} }
	used := peak(func() {
		_, err := call(t, c, op("PUT", "/big", noContent, long), func(r *client.Request) {
			r.Path("/big")
			r.Binary("application/octet-stream", &sized{size})
		})
		if err != nil || length != -1 {
			t.Errorf("upload: %v, length %d", err, length)
		}
	})
	if used > limit {
		t.Errorf("upload: %d bytes of heap", used)
	}
	used = peak(func() {
		b, err := call(t, c, op("GET", "/big", blob, long), nil)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.CopyBuffer(onlyWriter{io.Discard}, b, make([]byte, 256<<10)); n != size || err != nil {
			t.Errorf("download: %d, %v", n, err)
		}
	})
	if used > limit {
		t.Errorf("download: %d bytes of heap", used)
	}
}

type onlyWriter struct{ io.Writer }

// Cancelling in the middle of an upload, which would take hours, returns at once.
func TestCancelUpload(t *testing.T) {
	stop := make(chan struct{})
	c := core(t, func(_ http.ResponseWriter, _ *http.Request) { <-stop })
	defer close(stop)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(50*time.Millisecond, cancel)
	start := time.Now()
	f := encoder(func(r *client.Request) { r.Path("/"); r.Binary("image/png", &sized{1 << 40}) })
	_, err := client.Do(ctx, c, op("PUT", "/", noContent), &f, nil)
	if !errors.Is(err, context.Canceled) || time.Since(start) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

// Calls of every kind leave neither goroutines nor connections in use.
func TestNothingLeaks(t *testing.T) {
	before := runtime.NumGoroutine()
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		switch n % 4 {
		case 0:
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, strings.Repeat("x", 100_000))
		case 1:
			answer(200, "application/json", "1")(w, r)
		case 2:
			answer(200, "text/html", strings.Repeat("y", 100_000))(w, r)
		default:
			answer(200, "application/octet-stream", strings.Repeat("z", 100_000))(w, r)
		}
	}))
	c := coreOf(t, &client.API{}, client.BaseURL(s.URL))
	for range 20 {
		_, _ = call(t, c, op("GET", "/", okJSON), nil)
		if b, err := call(t, c, op("GET", "/", blob), nil); err == nil {
			_ = b.Close()
		}
	}
	c.CloseIdle()
	s.Close()
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	buf := make([]byte, 1<<20)
	t.Errorf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
}

// Twenty calls with discarded responses use one connection.
func TestConnectionsAreReused(t *testing.T) {
	n := 0
	url, connections := counted(t, func(w http.ResponseWriter, r *http.Request) {
		if n++; n%2 == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, strings.Repeat("x", 60_000))
			return
		}
		answer(200, "application/json", "1")(w, r)
	})
	c := coreOf(t, &client.API{}, client.BaseURL(url))
	o := op("GET", "/", okJSON, func(s *policy.Spec) { s.Client.Retry.Budget = nil; s.Client.Breaker = nil })
	for range 20 {
		if _, err := call(t, c, o, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := connections(); got != 1 || n != 40 {
		t.Errorf("%d connections, %d requests", got, n)
	}
}

// The bound on a connection is the operation's; a server that takes none in
// time was not reached.
func TestConnectTimeout(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := coreOf(t, &client.API{}, client.BaseURL("https://"+l.Addr().String())) // accepts, never shakes hands
	o := op("POST", "/", noContent, func(s *policy.Spec) {
		s.Client.Timeout = &policy.Timeout{Connect: 50 * time.Millisecond, Attempt: 20 * time.Second}
	})
	start := time.Now()
	_, err = call(t, c, o, nil, client.NoRetry())
	if f := faultOf(t, err); f.Kind != fault.Timeout || f.Effect != fault.Safe || time.Since(start) > 10*time.Second || !strings.Contains(err.Error(), "handshake timeout") {
		t.Errorf("%v after %v, effect %v", err, time.Since(start), f.Effect)
	}
}

// HTTP/2 and certificates work with the client's own transport, given the
// system's trust; here the server's is not trusted.
func TestUntrustedCertificate(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(none))
	t.Cleanup(s.Close)
	s.Config.ErrorLog = nil
	c := coreOf(t, &client.API{}, client.BaseURL(s.URL))
	var meta client.Meta
	_, err := call(t, c, op("GET", "/", noContent), nil, client.Into(&meta))
	if f := faultOf(t, err); f.Kind != fault.Transport || meta.Tries != 1 || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v, %d tries", err, meta.Tries)
	}
}
