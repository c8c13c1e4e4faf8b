package client_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
)

func canned() transport {
	header := http.Header{"Content-Type": {"application/json"}}
	text := `{"id":"1"}`
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)), Request: r}, nil
	}
}

// A call costs six allocations beyond the request and the response of net/http
// at most: the call itself, and what JSON needs.
func TestAllocations(t *testing.T) {
	c, err := New(client.BaseURL("http://h"), client.Transport(canned()))
	if err != nil {
		t.Fatal(err)
	}
	ctx, req := t.Context(), GetBookingRequest{ID: "1"}
	ours := testing.AllocsPerRun(200, func() {
		if _, err := c.GetBooking(ctx, req); err != nil {
			t.Fatal(err)
		}
	})
	send := canned()
	bare := testing.AllocsPerRun(200, func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://h/bookings/1", nil)
		if err != nil {
			t.Fatal(err)
		}
		h, err := send(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = h.Body.Close()
	})
	if ours > bare+6 {
		t.Errorf("%v allocations, %v without the client", ours, bare)
	}
}

func BenchmarkCall(b *testing.B) {
	c, err := New(client.BaseURL("http://h"), client.Transport(canned()))
	if err != nil {
		b.Fatal(err)
	}
	req := GetBookingRequest{ID: "1"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.GetBooking(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBare(b *testing.B) {
	c := &http.Client{Transport: canned()}
	b.ReportAllocs()
	for b.Loop() {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://h/bookings/1", nil)
		if err != nil {
			b.Fatal(err)
		}
		h, err := c.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		if _, err = io.ReadAll(h.Body); err != nil {
			b.Fatal(err)
		}
		_ = h.Body.Close()
	}
}
