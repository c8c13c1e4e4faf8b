package server_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// sink is a ResponseWriter that costs nothing.
type sink struct{ header http.Header }

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) Write(p []byte) (int, error) { return len(p), nil }
func (s *sink) WriteHeader(int)             {}

func searchHandler(p policy.Server) http.Handler {
	sp := *searchRoute.Spec
	sp.Server = p
	op := searchRoute
	op.Spec = &sp
	result := &Booking{ID: "a", Seats: 3}
	return server.New(nil, []server.Route{server.Handle(&op, func(context.Context, SearchRequest) (*Booking, error) { return result, nil })})
}

var (
	unbounded = policy.Server{}
	bounded   = policy.Server{
		Timeout: &policy.ServerTimeout{Handler: 30 * time.Second}, Deadline: &policy.Deadline{Trust: true},
		Bulkhead: &policy.Bulkhead{MaxConcurrent: 10},
	}
)

func searchRequest() *http.Request {
	return httptest.NewRequest(http.MethodGet, "/search/north/2024-02-29?limit=10&offset=20&sort=price&free=true", nil)
}

// line is a sink that can do what net/http's writer can.
type line struct{ sink }

func (*line) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, http.ErrNotSupported }
func (*line) FlushError() error                            { return nil }
func (*line) SetReadDeadline(time.Time) error              { return nil }
func (*line) SetWriteDeadline(time.Time) error             { return nil }
func (*line) EnableFullDuplex() error                      { return nil }

// A GET with two path and four query parameters takes its context, its request and its
// id; a bound on its time takes the goroutine's start as well, where it needs one.
func TestAllocations(t *testing.T) {
	for name, tt := range map[string]struct {
		policy policy.Server
		w      http.ResponseWriter
		most   float64
	}{
		"without bounds": {unbounded, &sink{make(http.Header, 8)}, 3},
		"with bounds":    {bounded, &sink{make(http.Header, 8)}, 4},
		"on a line":      {bounded, &line{sink{make(http.Header, 8)}}, 3},
	} {
		h := searchHandler(tt.policy)
		r := searchRequest()
		w := tt.w
		n := testing.AllocsPerRun(1000, func() {
			clear(w.Header())
			h.ServeHTTP(w, r)
		})
		if t.Logf("%s: %v", name, n); n > tt.most && !raceDetector {
			t.Errorf("%s: %v allocations, at most %v", name, n, tt.most)
		}
	}
}

func BenchmarkServe(b *testing.B) {
	for name, p := range map[string]policy.Server{"unbounded": unbounded, "bounded": bounded} {
		b.Run(name, func(b *testing.B) {
			h := searchHandler(p)
			r := searchRequest()
			w := &sink{header: make(http.Header, 8)}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				h.ServeHTTP(w, r)
			}
		})
	}
}

// A POST adds what reads its body: the reader, the copy of the text that strings share,
// and what the method makes.
func TestAllocationsOfBody(t *testing.T) {
	sp := *createBookingRoute.Spec
	sp.Server = bounded
	op := createBookingRoute
	op.Spec = &sp
	result := &Booking{ID: "a", Seats: 3}
	h := server.New(nil, []server.Route{server.Handle(&op, func(context.Context, CreateBookingRequest) (*Booking, error) { return result, nil })})
	text := `{"seats":3,"note":"ok"}`
	w, body := &sink{header: make(http.Header, 8)}, strings.NewReader(text)
	r := httptest.NewRequest(http.MethodPost, "/trips/1/bookings", nil)
	r.Header.Set("Content-Type", "application/json")
	r.Body, r.ContentLength = io.NopCloser(body), int64(len(text))
	n := testing.AllocsPerRun(1000, func() {
		clear(w.header)
		body.Reset(text)
		h.ServeHTTP(w, r)
	})
	if t.Log(n); n > 6 && !raceDetector {
		t.Errorf("%v allocations, at most 6", n)
	}
}
