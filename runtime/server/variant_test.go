package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// within is a server's policy with a bound on the method.
func within(d time.Duration) policy.Server {
	return policy.Server{Timeout: &policy.ServerTimeout{Handler: d}}
}

// A request is under the first variant that it is for, from its limits on, and under
// those of the profile where there is one.
func TestVariantOfRequest(t *testing.T) {
	s := spec(http.MethodGet, "/jobs/{id}")
	s.Server = within(time.Second)
	variant := func(d time.Duration, source policy.Source, name, text string) policy.Variant {
		p := within(d)
		return policy.Variant{When: []policy.Condition{{Expr: policy.Expr{Source: source, Name: name}, Value: text}}, Server: &p}
	}
	same := variant(0, policy.FromHeader, "X-Mode", "usual")
	same.Server = nil
	s.Variants = []policy.Variant{
		same,
		variant(2*time.Second, policy.FromPath, "id", "a b"),
		variant(3*time.Second, policy.FromQuery, "wait", "true"),
		variant(4*time.Second, policy.FromURL, "", "/jobs/x?y=1"),
	}
	s.Profiles = []policy.Profile{{Name: "slow", Server: within(time.Minute)}}
	for _, tt := range []struct {
		path, mode, profile string
		want                time.Duration
	}{
		{"/jobs/1", "", "", time.Second},
		{"/jobs/a%20b", "", "", 2 * time.Second},
		{"/jobs/a%20b", "usual", "", time.Second}, // the first one, which is the caller's alone
		{"/jobs/1?wait=true", "", "", 3 * time.Second},
		{"/jobs/a%20b?wait=true", "", "", 2 * time.Second},
		{"/jobs/x?y=1", "", "", 4 * time.Second},
		{"/jobs/1?wait=true", "", "slow", time.Minute}, // the profile has no variants
	} {
		synctest.Test(t, func(t *testing.T) {
			var left time.Duration
			h := server.New(&server.API{Profiles: []string{"slow"}}, []server.Route{bare(s, func(ctx context.Context) error {
				end, _ := ctx.Deadline()
				left = time.Until(end)
				return nil
			})}, server.Profile(tt.profile))
			r := httptest.NewRequest(http.MethodGet, tt.path, nil)
			r.Header.Set("X-Mode", tt.mode)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != http.StatusNoContent || left != tt.want {
				t.Errorf("%+v: answered %d, the method has %v", tt, w.Code, left)
			}
		})
	}
}

// An operation and its variants share a limit of the operation's own.
func TestVariantsShareLimits(t *testing.T) {
	limit := policy.Server{RateLimit: &policy.RateLimit{Buckets: []policy.Bucket{
		{Limit: 2, Per: time.Hour, Burst: 2, Cost: 1, Key: []policy.Expr{{Source: policy.FromIP}}},
	}}}
	s := spec(http.MethodGet, "/")
	s.Server = limit
	slow := limit
	slow.Timeout = &policy.ServerTimeout{Handler: time.Minute}
	s.Variants = []policy.Variant{{When: []policy.Condition{{Expr: policy.Expr{Source: policy.FromQuery, Name: "a"}, Value: "1"}}, Server: &slow}}
	h := server.New(nil, []server.Route{bare(s, nothing)})
	for i, path := range []string{"/", "/?a=1", "/", "/?a=1"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if want := []int{204, 204, 429, 429}[i]; w.Code != want {
			t.Errorf("request %d to %s is answered with %d, want %d", i+1, path, w.Code, want)
		}
	}
}
