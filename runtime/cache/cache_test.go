package cache_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/cache"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

func TestFreshThenStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := use(t, cache.Options{}, nil, numbered("Cache-Control: max-age=10"))
		u.want("1", "fwd=uri-miss; fwd-status=200; stored")
		time.Sleep(9 * time.Second)
		u.want("1", "hit; ttl=1")
		if age := u.get().header.Get("Age"); age != "9" {
			t.Errorf("Age %q", age)
		}
		time.Sleep(time.Second)
		u.want("2", "fwd=stale; fwd-status=200; stored")
		u.want("2", "hit; ttl=10")
	})
}

// RFC 9111 section 4.2.3: the time on the way and the Age of caches before count.
func TestAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := use(t, cache.Options{}, nil, func(n int, _ *http.Request) *reply {
			time.Sleep(3 * time.Second)
			return response(200, strconv.Itoa(n), "Cache-Control: max-age=10", "Age: 5")
		})
		u.want("1", "fwd=uri-miss")
		time.Sleep(time.Second)
		u.want("1", "hit; ttl=1")
		time.Sleep(time.Second)
		u.want("2", "fwd=stale")
	})
}

// What makes a response fresh, and for how long, at the moment when it was received.
func TestLifetimes(t *testing.T) {
	at := func(d time.Duration) string { return time.Now().UTC().Add(d).Format(http.TimeFormat) }
	for _, tc := range []struct {
		name    string
		fields  func() []string
		private int // seconds that a private cache makes of it; negative for not stored
		shared  int
	}{
		{"nothing", func() []string { return nil }, -1, -1},
		{"max-age", func() []string { return []string{"Cache-Control: max-age=60"} }, 60, 60},
		{"s-maxage", func() []string { return []string{"Cache-Control: max-age=60, s-maxage=5"} }, 60, 5},
		{"s-maxage alone", func() []string { return []string{"Cache-Control: s-maxage=5"} }, -1, 5},
		{"private", func() []string { return []string{"Cache-Control: private, max-age=60"} }, 60, -1},
		{"no-store", func() []string { return []string{"Cache-Control: no-store, max-age=60"} }, -1, -1},
		{"must-understand", func() []string { return []string{"Cache-Control: no-store, must-understand, max-age=60"} }, 60, 60},
		{"Expires", func() []string { return []string{"Expires: " + at(90*time.Second)} }, 90, 90},
		{"Expires and Date", func() []string {
			return []string{"Expires: " + at(90*time.Second), "Date: " + at(30*time.Second)}
		}, 60, 60},
		{"max-age before Expires", func() []string {
			return []string{"Expires: " + at(-time.Hour), "Cache-Control: max-age=60"}
		}, 60, 60},
		{"Expires 0", func() []string { return []string{"Expires: 0", "Last-Modified: " + at(-time.Hour)} }, 0, 0},
		{"two Expires", func() []string {
			return []string{"Expires: " + at(time.Hour), "Expires: " + at(2*time.Hour), "Etag: \"x\""}
		}, 0, 0},
		{"Date in the past", func() []string {
			return []string{"Cache-Control: max-age=60", "Date: " + at(-20*time.Second)}
		}, 40, 40},
		{"heuristic", func() []string { return []string{"Last-Modified: " + at(-time.Hour)} }, 360, 360},
		{"heuristic of years", func() []string { return []string{"Last-Modified: " + at(-99999*time.Hour)} }, 86400, 86400},
		{"broken max-age", func() []string { return []string{"Cache-Control: max-age=abc", "Etag: \"x\""} }, 0, 0},
		{"first max-age", func() []string { return []string{"Cache-Control: max-age=60, max-age=5"} }, 60, 60},
		{"in quotes", func() []string { return []string{`Cache-Control: x="max-age=60", max-age="5"`} }, 5, 5},
		{"no-cache", func() []string { return []string{"Cache-Control: max-age=60, no-cache", "Etag: \"x\""} }, 0, 0},
		{"Age is no number", func() []string { return []string{"Cache-Control: max-age=60", "Age: abc"} }, 60, 60},
		{"Age is negative", func() []string { return []string{"Cache-Control: max-age=60", "Age: -7"} }, 60, 60},
		{"Age is a list", func() []string { return []string{"Cache-Control: max-age=60", "Age: 10, 50"} }, 50, 50},
		{"two Ages", func() []string { return []string{"Cache-Control: max-age=60", "Age: 10", "Age: 50"} }, 50, 50},
		{"too large", func() []string { return []string{"Cache-Control: max-age=99999999999"} }, 1 << 31, 1 << 31},
		{"Vary *", func() []string { return []string{"Cache-Control: max-age=60", "Vary: *"} }, -1, -1},
		{"validator only", func() []string { return []string{"Etag: \"x\""} }, 0, 0},
		{"immutable", func() []string { return []string{"Cache-Control: max-age=60, immutable"} }, 60, 60},
		{"Set-Cookie", func() []string { return []string{"Cache-Control: max-age=60", "Set-Cookie: a=b"} }, 60, 60},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for shared, want := range map[bool]int{false: tc.private, true: tc.shared} {
				synctest.Test(t, func(t *testing.T) {
					u := use(t, cache.Options{Shared: shared}, nil, func(n int, _ *http.Request) *reply {
						return response(200, strconv.Itoa(n), tc.fields()...)
					})
					first := u.get().header.Get(cache.StatusHeader)
					if stored := strings.Contains(first, "stored"); stored != (want >= 0) {
						t.Fatalf("shared %v: %q", shared, first)
					}
					if want > 0 {
						time.Sleep(time.Duration(want)*time.Second - time.Millisecond)
						u.want("1", "hit")
						time.Sleep(time.Millisecond)
					}
					if body := u.get().body; want >= 0 && body == "1" {
						t.Errorf("shared %v: served past %v s", shared, want)
					}
				})
			}
		})
	}
}

