package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
	"github.com/holdfast-go/holdfast/runtime/pipeline"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// far is a server behind a transport: it answers with a status each, and notes what came.
type far struct {
	mu       sync.Mutex // of headers and sent
	statuses []int
	body     string
	late     time.Duration // before each answer

	made    atomic.Int32
	open    atomic.Int32 // bodies that were not closed
	headers []http.Header
	sent    []string
}

type farBody struct {
	io.Reader

	far *far
}

func (b farBody) Close() error { b.far.open.Add(-1); return nil }

func (f *far) RoundTrip(r *http.Request) (*http.Response, error) {
	n := int(f.made.Add(1))
	text := ""
	if r.Body != nil {
		sent, _ := io.ReadAll(r.Body)
		text = string(sent)
		_ = r.Body.Close()
	}
	f.mu.Lock()
	f.headers, f.sent = append(f.headers, r.Header), append(f.sent, text)
	f.mu.Unlock()
	if err := sleep.For(r.Context(), f.late); err != nil {
		return nil, err
	}
	f.open.Add(1)
	status := f.statuses[min(n, len(f.statuses))-1]
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: farBody{strings.NewReader(f.body), f}}, nil
}

func transport(c policy.Client, base http.RoundTripper) *pipeline.Transport {
	return pipeline.NewRegistry(pipeline.Settings{Random: func() float64 { return 0.5 }}).
		Transport(base, &policy.Spec{ID: "pets", Dependency: "petstore", Client: c})
}

// TestTransportRepeats: what the method and a key allow is repeated, with the body anew,
// and whatever the policy says about the effect.
func TestTransportRepeats(t *testing.T) {
	for name, tc := range map[string]struct {
		method, key string
		tries       int
	}{
		"GET": {"GET", "", 2}, "none": {"", "", 2}, "PUT": {"PUT", "", 2}, "POST": {"POST", "", 1}, "keyed": {"POST", "k", 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &far{statuses: []int{503, 200}, body: "answer"}
			tr := transport(base(), f) // which says read
			r, err := http.NewRequestWithContext(t.Context(), tc.method, "http://x.test/", strings.NewReader("order"))
			if err != nil {
				t.Fatal(err)
			}
			if r.Method = tc.method; tc.key != "" {
				r.Header.Set("Idempotency-Key", tc.key)
			}
			h, err := tr.RoundTrip(r)
			if err != nil || len(f.sent) != tc.tries || f.sent[tc.tries-1] != "order" || h.Request != r {
				t.Fatalf("%s: %v, %q", name, err, f.sent)
			}
			if tc.tries == 2 && (f.headers[0].Get("X-Request-Attempt") != "" || f.headers[1].Get("X-Request-Attempt") != "2") {
				t.Errorf("%s: %v", name, f.headers)
			}
			if text, err := io.ReadAll(h.Body); string(text) != "answer" || err != nil {
				t.Errorf("%s: %q, %v", name, text, err)
			}
			if _ = h.Body.Close(); f.open.Load() != 0 {
				t.Errorf("%s: %d bodies open", name, f.open.Load())
			}
		})
	}
}

// TestTransportSlot: the slot is held until the body ends, and refusals are faults that
// close the request's body.
func TestTransportSlot(t *testing.T) {
	c := policy.Client{Bulkhead: &policy.Bulkhead{MaxConcurrent: 1, OnFull: policy.OnFullAbort}}
	f := &far{statuses: []int{200}, body: "answer"}
	tr := transport(c, f)
	first, err := tr.RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil))
	if err != nil {
		t.Fatal(err)
	}
	closed := false
	r := httptest.NewRequest(http.MethodPost, "http://x.test/", closer{strings.NewReader("order"), &closed})
	if _, err := tr.RoundTrip(r); !errors.Is(err, fault.ErrBulkheadFull) || !closed || f.made.Load() != 1 { //nolint:bodyclose // There is none.
		t.Errorf("%v, body closed: %v, %d tries", err, closed, f.made.Load())
	}
	_ = first.Body.Close()
	second, err := tr.RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil))
	if err != nil {
		t.Fatal("the slot is still taken:", err)
	}
	_, _ = io.ReadAll(second.Body)
	third, err := tr.RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil))
	if err != nil {
		t.Fatal("a body that was read to its end holds the slot:", err)
	}
	_, _ = second.Body.Close(), third.Body.Close()
}

type closer struct {
	io.Reader

	closed *bool
}

func (c closer) Close() error { *c.closed = true; return nil }

// TestTransportLastResponse: a response that was let go for a try which the breaker then
// refused is the caller's to read after all; one that is too long says so.
func TestTransportLastResponse(t *testing.T) {
	for _, size := range []int{6, 64 << 10, 64<<10 + 1, 200 << 10} {
		synctest.Test(t, func(t *testing.T) {
			c := base()
			c.Bulkhead = &policy.Bulkhead{MaxConcurrent: 1, OnFull: policy.OnFullAbort}
			f := &far{statuses: []int{503, 200}, body: strings.Repeat("x", size)}
			tr := transport(c, f)
			// While the first request waits for its second try somebody else takes the slot.
			time.AfterFunc(100*ms, func() {
				h, err := tr.RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil)) //nolint:bodyclose // It is left open.
				if err != nil {
					t.Error(h, err)
				}
			})
			h, err := tr.RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil))
			if err != nil || h.StatusCode != http.StatusServiceUnavailable || f.made.Load() != 2 {
				t.Fatal(err, f.made.Load())
			}
			text, err := io.ReadAll(h.Body)
			_ = h.Body.Close()
			if whole := size <= 64<<10; whole && (len(text) != size || err != nil) || !whole && err == nil {
				t.Errorf("%d of %d bytes, %v", len(text), size, err)
			}
		})
	}
}

