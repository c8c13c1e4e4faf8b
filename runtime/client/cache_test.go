package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/cache"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/security"
)

// stored is a client of a service that is a function, with operations that store answers.
type stored struct {
	*client.Core
	t *testing.T

	mu    sync.Mutex
	asked []*http.Request
}

func storing(t *testing.T, specs []*policy.Spec, answer func(n int, r *http.Request) *http.Response, opts ...client.Option) *stored {
	t.Helper()
	s := &stored{t: t}
	s.Core = coreOf(t, &client.API{Title: "test", Operations: specs, Schemes: []*security.Scheme{bearer}}, append([]client.Option{
		client.BaseURL("http://x.test/v1"), client.Transport(transport(func(r *http.Request) (*http.Response, error) {
			s.mu.Lock()
			s.asked = append(s.asked, r)
			n := len(s.asked)
			s.mu.Unlock()
			h := answer(n, r)
			if h == nil {
				return nil, errors.New("connection reset")
			}
			return h, nil
		})),
	}, opts...)...)
	t.Cleanup(s.Close)
	return s
}

func (s *stored) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

var bearer = &security.Scheme{Name: "token", Type: security.HTTP, HTTP: "bearer"}

// with is a response with more fields.
func with(h *http.Response, fields ...string) *http.Response {
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		h.Header.Add(name, value)
	}
	return h
}

func cacheOf(p policy.Cache) func(*policy.Spec) {
	return func(s *policy.Spec) {
		s.Client.Cache = &p
		s.Client.Timeout = &policy.Timeout{Attempt: time.Second}
		s.Client.Retry = &policy.Retry{MaxAttempts: 2, Statuses: policy.StatusSet(503), Errors: policy.AllErrors}
	}
}

func number(r *client.Response) (any, error) { return client.DecodeValue(r, json.Any) }

// What is fresh answers without a request, and Meta tells so.
func TestCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := op("GET", "/pets", okJSON, cacheOf(policy.Cache{MaxAge: 10 * time.Second}))
		s := storing(t, []*policy.Spec{o.Spec}, func(n int, r *http.Request) *http.Response {
			if r.Header.Get("If-None-Match") == `"v1"` {
				return with(plain(304, ""), `Etag: "v1"`, "X-Request-Id: again")
			}
			return with(plain(200, fmt.Sprintf(`"%d"`, n)), `Etag: "v1"`)
		})
		for i, tc := range []struct {
			opts   []client.CallOption
			after  int
			want   any
			tries  int
			status string
		}{
			{nil, 0, "1", 1, "holdfast; fwd=uri-miss; fwd-status=200; stored"},
			{nil, 0, "1", 0, "holdfast; hit; ttl=10"},
			{nil, 9, "1", 0, "holdfast; hit; ttl=1"},
			{nil, 2, "1", 1, "holdfast; fwd=stale; fwd-status=304; ttl=10; stored"},
			{[]client.CallOption{client.NoCache()}, 0, "3", 1, "holdfast; fwd=bypass; fwd-status=200"},
			{[]client.CallOption{client.Refresh()}, 0, "1", 1, "holdfast; fwd=request; fwd-status=304; ttl=10; stored"},
			{[]client.CallOption{client.CallHeader("Cache-Control", "no-cache")}, 0, "1", 1, "holdfast; fwd=request; fwd-status=304; ttl=10; stored"},
			{nil, 0, "1", 0, "holdfast; hit; ttl=10"},
		} {
			time.Sleep(time.Duration(tc.after) * time.Second)
			var meta client.Meta
			v, err := call(t, s.Core, o, nil, append(tc.opts, client.Into(&meta))...)
			if err != nil || v != tc.want || meta.Tries != tc.tries || meta.Cache != tc.status || meta.Status != 200 {
				t.Errorf("%d: %v, %v, %+v", i, v, err, meta)
			}
		}
	})
}

