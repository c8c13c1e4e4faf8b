package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/security"
)

// usual are the failures that the language has a fallback for.
func usual(rungs ...policy.Rung) policy.Fallback {
	return policy.Fallback{
		Rungs: rungs, Reserve: time.Second, Statuses: policy.StatusSet(429).Range(500, 599),
		After: policy.AfterTimeout | policy.AfterConnect | policy.AfterBreakerOpen | policy.AfterBulkheadFull | policy.AfterRateLimited,
	}
}

func fallsBack(f policy.Fallback) func(*policy.Spec) {
	return func(s *policy.Spec) {
		s.Client.Fallback = &f
		s.Client.Timeout = &policy.Timeout{Attempt: 2 * time.Second}
		s.Client.Deadline = &policy.Deadline{Propagate: true}
		s.Client.Retry = nil
		s.Client.Idempotency = nil
	}
}

// falling is a client whose service at x.test fails.
func falling(t *testing.T, specs []*policy.Spec, answer func(*http.Request, string) *http.Response, opts ...client.Option) *client.Core {
	t.Helper()
	api := &client.API{
		Title: "test", Operations: specs, Schemes: []*security.Scheme{bearer, spare},
		Targets: []client.Target{
			{Name: "eu", URL: "http://eu.test/base", Query: []client.Pair{{Name: "region", Value: "e u"}}, Auth: "spare"},
			{Name: "us", URL: "http://us.test"},
		},
	}
	return coreOf(t, api, append([]client.Option{
		client.BaseURL("http://x.test"), client.Bearer("token", "own"), client.APIKey("spare", "other"),
		client.Transport(transport(func(r *http.Request) (*http.Response, error) {
			body := ""
			if r.Body != nil {
				text, _ := io.ReadAll(r.Body)
				body = string(text)
			}
			h := answer(r, body)
			if h == nil {
				if err := r.Context().Err(); err != nil {
					return nil, err
				}
				return nil, errors.New("connection reset")
			}
			return h, nil
		})),
	}, opts...)...)
}

var spare = &security.Scheme{Name: "spare", Type: security.APIKey, In: security.InHeader, Param: "X-Key"}

// Rungs that need nobody.
func TestFallbackLocal(t *testing.T) {
	for _, tc := range []struct {
		name   string
		rung   policy.Rung
		want   any
		meta   string
		status int // the rung's where it has one, else the service's
	}{
		{"static", policy.Rung{Kind: policy.RungStatic, Body: `{"a": 1}`}, map[string]any{"a": int64(1)}, "static", 200},
		{"empty", policy.Rung{Kind: policy.RungEmpty}, nil, "empty", 503},
		{"handler", policy.Rung{Kind: policy.RungHandler, Name: "mine"}, "handled 503", "handler:mine", 503},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := op("GET", "/pets", okJSON, fallsBack(usual(tc.rung)))
			var events []string
			c := falling(t, []*policy.Spec{o.Spec}, func(*http.Request, string) *http.Response { return plain(503, `"busy"`) },
				client.FallbackHandler("mine", func(_ context.Context, req *encoder, cause error) (any, error) {
					var f *fault.Error
					if !errors.As(cause, &f) || req == nil {
						t.Errorf("cause %v, request %v", cause, req)
					}
					return "handled " + f.Error()[len("GET /pets: status "):][:3], nil
				}),
				client.Observe(&observe.Hooks{Fallback: func(_ context.Context, e observe.Fallback) {
					events = append(events, e.Op+" "+e.Rung+" "+e.What)
				}}))
			var meta client.Meta
			v, err := call(t, c, o, nil, client.Into(&meta))
			if err != nil || !equalJSON(v, tc.want) || meta.Rung != tc.meta || meta.Status != tc.status || meta.Tries != 1 {
				t.Errorf("%v, %v, %+v", v, err, meta)
			}
			if !slices.Equal(events, []string{"GET /pets " + tc.meta + " answered"}) {
				t.Errorf("events %v", events)
			}
			meta = client.Meta{}
			if _, err := call(t, c, o, nil, client.NoFallback(), client.Into(&meta)); err == nil || meta.Rung != "" || meta.Status != 503 {
				t.Errorf("without a fallback: %v, %+v", err, meta)
			}
		})
	}
}

func equalJSON(got, want any) bool {
	m, ok := want.(map[string]any)
	if !ok {
		return got == want
	}
	g, ok := got.(map[string]any)
	return ok && len(g) == len(m)
}

