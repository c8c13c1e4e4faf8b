package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
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

// A GET with two path and four query parameters takes at most ten allocations.
func TestAllocations(t *testing.T) {
	for name, tt := range map[string]struct {
		policy policy.Server
		most   float64
	}{"without bounds": {unbounded, 7}, "with bounds": {bounded, 10}} {
		h := searchHandler(tt.policy)
		r := searchRequest()
		w := &sink{header: make(http.Header, 8)}
		n := testing.AllocsPerRun(1000, func() {
			clear(w.header)
			h.ServeHTTP(w, r)
		})
		if t.Logf("%s: %v", name, n); n > tt.most {
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
