package server_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/policyfile"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// policyFile is the path of a file with this text.
func policyFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.json")
	rewrite(t, path, text)
	return path
}

func rewrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// A limit changes while it is in use, and callers keep what they have used.
func TestPolicyFileChangesALimit(t *testing.T) {
	path := policyFile(t, `{"version": 1}`)
	synctest.Test(t, func(t *testing.T) {
		var events []observe.PolicyReload
		h := server.New(nil, []server.Route{bare(under(policy.Server{
			RateLimit: &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 60, Per: time.Minute, Burst: 3}}},
		}), nothing)}, server.WithPolicyFile(path), server.Observe(&observe.Hooks{
			PolicyReload: func(e observe.PolicyReload) { events = append(events, e) },
		}))
		want := func(status int, limit string) {
			t.Helper()
			w := call(h, "GET", "/", "")
			if got := w.Header().Get("RateLimit"); w.Code != status || got != limit {
				t.Errorf("%d, %s; want %d, %s", w.Code, got, status, limit)
			}
		}
		want(204, `"GET /";r=2;t=1`)
		want(204, `"GET /";r=1;t=2`)
		rewrite(t, path, `{"version": 1, "operations": {"GET /": {"rateLimit": {"limit": 6, "burst": 4}}}}`)
		if err := server.ReloadPolicy(h); err != nil {
			t.Fatal(err)
		}
		// Two of the four are in use, one in ten seconds comes back.
		want(204, `"GET /";r=1;t=30`)
		want(204, `"GET /";r=0;t=40`)
		want(429, `"GET /";r=0;t=40`)
		if p := server.Policies(h); len(p) != 1 || p[0].Server.RateLimit.Buckets[0].Limit != 6 {
			t.Errorf("%+v", p)
		}
		rewrite(t, path, `{"version": 1, "all": {"rateLimit": {"limit": 0}}}`)
		time.Sleep(10 * time.Second)
		want(204, `"GET /";r=0;t=40`)
		if err := server.PolicyError(h); err == nil || !strings.Contains(err.Error(), "/all/rateLimit/limit: 0 does not fit") {
			t.Errorf("%v", err)
		}
		rewrite(t, path, `{"version": 1, "all": {"rateLimit": false}}`)
		time.Sleep(policyfile.Interval)
		want(204, "")
		if len(events) != 3 || events[0].Err != nil || events[1].Err == nil || events[2].Err != nil || events[2].File != path {
			t.Errorf("%+v", events)
		}
	})
}

// A request keeps the bound that it began with.
func TestRequestKeepsItsPolicy(t *testing.T) {
	path := policyFile(t, `{"version": 1, "all": {"timeout": {"server": "10s"}}}`)
	synctest.Test(t, func(t *testing.T) {
		route := bare(under(handlerTimeout(time.Hour)), func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		h := server.New(nil, []server.Route{route}, server.WithPolicyFile(path), server.OnError(nil))
		begin := time.Now()
		first := make(chan time.Duration, 1)
		go func() {
			call(h, "GET", "/", "")
			first <- time.Since(begin)
		}()
		time.Sleep(policyfile.Interval)
		rewrite(t, path, `{"version": 1, "all": {"timeout": {"server": "2s"}}}`)
		if w := call(h, "GET", "/", ""); w.Code != http.StatusServiceUnavailable || time.Since(begin) != 3*time.Second {
			t.Errorf("%d after %v, want 503 two seconds after the first", w.Code, time.Since(begin))
		}
		if took := <-first; took != 10*time.Second {
			t.Errorf("the request that had begun took %v, want 10s", took)
		}
	})
}

func TestPolicyFileMakesNewPanic(t *testing.T) {
	path := policyFile(t, `{"version": 1, "operations": {"GET /x": {}}}`)
	routes := []server.Route{bare(under(policy.Server{}), nothing)}
	message := func(opts ...server.Option) (v any) {
		defer func() { v = recover() }()
		server.New(nil, routes, opts...)
		return nil
	}
	if e, ok := message(server.WithPolicyFile(path)).(*policyfile.Error); !ok || !strings.Contains(e.Error(), "there is no such operation: did you mean GET /?") {
		t.Errorf("%v", e)
	}
	if e, ok := message(server.WithPolicyFile(path + ".none")).(*policyfile.Error); !ok || !strings.Contains(e.Error(), "no such file") {
		t.Errorf("%v", e)
	}
	t.Setenv(policyfile.OffVariable, "limits")
	if e, ok := message().(error); !ok || !strings.Contains(e.Error(), `there is no primitive "limits"`) {
		t.Errorf("%v", e)
	}
	t.Setenv(policyfile.OffVariable, "rateLimit")
	s := under(policy.Server{RateLimit: &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 1, Per: time.Hour, Burst: 1}}}})
	h := server.New(nil, []server.Route{bare(s, nothing)})
	for range 3 {
		if w := call(h, "GET", "/", ""); w.Code != 204 || w.Header().Get("RateLimit") != "" {
			t.Errorf("%d, %v with limits switched off", w.Code, w.Header())
		}
	}
	if other := http.NotFoundHandler(); server.PolicyError(other) != nil || server.ReloadPolicy(other) != nil || server.Policies(other) != nil {
		t.Error("another handler has a policy")
	}
}

// The detector of races looks on while a file changes under requests.
func TestReloadingUnderLoad(t *testing.T) {
	path := policyFile(t, `{"version": 1}`)
	s := under(policy.Server{
		Timeout:   &policy.ServerTimeout{Handler: time.Minute},
		Bulkhead:  &policy.Bulkhead{MaxConcurrent: 8, Queue: 8, Timeout: time.Second},
		RateLimit: &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 1e6, Per: time.Second, Burst: 1e6}}},
	})
	h := server.New(nil, []server.Route{bare(s, nothing)}, server.WithPolicyFile(path))
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				if w := call(h, "GET", "/", ""); w.Code != 204 {
					t.Errorf("%d", w.Code)
				}
			}
		})
	}
	texts := []string{
		`{"version": 1, "all": {"server": {"bulkhead": {"maxConcurrent": 5}}, "rateLimit": {"limit": 500000}}}`,
		`{"version": 1, "all": {"server": {"bulkhead": false}, "rateLimit": {"mode": "shadow"}, "timeout": {"server": "1s"}}}`,
		`{"version": 1}`,
	}
	for i := range 90 {
		rewrite(t, path, texts[i%len(texts)])
		if err := server.ReloadPolicy(h); err != nil {
			t.Error(err)
		}
	}
	cancel()
	wg.Wait()
}