// What may be stored by its status.
func TestStatuses(t *testing.T) {
	for status, fields := range map[int]map[string]bool{
		200: {"Cache-Control: max-age=60": true, "Last-Modified: Tue, 01 Jan 1980 00:00:00 GMT": true},
		201: {"Cache-Control: max-age=60": true, "Last-Modified: Tue, 01 Jan 1980 00:00:00 GMT": false},
		206: {"Cache-Control: max-age=60": false},
		302: {"Cache-Control: max-age=60": true, "Last-Modified: Tue, 01 Jan 1980 00:00:00 GMT": false},
		404: {"Cache-Control: max-age=60": true, "Last-Modified: Tue, 01 Jan 1980 00:00:00 GMT": true},
		500: {"Cache-Control: max-age=60": true, "Last-Modified: Tue, 01 Jan 1980 00:00:00 GMT": false},
		599: {"Cache-Control: max-age=60": true, "Cache-Control: max-age=60, must-understand": false},
	} {
		for field, want := range fields {
			u := use(t, cache.Options{}, nil, func(n int, _ *http.Request) *reply {
				return response(status, strconv.Itoa(n), field)
			})
			if first, second := u.get(), u.get(); (second.body == first.body) != want {
				t.Errorf("%d with %q: %q after %q", status, field, second.body, first.body)
			}
		}
	}
}

// A stream of events has no end to be stored at.
func TestEventStream(t *testing.T) {
	u := use(t, cache.Options{}, nil, numbered("Cache-Control: max-age=60", "Content-Type: text/event-stream; charset=utf-8"))
	u.get()
	u.want("2", "fwd=uri-miss; fwd-status=200")
}

// Directives of the request, on an entry that is fresh for 60 s and 20 s old, or 10 s stale.
func TestRequestDirectives(t *testing.T) {
	for _, tc := range []struct {
		field string
		after int
		hit   bool
	}{
		{"Cache-Control: no-cache", 20, false},
		{"Cache-Control: no-store", 20, true}, // it is about storing
		{"Cache-Control: max-age=30", 20, true},
		{"Cache-Control: max-age=10", 20, false},
		{"Cache-Control: max-age=0", 20, false},
		{"Cache-Control: min-fresh=30", 20, true},
		{"Cache-Control: min-fresh=50", 20, false},
		{"Cache-Control: max-stale", 70, true},
		{"Cache-Control: max-stale=30", 70, true},
		{"Cache-Control: max-stale=5", 70, false},
		{"Cache-Control: max-stale=x", 70, false},
		{"Cache-Control: max-stale=30, min-fresh=1", 70, false},
		{"Cache-Control: max-stale=30, max-age=65", 70, false},
		{"Pragma: no-cache", 20, false},
		{"Pragma: x", 20, true},
		{"X-Nothing: x", 70, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			u := use(t, cache.Options{}, nil, numbered("Cache-Control: max-age=60"))
			u.get()
			time.Sleep(time.Duration(tc.after) * time.Second)
			if body := u.get(tc.field).body; (body == "1") != tc.hit {
				t.Errorf("%q after %d s: response %q", tc.field, tc.after, body)
			}
		})
	}
	u := use(t, cache.Options{}, nil, numbered("Cache-Control: max-age=60"))
	if g := u.get("Cache-Control: only-if-cached"); g.status != http.StatusGatewayTimeout || u.o.requests() != 0 {
		t.Errorf("only-if-cached: %d", g.status)
	}
	if u.get("Cache-Control: no-store"); u.get("Cache-Control: only-if-cached").status == http.StatusOK {
		t.Error("it was stored against no-store")
	}
	// Pragma is nothing next to Cache-Control.
	u.get()
	if n := u.o.requests(); u.get("Pragma: no-cache", "Cache-Control: max-age=9").body != "2" || u.o.requests() != n {
		t.Error("Pragma counts next to Cache-Control")
	}
}

