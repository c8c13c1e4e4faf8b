// Package cachetest is the conformance suite of cache.Store: every implementation passes
// it.
package cachetest

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/cache"
)

// Run tests a store. The function makes one that is empty.
func Run(t *testing.T, empty func(t *testing.T) cache.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, cache.Store){
		"variants": variants, "keys": keys, "invalidation": invalidation, "whole": whole, "concurrent": concurrent,
	} {
		t.Run(name, func(t *testing.T) { test(t, empty(t)) })
	}
}

func entry(body string, vary ...cache.Selector) *cache.Entry {
	return &cache.Entry{
		Status: http.StatusOK, Header: http.Header{"X-Body": {body}}, Body: []byte(body), Vary: vary,
		Requested: time.Unix(1_800_000_000, 1), Received: time.Unix(1_800_000_001, 2),
	}
}

func foo(value string) cache.Selector { return cache.Selector{Name: "Foo", Value: value} }

func put(t *testing.T, s cache.Store, k cache.Key, e *cache.Entry) {
	t.Helper()
	if err := s.Put(t.Context(), k, e); err != nil {
		t.Error(err)
	}
}

// want checks the bodies under a key, in alphabetical order.
func want(t *testing.T, s cache.Store, k cache.Key, bodies string) {
	t.Helper()
	list, err := s.Get(t.Context(), k)
	if err != nil {
		t.Error(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, string(e.Body))
	}
	slices.Sort(got)
	if text := strings.Join(got, " "); text != bodies {
		t.Errorf("%+v holds %q, want %q", k, text, bodies)
	}
}

// An entry takes the place of the one with the same variant, and of no other.
func variants(t *testing.T, s cache.Store) {
	k := cache.Key{Resource: "http://x.test/"}
	want(t, s, k, "")
	put(t, s, k, entry("a1", foo("a")))
	put(t, s, k, entry("b1", foo("b")))
	put(t, s, k, entry("c1"))
	put(t, s, k, entry("a2", foo("a")))
	want(t, s, k, "a2 b1 c1")
	for range 2 {
		if err := s.Remove(t.Context(), k, entry("", foo("b"))); err != nil {
			t.Error(err)
		}
	}
	want(t, s, k, "a2 c1")
}

// Each member of a key tells entries apart.
func keys(t *testing.T, s cache.Store) {
	all := []cache.Key{
		{Resource: "http://x.test/"}, {Resource: "http://x.test/?"}, {Resource: "http://x.test/", Operation: "o"},
		{Resource: "http://x.test/", Principal: "p"}, {Resource: "http://x.test/", Rest: "p"}, {Resource: "http://x.test/", Operation: "o", Principal: "p", Rest: "r"},
	}
	for i, k := range all {
		put(t, s, k, entry(fmt.Sprint("k", i)))
	}
	for i, k := range all {
		want(t, s, k, fmt.Sprint("k", i))
	}
}

// Scopes drop what they say. A store that cannot ask Matches or Fields may drop more.
func invalidation(t *testing.T, s cache.Store) {
	key := func(resource, operation, principal string) cache.Key {
		return cache.Key{Resource: resource, Operation: operation, Principal: principal}
	}
	fill := func() {
		for _, r := range []string{"/1", "/2"} {
			for _, o := range []string{"o", "p"} {
				for _, who := range []string{"", "a"} {
					put(t, s, key(r, o, who), entry(r+o+who, foo("x")))
				}
			}
		}
	}
	for name, tc := range map[string]struct {
		scope cache.Scope
		drops func(cache.Key) bool
	}{
		"nothing":              {cache.Scope{}, func(cache.Key) bool { return false }},
		"a principal of none":  {cache.Scope{Principal: "a", OfPrincipal: true}, func(cache.Key) bool { return false }},
		"a resource":           {cache.Scope{Resource: "/1"}, func(k cache.Key) bool { return k.Resource == "/1" }},
		"an operation":         {cache.Scope{Operation: "o"}, func(k cache.Key) bool { return k.Operation == "o" }},
		"both":                 {cache.Scope{Resource: "/1", Operation: "o"}, func(k cache.Key) bool { return k.Resource == "/1" && k.Operation == "o" }},
		"of a principal":       {cache.Scope{Operation: "o", Principal: "a", OfPrincipal: true}, func(k cache.Key) bool { return k.Operation == "o" && k.Principal == "a" }},
		"of nobody":            {cache.Scope{Operation: "o", OfPrincipal: true}, func(k cache.Key) bool { return k.Operation == "o" && k.Principal == "" }},
		"what is not there":    {cache.Scope{Resource: "/3"}, func(cache.Key) bool { return false }},
		"an unknown operation": {cache.Scope{Operation: "q"}, func(cache.Key) bool { return false }},
	} {
		fill()
		if err := s.Invalidate(t.Context(), tc.scope); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, r := range []string{"/1", "/2"} {
			for _, o := range []string{"o", "p"} {
				for _, who := range []string{"", "a"} {
					left := r + o + who
					if tc.drops(key(r, o, who)) {
						left = ""
					}
					want(t, s, key(r, o, who), left)
				}
			}
		}
	}
	fill()
	some := cache.Scope{Operation: "o", Matches: func(resource string) bool { return resource == "/2" }}
	if err := s.Invalidate(t.Context(), some); err != nil {
		t.Error(err)
	}
	want(t, s, key("/2", "o", ""), "")
	want(t, s, key("/2", "p", ""), "/2p")
	// The entries were chosen by Foo: x. The value, white space apart, or one that nothing
	// varies by has to drop them.
	for _, fields := range []http.Header{{"Foo": {" x "}}, {"Bar": {"y"}}} {
		fill()
		if err := s.Invalidate(t.Context(), cache.Scope{Operation: "o", Fields: fields}); err != nil {
			t.Error(err)
		}
		want(t, s, key("/1", "o", ""), "")
		want(t, s, key("/1", "p", ""), "/1p")
	}
}

// An entry comes back as it was put.
func whole(t *testing.T, s cache.Store) {
	k := cache.Key{Resource: "http://x.test/"}
	e := entry("\x00\xffbody", foo("\x00"), cache.Selector{Name: "Bar", Value: "a,b"})
	e.Header = http.Header{"Set-Cookie": {"a=b", "c=d"}, "Cache-Control": {"max-age=60"}}
	put(t, s, k, e)
	list, err := s.Get(t.Context(), k)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d entries, %v", len(list), err)
	}
	got := list[0]
	if got.Status != e.Status || !bytes.Equal(got.Body, e.Body) || !slices.Equal(got.Vary, e.Vary) ||
		!slices.Equal(got.Header["Set-Cookie"], e.Header["Set-Cookie"]) || !got.Requested.Equal(e.Requested) || !got.Received.Equal(e.Received) {
		t.Errorf("%+v came back as %+v", e, got)
	}
}

func concurrent(t *testing.T, s cache.Store) {
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 50 {
				k := cache.Key{Resource: fmt.Sprint("/", i%5), Operation: "o"}
				if err := s.Put(t.Context(), k, entry("x", foo(strconv.Itoa(g)))); err != nil {
					t.Error(err)
				}
				if _, err := s.Get(t.Context(), k); err != nil {
					t.Error(err)
				}
				if i%20 == 0 {
					if err := s.Invalidate(t.Context(), cache.Scope{Operation: "o"}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
}
