package rates_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/golden/rates"
	"github.com/holdfast-go/holdfast/runtime/client"
)

// answer is what a server says; n counts its requests from 1.
type answer func(n int32, w http.ResponseWriter, r *http.Request)

// services are the API's server and the spare one of the document, over TCP.
type services struct {
	main, spare   atomic.Pointer[answer]
	asked, spared atomic.Int32
}

func (s *services) set(main, spare answer) {
	s.main.Store(&main)
	s.spare.Store(&spare)
}

func (s *services) client(t *testing.T) *rates.Client {
	t.Helper()
	main := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(*s.main.Load())(s.asked.Add(1), w, r)
	}))
	t.Cleanup(main.Close)
	spare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(*s.spare.Load())(s.spared.Add(1), w, r)
	}))
	t.Cleanup(spare.Close)
	// The document's address of the spare server leads to ours.
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == "127.0.0.1:1" {
			address = strings.TrimPrefix(spare.URL, "http://")
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
	c, err := rates.New(
		client.BaseURL(main.URL), client.Transport(transport), client.Bearer("token", "mine"), client.APIKey("key", "theirs"),
		client.FallbackHandler("yesterday", func(_ context.Context, req *rates.GetRateRequest, cause error) (*rates.Rate, error) {
			if cause == nil {
				t.Error("the handler is not told why")
			}
			return &rates.Rate{Currency: req.Currency, Value: 0.5}, nil
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Core().Close)
	t.Cleanup(transport.CloseIdleConnections)
	return c
}

func rate(w http.ResponseWriter, currency string, value int32) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"currency": %q, "value": %d}`, currency, value)
}

func busy(_ int32, w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusServiceUnavailable)
}

// Kept answers need no request, and a write drops what it outdates.
func TestCache(t *testing.T) {
	var s services
	s.set(func(n int32, w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPut:
			w.WriteHeader(http.StatusNoContent)
		case r.URL.Path == "/rates":
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `[]`)
		default:
			rate(w, "USD", n)
		}
	}, busy)
	c := s.client(t)
	ctx := t.Context()
	var meta client.Meta
	get := func(opts ...client.CallOption) float64 {
		t.Helper()
		v, err := c.GetRate(ctx, rates.GetRateRequest{Currency: "USD"}, append(opts, client.Into(&meta))...)
		if err != nil {
			t.Fatal(err)
		}
		return v.Value
	}
	get()
	if get() != 1 || meta.Tries != 0 || !strings.HasPrefix(meta.Cache, "holdfast; hit") {
		t.Errorf("%+v", meta)
	}
	if v := get(client.Refresh()); v != 2 {
		t.Errorf("refreshed: %v", v)
	}
	list := func() {
		t.Helper()
		if _, err := c.ListRates(ctx); err != nil {
			t.Fatal(err)
		}
	}
	list()
	list()
	if s.asked.Load() != 3 {
		t.Errorf("%d requests", s.asked.Load())
	}
	if err := c.SetRate(ctx, rates.SetRateRequest{Currency: "USD", Body: rates.Rate{Currency: "USD", Value: 1}}); err != nil {
		t.Fatal(err)
	}
	list()
	if v := get(); v != 6 || s.asked.Load() != 6 {
		t.Errorf("after a write: %v, %d requests", v, s.asked.Load())
	}
}

// One rung after the other answers, as each of them fails.
func TestFallback(t *testing.T) {
	ctx := t.Context()
	asked := make(chan *http.Request, 9)
	spare := func(n int32, w http.ResponseWriter, r *http.Request) {
		asked <- r
		if n > 1 {
			busy(n, w, r)
			return
		}
		rate(w, "USD", 3)
	}
	var s services
	s.set(func(n int32, w http.ResponseWriter, r *http.Request) {
		if old, ok := strings.CutPrefix(r.URL.Path, "/old/"); ok {
			rate(w, old, 7)
			return
		}
		busy(n, w, r)
	}, spare)
	c := s.client(t)
	var meta client.Meta
	get := func() *rates.Rate {
		t.Helper()
		v, err := c.GetRate(ctx, rates.GetRateRequest{Currency: "USD"}, client.Into(&meta))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := get(); v.Value != 3 || meta.Rung != "server:spare" || meta.Status != http.StatusOK {
		t.Errorf("%+v, %+v", v, meta)
	}
	r := <-asked
	if r.URL.String() != "/spare/rates/USD?from=spare" || r.Header.Get("X-Spare-Key") != "theirs" || r.Header.Get("Authorization") != "" {
		t.Errorf("the spare server was asked for %s with %v", r.URL, r.Header)
	}
	if v := get(); v.Value != 7 || v.Currency != "EUR" || meta.Rung != "operation:getOldRate" {
		t.Errorf("%+v, %+v", v, meta)
	}
	s.set(busy, busy)
	if v := get(); v.Value != 0.5 || v.Currency != "USD" || meta.Rung != "handler:yesterday" {
		t.Errorf("%+v, %+v", v, meta)
	}
	if v, err := c.ListRates(ctx, client.Into(&meta)); err != nil || len(v) != 0 || meta.Rung != "static" {
		t.Errorf("%v, %v, %+v", v, err, meta)
	}
	if _, err := c.GetRate(ctx, rates.GetRateRequest{Currency: "USD"}, client.NoFallback()); err == nil {
		t.Error("without a fallback the failure is the call's")
	}
}

// A client is refused that lacks what the document names.
func TestHandlerIsNeeded(t *testing.T) {
	if _, err := rates.New(); err == nil || !strings.Contains(err.Error(), `handler "yesterday"`) {
		t.Errorf("%v", err)
	}
}

// The first request hangs, so the second answers.
func TestHedge(t *testing.T) {
	var s services
	s.set(func(n int32, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			<-r.Context().Done()
			return
		}
		rate(w, "USD", n)
	}, busy)
	c := s.client(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var meta client.Meta
	v, err := c.GetOldRate(ctx, rates.GetOldRateRequest{Currency: "USD"}, client.Into(&meta))
	if err != nil || v.Value != 2 || meta.Tries != 1 {
		t.Errorf("%+v, %v, %+v", v, err, meta)
	}
}
