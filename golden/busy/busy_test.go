package busy_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/holdfast-go/holdfast/golden/busy"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// desk answers orders when it is let.
type desk struct {
	busy.Unimplemented

	begun, free chan struct{}
}

func (d *desk) PlaceOrder(context.Context) error {
	d.begun <- struct{}{}
	<-d.free
	return nil
}

func (*desk) GetHints(context.Context) error                       { return nil }
func (*desk) GetOrder(context.Context, busy.GetOrderRequest) error { return nil }
func (*desk) GetHealth(context.Context) error                      { return nil }

func ask(t *testing.T, method, url string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// fill has two orders worked on, which is as many as the server may.
func fill(t *testing.T, d *desk, url string) (done func()) {
	t.Helper()
	statuses := make(chan int, 2)
	for range 2 {
		go func() {
			resp, err := http.Post(url+"/orders", "", http.NoBody)
			if err != nil {
				statuses <- 0
				return
			}
			_ = resp.Body.Close()
			statuses <- resp.StatusCode
		}()
		<-d.begun
	}
	return func() {
		close(d.free)
		for range 2 {
			if s := <-statuses; s != http.StatusNoContent {
				t.Errorf("an order got %d", s)
			}
		}
	}
}

// A server that has as much to do as it may refuses what has waited for too long, and its
// health is always told.
func TestFullServer(t *testing.T) {
	d := &desk{begun: make(chan struct{}), free: make(chan struct{})}
	s := httptest.NewServer(busy.NewHandler(d))
	defer s.Close()
	done := fill(t, d, s.URL)
	defer done()
	// A caller that gives it half a second is told so within that.
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/orders/7", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Request-Deadline-Ms", "300")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "20" ||
		resp.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(string(body), "overloaded") {
		t.Error(resp.StatusCode, resp.Header, string(body), err)
	}
	health := ask(t, http.MethodGet, s.URL+"/health")
	defer health.Body.Close()
	if health.StatusCode != http.StatusNoContent {
		t.Errorf("health got %d", health.StatusCode)
	}
}

// In shadow mode nothing is refused, and what would have been is reported.
func TestWatchedServer(t *testing.T) {
	var refused atomic.Int32
	d := &desk{begun: make(chan struct{}), free: make(chan struct{})}
	s := httptest.NewServer(busy.NewHandler(d, server.Profile("watched"), server.Observe(&observe.Hooks{
		Reject: func(_ context.Context, e observe.Reject) {
			if e.Reason == observe.Shed && e.Shadow && e.Op == "getHints" {
				refused.Add(1)
			}
		},
	})))
	defer s.Close()
	done := fill(t, d, s.URL)
	defer done()
	resp := ask(t, http.MethodGet, s.URL+"/hints")
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent || refused.Load() != 1 {
		t.Errorf("%d, and %d would have been refused", resp.StatusCode, refused.Load())
	}
}
