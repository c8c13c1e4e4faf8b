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
)

// Which field counts, and how long it makes a response fresh, by RFC 9213 section 2.
func TestTargeted(t *testing.T) {
	expired := "Expires: Thu, 01 Jan 1970 00:00:00 GMT"
	list := []string{"Example-Cache-Control", "CDN-Cache-Control"}
	for _, tc := range []struct {
		name    string
		targets []string
		fields  []string
		want    int // seconds that the response is fresh; negative for not stored
	}{
		{"not asked for", nil, []string{"Cache-Control: max-age=5", "CDN-Cache-Control: max-age=600"}, 5},
		{"not on the list", []string{"Other-Cache-Control"}, []string{"Cache-Control: max-age=5", "CDN-Cache-Control: max-age=600"}, 5},
		{"instead of Cache-Control", list, []string{"Cache-Control: no-store", "CDN-Cache-Control: max-age=600"}, 600},
		{"instead of s-maxage", list, []string{"Cache-Control: max-age=60, s-maxage=120", "CDN-Cache-Control: max-age=600"}, 600},
		{"instead of Expires", list, []string{expired, "CDN-Cache-Control: max-age=600"}, 600},
		// Neither Cache-Control nor Expires counts where the field tells no freshness.
		{"without freshness", list, []string{"Cache-Control: max-age=600", "Expires: Fri, 31 Dec 2100 00:00:00 GMT", "CDN-Cache-Control: none"}, -1},
		{"the first of the list", list, []string{"CDN-Cache-Control: max-age=600", "Example-Cache-Control: max-age=7"}, 7},
		{"the second, for the first is empty", list, []string{"CDN-Cache-Control: max-age=600", "Example-Cache-Control: "}, 600},
		{"the second, for the first is broken", list, []string{"CDN-Cache-Control: max-age=600", "Example-Cache-Control: max-age=7,"}, 600},
		{"none, for all are broken", list, []string{"Cache-Control: max-age=5", "CDN-Cache-Control: max-age=600, NO-STORE"}, 5},
		{"several lines", list, []string{"CDN-Cache-Control: public", "CDN-Cache-Control: max-age=600"}, 600},
		{"the last of two", list, []string{"CDN-Cache-Control: max-age=5, max-age=600"}, 600},
		{"parameters are nothing", list, []string{"CDN-Cache-Control: max-age=600;max-age=5;x"}, 600},
		{"unknown members are nothing", list, []string{"CDN-Cache-Control: foo=(1 2), max-age=600"}, 600},
		{"the largest integer", list, []string{"CDN-Cache-Control: max-age=999999999999999"}, 1 << 31},
		{"no-store", list, []string{"Cache-Control: max-age=600", "CDN-Cache-Control: no-store, max-age=600"}, -1},
		{"no-store with a value", list, []string{"CDN-Cache-Control: no-store=1, max-age=600"}, -1},
		{"no-store denied", list, []string{"CDN-Cache-Control: no-store=?0, max-age=600"}, 600},
		{"private", list, []string{"CDN-Cache-Control: private, max-age=600"}, -1},
		{"private for a field", list, []string{`CDN-Cache-Control: private="set-cookie", max-age=600`}, 600},
		// Values of other types are not used (section 2.1); such freshness is none.
		{"a decimal", list, []string{"Etag: \"a\"", "CDN-Cache-Control: max-age=600.0"}, 0},
		{"a string", list, []string{"Etag: \"a\"", `CDN-Cache-Control: max-age="600"`}, 0},
		{"a token", list, []string{"Etag: \"a\"", "CDN-Cache-Control: max-age=x"}, 0},
		{"nothing", list, []string{"Etag: \"a\"", "CDN-Cache-Control: max-age"}, 0},
		{"a negative number", list, []string{"Etag: \"a\"", "CDN-Cache-Control: max-age=-1"}, 0},
		{"more than anybody needs", list, []string{"CDN-Cache-Control: max-age=600" + numberedMembers(64)}, -1},
		{"as many as are read", list, []string{"CDN-Cache-Control: max-age=600" + numberedMembers(63)}, 600},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u := use(t, cache.Options{Shared: true, Targets: tc.targets}, nil, numbered(tc.fields...))
				first := u.get().header.Get(cache.StatusHeader)
				if stored := strings.HasSuffix(first, "; stored"); stored != (tc.want >= 0) {
					t.Fatalf("Cache-Status %q", first)
				}
				switch {
				case tc.want > 0:
					u.want("1", "hit; ttl="+strconv.Itoa(tc.want))
				case tc.want == 0:
					u.want("2", "fwd=stale")
				}
			})
		})
	}
}

func numberedMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ", x%d", i)
	}
	return b.String()
}

// Permissions are given by true alone.
func TestTargetedPermissions(t *testing.T) {
	for value, want := range map[string]bool{"public": true, "public=?1": true, "public=?0": false, "public=1": false, `public="x"`: false} {
		u := use(t, cache.Options{Shared: true, Targets: []string{"CDN-Cache-Control"}}, nil, numbered("CDN-Cache-Control: max-age=60, "+value))
		first := u.get("Authorization: x").header.Get(cache.StatusHeader)
		if strings.HasSuffix(first, "; stored") != want {
			t.Errorf("%s: Cache-Status %q", value, first)
		}
	}
}

// A targeted field that forbids to serve what is stale is obeyed, and so are its names of
// fields. It goes on to the caller.
func TestTargetedDirectives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fields := `must-revalidate, max-age=1, stale-if-error=60, no-cache="x-once"`
		u := use(t, cache.Options{Targets: []string{"cdn-cache-control"}}, nil, func(n int, _ *http.Request) *reply {
			if n > 1 {
				return nil
			}
			return response(200, "1", "CDN-Cache-Control: "+fields, "X-Once: a", "X-Always: b")
		})
		if g := u.get(); g.header.Get("X-Once") != "a" {
			t.Error(g.header)
		}
		g := u.get()
		if g.body != "1" || g.header.Get("X-Once") != "" || g.header.Get("X-Always") != "b" || g.header.Get("CDN-Cache-Control") != fields {
			t.Error(g)
		}
		time.Sleep(2 * time.Second)
		if g := u.get(); g.status != 0 {
			t.Error(g)
		}
	})
}

// A 304 renews what its targeted field says.
func TestTargetedConfirmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := use(t, cache.Options{Targets: []string{"CDN-Cache-Control"}}, nil, func(n int, _ *http.Request) *reply {
			if n > 1 {
				return response(304, "", `Etag: "a"`, "CDN-Cache-Control: max-age=50", "Cache-Control: no-store")
			}
			return response(200, "1", `Etag: "a"`, "CDN-Cache-Control: max-age=1", "Cache-Control: no-store")
		})
		u.want("1", "fwd=uri-miss; fwd-status=200; stored")
		time.Sleep(2 * time.Second)
		u.want("1", "fwd=stale; fwd-status=304; ttl=50; stored")
		u.want("1", "hit; ttl=50")
	})
}

// Caches of one store may have different targets: each reads what is stored by its own.
func TestTargetedStores(t *testing.T) {
	for name, store := range map[string]cache.Store{"memory": new(cache.Memory), "bytes": &inBytes{}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answer := numbered("Cache-Control: max-age=5", "CDN-Cache-Control: max-age=600")
				rules := cache.DefaultRules()
				own := use(t, cache.Options{Store: store, Targets: []string{"CDN-Cache-Control"}}, rules, answer)
				other := use(t, cache.Options{Store: store}, rules, answer)
				own.want("1", "fwd=uri-miss; fwd-status=200; stored")
				own.want("1", "hit; ttl=600")
				other.want("1", "hit; ttl=5")
			})
		})
	}
}

// inBytes is a store that keeps entries in their binary form.
type inBytes struct {
	cache.Memory

	data map[cache.Key][]byte
}

func (s *inBytes) Put(_ context.Context, k cache.Key, e *cache.Entry) error {
	data, err := e.MarshalBinary()
	s.data = map[cache.Key][]byte{k: data}
	return err
}

func (s *inBytes) Get(_ context.Context, k cache.Key) ([]*cache.Entry, error) {
	if s.data[k] == nil {
		return nil, nil
	}
	e := new(cache.Entry)
	return []*cache.Entry{e}, e.UnmarshalBinary(s.data[k])
}

// A gateway keeps answers for longer than those behind it may.
func ExampleOptions_targets() {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("CDN-Cache-Control", "max-age=600")
		_, _ = io.WriteString(w, "rates of today")
	}))
	defer server.Close()
	c := cache.New(cache.Options{Shared: true, Targets: []string{"Gateway-Cache-Control", "CDN-Cache-Control"}})
	defer c.Close()
	client := &http.Client{Transport: &cache.Transport{Cache: c}}
	for range 2 {
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
	// asked 1
}