// The answer at the end of a redirect is not kept under the address that led there.
func TestCacheRedirect(t *testing.T) {
	n := 0
	o := op("GET", "/pets", okJSON, cacheOf(policy.Cache{MaxAge: time.Minute}))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/pets" {
			http.Redirect(w, r, "/now", http.StatusFound)
			return
		}
		n++
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `"%d"`, n)
	}))
	t.Cleanup(s.Close)
	c := coreOf(t, &client.API{Title: "test", Operations: []*policy.Spec{o.Spec}}, client.BaseURL(s.URL))
	for i, want := range []string{"1", "2"} {
		if v, err := call(t, c, o, nil); err != nil || v != want {
			t.Errorf("%d: %v, %v", i, v, err)
		}
	}
}

// HOLDFAST_OFF takes a cache away, and with it what needs it.
func TestCacheOff(t *testing.T) {
	t.Setenv("HOLDFAST_OFF", "cache,hedge")
	o := op("GET", "/pets", okJSON, cacheOf(policy.Cache{MaxAge: time.Minute}))
	s := storing(t, []*policy.Spec{o.Spec}, func(n int, _ *http.Request) *http.Response { return plain(200, strconv.Itoa(n)) })
	for range 2 {
		if _, err := call(t, s.Core, o, nil); err != nil {
			t.Error(err)
		}
	}
	if n := s.requests(); n != 2 {
		t.Errorf("%d requests", n)
	}
}

// Watchers are told what the cache did.
func TestCacheEvents(t *testing.T) {
	o := op("GET", "/pets", okJSON, cacheOf(policy.Cache{MaxAge: time.Minute}))
	put := op("PUT", "/pets", number)
	var events []observe.Cache
	s := storing(t, []*policy.Spec{o.Spec, put.Spec}, func(int, *http.Request) *http.Response { return plain(200, `1`) },
		client.Observe(&observe.Hooks{Cache: func(_ context.Context, e observe.Cache) { events = append(events, e) }}))
	for range 2 {
		if _, err := call(t, s.Core, o, nil); err != nil {
			t.Error(err)
		}
	}
	if _, err := call(t, s.Core, put, nil); err != nil {
		t.Error(err)
	}
	want := []observe.Cache{
		{Op: "GET /pets", Forward: "uri-miss", Stored: true}, {Op: "GET /pets", Hit: true}, {Op: "PUT /pets", Forward: "method"},
	}
	if !slices.Equal(events, want) {
		t.Errorf("%+v", events)
	}
}

// The tries of a call are one exchange: what the last one brings is stored.
func TestCacheAroundRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := op("GET", "/pets", okJSON, cacheOf(policy.Cache{MaxAge: time.Minute, StaleIfError: time.Hour}))
		down := false
		s := storing(t, []*policy.Spec{o.Spec}, func(n int, _ *http.Request) *http.Response {
			time.Sleep(10 * time.Millisecond)
			if n == 1 || down {
				return plain(503, `"busy"`)
			}
			return plain(200, fmt.Sprintf(`"%d"`, n))
		})
		var wg sync.WaitGroup
		for range 5 { // which wait for the first of them
			wg.Go(func() {
				if v, err := call(t, s.Core, o, nil); err != nil || v != "2" {
					t.Errorf("%v, %v", v, err)
				}
			})
		}
		wg.Wait()
		if n := s.requests(); n != 2 {
			t.Errorf("%d requests", n)
		}
		down = true
		time.Sleep(2 * time.Minute)
		var meta client.Meta
		v, err := call(t, s.Core, o, nil, client.Into(&meta))
		if err != nil || v != "2" || meta.Tries != 2 || !strings.Contains(meta.Cache, "detail=stale-if-error") {
			t.Errorf("%v, %v, %+v", v, err, meta)
		}
		time.Sleep(2 * time.Hour)
		if _, err := call(t, s.Core, o, nil); err == nil {
			t.Error("what is too old answers")
		}
	})
}

