package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
)

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy.Server{RateLimit: &policy.RateLimit{Buckets: []policy.Bucket{
			{Limit: 6, Per: time.Minute, Burst: 2, Key: []policy.Expr{{Source: policy.FromIP}}},
		}}}
		var rejected []observe.Reject
		h := server.New(nil, []server.Route{bare(under(p), nothing)}, server.Observe(&observe.Hooks{
			Reject: func(_ context.Context, e observe.Reject) { rejected = append(rejected, e) },
		}))
		from := func(ip string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr = ip + ":1234"
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w
		}
		w := from("10.0.0.1")
		if w.Code != 204 || w.Header().Get("RateLimit-Policy") != `"GET /";q=6;w=60` || w.Header().Get("RateLimit") != `"GET /";r=1;t=10` {
			t.Error(w.Code, w.Header())
		}
		if w := from("10.0.0.1"); w.Code != 204 || w.Header().Get("RateLimit") != `"GET /";r=0;t=20` {
			t.Error(w.Code, w.Header())
		}
		start := time.Now()
		w = from("10.0.0.1")
		if w.Code != 429 || w.Header().Get("Retry-After") != "10" || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Error(w.Code, w.Header())
		}
		if len(rejected) != 1 || rejected[0].Reason != observe.RateLimit || !rejected[0].RetryAt.Equal(start.Add(10*time.Second)) {
			t.Error(rejected)
		}
		if w := from("10.0.0.2"); w.Code != 204 {
			t.Error(w.Code)
		}
		time.Sleep(10*time.Second - 1)
		if w := from("10.0.0.1"); w.Code != 429 || w.Header().Get("Retry-After") != "1" {
			t.Error(w.Code, w.Header())
		}
		time.Sleep(time.Nanosecond)
		if w := from("10.0.0.1"); w.Code != 204 {
			t.Error(w.Code)
		}
	})
}

// A bucket with a name is one for all operations that name it; one without is the
// operation's. Tokens come back for statuses that cost nothing.
func TestNamedBucketsAndRefunds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := policy.Bucket{Name: "all", Limit: 2, Per: time.Hour, Burst: 2, Refund: policy.StatusSet(404)}
		own := policy.Bucket{Limit: 10, Per: time.Hour, Burst: 10, CostFrom: policy.Expr{Source: policy.FromQuery, Name: "cost"}}
		route := func(path string, f func(context.Context) error) server.Route {
			s := spec("GET", path)
			s.Server.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{shared, own}}
			return bare(s, f)
		}
		h := server.New(nil, []server.Route{route("/a", nothing), route("/b", nothing), route("/lost", func(context.Context) error { return &NotFound{} })})
		for i, tt := range []struct {
			path   string
			status int
			limits string
		}{
			{"/a?cost=4", 204, `"all";r=1;t=1800, "GET /a";r=6;t=1440`},
			{"/lost", 404, ""},
			{"/lost", 404, ""},
			{"/a?cost=7", 429, ""}, // neither bucket is charged
			{"/b?cost=-1", 204, `"all";r=0;t=3600, "GET /b";r=9;t=360`},
			{"/a", 429, ""},
		} {
			w := call(h, "GET", tt.path, "")
			if w.Code != tt.status || tt.limits != "" && w.Header().Get("RateLimit") != tt.limits {
				t.Errorf("%d %s: %d, %v", i, tt.path, w.Code, w.Header())
			}
		}
	})
}

// The key and the cost may stand in the body.
func TestRateLimitByBody(t *testing.T) {
	s := createBookingSpec
	s.Server.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{
		Limit: 1, Per: time.Hour, Burst: 5, Key: []policy.Expr{{Source: policy.FromBody, Name: "/id"}, {Source: policy.FromMethod}},
		CostFrom: policy.Expr{Source: policy.FromBody, Name: "/seats"},
	}}}
	op := createBookingRoute
	op.Spec = &s
	h := server.New(nil, []server.Route{server.Handle(&op, func(context.Context, CreateBookingRequest) (*Booking, error) { return &Booking{}, nil })})
	for i, tt := range []struct {
		body   string
		status int
	}{
		{`{"id":"a","seats":3}`, 201}, {`{"id":"a","seats":3}`, 429}, {`{"id":"b","seats":5}`, 201}, {`{"id":"a","seats":0}`, 400}, {`{"id":"a","seats":2}`, 201},
	} {
		if w := call(h, "POST", "/trips/1/bookings", tt.body, "Content-Type: application/json"); w.Code != tt.status {
			t.Errorf("%d: %d", i, w.Code)
		}
	}
}

func TestShadowLimits(t *testing.T) {
	rejected := 0
	p := policy.Server{
		RateLimit: &policy.RateLimit{Mode: policy.Shadow, Buckets: []policy.Bucket{{Limit: 1, Per: time.Hour, Burst: 1}}},
		Bulkhead:  &policy.Bulkhead{Mode: policy.Shadow, MaxConcurrent: 1, OnFull: policy.OnFullAbort},
	}
	var h http.Handler
	depth := 0
	h = server.New(nil, []server.Route{bare(under(p), func(context.Context) error {
		if depth++; depth == 1 {
			if w := call(h, "GET", "/", ""); w.Code != 204 || w.Header().Get("RateLimit") != "" {
				t.Error(w.Code, w.Header())
			}
		}
		return nil
	})}, server.Observe(&observe.Hooks{Reject: func(_ context.Context, e observe.Reject) {
		if rejected++; !e.Shadow {
			t.Error(e)
		}
	}}))
	if w := call(h, "GET", "/", ""); w.Code != 204 || rejected != 2 {
		t.Error(w.Code, rejected)
	}
}
