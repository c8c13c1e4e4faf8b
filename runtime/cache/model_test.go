package cache_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/holdfast-go/holdfast/runtime/cache"
)

// scene is one response, one wait and one more request, told in whole seconds.
type scene struct {
	shared                       bool
	maxAge, sMaxAge, expires     int // -1: the directive is not there
	age, dateOffset, delay, wait int
	noStore, noCache, private    bool
	mustRevalidate, proxyRe      bool
	swr, sie                     int
	reqMaxAge, reqMinFresh       int
	reqMaxStale                  int // -2: without a value
	reqNoCache, reqNoStore       bool
	etag, fails                  bool
}

func drawScene(t *rapid.T) scene {
	number := func(name string) int { return rapid.IntRange(-1, 12).Draw(t, name) }
	flag := func(name string) bool { return rapid.IntRange(0, 4).Draw(t, name) == 0 }
	return scene{
		shared: rapid.Bool().Draw(t, "shared"), maxAge: number("max-age"), sMaxAge: number("s-maxage"), expires: number("expires"),
		age: max(0, number("age")), dateOffset: max(0, number("date")), delay: max(0, number("delay")), wait: rapid.IntRange(0, 20).Draw(t, "wait"),
		noStore: flag("no-store"), noCache: flag("no-cache"), private: flag("private"),
		mustRevalidate: flag("must-revalidate"), proxyRe: flag("proxy-revalidate"), swr: number("swr"), sie: number("sie"),
		reqMaxAge: number("request max-age"), reqMinFresh: number("min-fresh"), reqMaxStale: rapid.IntRange(-2, 12).Draw(t, "max-stale"),
		reqNoCache: flag("request no-cache"), reqNoStore: flag("request no-store"),
		etag: rapid.Bool().Draw(t, "etag"), fails: rapid.Bool().Draw(t, "fails"),
	}
}

// oracle says what the second request gets, by the words of the standards one after the
// other: "hit", "stale" (from the entry although it is stale), or "origin".
func (s *scene) oracle() string {
	// RFC 9111 section 3: may it be stored?
	if s.noStore || s.reqNoStore || s.shared && s.private {
		return "origin"
	}
	// Section 4.2.1: for how long is it fresh?
	life := 0
	switch {
	case s.shared && s.sMaxAge >= 0:
		life = s.sMaxAge
	case s.maxAge >= 0:
		life = s.maxAge
	case s.expires >= 0:
		// The field is the moment of the response plus so much; Date is before that.
		life = s.expires + s.dateOffset
	}
	if life == 0 && !s.etag && s.swr <= 0 && s.sie <= 0 {
		return "origin" // nothing could ever be done with it
	}
	// Section 4.2.3: how old is it?
	age := max(s.dateOffset, s.age+s.delay) + s.wait
	over := age - life // zero or more is stale
	// Section 5.2.1 and 5.2.2, section 4.2.4.
	if s.reqNoCache || s.noCache {
		if over >= 0 && s.fails && !s.reqNoCache && !s.noCache && s.sieAllows(over) {
			return "stale"
		}
		return "origin"
	}
	if over < 0 {
		if s.reqMaxAge >= 0 && age > s.reqMaxAge || s.reqMinFresh >= 0 && -over < s.reqMinFresh {
			if s.fails && s.sieAllows(over) {
				return "stale"
			}
			return "origin"
		}
		return "hit"
	}
	if s.staleForbidden() {
		return "origin"
	}
	if s.reqMinFresh < 0 {
		if s.reqMaxStale == -2 && (s.reqMaxAge < 0 || age <= s.reqMaxAge) {
			return "hit"
		}
		if s.reqMaxStale >= 0 && over <= s.reqMaxStale && (s.reqMaxAge < 0 || age <= s.reqMaxAge) {
			return "hit"
		}
		if s.swr > 0 && over <= s.swr && s.reqMaxAge < 0 {
			return "hit"
		}
	}
	if s.fails && s.sieAllows(over) {
		return "stale"
	}
	return "origin"
}

func (s *scene) staleForbidden() bool {
	return s.mustRevalidate || s.shared && (s.proxyRe || s.sMaxAge >= 0)
}

func (s *scene) sieAllows(over int) bool {
	return !s.staleForbidden() && s.sie > 0 && over <= s.sie
}

func (s *scene) responseFields() []string {
	var list []string
	number := func(name string, n int) {
		if n >= 0 {
			list = append(list, fmt.Sprintf("%s=%d", name, n))
		}
	}
	flag := func(name string, is bool) {
		if is {
			list = append(list, name)
		}
	}
	number("max-age", s.maxAge)
	number("s-maxage", s.sMaxAge)
	number("stale-while-revalidate", s.swr)
	number("stale-if-error", s.sie)
	flag("no-store", s.noStore)
	flag("no-cache", s.noCache)
	flag("private", s.private)
	flag("must-revalidate", s.mustRevalidate)
	flag("proxy-revalidate", s.proxyRe)
	now := time.Now().UTC()
	fields := []string{
		"Cache-Control: " + strings.Join(list, ", "), fmt.Sprintf("Age: %d", s.age),
		"Date: " + now.Add(-time.Duration(s.dateOffset)*time.Second).Format(http.TimeFormat),
	}
	if s.expires >= 0 {
		fields = append(fields, "Expires: "+now.Add(time.Duration(s.expires)*time.Second).Format(http.TimeFormat))
	}
	if s.etag {
		fields = append(fields, `Etag: "v"`)
	}
	return fields
}

func (s *scene) requestFields() []string {
	var list []string
	if s.reqMaxAge >= 0 {
		list = append(list, fmt.Sprintf("max-age=%d", s.reqMaxAge))
	}
	if s.reqMinFresh >= 0 {
		list = append(list, fmt.Sprintf("min-fresh=%d", s.reqMinFresh))
	}
	switch {
	case s.reqMaxStale == -2:
		list = append(list, "max-stale")
	case s.reqMaxStale >= 0:
		list = append(list, fmt.Sprintf("max-stale=%d", s.reqMaxStale))
	}
	if s.reqNoCache {
		list = append(list, "no-cache")
	}
	if len(list) == 0 {
		return nil
	}
	return []string{"Cache-Control: " + strings.Join(list, ", ")}
}

// The cache decides as the standards do, read slowly.
func TestFreshnessModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawScene(rt)
		want := s.oracle()
		synctest.Test(t, func(t *testing.T) {
			u := use(t, cache.Options{Shared: s.shared}, nil, func(n int, _ *http.Request) *reply {
				if n == 1 {
					time.Sleep(time.Duration(s.delay) * time.Second)
					return response(200, "stored", s.responseFields()...)
				}
				if s.fails {
					return response(503, "failure")
				}
				return response(200, "anew")
			})
			if s.reqNoStore {
				u.get("Cache-Control: no-store")
			} else {
				u.get()
			}
			time.Sleep(time.Duration(s.wait) * time.Second)
			g := u.get(s.requestFields()...)
			got := "origin"
			switch status := g.header.Get(cache.StatusHeader); {
			case strings.Contains(status, "; hit"):
				got = "hit"
			case strings.Contains(status, "stale-if-error"):
				got = "stale"
			}
			if got != want || (got == "origin") == (g.body == "stored") {
				rt.Errorf("%+v\nresponse %q\nrequest %q\ngot %s (%q), want %s", s, s.responseFields(), s.requestFields(), got, g.header.Get(cache.StatusHeader), want)
			}
			synctest.Wait()
		})
	})
}
