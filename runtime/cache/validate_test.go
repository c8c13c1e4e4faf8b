package cache_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/cache"
)

// RFC 9111 section 4.3: a stale entry is asked about by its validators, and a 304 takes
// over what it says.
func TestRevalidation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const changed = "Tue, 01 Jan 1980 00:00:00 GMT"
		u := use(t, cache.Options{}, nil, func(n int, r *http.Request) *reply {
			if r.Header.Get("If-None-Match") == `"v1"` && r.Header.Get("If-Modified-Since") == changed {
				return response(304, "", "Cache-Control: max-age=20", "X-New: 2", "X-Old: 2", "Content-Encoding: gone", `Etag: "v1"`)
			}
			return response(200, strconv.Itoa(n), "Cache-Control: max-age=10", `Etag: "v1"`, "Last-Modified: "+changed, "X-Old: 1", "Content-Encoding: own")
		})
		u.get()
		time.Sleep(11 * time.Second)
		g := u.get()
		if g.status != 200 || g.body != "1" || g.header.Get("X-New") != "2" || g.header.Get("X-Old") != "2" || g.header.Get("Content-Encoding") != "own" {
			t.Errorf("%+v", g)
		}
		if s := g.header.Get(cache.StatusHeader); s != "holdfast; fwd=stale; fwd-status=304; ttl=20; stored" {
			t.Errorf("status %q", s)
		}
		time.Sleep(19 * time.Second)
		u.want("1", "hit; ttl=1")
	})
}

// A 304 about something else is no confirmation: the request is made again.
func TestForeign304(t *testing.T) {
	u := use(t, cache.Options{}, nil, func(n int, r *http.Request) *reply {
		if r.Header.Get("If-None-Match") != "" {
			return response(304, "", `Etag: "v2"`)
		}
		return response(200, strconv.Itoa(n), "Cache-Control: no-cache", `Etag: "v1"`)
	})
	u.want("1", "fwd=uri-miss")
	u.want("3", "fwd=stale; fwd-status=200")
}

// The caller's own conditions are answered from what is fresh, and passed on else.
func TestConditions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now().UTC()
		at := func(d time.Duration) string { return begin.Add(d).Format(http.TimeFormat) }
		u := use(t, cache.Options{}, nil, func(n int, r *http.Request) *reply {
			if r.Header.Get("If-None-Match") == `"v1"` {
				return response(304, "", `Etag: "v1"`, "Cache-Control: max-age=60")
			}
			return response(200, strconv.Itoa(n), "Cache-Control: max-age=60", `Etag: "v1"`, "Last-Modified: "+at(-time.Hour), "Content-Length: 1")
		})
		u.get()
		for field, status := range map[string]int{
			`If-None-Match: "v1"`:                    304,
			`If-None-Match: W/"v1"`:                  304,
			`If-None-Match: "a,b", "v1"`:             304,
			`If-None-Match: *`:                       304,
			`If-None-Match: "v2"`:                    200,
			"If-Modified-Since: " + at(-time.Hour):   304,
			"If-Modified-Since: " + at(-time.Minute): 304,
			"If-Modified-Since: " + at(-2*time.Hour): 200,
			"If-Modified-Since: yesterday":           200,
			"If-Modified-Since: " + begin.Add(-time.Hour).Format("Monday, 02-Jan-06 15:04:05 GMT"): 304,
		} {
			g := u.get(field)
			if g.status != status || (status == 304) != (g.body == "") || g.header.Get("Etag") != `"v1"` {
				t.Errorf("%s: %d %q", field, g.status, g.body)
			}
		}
		if g := u.get(`If-None-Match: "v2"`, "If-Modified-Since: "+at(0)); g.status != 200 {
			t.Error("If-None-Match comes first")
		}
		if n := u.o.requests(); n != 1 {
			t.Errorf("%d requests", n)
		}
		time.Sleep(61 * time.Second)
		if g := u.get(`If-None-Match: "v1"`); g.status != 304 || u.o.requests() != 2 {
			t.Errorf("passed on: %d", g.status)
		}
		u.want("1", "hit; ttl=60") // which has freshened the entry
		if g := u.get("If-Match: \"v1\""); g.status != 200 || u.o.requests() != 3 {
			t.Errorf("If-Match: %d", g.status)
		}
	})
}

func TestVary(t *testing.T) {
	u := use(t, cache.Options{}, nil, func(n int, _ *http.Request) *reply {
		return response(200, strconv.Itoa(n), "Cache-Control: max-age=60", "Vary: foo, Accept-Language")
	})
	u.want("1", "fwd=uri-miss", "Foo: a", "Accept-Language: de, en")
	u.want("2", "fwd=vary-miss", "Foo: b", "Accept-Language: de, en")
	u.want("3", "fwd=vary-miss", "Accept-Language: de, en")
	u.want("4", "fwd=vary-miss", "Foo: ", "Accept-Language: de, en")
	u.want("1", "hit", "Foo: a", "Accept-Language: de, en")
	u.want("1", "hit", "Foo:  a ", "Accept-Language: EN,de")
	u.want("5", "fwd=vary-miss", "Foo: a, c", "Accept-Language: de, en")
	u.want("5", "hit", "Foo: a", "Foo: c", "Accept-Language: de, en")
	u.want("6", "fwd=vary-miss", `Foo: "a , b"`, "Accept-Language: de, en")
	u.want("7", "fwd=vary-miss", `Foo: "a, b"`, "Accept-Language: de, en")
}

