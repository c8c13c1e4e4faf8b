package cache_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/cache"
	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
)

// RFC 5861 section 3: within the window the stale answer is served at once, and fetched
// anew behind the caller's back, once.
func TestStaleWhileRevalidate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := use(t, cache.Options{}, nil, func(n int, r *http.Request) *reply {
			_ = sleep.For(r.Context(), 100*time.Millisecond)
			return response(200, strconv.Itoa(n), "Cache-Control: max-age=10, stale-while-revalidate=20")
		})
		u.want("1", "fwd=uri-miss")
		time.Sleep(15 * time.Second)
		for range 3 {
			begin := time.Now()
			u.want("1", "hit; ttl=-5; detail=stale-while-revalidate")
			if took := time.Since(begin); took != 0 {
				t.Errorf("it took %v", took)
			}
		}
		time.Sleep(200 * time.Millisecond)
		u.want("2", "hit; ttl=9")
		time.Sleep(31 * time.Second)
		u.want("3", "fwd=stale") // past the window
		time.Sleep(15 * time.Second)
		if g := u.get("Cache-Control: max-age=60"); g.body != "4" {
			t.Errorf("the request sets a bound: %q", g.body)
		}
	})
}

// The caller's end does not end the refresh, and the end of the cache does.
func TestRefreshDetached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := make(chan error, 9)
		o := cache.Options{RefreshTimeout: time.Minute, OnEvent: func(_ context.Context, e cache.Event) {
			if e.Err != nil {
				failed <- e.Err
			}
		}}
		u := use(t, o, nil, func(n int, r *http.Request) *reply {
			if n > 1 {
				if r.Header.Get("Cache-Control") != "" || r.Header.Get("If-None-Match") != `"v1"` || r.Header.Get("X-Own") != "1" {
					t.Errorf("refreshed with %v", r.Header)
				}
				_ = sleep.For(r.Context(), time.Hour)
			}
			return response(200, "x", "Cache-Control: max-age=1, stale-while-revalidate=9999", `Etag: "v1"`)
		})
		u.get("X-Own: 1")
		time.Sleep(2 * time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		if g := u.send(u.request("GET", "http://x.test/a", "X-Own: 1", "Cache-Control: x").WithContext(ctx)); g.body != "x" {
			t.Errorf("%+v", g)
		}
		cancel()
		synctest.Wait()
		if len(failed) != 0 {
			t.Errorf("the caller's end has ended it: %v", <-failed)
		}
		time.Sleep(61 * time.Second) // its own bound
		synctest.Wait()
		if len(failed) != 1 || !errors.Is(<-failed, context.DeadlineExceeded) {
			t.Error("its own bound has not ended it")
		}
		u.send(u.request("GET", "http://x.test/a", "X-Own: 1"))
		synctest.Wait()
		begin := time.Now()
		u.Cache.Close()
		if time.Since(begin) != 0 {
			t.Error("Close waits for the origin")
		}
		if g := u.get("X-Own: 1"); g.body != "x" {
			t.Errorf("after Close: %+v", g)
		}
		synctest.Wait()
		if n := u.o.requests(); n != 3 {
			t.Errorf("%d requests: a refresh after Close", n)
		}
	})
}

// Refreshes are bounded in number, and one that panics ends nothing else.
func TestRefreshBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told atomic.Int32
		o := cache.Options{MaxRefreshes: 2, OnEvent: func(_ context.Context, e cache.Event) {
			if e.Err != nil && strings.Contains(e.Err.Error(), "boom") {
				told.Add(1)
			}
		}}
		old := true
		u := use(t, o, nil, func(_ int, r *http.Request) *reply {
			if old {
				return response(200, "x", "Cache-Control: max-age=1, stale-while-revalidate=9999")
			}
			_ = sleep.For(r.Context(), time.Second)
			panic("boom")
		})
		for i := range 5 {
			u.send(u.request("GET", fmt.Sprintf("http://x.test/%d", i)))
		}
		time.Sleep(2 * time.Second)
		old = false
		for i := range 5 {
			u.send(u.request("GET", fmt.Sprintf("http://x.test/%d", i)))
		}
		synctest.Wait()
		if n := u.o.requests(); n != 7 {
			t.Errorf("%d refreshes at one time", n-5)
		}
		time.Sleep(2 * time.Second)
		if told.Load() != 2 {
			t.Errorf("%d panics were told", told.Load())
		}
	})
}

