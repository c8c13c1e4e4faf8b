package cache_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/holdfast-go/holdfast/runtime/cache"
)

func seconds(n int64) cache.Delta {
	return cache.Delta{Set: true, Valid: true, For: time.Duration(n) * time.Second}
}

func TestParseControl(t *testing.T) {
	invalid := cache.Delta{Set: true}
	for _, tc := range []struct {
		lines []string
		want  cache.Control
	}{
		{nil, cache.Control{}},
		{[]string{"", " , ,"}, cache.Control{}},
		{[]string{"max-age=60"}, cache.Control{MaxAge: seconds(60)}},
		{[]string{"MAX-AGE=60 , No-Store"}, cache.Control{MaxAge: seconds(60), NoStore: true}},
		{[]string{"max-age=60", "public"}, cache.Control{MaxAge: seconds(60), Public: true}},
		{[]string{"max-age=060"}, cache.Control{MaxAge: seconds(60)}},
		{[]string{`max-age="60"`}, cache.Control{MaxAge: seconds(60)}},
		{[]string{`max-age="6\0"`}, cache.Control{MaxAge: seconds(60)}},
		{[]string{"max-age=60,max-age=5"}, cache.Control{MaxAge: seconds(60)}},
		{[]string{"max-age=x,max-age=5"}, cache.Control{MaxAge: invalid}},
		{[]string{"max-age"}, cache.Control{MaxAge: invalid}},
		{[]string{"max-age="}, cache.Control{MaxAge: invalid}},
		{[]string{"max-age=-1"}, cache.Control{MaxAge: invalid}},
		{[]string{"max-age=1.5"}, cache.Control{MaxAge: invalid}},
		{[]string{"max-age= 1"}, cache.Control{MaxAge: invalid}},
		{[]string{"max-age =1"}, cache.Control{MaxAge: invalid}},
		{[]string{`max-age="1`}, cache.Control{MaxAge: invalid}},
		{[]string{`max-age="1"2`}, cache.Control{MaxAge: invalid}},
		{[]string{"max-age='1'"}, cache.Control{MaxAge: invalid}},
		{[]string{"max-age=2147483649"}, cache.Control{MaxAge: seconds(1 << 31)}},
		{[]string{"max-age=" + strings.Repeat("9", 40)}, cache.Control{MaxAge: seconds(1 << 31)}},
		{[]string{`x="no-store, max-age=1", private`}, cache.Control{Private: true}},
		{[]string{`x="a\", no-store", private`}, cache.Control{Private: true}},
		{[]string{"no-cache"}, cache.Control{NoCache: true}},
		{[]string{"no-cache="}, cache.Control{NoCache: true}},
		{[]string{`no-cache="Set-Cookie, X-A"`}, cache.Control{NoCacheFields: []string{"set-cookie", "x-a"}}},
		{[]string{`no-cache="a b"`}, cache.Control{NoCache: true}},
		{[]string{`no-cache="a`}, cache.Control{NoCache: true}},
		{[]string{`private=x-a, private`}, cache.Control{Private: true, PrivateFields: []string{"x-a"}}},
		{[]string{"max-stale"}, cache.Control{MaxStale: cache.Delta{Set: true, Valid: true, For: math.MaxInt64}}},
		{[]string{"max-stale=5"}, cache.Control{MaxStale: seconds(5)}},
		{[]string{"max-stale=x"}, cache.Control{MaxStale: invalid}},
		{
			[]string{"s-maxage=1, stale-while-revalidate=2, stale-if-error=3, min-fresh=4"},
			cache.Control{SharedMaxAge: seconds(1), StaleWhileRevalidate: seconds(2), StaleIfError: seconds(3), MinFresh: seconds(4)},
		},
		{
			[]string{"must-revalidate, proxy-revalidate, must-understand, immutable, only-if-cached, no-transform"},
			cache.Control{
				MustRevalidate: true, ProxyRevalidate: true, MustUnderstand: true, Immutable: true, OnlyIfCached: true, NoTransform: true,
			},
		},
		{[]string{strings.Repeat("a,", 64) + "max-age=1"}, cache.Control{NoStore: true}},
	} {
		got := cache.ParseControl(tc.lines)
		if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreUnexported(cache.Control{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q: %s", tc.lines, diff)
		}
	}
}

// Whatever stands in the field: reading it ends, and a directive in front of the rest is
// seen.
func FuzzParseControl(f *testing.F) {
	for _, s := range []string{"", "max-age=60", `a="b\"c", no-store`, `no-cache="x`, "=,=\",", "max-age = \"1\" , x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, rest string) {
		c := cache.ParseControl([]string{rest, rest})
		for _, d := range []cache.Delta{c.MaxAge, c.SharedMaxAge, c.StaleIfError, c.MinFresh} {
			if d.For < 0 || d.For > 1<<31*time.Second || !d.Valid && d.For != 0 || d.Valid && !d.Set {
				t.Errorf("%q: %+v", rest, d)
			}
		}
		first := cache.ParseControl([]string{"no-store, max-age=7, " + rest})
		if !first.NoStore || first.MaxAge != seconds(7) {
			t.Errorf("%q hides what stands before it: %+v", rest, first)
		}
	})
}
