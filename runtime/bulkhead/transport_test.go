package bulkhead_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/bulkhead"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answering answers everything with a body.
func answering(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("body")), Request: r}, nil
}

// watched is a request body that knows whether it was closed.
type watched struct {
	io.Reader

	closed bool
}

func (w *watched) Close() error { w.closed = true; return nil }

// TestTransportHoldsSlotUntilBodyEnds: a response that is still being read counts as
// running, one that was closed or read to its end does not.
func TestTransportHoldsSlotUntilBodyEnds(t *testing.T) {
	for name, end := range map[string]func(*http.Response){
		"closed": func(h *http.Response) { _ = h.Body.Close(); _ = h.Body.Close() },
		"read":   func(h *http.Response) { _, _ = io.ReadAll(h.Body); _ = h.Body.Close() },
	} {
		b := bulkhead.New(policy.Bulkhead{MaxConcurrent: 1, OnFull: policy.OnFullAbort})
		tr := &bulkhead.Transport{Base: roundTripper(answering), Bulkhead: b}
		h, err := tr.RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil)) //nolint:bodyclose // See end.
		if err != nil || b.Load().Running != 1 {
			t.Fatalf("%s: %v, %+v", name, err, b.Load())
		}
		body := &watched{Reader: strings.NewReader("order")}
		_, err = tr.RoundTrip(httptest.NewRequest(http.MethodPost, "http://x.test/", body)) //nolint:bodyclose // There is none.
		f, _ := errors.AsType[*fault.Error](err)
		if f == nil || f.Kind != fault.BulkheadFull || f.Effect != fault.Safe || !body.closed {
			t.Errorf("%s: full: %v, body closed: %v", name, err, body.closed)
		}
		end(h)
		if b.Load().Running != 0 {
			t.Errorf("%s: the slot is still taken: %+v", name, b.Load())
		}
	}
}

// TestTransportFreesSlot: neither an error nor a panic of the base keeps the slot.
func TestTransportFreesSlot(t *testing.T) {
	b := bulkhead.New(policy.Bulkhead{MaxConcurrent: 1})
	broken := errors.New("connection reset")
	tr := &bulkhead.Transport{Bulkhead: b, Base: roundTripper(func(*http.Request) (*http.Response, error) { return nil, broken })}
	r := httptest.NewRequest(http.MethodGet, "http://x.test/", nil)
	if _, err := tr.RoundTrip(r); !errors.Is(err, broken) || b.Load().Running != 0 { //nolint:bodyclose // There is none.
		t.Errorf("%v, %+v", err, b.Load())
	}
	tr.Base = roundTripper(func(*http.Request) (*http.Response, error) { panic("broken") })
	func() {
		defer func() { _ = recover() }()
		_, _ = tr.RoundTrip(r) //nolint:bodyclose // It panics.
	}()
	if b.Load().Running != 0 {
		t.Errorf("after a panic: %+v", b.Load())
	}
}

// TestTransportHold: the hold ends a request whose body goes on too long.
func TestTransportHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var over <-chan struct{}
		tr := &bulkhead.Transport{
			Bulkhead: bulkhead.New(policy.Bulkhead{MaxConcurrent: 1, Hold: time.Second}),
			Base: roundTripper(func(r *http.Request) (*http.Response, error) {
				over = r.Context().Done()
				return answering(r)
			}),
		}
		h, err := tr.RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil).WithContext(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		<-over
		if time.Since(begin) != time.Second {
			t.Errorf("held for %v", time.Since(begin))
		}
		_ = h.Body.Close()
	})
}

// TestTransportShadow: what only watches refuses nothing, and the zero Transport is the base.
func TestTransportShadow(t *testing.T) {
	b := bulkhead.New(policy.Bulkhead{MaxConcurrent: 1, Mode: policy.Shadow, OnFull: policy.OnFullAbort})
	for _, tr := range []*bulkhead.Transport{{Base: roundTripper(answering), Bulkhead: b}, {Base: roundTripper(answering)}} {
		var open []*http.Response
		for range 3 {
			h, err := tr.RoundTrip(httptest.NewRequest(http.MethodGet, "http://x.test/", nil)) //nolint:bodyclose // All are, below.
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, h) //nolint:bodyclose // All are, below.
		}
		for _, h := range open {
			_ = h.Body.Close()
		}
	}
	if b.Load() != (bulkhead.Load{}) {
		t.Errorf("%+v", b.Load())
	}
}

func ExampleTransport() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
	defer server.Close()
	client := http.Client{Transport: &bulkhead.Transport{
		Bulkhead: bulkhead.New(policy.Bulkhead{MaxConcurrent: 1, OnFull: policy.OnFullAbort}),
	}}
	get := func() (*http.Response, error) { return client.Get(server.URL) }
	first, _ := get()
	_, err := get() //nolint:bodyclose // There is none.
	fmt.Println(errors.Is(err, fault.ErrBulkheadFull))
	_ = first.Body.Close()
	second, err := get()
	fmt.Println(second.StatusCode, err)
	_ = second.Body.Close()
	// Output:
	// true
	// 200 <nil>
}
