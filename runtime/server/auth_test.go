package server_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/security"
	"github.com/holdfast-go/holdfast/runtime/server"
)

var (
	schemeKey  = security.Scheme{Name: "key", Type: security.APIKey, In: security.InHeader, Param: "X-Key"}
	schemeSign = security.Scheme{Name: "sign", Type: security.APIKey, In: security.InHeader, Param: "X-Sign"}
	schemeO    = security.Scheme{Name: "o", Type: security.OAuth2}
	schemeUser = security.Scheme{Name: "user", Type: security.HTTP, HTTP: "basic"}
)

func secured(path string, alternatives []security.Requirement, f func(context.Context) error) server.Route {
	return server.HandleBare(&server.Operation[server.None]{Spec: spec("GET", path), Security: alternatives}, f)
}

// authenticate knows the credential "good" and, for tokens, the scopes after it.
func authenticate(_ context.Context, c *server.Credentials) (server.Principal, error) {
	words := strings.Fields(strings.ReplaceAll(c.Secret, "_", " "))
	if len(words) == 0 || words[0] != "good" {
		return server.Principal{}, server.ErrUnauthorized
	}
	return server.Principal{ID: c.Scheme.Name, Scopes: words[1:], Claims: map[string]any{c.Scheme.Name: 1}}, nil
}

func TestSecurity(t *testing.T) {
	var who server.Principal
	var known bool
	f := func(ctx context.Context) error { who, known = server.PrincipalOf(ctx); return nil }
	key := security.Requirement{{Scheme: &schemeKey}}
	both := security.Requirement{{Scheme: &schemeKey}, {Scheme: &schemeSign}}
	token := security.Requirement{{Scheme: &schemeO, Scopes: []string{"write"}}}
	s := start(t, []server.Route{
		secured("/pub", nil, f),
		secured("/opt", []security.Requirement{{}, key}, f),
		secured("/both", []security.Requirement{both}, f),
		secured("/either", []security.Requirement{key, token}, f),
		secured("/basic", []security.Requirement{{{Scheme: &schemeUser}}}, f),
	}, server.Authenticate(authenticate), server.OnError(nil))
	for _, tt := range []struct {
		path    string
		headers []string
		status  int
		id      string // empty: anonymous
		detail  string
	}{
		{"/pub", nil, 204, "", ""},
		{"/pub", []string{"X-Key: bad"}, 204, "", ""},
		{"/opt", nil, 204, "", ""},
		{"/opt", []string{"X-Key: good"}, 204, "key", ""},
		{"/opt", []string{"X-Key: bad"}, 401, "", "not accepted"},
		{"/both", []string{"X-Key: good", "X-Sign: good"}, 204, "key", ""},
		{"/both", []string{"X-Key: good"}, 401, "", "missing: sign"},
		{"/both", nil, 401, "", "missing: key and sign"},
		{"/both", []string{"X-Key: good", "X-Sign: bad"}, 401, "", "not accepted"},
		{"/either", []string{"X-Key: good"}, 204, "key", ""},
		{"/either", []string{"Authorization: Bearer good_write"}, 204, "o", ""},
		{"/either", []string{"Authorization: Bearer good_read"}, 403, "", "missing scopes: write"},
		{"/either", []string{"X-Key: bad", "Authorization: Bearer good_write"}, 204, "o", ""},
		{"/either", []string{"X-Key: bad", "Authorization: Bearer good_read"}, 403, "", "missing scopes: write"},
		{"/either", nil, 401, "", "missing: key, or o"},
		{"/basic", []string{"Authorization: Basic dTpnb29k"}, 204, "user", ""}, // u:good
		{"/basic", nil, 401, "", "missing: user"},
	} {
		who, known = server.Principal{}, false
		r := do(t, "GET", s.URL+tt.path, "", tt.headers...)
		if r.StatusCode != tt.status || who.ID != tt.id || known != (tt.id != "") {
			t.Errorf("%s %v: %d, %+v", tt.path, tt.headers, r.StatusCode, who)
			continue
		}
		if tt.status != 204 {
			if p := r.problem(t, tt.status); !strings.Contains(p.Detail, tt.detail) {
				t.Errorf("%s %v: %s", tt.path, tt.headers, p.Detail)
			}
		}
		if tt.path == "/either" && (r.Header.Get("WWW-Authenticate") == `Bearer scope="write"`) != (tt.status == 401) {
			t.Errorf("%s %v: %v", tt.path, tt.headers, r.Header)
		}
	}
	do(t, "GET", s.URL+"/both", "", "X-Key: good", "X-Sign: good").want(t, 204, "")
	if len(who.Claims) != 2 {
		t.Error(who)
	}
}