// Another server gets the same request, under its own address and with its credential.
func TestFallbackServer(t *testing.T) {
	o := op("PUT", "/pets/{id}", okJSON, fallsBack(usual(policy.Rung{Kind: policy.RungServer, Name: "us"}, policy.Rung{Kind: policy.RungServer, Name: "eu"})))
	o.Security = alternatives([]*security.Scheme{bearer})
	var asked []string
	c := falling(t, []*policy.Spec{o.Spec}, func(r *http.Request, body string) *http.Response {
		asked = append(asked, r.Method+" "+r.URL.String()+" "+body+" "+r.Header.Get("Authorization")+r.Header.Get("X-Key"))
		switch r.URL.Host {
		case "eu.test":
			return with(plain(200, `"from the eu"`), "X-Request-Id: 7")
		case "us.test":
			return plain(500, `"no"`)
		}
		return nil
	})
	var meta client.Meta
	v, err := call(t, c, o, func(r *client.Request) {
		r.Path("/pets/")
		r.PathParam("id", param.Simple, param.String.Format("a b"))
		r.Query("q", param.Form, param.String.Format("1"))
		r.JSON("application/json", &Booking{ID: "x"})
	}, client.Into(&meta))
	if err != nil || v != "from the eu" || meta.Rung != "server:eu" || meta.RequestID != "7" || meta.Status != 200 || meta.Tries != 1 {
		t.Errorf("%v, %v, %+v", v, err, meta)
	}
	want := []string{
		`PUT http://x.test/pets/a%20b?q=1 {"id":"x"} Bearer own`,
		`PUT http://us.test/pets/a%20b?q=1 {"id":"x"} Bearer own`,
		`PUT http://eu.test/base/pets/a%20b?region=e+u&q=1 {"id":"x"} other`,
	}
	if !slices.Equal(asked, want) {
		t.Errorf("asked\n%s", strings.Join(asked, "\n"))
	}
}

// Another operation, or the same one, gets a copy with other values.
func TestFallbackOperation(t *testing.T) {
	with := []policy.Assignment{
		{To: policy.Expr{Source: policy.FromBody, Name: "/id"}, Value: `"small"`},
		{To: policy.Expr{Source: policy.FromBody, Name: "/from"}, From: policy.Expr{Source: policy.FromPath, Name: "id"}},
		{To: policy.Expr{Source: policy.FromQuery, Name: "q"}, Value: `"a&b"`},
		{To: policy.Expr{Source: policy.FromHeader, Name: "x-model"}, Value: `3`},
	}
	o := op("PUT", "/pets/{id}", okJSON, fallsBack(usual(policy.Rung{Kind: policy.RungOperation, Name: "PUT /pets/{id}", With: with}, policy.Rung{Kind: policy.RungOperation, Name: "POST /old/{id}"})))
	old := op("POST", "/old/{id}", okJSON)
	var asked []string
	c := falling(t, []*policy.Spec{o.Spec, old.Spec}, func(r *http.Request, body string) *http.Response {
		asked = append(asked, r.Method+" "+r.URL.String()+" "+body+" "+r.Header.Get("X-Model"))
		if r.Method == http.MethodPost {
			return plain(200, `"old"`)
		}
		return nil
	})
	var meta client.Meta
	v, err := call(t, c, o, func(r *client.Request) {
		r.Path("/pets/")
		r.PathParam("id", param.Simple, param.String.Format("7/8"))
		r.Query("q", param.Form, param.String.Format("1"))
		r.Query("z", param.Form, param.String.Format("1"))
		r.JSON("application/json", &Booking{ID: "large"})
	}, client.Into(&meta))
	if err != nil || v != "old" || meta.Rung != "operation:POST /old/{id}" {
		t.Errorf("%v, %v, %+v", v, err, meta)
	}
	want := []string{
		`PUT http://x.test/pets/7%2F8?q=1&z=1 {"id":"large"} `,
		`PUT http://x.test/pets/7%2F8?z=1&q=a%26b {"from":"7/8","id":"small"} 3`,
		`POST http://x.test/old/7%2F8?q=1&z=1 {"id":"large"} `,
	}
	if !slices.Equal(asked, want) {
		t.Errorf("asked\n%s", strings.Join(asked, "\n"))
	}
}

// What the cache has kept answers although it is stale, but not for ever.
func TestFallbackCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := op("GET", "/pets", okJSON, fallsBack(usual(policy.Rung{Kind: policy.RungCache, MaxStale: time.Minute})))
		o.Spec.Client.Cache = &policy.Cache{MaxAge: time.Second}
		n := 0
		c := falling(t, []*policy.Spec{o.Spec}, func(*http.Request, string) *http.Response {
			if n++; n == 1 {
				return plain(200, `"kept"`)
			}
			return nil
		})
		var meta client.Meta
		for i, want := range []string{"", "cache", "cache"} {
			v, err := call(t, c, o, nil, client.Into(&meta))
			if err != nil || v != "kept" || meta.Rung != want {
				t.Errorf("%d: %v, %v, %+v", i, v, err, meta)
			}
			time.Sleep(25 * time.Second)
		}
		if !strings.Contains(meta.Cache, "hit") || meta.Tries != 1 {
			t.Errorf("%+v", meta)
		}
		if _, err := call(t, c, o, nil); err == nil {
			t.Error("what is too old answers")
		}
	})
}

