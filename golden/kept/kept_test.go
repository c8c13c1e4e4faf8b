package kept_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/internal/wire"
	"github.com/holdfast-go/holdfast/golden/kept"
	"github.com/holdfast-go/holdfast/runtime/cache"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// service answers all that it is asked.
type service struct{ kept.Unimplemented }

var texts = []string{"a"}

func (service) Ages(context.Context) ([]string, error)                       { return texts, nil }
func (service) Still(context.Context) ([]string, error)                      { return texts, nil }
func (service) Moving(context.Context) ([]string, error)                     { return texts, nil }
func (service) Preset(context.Context) ([]string, error)                     { return texts, nil }
func (service) Named(context.Context) ([]string, error)                      { return texts, nil }
func (service) ForAll(context.Context) ([]string, error)                     { return texts, nil }
func (service) Private(context.Context) ([]string, error)                    { return texts, nil }
func (service) Public(context.Context) ([]string, error)                     { return texts, nil }
func (service) Unstored(context.Context) ([]string, error)                   { return texts, nil }
func (service) Varies(context.Context) ([]string, error)                     { return texts, nil }
func (service) Shared(context.Context) ([]string, error)                     { return texts, nil }
func (service) Revalidates(context.Context) ([]string, error)                { return texts, nil }
func (service) Outlives(context.Context) ([]string, error)                   { return texts, nil }
func (service) Tagged(context.Context, kept.TaggedRequest) ([]string, error) { return texts, nil }
func (service) TurnedOn(context.Context) ([]string, error)                   { return texts, nil }
func (service) TurnedOff(context.Context) ([]string, error)                  { return texts, nil }

// The headers that tell others how long an answer may be kept.
func TestHeaders(t *testing.T) {
	h := kept.NewHandler(service{}, server.OnError(nil), server.Authenticate(func(context.Context, *server.Credentials) (server.Principal, error) {
		return server.Principal{ID: "ann"}, nil
	}))
	for path, want := range map[string]map[string]string{
		"/ages":          {"Cache-Control": "private, max-age=7"},
		"/still":         {"Cache-Control": "private, max-age=3600, stale-while-revalidate=300, immutable"},
		"/moving":        {"Cache-Control": "private, max-age=31536000"},
		"/preset":        {"Cache-Control": "public, max-age=31536000, immutable"},
		"/named":         {"Cache-Control": "private, no-cache", "Vary": "Cookie, Authorization"},
		"/forAll":        {"Cache-Control": "public, max-age=3600, stale-while-revalidate=300"},
		"/private":       {"Cache-Control": "private, max-age=3600, stale-while-revalidate=300"},
		"/public":        {"Cache-Control": "public, max-age=3600, stale-while-revalidate=300"},
		"/unstored":      {"Cache-Control": "no-store"},
		"/varies":        {"Vary": "X-Language"},
		"/shared":        {"Cache-Control": "public, max-age=3600, s-maxage=7200, stale-while-revalidate=300", "Cdn-Cache-Control": "public, max-age=10800"},
		"/revalidates":   {"Cache-Control": "private, max-age=3600, stale-while-revalidate=7200"},
		"/outlives":      {"Cache-Control": "private, max-age=3600, stale-if-error=10800"},
		"/tagged?page=7": {"Cache-Tag": "texts,page-7"},
		"/turnedOn":      {"Cache-Control": "private, max-age=60, stale-while-revalidate=300"},
		"/turnedOff":     {"Cache-Control": ""},
	} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Authorization", "Bearer a")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		for name, value := range want {
			if got := w.Header().Get(name); w.Code != http.StatusOK || got != value {
				t.Errorf("%s: %d, %s: %q, want %q", path, w.Code, name, got, value)
			}
		}
	}
}

// call is an operation of the document.
type call func(*kept.Client, context.Context, ...client.CallOption) ([]string, error)

// world is a client in a time of its own, and what it is connected to.
type world struct {
	*kept.Client
	*wire.Wire
	shadowed int // answers that would have been given without a request
}

func inBubble(t *testing.T, answer wire.Answer, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{Wire: wire.New(answer)}
		var err error
		w.Client, err = kept.New(client.Transport(w.Wire),
			client.Bearer("token", "ann"),
			client.Observe(&observe.Hooks{Cache: func(_ context.Context, e observe.Cache) {
				if e.Shadow {
					w.shadowed++
				}
			}}))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Core().Close()
		f(t, w)
	})
}

var list = wire.Always(http.StatusOK, `["a"]`)

