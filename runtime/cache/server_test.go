package cache_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/holdfast-go/holdfast/runtime/cache"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

func TestFieldsOf(t *testing.T) {
	const none = policy.None
	for _, tc := range []struct {
		name   string
		policy *policy.Cache
		effect policy.Effect
		want   cache.ServerFields
	}{
		{"none", nil, policy.Read, cache.ServerFields{}},
		{"shadow", &policy.Cache{Mode: policy.Shadow, MaxAge: time.Minute}, policy.Read, cache.ServerFields{}},
		{
			"preset api", &policy.Cache{MaxAge: time.Minute, SharedMaxAge: none, CDNMaxAge: none, StaleWhileRevalidate: 5 * time.Minute}, policy.Read,
			cache.ServerFields{CacheControl: "private, max-age=60, stale-while-revalidate=300"},
		},
		{
			"preset static", &policy.Cache{MaxAge: 365 * 24 * time.Hour, Immutable: true, Scope: policy.CachePublic, SharedMaxAge: none, CDNMaxAge: none}, policy.Read,
			cache.ServerFields{CacheControl: "public, max-age=31536000, immutable"},
		},
		{
			"preset personal", &policy.Cache{SharedMaxAge: none, CDNMaxAge: none, Vary: []string{"Cookie", "Authorization"}}, policy.Read,
			cache.ServerFields{CacheControl: "private, no-cache", Vary: []string{"Cookie", "Authorization"}},
		},
		{
			"shared and CDN", &policy.Cache{
				MaxAge: time.Minute, SharedMaxAge: 2 * time.Minute, CDNMaxAge: 3 * time.Minute, StaleIfError: time.Hour, Scope: policy.CachePublic,
			}, policy.Read,
			cache.ServerFields{CacheControl: "public, max-age=60, s-maxage=120, stale-if-error=3600", CDNCacheControl: "public, max-age=180"},
		},
		{
			"private has nothing for others", &policy.Cache{MaxAge: time.Minute, SharedMaxAge: time.Minute, CDNMaxAge: time.Minute}, policy.Read,
			cache.ServerFields{CacheControl: "private, max-age=60"},
		},
		{"no-store", &policy.Cache{MaxAge: time.Minute, Scope: policy.CacheNoStore}, policy.Read, cache.ServerFields{CacheControl: "no-store"}},
		{"a write", &policy.Cache{MaxAge: time.Minute}, policy.Write, cache.ServerFields{CacheControl: "no-store"}},
		{"rounded down", &policy.Cache{MaxAge: 1999 * time.Millisecond, SharedMaxAge: none, CDNMaxAge: none}, policy.Read, cache.ServerFields{CacheControl: "private, max-age=1"}},
	} {
		if diff := cmp.Diff(tc.want, cache.FieldsOf(tc.policy, tc.effect), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
}

func TestApply(t *testing.T) {
	f := cache.ServerFields{
		CacheControl: "public, max-age=60", CDNCacheControl: "public, max-age=180", Vary: []string{"Accept", "Cookie"}, Tags: []string{"pet-1", "pets"},
	}
	for _, tc := range []struct {
		name   string
		status int
		before http.Header
		want   http.Header
	}{
		{"all", 200, http.Header{}, http.Header{
			"Cache-Control": {"public, max-age=60"}, "Cdn-Cache-Control": {"public, max-age=180"}, "Vary": {"Accept, Cookie"},
			"Cache-Tag": {"pet-1,pets"}, "Surrogate-Key": {"pet-1 pets"},
		}},
		{"the handler's own", 200, http.Header{"Cache-Control": {"max-age=5"}, "Vary": {"accept, Origin"}}, http.Header{
			"Cache-Control": {"max-age=5"}, "Cdn-Cache-Control": {"public, max-age=180"}, "Vary": {"accept, Origin, Cookie"},
			"Cache-Tag": {"pet-1,pets"}, "Surrogate-Key": {"pet-1 pets"},
		}},
		{"Vary *", 304, http.Header{"Vary": {"*"}}, http.Header{
			"Cache-Control": {"public, max-age=60"}, "Cdn-Cache-Control": {"public, max-age=180"}, "Vary": {"*"},
			"Cache-Tag": {"pet-1,pets"}, "Surrogate-Key": {"pet-1 pets"},
		}},
		{"an error", 500, http.Header{}, http.Header{"Cache-Control": {"no-store"}}},
		{"an error that may be kept", 404, http.Header{"Cache-Control": {"max-age=5"}}, http.Header{"Cache-Control": {"max-age=5"}}},
	} {
		f.Apply(tc.before, tc.status)
		if diff := cmp.Diff(tc.want, tc.before); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
	h := http.Header{}
	(&cache.ServerFields{}).Apply(h, 200)
	if len(h) != 0 {
		t.Errorf("nothing gives %v", h)
	}
}