// A write that may have taken effect is not made again, nor is a refusal of the request;
// a rule of the policy may stop, or ask for the fallback.
func TestFallbackNot(t *testing.T) {
	static := policy.Rung{Kind: policy.RungStatic, Body: `"static"`}
	server := policy.Rung{Kind: policy.RungServer, Name: "us"}
	rule := func(a policy.Action) func(*policy.Spec) {
		return func(s *policy.Spec) {
			s.Client.Retry = &policy.Retry{MaxAttempts: 2, Rules: []policy.RetryRule{{Name: "r", Statuses: policy.StatusSet(503, 404), Do: a}}}
		}
	}
	same := func(*policy.Spec) {}
	for name, tc := range map[string]struct {
		method string
		status int // zero breaks the connection
		rungs  []policy.Rung
		change func(*policy.Spec)
		want   any
	}{
		"an unknown write":      {"POST", 0, []policy.Rung{server, static}, same, "static"},
		"a write that was seen": {"POST", 500, []policy.Rung{server, static}, same, "static"},
		"a write refused":       {"POST", 429, []policy.Rung{server, static}, same, "us"},
		"a read":                {"GET", 0, []policy.Rung{server, static}, same, "us"},
		"not found":             {"GET", 404, []policy.Rung{server, static}, same, nil},
		"a rule that stops":     {"GET", 503, []policy.Rung{server}, rule(policy.DoStop), nil},
		"a rule that asks":      {"GET", 404, []policy.Rung{server}, rule(policy.DoFallback), "us"},
		"in shadow":             {"GET", 503, []policy.Rung{server}, func(s *policy.Spec) { s.Client.Fallback.Mode = policy.Shadow }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := op(tc.method, "/pets", okJSON, fallsBack(usual(tc.rungs...)), tc.change)
			c := falling(t, []*policy.Spec{o.Spec}, func(r *http.Request, _ string) *http.Response {
				switch {
				case r.URL.Host == "us.test":
					return plain(200, `"us"`)
				case tc.status == 0:
					return nil
				}
				return plain(tc.status, `"no"`)
			})
			v, err := call(t, c, o, nil)
			if v != tc.want || (err == nil) != (tc.want != nil) {
				t.Errorf("%v, %v", v, err)
			}
		})
	}
}

// The call leaves time to its rungs, and they get no more than that; local ones run when
// all is spent.
func TestFallbackTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := op("GET", "/pets", okJSON, fallsBack(usual(
			policy.Rung{Kind: policy.RungServer, Name: "us"}, policy.Rung{Kind: policy.RungServer, Name: "eu", Timeout: 3 * time.Second},
			policy.Rung{Kind: policy.RungStatic, Body: `"static"`})))
		var budgets []string
		c := falling(t, []*policy.Spec{o.Spec}, func(r *http.Request, _ string) *http.Response {
			budgets = append(budgets, r.URL.Host+" "+r.Header.Get("X-Request-Deadline-Ms"))
			_ = sleep.For(r.Context(), time.Hour)
			return nil
		})
		for _, tc := range []struct {
			within time.Duration
			took   time.Duration
			want   []string
		}{
			// 2 s for the one try, 1 s and 3 s for the rungs.
			{0, 6 * time.Second, []string{"x.test 2000", "us.test 1000", "eu.test 3000"}},
			{5 * time.Second, 5 * time.Second, []string{"x.test 1000", "us.test 1000", "eu.test 3000"}},
		} {
			budgets = nil
			var opts []client.CallOption
			if tc.within > 0 {
				opts = append(opts, client.Within(tc.within))
			}
			begin := time.Now()
			v, err := call(t, c, o, nil, opts...)
			if took := time.Since(begin); v != "static" || err != nil || took != tc.took || !slices.Equal(budgets, tc.want) {
				t.Errorf("%v, %v after %v, budgets %v", v, err, took, budgets)
			}
		}
	})
}

// What a policy names has to be there when the client is made.
func TestFallbackChecked(t *testing.T) {
	for _, tc := range []struct {
		rung policy.Rung
		want string
	}{
		{policy.Rung{Kind: policy.RungHandler, Name: "mine"}, `no handler "mine"`},
		{policy.Rung{Kind: policy.RungServer, Name: "mars"}, `no server "mars"`},
		{policy.Rung{Kind: policy.RungOperation, Name: "other"}, `no operation "other"`},
		{policy.Rung{Kind: policy.RungQueue, Name: "q"}, "not supported"},
	} {
		o := op("GET", "/pets", okJSON, fallsBack(usual(tc.rung)))
		_, err := client.New(&client.API{Title: "test", Operations: []*policy.Spec{o.Spec}}, client.BaseURL("http://x.test"))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: %v", tc.rung, err)
		}
	}
}