// While it is fetched anew the stale answer is served; the refresh has the policy's tries.
func TestCacheRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := op("QUERY", "/pets", okJSON, cacheOf(policy.Cache{MaxAge: time.Second, StaleWhileRevalidate: time.Hour}))
		s := storing(t, []*policy.Spec{o.Spec}, func(n int, r *http.Request) *http.Response {
			body := make([]byte, 9)
			got, _ := r.Body.Read(body)
			if string(body[:got]) != `{"id":"q"` {
				t.Errorf("request %d has the body %q", n, body[:got])
			}
			if n > 1 {
				time.Sleep(100 * time.Millisecond)
			}
			if n == 2 {
				return plain(503, `"busy"`)
			}
			return plain(200, fmt.Sprintf(`"%d"`, n))
		})
		ask := func() any {
			t.Helper()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel() // the caller's end is not the refresh's
			f := encoder(func(r *client.Request) {
				r.Path("/pets")
				r.JSON("application/json", &Booking{ID: "q"})
			})
			v, err := client.Do(ctx, s.Core, o, &f, nil)
			if err != nil {
				t.Error(err)
			}
			return v
		}
		ask()
		time.Sleep(2 * time.Second)
		for range 3 {
			if v := ask(); v != "1" {
				t.Errorf("got %v", v)
			}
		}
		time.Sleep(time.Second / 2)
		synctest.Wait()
		if v := ask(); v != "3" || s.requests() != 3 {
			t.Errorf("got %v after %d requests", v, s.requests())
		}
	})
}

// Answers belong to who asks, and an operation may have them for all.
func TestCachePrincipal(t *testing.T) {
	for _, same := range []bool{false, true} {
		o := op("GET", "/pets", okJSON, cacheOf(policy.Cache{MaxAge: time.Minute, SameForAll: same}))
		o.Security = alternatives([]*security.Scheme{bearer})
		store := &cache.Memory{}
		answer := func(n int, r *http.Request) *http.Response {
			return plain(200, fmt.Sprintf(`"%s %d"`, r.Header.Get("Authorization"), n))
		}
		var got []any
		for _, token := range []string{"a", "b", "a"} {
			s := storing(t, []*policy.Spec{o.Spec}, answer, client.Bearer("token", token), client.CacheStore(store))
			v, err := call(t, s.Core, o, nil)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, v)
		}
		want := "[Bearer a 1 Bearer b 1 Bearer a 1]"
		if same {
			want = "[Bearer a 1 Bearer a 1 Bearer a 1]"
		}
		if fmt.Sprint(got) != want {
			t.Errorf("the same for all %v: %v", same, got)
		}
	}
}

// A write outdates its own address, and what its policy names.
func TestCacheInvalidation(t *testing.T) {
	read := op("GET", "/pets/{id}", okJSON, cacheOf(policy.Cache{MaxAge: time.Minute}))
	list := op("GET", "/pets", okJSON, cacheOf(policy.Cache{MaxAge: time.Minute}))
	put := op("PUT", "/pets/{id}", number)
	adopt := op("POST", "/adoptions", number, func(s *policy.Spec) {
		s.Client.Cache = &policy.Cache{Invalidates: []policy.Invalidation{{
			Operation: "GET /pets/{id}", Params: []policy.ParamValue{{In: "path", Name: "id", From: policy.Expr{Source: policy.FromHeader, Name: "pet"}}},
		}, {Operation: "GET /pets"}}}
	})
	status := 200
	s := storing(t, []*policy.Spec{read.Spec, list.Spec, put.Spec, adopt.Spec}, func(n int, r *http.Request) *http.Response {
		if r.Method != http.MethodGet {
			return plain(status, "0")
		}
		return plain(200, strconv.Itoa(n))
	})
	pet := func(id string) encoder {
		return func(r *client.Request) { r.Path("/pets/"); r.PathParam("id", param.Simple, param.String.Format(id)) }
	}
	asks := func(o *client.Operation[any], f encoder) bool {
		t.Helper()
		before := s.requests()
		if _, err := call(t, s.Core, o, f); err != nil {
			t.Error(err)
		}
		return s.requests() > before
	}
	all := func() string { return fmt.Sprint(asks(read, pet("1")), asks(read, pet("2")), asks(list, nil)) }
	adoption := func(r *client.Request) {
		r.Path("/adoptions")
		r.Header("pet", param.Simple, param.String.Format("2"))
	}
	all()
	for i, tc := range []struct {
		status int
		o      *client.Operation[any]
		f      encoder
		want   string
	}{
		{200, put, pet("1"), "true false false"},
		{200, adopt, adoption, "false true true"},
		{500, put, pet("1"), "false false false"},
		{404, adopt, adoption, "false false false"},
	} {
		status = tc.status
		_, _ = call(t, s.Core, tc.o, tc.f)
		status = 200
		if got := all(); got != tc.want {
			t.Errorf("%d: asked %s, want %s", i, got, tc.want)
		}
	}
}