// How many of two calls are sent, the second a time after the first.
func TestKept(t *testing.T) {
	paged := func(first, second kept.KeyedRequest) call {
		n := 0
		return func(c *kept.Client, ctx context.Context, opts ...client.CallOption) ([]string, error) {
			if n++; n == 1 {
				return c.Keyed(ctx, first, opts...)
			}
			return c.Keyed(ctx, second, opts...)
		}
	}
	page := func(n int64, trace string) kept.KeyedRequest {
		return kept.KeyedRequest{XPage: value.Some(n), XTrace: value.Some(trace)}
	}
	for name, tt := range map[string]struct {
		call  call
		after time.Duration
		sent  int
	}{
		"within its age":            {(*kept.Client).Ages, 6 * time.Second, 1},
		"after its age":             {(*kept.Client).Ages, 8 * time.Second, 2},
		"the same key":              {paged(page(1, "x"), page(1, "y")), 0, 1},
		"another key":               {paged(page(1, "x"), page(2, "x")), 0, 2},
		"true, which is the preset": {(*kept.Client).TurnedOn, 59 * time.Second, 1},
		"false":                     {(*kept.Client).TurnedOff, 0, 2},
		"disabled":                  {(*kept.Client).Disabled, 0, 2},
		"mode off":                  {(*kept.Client).ModeOff, 0, 2},
		"mode shadow":               {(*kept.Client).Watched, 0, 2},
		"mode enforce over shadow":  {(*kept.Client).Enforced, 0, 1},
		"no-store":                  {(*kept.Client).Unstored, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, list, func(t *testing.T, w *world) {
				for range 2 {
					if _, err := tt.call(w.Client, t.Context()); err != nil {
						t.Fatal(err)
					}
					time.Sleep(tt.after)
				}
				if got := len(w.Sent()); got != tt.sent {
					t.Errorf("%d sent, want %d", got, tt.sent)
				}
				if got := w.shadowed > 0; got != (name == "mode shadow") {
					t.Errorf("%d told in shadow mode", w.shadowed)
				}
			})
		})
	}
}

// What is the same for all is kept for all, and what is not for each credential: two clients
// share what they keep.
func TestPrincipals(t *testing.T) {
	for sent, op := range map[int]call{1: (*kept.Client).ForAll, 2: (*kept.Client).ForEach} {
		w, store := wire.New(list), new(cache.Memory)
		for _, token := range []string{"ann", "bob"} {
			c, err := kept.New(client.Transport(w), client.CacheStore(store), client.Bearer("token", token))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := op(c, t.Context()); err != nil {
				t.Fatal(err)
			}
			c.Core().Close()
		}
		if got := len(w.Sent()); got != sent {
			t.Errorf("%d sent, want %d", got, sent)
		}
	}
}

// An answer that has grown old is given while a new one is fetched, or when there is none.
func TestStale(t *testing.T) {
	down := false
	answer := func(n int, r *http.Request) (*http.Response, error) {
		if down {
			return wire.Reply(http.StatusServiceUnavailable, ""), nil
		}
		return list(n, r)
	}
	for name, tt := range map[string]struct {
		call  call
		after time.Duration
		works bool
	}{
		"while it is fetched":        {(*kept.Client).Revalidates, 2 * time.Hour, true},
		"too old for that":           {(*kept.Client).Revalidates, 4 * time.Hour, false},
		"when there is none":         {(*kept.Client).Outlives, 3 * time.Hour, true},
		"too old when there is none": {(*kept.Client).Outlives, 5 * time.Hour, false},
	} {
		down = false
		inBubble(t, answer, func(t *testing.T, w *world) {
			if _, err := tt.call(w.Client, t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(tt.after)
			down = true
			if _, err := tt.call(w.Client, t.Context()); (err == nil) != tt.works {
				t.Errorf("%s: %v", name, err)
			}
			synctest.Wait()
		})
	}
}

// A write drops what is kept of what it changes.
func TestDrops(t *testing.T) {
	inBubble(t, func(n int, r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPost {
			return wire.Reply(http.StatusNoContent, ""), nil
		}
		return list(n, r)
	}, func(t *testing.T, w *world) {
		for range 2 {
			if _, err := w.Ages(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := w.Drops(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got := len(w.Sent()); got != 4 {
			t.Errorf("%d sent, want 4", got)
		}
	})
}

// Who wants answers kept in Redis has to give a store, and who wants them in memory has not.
func TestStores(t *testing.T) {
	if _, err := kept.New(client.Profile("redis")); err == nil || !strings.Contains(err.Error(), "client.CacheStore") {
		t.Errorf("without a store: %v", err)
	}
	for profile, opts := range map[string][]client.Option{"redis": {client.CacheStore(new(cache.Memory))}, "memory": nil} {
		if _, err := kept.New(append(opts, client.Profile(profile))...); err != nil {
			t.Errorf("%s: %v", profile, err)
		}
	}
}