// Entries belong to the credential, unless the rules say otherwise.
func TestPrincipal(t *testing.T) {
	answer := numbered("Cache-Control: max-age=60")
	u := use(t, cache.Options{}, nil, answer)
	u.want("1", "fwd=uri-miss", "Authorization: a")
	u.want("2", "fwd=uri-miss", "Authorization: b")
	u.want("3", "fwd=uri-miss")
	u.want("4", "fwd=uri-miss", "Cookie: a")
	u.want("1", "hit", "Authorization: a")
	u = use(t, cache.Options{}, &cache.Rules{SameForAll: true}, answer)
	u.want("1", "fwd=uri-miss", "Authorization: a")
	u.want("1", "hit", "Authorization: b")
	// RFC 9111 section 3.5.
	for field, want := range map[string]string{
		"max-age=60": "2", "max-age=60, public": "1", "max-age=60, must-revalidate": "1", "s-maxage=60": "1",
	} {
		u = use(t, cache.Options{Shared: true}, cache.DefaultRules(), numbered("Cache-Control: "+field))
		u.get("Authorization: a")
		if body := u.get("Authorization: a").body; body != want {
			t.Errorf("%s: response %s", field, body)
		}
	}
}

// Fields of the connection, and those that may not be used again, are not stored.
func TestStoredFields(t *testing.T) {
	u := use(t, cache.Options{}, nil, numbered(
		`Cache-Control: max-age=60, no-cache="X-Secret", private="X-Own"`, "Connection: X-Hop, close", "X-Hop: 1", "X-Secret: 1",
		"X-Own: 1", "Keep-Alive: 1", "Proxy-Authenticate: 1", "Upgrade: 1", "Te: 1", "X-Kept: 1", "Set-Cookie: a=b", "Cache-Status: cdn; hit"))
	u.get()
	g := u.get()
	for name, want := range map[string]string{
		"X-Kept": "1", "X-Own": "1", "Set-Cookie": "a=b", "X-Hop": "", "X-Secret": "", "Connection": "", "Keep-Alive": "",
		"Proxy-Authenticate": "", "Upgrade": "", "Te": "", "Cache-Status": "cdn; hit, holdfast; hit; ttl=60",
	} {
		if got := g.header.Get(name); got != want && !(name == "Cache-Status" && got == "cdn; hit, holdfast; hit; ttl=59") {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	// What the caller does to its response is its own.
	g.header.Set("X-Kept", "2")
	g.header["Set-Cookie"][0] = "x"
	if g := u.get(); g.header.Get("X-Kept") != "1" || g.header.Get("Set-Cookie") != "a=b" {
		t.Error("a caller has changed the entry")
	}
}

func TestHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := use(t, cache.Options{}, nil, func(n int, r *http.Request) *reply {
			body := strconv.Itoa(n)
			etag := `Etag: "v1"`
			if n == 4 {
				etag = `Etag: "v2"`
			}
			if r.Method == http.MethodHead {
				body = ""
			}
			return response(200, body, "Cache-Control: max-age=10", etag, fmt.Sprintf("X-N: %d", n))
		})
		head := func() got { return u.send(u.request(http.MethodHead, "http://x.test/a")) }
		if g := head(); g.status != 200 || u.o.requests() != 1 {
			t.Errorf("%+v", g)
		}
		u.want("2", "fwd=uri-miss") // a HEAD alone is not stored
		if g := head(); g.body != "" || g.header.Get("X-N") != "2" || u.o.requests() != 2 {
			t.Errorf("from the entry: %+v", g)
		}
		time.Sleep(11 * time.Second)
		head()
		if g := u.get(); g.body != "2" || g.header.Get("X-N") != "3" {
			t.Errorf("after a HEAD that confirms: %+v", g)
		}
		time.Sleep(11 * time.Second)
		head()
		u.want("5", "fwd=uri-miss") // it had another entity tag
	})
}

func TestRange(t *testing.T) {
	u := use(t, cache.Options{}, nil, func(_ int, r *http.Request) *reply {
		if r.Header.Get("Range") != "" {
			return response(206, "part", "Cache-Control: max-age=60")
		}
		return response(200, "0123456789", "Cache-Control: max-age=60", `Etag: "v1"`)
	})
	for range 2 {
		u.want("part", "fwd=uri-miss; fwd-status=206", "Range: bytes=0-3")
	}
	u.want("0123456789", "fwd=uri-miss; fwd-status=200; stored")
	for field, want := range map[string]string{
		"bytes=0-1": "01", "bytes=2-": "23456789", "bytes=-3": "789", "bytes=8-99": "89", "bytes=-99": "0123456789",
		"bytes=3-1": "0123456789", "bytes=0-1,4-5": "0123456789", "lines=1-2": "0123456789", "bytes=x-": "0123456789",
		"bytes=-": "0123456789", "bytes=10-": "", "bytes=-0": "", "bytes=+1-2": "0123456789",
	} {
		g := u.get("Range: " + field)
		status := 206
		switch {
		case want == "":
			status = 416
		case want == "0123456789" && field != "bytes=-99":
			status = 200
		}
		if g.body != want || g.status != status {
			t.Errorf("%s: %d %q", field, g.status, g.body)
		}
	}
	if g := u.get("Range: bytes=2-3"); g.header.Get("Content-Range") != "bytes 2-3/10" || g.header.Get("Content-Length") != "2" {
		t.Errorf("%v", g.header)
	}
	if g := u.get("Range: bytes=2-3", `If-Range: "v1"`); g.body != "23" {
		t.Errorf("If-Range: %q", g.body)
	}
	if g := u.get("Range: bytes=2-3", `If-Range: "v0"`); g.status != 200 {
		t.Errorf("If-Range of another: %d", g.status)
	}
}