// The wait for somebody else's answer is a part of the call.
func TestCacheWaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := op("GET", "/pets", okJSON, cacheOf(policy.Cache{MaxAge: time.Minute}), func(s *policy.Spec) { s.Client.Retry = nil })
		s := storing(t, []*policy.Spec{o.Spec}, func(_ int, r *http.Request) *http.Response {
			<-r.Context().Done()
			return nil
		})
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = call(t, s.Core, o, nil) })
		synctest.Wait()
		begin := time.Now()
		_, err := call(t, s.Core, o, nil, client.Within(300*time.Millisecond))
		if took := time.Since(begin); took != 300*time.Millisecond || faultOf(t, err).Kind.String() != "timeout" {
			t.Errorf("%v after %v", err, took)
		}
		// A fallback answers such a call like any other that has taken too long.
		f := usual(policy.Rung{Kind: policy.RungStatic, Body: `"static"`})
		o.Spec.Client.Fallback = &f
		again := storing(t, []*policy.Spec{o.Spec}, func(_ int, r *http.Request) *http.Response {
			<-r.Context().Done()
			return nil
		})
		wg.Go(func() { _, _ = call(t, again.Core, o, nil) })
		synctest.Wait()
		var meta client.Meta
		if v, err := call(t, again.Core, o, nil, client.Within(300*time.Millisecond), client.Into(&meta)); v != "static" || err != nil || meta.Rung != "static" {
			t.Errorf("%v, %v, %+v", v, err, meta)
		}
		wg.Wait()
	})
}

// A document that wants Redis needs a store of the caller's.
func TestCacheNeedsStore(t *testing.T) {
	o := op("GET", "/pets", okJSON, cacheOf(policy.Cache{MaxAge: time.Minute, Store: policy.CacheInRedis}))
	api := &client.API{Title: "test", Operations: []*policy.Spec{o.Spec}}
	if _, err := client.New(api, client.BaseURL("http://x.test")); err == nil || !strings.Contains(err.Error(), "client.CacheStore") {
		t.Errorf("%v", err)
	}
	if _, err := client.New(api, client.BaseURL("http://x.test"), client.CacheStore(&cache.Memory{})); err != nil {
		t.Error(err)
	}
	if _, err := client.New(api, client.CacheStore(nil)); err == nil {
		t.Error("a nil store")
	}
}

// A field of the server's own for this cache counts in place of Cache-Control, where the
// client knows of it.
func TestCacheTargets(t *testing.T) {
	for want, opts := range map[string][]client.Option{
		"1 2": nil,
		"1 1": {client.CacheTargets("Shop-Cache-Control", "CDN-Cache-Control")},
	} {
		o := op("GET", "/pets", okJSON, cacheOf(policy.Cache{MaxAge: policy.None}))
		s := storing(t, []*policy.Spec{o.Spec}, func(n int, _ *http.Request) *http.Response {
			return with(plain(200, fmt.Sprintf(`"%d"`, n)), "Cache-Control: no-store", "Shop-Cache-Control: max-age=60")
		}, opts...)
		first, err := call(t, s.Core, o, nil)
		second, again := call(t, s.Core, o, nil)
		if got := fmt.Sprintf("%v %v", first, second); got != want || err != nil || again != nil {
			t.Errorf("answers %s, %v, %v, want %s", got, err, again, want)
		}
	}
	for _, bad := range []string{"", "Cache Control"} {
		if _, err := client.New(&client.API{Title: "test"}, client.BaseURL("http://x.test"), client.CacheTargets(bad)); err == nil || !strings.Contains(err.Error(), "CacheTargets") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