// RFC 9111 section 4.4: a success of an unsafe method drops what it outdates, of the same
// origin only.
func TestInvalidation(t *testing.T) {
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "M-SEARCH"} {
		for status, dropped := range map[int]bool{200: true, 204: true, 303: true, 404: false, 500: false} {
			u := use(t, cache.Options{}, nil, func(n int, r *http.Request) *reply {
				if r.Method == method {
					return response(status, "", "Location: /b", "Content-Location: http://other.test/c", "Cache-Control: max-age=60")
				}
				return response(200, strconv.Itoa(n), "Cache-Control: max-age=60")
			})
			addresses := []string{"http://x.test/a", "http://x.test/b", "http://other.test/c", "http://x.test/a?q"}
			for _, a := range addresses {
				u.send(u.request("GET", a))
			}
			if g := u.send(u.request(method, "http://X.test:80/a")); !strings.Contains(g.header.Get(cache.StatusHeader), "fwd=method") {
				t.Errorf("%s: %q", method, g.header.Get(cache.StatusHeader))
			}
			for i, a := range addresses {
				before := u.o.requests()
				u.send(u.request("GET", a))
				if asked := u.o.requests() > before; asked != (dropped && i < 2) {
					t.Errorf("%s %d: %s was asked for: %v", method, status, a, asked)
				}
			}
		}
	}
}

// A response that was under way while its address was invalidated is not stored.
func TestInvalidatedUnderWay(t *testing.T) {
	u := use(t, cache.Options{}, nil, numbered("Cache-Control: max-age=60"))
	h, err := u.RoundTrip(u.request("GET", "http://x.test/a"))
	if err != nil {
		t.Fatal(err)
	}
	u.send(u.request("PUT", "http://x.test/a"))
	_, _ = io.Copy(io.Discard, h.Body)
	_ = h.Body.Close()
	u.want("3", "fwd=uri-miss")
}

func TestInvalidateScope(t *testing.T) {
	rules := &cache.Rules{Operation: "getPet"}
	u := use(t, cache.Options{}, rules, numbered("Cache-Control: max-age=60"))
	u.get("Authorization: a")
	u.get("Authorization: b")
	of := func(who string) string { return cache.Principal(http.Header{"Authorization": {who}}) }
	for _, s := range []cache.Scope{{}, {Operation: "other"}, {Principal: of("a"), OfPrincipal: true}} {
		if err := u.Cache.Invalidate(t.Context(), s); err != nil {
			t.Error(err)
		}
	}
	u.want("1", "hit", "Authorization: a")
	if err := u.Cache.Invalidate(t.Context(), cache.Scope{Operation: "getPet", Principal: of("a"), OfPrincipal: true}); err != nil {
		t.Error(err)
	}
	u.want("3", "fwd=uri-miss", "Authorization: a")
	u.want("2", "hit", "Authorization: b")
	if err := u.Cache.Invalidate(t.Context(), cache.Scope{Operation: "getPet"}); err != nil {
		t.Error(err)
	}
	u.want("4", "fwd=uri-miss", "Authorization: b")
}

// POST and QUERY are stored by their body where the rules say that they read.
func TestBodies(t *testing.T) {
	u := use(t, cache.Options{}, &cache.Rules{Bodies: true, DefaultAge: time.Minute}, numbered())
	ask := func(method, body string) string {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://x.test/search", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		return u.send(r).body
	}
	for _, tc := range [][3]string{
		{"POST", "a", "1"}, {"POST", "b", "2"}, {"POST", "a", "1"}, {"QUERY", "a", "3"}, {"QUERY", "a", "3"}, {"POST", "", "4"},
	} {
		if got := ask(tc[0], tc[1]); got != tc[2] {
			t.Errorf("%v: %s", tc, got)
		}
	}
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://x.test/search", io.LimitReader(strings.NewReader("a"), 9))
	if g := u.send(r); g.body != "5" || !strings.Contains(g.header.Get(cache.StatusHeader), "fwd=bypass") {
		t.Errorf("a body that cannot be told: %+v", g)
	}
}

