package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// The queue is in the order of what matters most: to the operation, and less where the
// caller says so, but never more.
func TestShedByCriticality(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var order []string
		waits := map[string]time.Duration{}
		route := func(path string, c policy.Criticality) server.Route {
			s := spec("GET", path)
			s.Client.Criticality = c
			s.Server.Shed = &policy.Shed{Target: time.Second, MaxInflight: 1}
			return bare(s, func(ctx context.Context) error {
				time.Sleep(time.Second)
				mu.Lock()
				defer mu.Unlock()
				order = append(order, server.RequestID(ctx))
				return nil
			})
		}
		h := server.New(nil, []server.Route{
			route("/low", policy.Optional), route("/plain", policy.Standard), route("/high", policy.Critical),
		}, server.Observe(&observe.Hooks{Queued: func(ctx context.Context, e observe.Queued) {
			mu.Lock()
			defer mu.Unlock()
			waits[server.RequestID(ctx)] = e.For
			if e.Name != "server" || !e.Admitted {
				t.Errorf("%+v", e)
			}
		}}))
		var group sync.WaitGroup
		for _, r := range []struct{ id, path, header string }{
			{"first", "/low", ""},
			{"low", "/low", ""},
			{"raised", "/low", "critical"},
			{"plain", "/plain", ""},
			{"lowered", "/high", "standard"},
			{"lowest", "/plain", "optional"},
			{"high", "/high", ""},
			{"odd", "/high", "extreme"},
		} {
			group.Go(func() {
				req := httptest.NewRequest(http.MethodGet, r.path, nil)
				req.Header.Set("X-Request-Id", r.id)
				if r.header != "" {
					req.Header.Set(policy.CriticalityHeader, r.header)
				}
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, req); w.Code != http.StatusNoContent {
					t.Error(r.id, w.Code)
				}
			})
			synctest.Wait()
		}
		group.Wait()
		if got := strings.Join(order, " "); got != "first high odd plain lowered low raised lowest" {
			t.Error(got)
		}
		if waits["high"] != time.Second || waits["lowest"] != 7*time.Second || len(waits) != 7 {
			t.Error(waits)
		}
	})
}

// The slot is the method's until it has returned, also when nobody waits for it any more.
func TestShedHoldsLateMethods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := spec("GET", "/")
		s.Server.Timeout = &policy.ServerTimeout{Handler: time.Second}
		s.Server.Shed = &policy.Shed{Target: 10 * time.Millisecond, MaxInflight: 1}
		var rejected []observe.Reject
		h := server.New(nil, []server.Route{bare(s, func(context.Context) error {
			time.Sleep(3 * time.Second)
			return nil
		})}, server.OnError(nil), server.Observe(&observe.Hooks{
			Reject: func(_ context.Context, e observe.Reject) { rejected = append(rejected, e) },
		}))
		get := func() *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
			return w
		}
		if w := get(); w.Code != 503 || !strings.Contains(w.Body.String(), "did not finish in time") {
			t.Error(w.Code, w.Body)
		}
		start := time.Now()
		w := get()
		if w.Code != 503 || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), "overloaded") ||
			time.Since(start) != 200*time.Millisecond {
			t.Error(w.Code, w.Body, time.Since(start))
		}
		if len(rejected) != 1 || rejected[0].Reason != observe.Shed || rejected[0].Name != "server" || !rejected[0].RetryAt.Equal(time.Now().Add(200*time.Millisecond)) {
			t.Errorf("%+v", rejected)
		}
		time.Sleep(3 * time.Second)
		if w := get(); !strings.Contains(w.Body.String(), "did not finish in time") {
			t.Error(w.Code, w.Body)
		}
		time.Sleep(3 * time.Second)
	})
}