// TestTransportTimes: the attempt timeout is for the header, it is repeated, and the
// caller's own deadline is not.
func TestTransportTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := base()
		c.Timeout.Attempt = time.Second
		c.Deadline = &policy.Deadline{Propagate: true, Reserve: 20 * ms, Header: policy.RequestDeadlineMS}
		f := &far{statuses: []int{200}, late: 2 * time.Second}
		begin := time.Now()
		_, err := transport(c, f).RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil)) //nolint:bodyclose // There is none.
		if !errors.Is(err, fault.ErrTimeout) || f.made.Load() != 3 || f.headers[0].Get("X-Request-Deadline-Ms") != "980" {
			t.Errorf("%v, %d tries, %v", err, f.made.Load(), f.headers)
		}
		if took := time.Since(begin); took != 4500*ms { // three tries, and waits of 0.5 s and 1 s
			t.Error(took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 500*ms)
		defer cancel()
		f.made.Store(0)
		_, err = transport(c, f).RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil).WithContext(ctx)) //nolint:bodyclose // There is none.
		if !errors.Is(err, context.DeadlineExceeded) || f.made.Load() != 1 {
			t.Errorf("%v, %d tries", err, f.made.Load())
		}
	})
}

// TestTransportBody: a body outlives the attempt timeout, and its silences are bounded.
func TestTransportBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := base()
		c.Timeout.Attempt, c.Timeout.Idle = time.Second, 5*time.Second
		pause := 4 * time.Second
		tr := transport(c, roundTripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(dripping{r.Context(), &pause})}, nil
		}))
		h, err := tr.RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil))
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 1)
		for range 3 {
			if n, err := h.Body.Read(b); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		pause = 6 * time.Second
		begin := time.Now()
		if n, err := h.Body.Read(b); n != 0 || !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != 5*time.Second {
			t.Error(n, err, time.Since(begin))
		}
		_ = h.Body.Close()
	})
}

// dripping gives a byte after each pause.
type dripping struct {
	ctx   context.Context
	pause *time.Duration
}

func (d dripping) Read(p []byte) (int, error) {
	if err := sleep.For(d.ctx, *d.pause); err != nil {
		return 0, err
	}
	return copy(p, "x"), nil
}

// TestTransportHedge: a read that is late is sent once more, a write is not.
func TestTransportHedge(t *testing.T) {
	for method, want := range map[string]time.Duration{http.MethodGet: 20 * ms, http.MethodPost: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			var made atomic.Int32
			c := policy.Client{Hedge: &policy.Hedge{Delay: 10 * ms, Max: 1}}
			tr := transport(c, roundTripper(func(r *http.Request) (*http.Response, error) {
				late := time.Second
				if made.Add(1) == 2 {
					late = 10 * ms
				}
				if err := sleep.For(r.Context(), late); err != nil {
					return nil, err
				}
				return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
			}))
			begin := time.Now()
			h, err := tr.RoundTrip(httptest.NewRequest(method, "http://x.test/", nil))
			if err != nil || time.Since(begin) != want {
				t.Fatalf("%s: %v after %v", method, err, time.Since(begin))
			}
			_ = h.Body.Close()
		})
	}
}

// TestTransportAllocates: five policies around a request take three allocations: the call,
// the request of its try, and what the rate limits are asked for.
func TestTransportAllocates(t *testing.T) {
	c := base()
	c.Breaker = &policy.Breaker{Window: policy.Window{Count: 10}, FailureThreshold: 5, Recovery: 30 * time.Second}
	c.Bulkhead = &policy.Bulkhead{MaxConcurrent: 8, Queue: 8, Timeout: time.Second}
	c.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 1e9, Per: time.Second, Burst: 1e6}}}
	h := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}}
	tr := transport(c, roundTripper(func(*http.Request) (*http.Response, error) {
		h.Body = http.NoBody
		return h, nil
	}))
	r := httptest.NewRequest(http.MethodGet, "http://x.test/", nil)
	if n := testing.AllocsPerRun(200, func() {
		h, err := tr.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = h.Body.Close()
	}); n > 3 {
		t.Errorf("%v allocations", n)
	}
}

// TestTransportZero: without a policy the base is asked, as it is.
func TestTransportZero(t *testing.T) {
	f := &far{statuses: []int{503}}
	h, err := (&pipeline.Transport{Base: f}).RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil))
	if err != nil || f.made.Load() != 1 {
		t.Fatal(err)
	}
	_ = h.Body.Close()
}

func ExampleTransport() {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, "hello")
	}))
	defer server.Close()
	registry := pipeline.NewRegistry(pipeline.Settings{})
	client := http.Client{Transport: registry.Transport(nil, &policy.Spec{ID: "greet", Dependency: "greeter", Client: policy.Client{
		Timeout:  &policy.Timeout{Attempt: time.Minute},
		Retry:    &policy.Retry{MaxAttempts: 3, Statuses: policy.StatusSet(503), BaseDelay: ms, MaxDelay: ms},
		Breaker:  &policy.Breaker{Window: policy.Window{Count: 20}, FailureThreshold: 10, Recovery: 30 * time.Second},
		Bulkhead: &policy.Bulkhead{MaxConcurrent: 8},
	}})}
	h, err := client.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _ := io.ReadAll(h.Body)
	_ = h.Body.Close()
	fmt.Println(h.StatusCode, string(text), asked)
	// Output: 200 hello 2
}
