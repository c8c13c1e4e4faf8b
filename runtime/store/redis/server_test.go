package redisstore_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/store/redis/redistest"
)

// instance is one of several servers of an operation.
func instance(p policy.Server, f func(context.Context) error, o ...server.Option) http.Handler {
	s := &policy.Spec{ID: "op", Method: http.MethodPost, Path: "/", Replicas: 2, Server: p}
	o = append(o, server.OnError(nil))
	return server.New(&server.API{Dependency: "shop"}, []server.Route{server.HandleBare(&server.Operation[server.None]{Spec: s}, f)}, o...)
}

func call(t *testing.T, h http.Handler, key string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func nothing(context.Context) error { return nil }

// Instances have one limit together, and each does what the policy says when they cannot
// ask for it.
func TestInstancesShareALimit(t *testing.T) {
	for _, test := range []struct {
		what policy.LimitStoreError
		// The statuses of three calls of one instance without the store. Its part of 4 an
		// hour is 2.
		want [3]int
	}{
		{policy.LimitLocally, [3]int{204, 204, 429}},
		{policy.LimitAllow, [3]int{204, 204, 204}},
		{policy.LimitDeny, [3]int{503, 503, 503}},
	} {
		t.Run(test.what.String(), func(t *testing.T) {
			redis := redistest.Start(t)
			p := policy.Server{RateLimit: &policy.RateLimit{Buckets: []policy.Bucket{
				{Limit: 4, Per: time.Hour, Burst: 4, OnStoreError: test.what, Refund: policy.StatusSet(304)},
			}}}
			var all []http.Handler
			for range 2 {
				all = append(all, instance(p, nothing, server.LimitStore(newLimits(t, redis.Client(t), patient))))
			}
			for i := range 4 {
				if w := call(t, all[i%2], ""); w.Code != 204 || !strings.Contains(w.Header().Get("RateLimit"), ";r="+string(rune('3'-i))) {
					t.Errorf("call %d: %d, %q", i, w.Code, w.Header())
				}
			}
			for i := range 2 {
				if w := call(t, all[i], ""); w.Code != 429 || w.Header().Get("Retry-After") == "" {
					t.Errorf("past the limit: %d, %q", w.Code, w.Header())
				}
			}
			redis.Kill()
			fresh := instance(p, nothing, server.LimitStore(newLimits(t, redis.Client(t), 200*time.Millisecond)))
			for i, want := range test.want {
				if w := call(t, fresh, ""); w.Code != want {
					t.Errorf("call %d without the store: %d, want %d", i, w.Code, want)
				}
			}
		})
	}
}

// A key that one instance has served is replayed by another.
func TestInstancesShareKeys(t *testing.T) {
	redis := redistest.Start(t)
	p := policy.Server{Idempotency: &policy.Idempotency{Header: "Idempotency-Key", Required: true, TTL: time.Hour, Lease: time.Minute, MaxBody: 1 << 20}}
	var effects atomic.Int32
	f := func(context.Context) error { effects.Add(1); return nil }
	for i := range 4 {
		h := instance(p, f, server.IdempotencyStore(records(t, redis.Client(t))))
		w := call(t, h, "order-1")
		if replayed := w.Header().Get("Idempotent-Replayed"); w.Code != 204 || (replayed == "true") != (i > 0) {
			t.Errorf("call %d: %d, replayed %q", i, w.Code, replayed)
		}
	}
	if effects.Load() != 1 {
		t.Errorf("%d effects", effects.Load())
	}
	redis.Kill()
	if w := call(t, instance(p, f, server.IdempotencyStore(records(t, redis.Client(t)))), "order-1"); w.Code != 503 || effects.Load() != 1 {
		t.Errorf("without the store: %d, %d effects", w.Code, effects.Load())
	}
}
