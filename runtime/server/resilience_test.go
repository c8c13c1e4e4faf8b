package server_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// call sends a request straight to a handler.
func call(h http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body == "" {
		r.Body = http.NoBody
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// under is the operation GET / with a server's policy.
func under(p policy.Server) *policy.Spec {
	s := spec("GET", "/")
	s.Server = p
	return s
}

func handlerTimeout(d time.Duration) policy.Server {
	return policy.Server{Timeout: &policy.ServerTimeout{Handler: d}}
}

// Whether a method obeys its context or not, the answer comes at the bound.
func TestServerTimeout(t *testing.T) {
	for name, f := range map[string]func(context.Context) error{
		"obeys":   func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"ignores": func(context.Context) error { time.Sleep(time.Hour); return nil },
		"child": func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			<-ctx.Done()
			return ctx.Err()
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			var f1 failures
			h := server.New(nil, []server.Route{bare(under(handlerTimeout(3*time.Second)), f)}, f1.option())
			start := time.Now()
			w := call(h, "GET", "/", "")
			if d := time.Since(start); d != 3*time.Second || w.Code != 503 || w.Header().Get("Retry-After") != "1" {
				t.Errorf("%s: %v, %d", name, d, w.Code)
			}
			if errs, statuses := f1.heard(); len(errs) != 1 || statuses[0] != 503 {
				t.Errorf("%s: %v", name, errs)
			}
			time.Sleep(2 * time.Hour)
		})
	}
}

func TestMethodInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var end time.Time
		h := server.New(nil, []server.Route{bare(under(handlerTimeout(3*time.Second)), func(ctx context.Context) error {
			end, _ = ctx.Deadline()
			time.Sleep(3*time.Second - 1)
			return nil
		})})
		start := time.Now()
		if w := call(h, "GET", "/", ""); w.Code != 204 || time.Since(start) != 3*time.Second-1 || !end.Equal(start.Add(3*time.Second)) {
			t.Error(w.Code, time.Since(start), end)
		}
	})
}

// The smallest of the five headers bounds the method; nothing left is no call.
func TestCallersDeadline(t *testing.T) {
	p := handlerTimeout(3 * time.Second)
	p.Deadline = &policy.Deadline{Trust: true}
	untrusted := p
	untrusted.Deadline = &policy.Deadline{Trust: false}
	for _, tt := range []struct {
		policy  policy.Server
		headers []string
		after   time.Duration
		status  int
		called  bool
	}{
		{p, []string{"X-Request-Deadline-Ms: 900", "Grpc-Timeout: 800m", "X-Server-Timeout: 2"}, 800 * time.Millisecond, 504, true},
		{p, []string{"Connect-Timeout-Ms: 250"}, 250 * time.Millisecond, 504, true},
		{p, []string{"X-Envoy-Expected-Rq-Timeout-Ms: 60000"}, 3 * time.Second, 503, true},
		{p, []string{"X-Request-Deadline-Ms: 0"}, 0, 504, false},
		{untrusted, []string{"X-Request-Deadline-Ms: 0"}, 3 * time.Second, 503, true},
		{p, []string{"X-Request-Deadline-Ms: nonsense"}, 3 * time.Second, 503, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			var called atomic.Bool
			h := server.New(nil, []server.Route{bare(under(tt.policy), func(ctx context.Context) error {
				called.Store(true)
				<-ctx.Done()
				return ctx.Err()
			})}, server.OnError(nil))
			start := time.Now()
			w := call(h, "GET", "/", "", tt.headers...)
			if d := time.Since(start); d != tt.after || w.Code != tt.status || called.Load() != tt.called {
				t.Errorf("%v: %v, %d, called %v", tt.headers, d, w.Code, called.Load())
			}
			if got := w.Header().Get("Retry-After") != ""; got != (tt.status == 503) {
				t.Errorf("%v: Retry-After %v", tt.headers, got)
			}
		})
	}
}

// A shadow of a timeout ends nothing and is reported.
func TestShadowTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rejected []observe.Reject
		hooks := server.Observe(&observe.Hooks{Reject: func(_ context.Context, e observe.Reject) { rejected = append(rejected, e) }})
		h := server.New(nil, []server.Route{bare(under(policy.Server{Timeout: &policy.ServerTimeout{Mode: policy.Shadow, Handler: time.Second}}),
			func(ctx context.Context) error { time.Sleep(time.Minute); return ctx.Err() })}, hooks)
		if w := call(h, "GET", "/", ""); w.Code != 204 || len(rejected) != 1 || !rejected[0].Shadow || rejected[0].Reason != observe.Deadline {
			t.Error(w.Code, rejected)
		}
	})
}

// A method that times out keeps its slot until it has returned.
func TestBulkheadHoldsUntilTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := handlerTimeout(time.Second)
		p.Bulkhead = &policy.Bulkhead{MaxConcurrent: 1, OnFull: policy.OnFullAbort}
		var calls atomic.Int64
		h := server.New(nil, []server.Route{bare(under(p), func(context.Context) error {
			if calls.Add(1) == 1 {
				time.Sleep(10 * time.Second)
			}
			return nil
		})}, server.OnError(nil))
		if w := call(h, "GET", "/", ""); w.Code != 503 || calls.Load() != 1 {
			t.Error(w.Code)
		}
		w := call(h, "GET", "/", "")
		if w.Code != 503 || calls.Load() != 1 || w.Header().Get("Retry-After") != "1" {
			t.Error(w.Code, calls.Load())
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if w := call(h, "GET", "/", ""); w.Code != 204 || calls.Load() != 2 {
			t.Error(w.Code, calls.Load())
		}
	})
}

func TestBulkheadQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var queued []observe.Queued
		var rejected []observe.Reject
		hooks := &observe.Hooks{
			Queued: func(_ context.Context, e observe.Queued) { mu.Lock(); queued = append(queued, e); mu.Unlock() },
			Reject: func(_ context.Context, e observe.Reject) { mu.Lock(); rejected = append(rejected, e); mu.Unlock() },
		}
		p := policy.Server{Bulkhead: &policy.Bulkhead{MaxConcurrent: 1, Queue: 1, Timeout: 2 * time.Second}}
		h := server.New(nil, []server.Route{bare(under(p), func(context.Context) error { time.Sleep(time.Second); return nil })}, server.Observe(hooks))
		var codes [4]int
		var took [4]time.Duration
		start := time.Now()
		for i := range 3 {
			go func() { codes[i] = call(h, "GET", "/", "").Code; took[i] = time.Since(start) }()
			synctest.Wait()
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if codes != [4]int{204, 204, 503, 0} || took[0] != time.Second || took[1] != 2*time.Second || took[2] != 0 {
			t.Error(codes, took)
		}
		if len(queued) != 1 || !queued[0].Admitted || queued[0].For != time.Second || len(rejected) != 1 || rejected[0].Name != "test" {
			t.Error(queued, rejected)
		}
	})
}

// The hold bounds the work from the moment that it has a slot.
func TestBulkheadHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy.Server{Bulkhead: &policy.Bulkhead{MaxConcurrent: 1, Queue: 1, Timeout: policy.None, Hold: 2 * time.Second}}
		h := server.New(nil, []server.Route{bare(under(p), func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })}, server.OnError(nil))
		start := time.Now()
		done := make(chan time.Duration, 2)
		for range 2 {
			go func() {
				if w := call(h, "GET", "/", ""); w.Code != 503 {
					t.Error(w.Code)
				}
				done <- time.Since(start)
			}()
		}
		if first, second := <-done, <-done; first != 2*time.Second || second != 4*time.Second {
			t.Error(first, second)
		}
	})
}

func TestCallEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ends []observe.CallEnd
		lost := &NotFound{}
		h := server.New(nil, []server.Route{bare(spec("GET", "/"), func(context.Context) error { time.Sleep(time.Second); return lost })},
			server.Observe(&observe.Hooks{CallEnd: func(_ context.Context, e observe.CallEnd) { ends = append(ends, e) }}))
		call(h, "GET", "/", "")
		if len(ends) != 1 || ends[0].Op != "GET /" || ends[0].Status != 404 || ends[0].Duration != time.Second || !errors.Is(ends[0].Err, lost) {
			t.Error(ends)
		}
	})
}

// Methods of requests whose caller has gone are told so.
func TestCallerGoes(t *testing.T) {
	gone := make(chan error, 1)
	begun := make(chan struct{})
	p := handlerTimeout(time.Hour)
	s := start(t, []server.Route{bare(under(p), func(ctx context.Context) error {
		close(begun)
		<-ctx.Done()
		gone <- ctx.Err()
		return ctx.Err()
	})}, server.OnError(func(_ context.Context, _ string, _ int, err error) { t.Error(err) }))
	ctx, cancel := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	go func() { <-begun; cancel() }()
	if res, err := http.DefaultClient.Do(req); err == nil {
		t.Error("answered")
		_ = res.Body.Close()
	}
	select {
	case err := <-gone:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("the method was not told")
	}
}

// Contexts and values that a method holds on to stay its own.
func TestNothingIsSharedAfterTheReturn(t *testing.T) {
	type kept struct {
		ctx context.Context
		id  string
	}
	var all []kept
	h := server.New(nil, []server.Route{bare(under(handlerTimeout(time.Second)), func(ctx context.Context) error {
		all = append(all, kept{ctx, server.RequestID(ctx)})
		return nil
	})})
	for i := range 100 {
		call(h, "GET", "/", "", "X-Request-Id: "+strconv.Itoa(i))
	}
	for i, k := range all {
		if k.id != strconv.Itoa(i) || server.RequestID(k.ctx) != k.id || !errors.Is(k.ctx.Err(), context.Canceled) {
			t.Fatal(i, k.id, server.RequestID(k.ctx), k.ctx.Err())
		}
	}
}

func TestConcurrentRequests(t *testing.T) {
	var running atomic.Int64
	s := start(t, []server.Route{server.Handle(&searchRoute, func(_ context.Context, r SearchRequest) (*Booking, error) {
		running.Add(1)
		limit, _ := r.Limit.Get()
		return &Booking{ID: r.Region + "/" + r.Day, Seats: limit}, nil
	})})
	done := make(chan struct{})
	for g := range 8 {
		go func() {
			defer func() { done <- struct{}{} }()
			for i := range 50 {
				n := strconv.Itoa(g*1000 + i)
				do(t, "GET", s.URL+"/search/r"+n+"/d"+n+"?limit="+n+"&free=true", "").
					want(t, 200, `{"id":"r`+n+`/d`+n+`","seats":`+n+`}`)
			}
		}()
	}
	for range 8 {
		<-done
	}
	if running.Load() != 400 {
		t.Error(running.Load())
	}
}
