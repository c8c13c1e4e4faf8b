package cache_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/cache"
)

// Whatever an origin answers and a caller asks for: nothing panics, all bodies are closed,
// and what comes from the cache is what was stored.
func FuzzExchange(f *testing.F) {
	f.Add("max-age=60", "Foo", "1", "Tue, 01 Jan 2030 00:00:00 GMT", `"v1"`, `W/"v1", *`, "bytes=1-", "max-stale", 200)
	f.Add("no-cache=\"a, b\", s-maxage", "*, ,", "-1", "0", "v", `"`, "bytes=-0", "only-if-cached", 304)
	f.Add("stale-if-error=9,stale-while-revalidate=9,max-age=0", "Accept-Language", "9, 9", "Sunday, 06-Nov-94 08:49:37 GMT", "", "", "", "min-fresh=1", 503)
	f.Fuzz(func(t *testing.T, control, vary, age, expires, etag, none, ranges, wish string, status int) {
		if status < 100 || status > 999 {
			return
		}
		for _, s := range []string{control, vary, age, expires, etag, none, ranges, wish} {
			if strings.ContainsAny(s, "\r\n\x00") {
				return // net/http lets no such field through
			}
		}
		for _, shared := range []bool{false, true} {
			u := use(t, cache.Options{Shared: shared}, nil, func(int, *http.Request) *reply {
				a := response(status, "0123456789")
				for name, value := range map[string]string{
					"Cache-Control": control, "Vary": vary, "Age": age, "Expires": expires, "Date": expires, "Last-Modified": expires, "Etag": etag, "Connection": vary,
				} {
					if value != "" {
						a.header[name] = []string{value}
					}
				}
				return a
			})
			for range 3 {
				r := u.request(http.MethodGet, "http://x.test/a")
				for name, value := range map[string]string{
					"If-None-Match": none, "If-Range": etag, "Range": ranges, "Cache-Control": wish, "Accept-Language": wish,
				} {
					if value != "" {
						r.Header[name] = []string{value}
					}
				}
				g := u.send(r)
				if !strings.Contains("0123456789", g.body) {
					t.Errorf("the body is %q", g.body)
				}
				u.get()
			}
			u.Cache.Close()
		}
	})
}