// RFC 5861 section 4, and RFC 9111 section 4.2.4 for what forbids it.
func TestStaleIfError(t *testing.T) {
	for _, tc := range []struct {
		name, control, request string
		failure                int // a status; zero is a broken connection
		after                  int
		stale                  bool
	}{
		{"broken", "max-age=10, stale-if-error=60", "", 0, 30, true},
		{"500", "max-age=10, stale-if-error=60", "", 500, 30, true},
		{"502", "max-age=10, stale-if-error=60", "", 502, 30, true},
		{"503", "max-age=10, stale-if-error=60", "", 503, 30, true},
		{"504", "max-age=10, stale-if-error=60", "", 504, 30, true},
		{"501 is an answer", "max-age=10, stale-if-error=60", "", 501, 30, false},
		{"404 is an answer", "max-age=10, stale-if-error=60", "", 404, 30, false},
		{"too old", "max-age=10, stale-if-error=60", "", 503, 71, false},
		{"not allowed", "max-age=10", "", 503, 30, false},
		{"the request allows it", "max-age=10", "Cache-Control: stale-if-error=60", 503, 30, true},
		{"the response forbids it", "max-age=10, stale-if-error=0", "Cache-Control: stale-if-error=60", 503, 30, false},
		{"must-revalidate", "max-age=10, stale-if-error=60, must-revalidate", "", 503, 30, false},
		{"no-cache", "max-age=10, stale-if-error=60, no-cache", "", 0, 30, false},
		{"the request wants it new", "max-age=10, stale-if-error=60", "Cache-Control: no-cache", 503, 30, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u := use(t, cache.Options{}, nil, func(n int, _ *http.Request) *reply {
					if n > 1 {
						if tc.failure == 0 {
							return nil
						}
						return response(tc.failure, "failure")
					}
					return response(200, "stored", "Cache-Control: "+tc.control, `Etag: "v1"`)
				})
				u.get()
				time.Sleep(time.Duration(tc.after) * time.Second)
				var g got
				if tc.request == "" {
					g = u.get()
				} else {
					g = u.get(tc.request)
				}
				if (g.body == "stored") != tc.stale {
					t.Errorf("%+v", g)
				}
				if tc.stale && !strings.Contains(g.header.Get(cache.StatusHeader), "detail=stale-if-error") {
					t.Errorf("status %q", g.header.Get(cache.StatusHeader))
				}
			})
		})
	}
}

// For shared caches alone.
func TestProxyRevalidate(t *testing.T) {
	for _, control := range []string{"max-age=10, stale-if-error=60, proxy-revalidate", "s-maxage=10, max-age=10, stale-if-error=60"} {
		for _, shared := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				u := use(t, cache.Options{Shared: shared}, nil, func(n int, _ *http.Request) *reply {
					if n > 1 {
						return nil
					}
					return response(200, "stored", "Cache-Control: "+control)
				})
				u.get()
				time.Sleep(30 * time.Second)
				if stale := u.get().body == "stored"; stale == shared {
					t.Errorf("%s, shared %v: stale %v", control, shared, stale)
				}
			})
		}
	}
}

// The caller who gives up gets no stale answer but its own error.
func TestStaleIfErrorCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := use(t, cache.Options{}, nil, func(n int, r *http.Request) *reply {
			if n > 1 {
				_ = sleep.For(r.Context(), time.Hour)
			}
			return response(200, "x", "Cache-Control: max-age=1, stale-if-error=9999")
		})
		u.get()
		time.Sleep(2 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := u.RoundTrip(u.request("GET", "http://x.test/a").WithContext(ctx)) //nolint:bodyclose // There is none.
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

// Stale is the last resort of a caller that has failed elsewhere.
func TestStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := use(t, cache.Options{}, nil, numbered("Cache-Control: max-age=10"))
		stale := func(by time.Duration) string {
			h, ok := u.Cache.Stale(u.request("GET", "http://x.test/a"), nil, nil, by) //nolint:bodyclose // It holds nothing.
			if !ok {
				return ""
			}
			body, _ := io.ReadAll(h.Body)
			return string(body)
		}
		if got := stale(time.Hour); got != "" {
			t.Errorf("nothing is stored, but %q", got)
		}
		u.get()
		time.Sleep(30 * time.Second)
		if got := stale(10 * time.Second); got != "" {
			t.Errorf("too old, but %q", got)
		}
		if got := stale(20 * time.Second); got != "1" {
			t.Errorf("got %q", got)
		}
	})
}