// The settings of a policy.
func TestRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &policy.Cache{MaxAge: 10 * time.Second, Vary: []string{"x-tenant"}}
		u := use(t, cache.Options{}, cache.RulesOf(p, policy.Read, "getPet"), numbered())
		u.want("1", "fwd=uri-miss; fwd-status=200; stored", "X-Tenant: a")
		u.want("2", "fwd=uri-miss", "X-Tenant: b")
		u.want("1", "hit; ttl=10", "X-Tenant: a")
		time.Sleep(11 * time.Second)
		u.want("3", "fwd=stale", "X-Tenant: a")

		u = use(t, cache.Options{}, cache.RulesOf(&policy.Cache{}, policy.Read, ""), numbered(`Etag: "v"`))
		u.get()
		u.want("2", "fwd=stale") // 0s always revalidates

		p = &policy.Cache{MaxAge: time.Minute, Scope: policy.CacheNoStore}
		u = use(t, cache.Options{}, cache.RulesOf(p, policy.Read, ""), numbered("Cache-Control: max-age=60"))
		u.get()
		u.want("2", "fwd=bypass")

		u = use(t, cache.Options{}, cache.RulesOf(&policy.Cache{MaxAge: time.Minute}, policy.Write, ""), numbered())
		u.get()
		u.want("2", "fwd=bypass")

		// An error does not get the policy's freshness.
		u = use(t, cache.Options{}, cache.RulesOf(&policy.Cache{MaxAge: time.Minute}, policy.Read, ""), func(n int, _ *http.Request) *reply {
			return response(404, strconv.Itoa(n))
		})
		u.get()
		u.want("2", "fwd=uri-miss")
	})
}

func TestUse(t *testing.T) {
	u := use(t, cache.Options{}, nil, numbered("Cache-Control: max-age=60"))
	ask := func(w *cache.Use) string {
		t.Helper()
		h, err := u.Cache.RoundTrip(u.request("GET", "http://x.test/a", "Authorization: a"), nil, w, u.o)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(h.Body)
		_ = h.Body.Close()
		return string(body)
	}
	for i, tc := range []struct {
		use  cache.Use
		want string
	}{
		{cache.Use{}, "1"},
		{cache.Use{Bypass: true}, "2"},
		{cache.Use{}, "1"},
		{cache.Use{Refresh: true}, "3"},
		{cache.Use{}, "3"},
		{cache.Use{Key: "k"}, "4"},
		{cache.Use{Key: "k"}, "4"},
		{cache.Use{HasPrincipal: true, Principal: "p"}, "5"},
		{cache.Use{HasPrincipal: true, Principal: "p"}, "5"},
		{cache.Use{}, "3"},
	} {
		if got := ask(&tc.use); got != tc.want {
			t.Errorf("%d: %s, want %s", i, got, tc.want)
		}
	}
}

func TestShadow(t *testing.T) {
	hits := 0
	u := use(t, cache.Options{OnEvent: func(_ context.Context, e cache.Event) {
		if e.Shadow {
			hits++
		}
	}}, &cache.Rules{Mode: policy.Shadow}, numbered("Cache-Control: max-age=60", `Etag: "x"`))
	u.want("1", "fwd=uri-miss")
	u.want("2", "fwd=bypass")
	if hits != 1 || len(u.o.asked[1].Header) != 0 {
		t.Errorf("%d hits, asked with %v", hits, u.o.asked[1].Header)
	}
}

func ExampleTransport() {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Cache-Control", "max-age=60")
		_, _ = io.WriteString(w, "rates of today")
	}))
	defer server.Close()
	c := cache.New(cache.Options{})
	defer c.Close()
	client := &http.Client{Transport: &cache.Transport{Cache: c}}
	for range 3 {
		h, err := client.Get(server.URL)
		if err != nil {
			fmt.Println(err)
			return
		}
		text, _ := io.ReadAll(h.Body)
		_ = h.Body.Close()
		fmt.Println(string(text))
	}
	fmt.Println("asked", asked)
	// Output:
	// rates of today
	// rates of today
	// rates of today
	// asked 1
}