func TestAuthenticationFails(t *testing.T) {
	called := false
	route := secured("/", []security.Requirement{{{Scheme: &schemeKey}}}, func(context.Context) error { called = true; return nil })
	for name, tt := range map[string]struct {
		err    error
		status int
	}{
		"any":     {errors.New("secret"), 401},
		"problem": {&fault.Problem{Status: 503, Title: "down"}, 503},
		"typed":   {&NotFound{}, 404},
		"late":    {context.DeadlineExceeded, 503},
	} {
		s := start(t, []server.Route{route}, server.OnError(nil),
			server.Authenticate(func(context.Context, *server.Credentials) (server.Principal, error) {
				return server.Principal{}, tt.err
			}))
		r := do(t, "GET", s.URL, "", "X-Key: hunter2")
		if r.StatusCode != tt.status || called || strings.Contains(r.text, "secret") || strings.Contains(r.text, "hunter2") {
			t.Errorf("%s: %d, %s", name, r.StatusCode, r.text)
		}
	}
	// Without Authenticate nobody gets in, and it is known why.
	var f failures
	s := start(t, []server.Route{route}, f.option())
	do(t, "GET", s.URL, "", "X-Key: good").problem(t, 500)
	if errs, _ := f.heard(); len(errs) != 1 || called {
		t.Error(errs, called)
	}
	do(t, "GET", s.URL, "").problem(t, 401)
}

// Limits by principal are decided after authentication, and not shared by the
// anonymous.
func TestLimitsByPrincipal(t *testing.T) {
	bucket := policy.Bucket{Limit: 1, Per: time.Hour, Burst: 1, Key: []policy.Expr{{Source: policy.FromPrincipal}}, At: policy.AfterAuth}
	sp := spec("GET", "/")
	sp.Server.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{bucket}}
	h := server.New(nil, []server.Route{server.HandleBare(&server.Operation[server.None]{
		Spec: sp, Security: []security.Requirement{{{Scheme: &schemeKey}}, {}},
	}, nothing)}, server.OnError(nil), server.Authenticate(func(_ context.Context, c *server.Credentials) (server.Principal, error) {
		if c.Secret == "bad" {
			return server.Principal{}, server.ErrUnauthorized
		}
		return server.Principal{ID: c.Secret}, nil
	}))
	for i, tt := range []struct {
		ip, key string
		status  int
	}{
		{"10.0.0.1", "a", 204}, {"10.0.0.2", "a", 429}, {"10.0.0.1", "b", 204}, {"10.0.0.1", "bad", 401},
		{"10.0.0.1", "", 204}, {"10.0.0.1", "", 429}, {"10.0.0.2", "", 204},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = tt.ip + ":1"
		if tt.key != "" {
			r.Header.Set("X-Key", tt.key)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tt.status {
			t.Errorf("%d: %d", i, w.Code)
		}
	}
}

func TestTrustedProxies(t *testing.T) {
	sp := spec("GET", "/")
	sp.Server.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{Limit: 1, Per: time.Hour, Burst: 1, Key: []policy.Expr{{Source: policy.FromIP}}}}}
	for _, tt := range []struct {
		peer      string
		forwarded []string
		same      string // as this peer's own
	}{
		{"10.0.0.1:1", nil, "10.0.0.1:2"},
		{"10.0.0.1:1", []string{"1.1.1.1, 2.2.2.2"}, "2.2.2.2:1"},
		{"10.0.0.1:1", []string{"1.1.1.1", "2.2.2.2, 10.0.0.7"}, "2.2.2.2:1"},
		{"10.0.0.1:1", []string{"10.0.0.8, 10.0.0.7"}, "10.0.0.8:1"},
		{"10.0.0.1:1", []string{"1.1.1.1, nonsense"}, "10.0.0.1:1"},
		{"10.0.0.1:1", []string{"[2001:db8::1]:443"}, "[2001:db8::1]:9"},
		{"9.9.9.9:1", []string{"1.1.1.1"}, "9.9.9.9:1"},
		{"[::ffff:9.9.9.9]:1", nil, "9.9.9.9:1"},
	} {
		h := server.New(nil, []server.Route{bare(sp, nothing)}, server.TrustedProxies(netip.MustParsePrefix("10.0.0.0/8")))
		codes := []int{}
		for _, peer := range []string{tt.peer, tt.same} {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr = peer
			if peer == tt.peer && len(codes) == 0 {
				r.Header["X-Forwarded-For"] = tt.forwarded
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			codes = append(codes, w.Code)
		}
		if !slices.Equal(codes, []int{204, 429}) {
			t.Errorf("%+v: %v", tt, codes)
		}
	}
}

func TestClaimsAsKeys(t *testing.T) {
	sp := spec("GET", "/")
	sp.Server.RateLimit = &policy.RateLimit{Buckets: []policy.Bucket{{
		Limit: 1, Per: time.Hour, Burst: 1, At: policy.AfterAuth, Key: []policy.Expr{{Source: policy.FromClaim, Name: "team"}},
	}}}
	var mu sync.Mutex
	var team any
	h := server.New(nil, []server.Route{server.HandleBare(&server.Operation[server.None]{
		Spec: sp, Security: []security.Requirement{{{Scheme: &schemeKey}}},
	}, nothing)}, server.Authenticate(func(context.Context, *server.Credentials) (server.Principal, error) {
		mu.Lock()
		defer mu.Unlock()
		return server.Principal{ID: "x", Claims: map[string]any{"team": team}}, nil
	}))
	for i, tt := range []struct {
		team   any
		status int
	}{{"7", 204}, {7, 429}, {7.0, 429}, {int64(8), 204}, {true, 204}, {nil, 204}} {
		team = tt.team
		if w := call(h, "GET", "/", "", "X-Key: k"); w.Code != tt.status {
			t.Errorf("%d: %d", i, w.Code)
		}
	}
}