// Requests for the same answer wait for the first of them.
func TestCollapse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := use(t, cache.Options{}, nil, func(n int, _ *http.Request) *reply {
			time.Sleep(time.Second)
			return response(200, strconv.Itoa(n), "Cache-Control: max-age=60")
		})
		var wg sync.WaitGroup
		var collapsed atomic.Int32
		for range 10 {
			wg.Go(func() {
				g := u.get()
				if g.body != "1" {
					t.Errorf("response %q", g.body)
				}
				if strings.HasPrefix(g.header.Get(cache.StatusHeader), "holdfast; fwd=uri-miss; ttl=59; collapsed") {
					collapsed.Add(1)
				}
			})
		}
		wg.Wait()
		if n := u.o.requests(); n != 1 || collapsed.Load() != 9 {
			t.Errorf("%d requests, %d collapsed", n, collapsed.Load())
		}
	})
}

// What cannot be shared is waited for once, and not at all the next time.
func TestCollapseNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := use(t, cache.Options{}, nil, func(n int, _ *http.Request) *reply {
			time.Sleep(time.Second)
			return response(200, strconv.Itoa(n), "Cache-Control: no-store")
		})
		for _, want := range []time.Duration{2 * time.Second, time.Second} {
			begin := time.Now()
			var wg sync.WaitGroup
			for range 10 {
				wg.Go(func() { u.get() })
			}
			wg.Wait()
			if took := time.Since(begin); took != want {
				t.Errorf("ten requests took %v, want %v", took, want)
			}
		}
		if n := u.o.requests(); n != 20 {
			t.Errorf("%d requests", n)
		}
	})
}

// Those who wait go on when the first caller gives up, and when its response is broken.
func TestCollapseLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := use(t, cache.Options{}, nil, func(n int, r *http.Request) *reply {
			_ = sleep.For(r.Context(), 10*time.Second)
			return response(200, strconv.Itoa(n), "Cache-Control: max-age=60")
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := u.RoundTrip(u.request("GET", "http://x.test/a").WithContext(ctx)) //nolint:bodyclose,contextcheck // There is none; its own is meant.
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
		})
		synctest.Wait()
		for range 5 {
			wg.Go(func() {
				if g := u.get(); g.body != "2" {
					t.Errorf("%+v", g)
				}
			})
		}
		wg.Wait()
		if n := u.o.requests(); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}

// Nobody waits for a slow reader for long, nor longer than his own context says.
func TestCollapseSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := use(t, cache.Options{}, nil, numbered("Cache-Control: max-age=60"))
		h, err := u.RoundTrip(u.request("GET", "http://x.test/a"))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = u.RoundTrip(u.request("GET", "http://x.test/a").WithContext(ctx)) //nolint:bodyclose // There is none.
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		begin := time.Now()
		u.want("2", "fwd=uri-miss")
		if took := time.Since(begin); took != 2*time.Second {
			t.Errorf("it waited %v", took)
		}
		_ = h.Body.Close()
	})
}

// An origin that fails is not asked by one after the other.
func TestCollapseFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := use(t, cache.Options{}, nil, func(n int, _ *http.Request) *reply {
			if n == 1 {
				return response(200, "stored", "Cache-Control: max-age=1, stale-if-error=999", `Etag: "v"`)
			}
			time.Sleep(time.Second)
			return response(503, "busy")
		})
		u.get()
		time.Sleep(2 * time.Second)
		begin := time.Now()
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if g := u.get(); g.body != "stored" {
					t.Errorf("%+v", g)
				}
			})
		}
		wg.Wait()
		if took := time.Since(begin); took != time.Second || u.o.requests() != 2 {
			t.Errorf("%d requests in %v", u.o.requests(), took)
		}
	})
}
