package locks_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/locks"
	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// service does the same for each operation.
type service struct {
	locks.Unimplemented
	does func(ctx context.Context) error
}

func (s *service) OnRedis(ctx context.Context) error                     { return s.does(ctx) }
func (s *service) OnRedlock(ctx context.Context) error                   { return s.does(ctx) }
func (s *service) OnPostgres(ctx context.Context) error                  { return s.does(ctx) }
func (s *service) Keyed(ctx context.Context, _ locks.KeyedRequest) error { return s.does(ctx) }
func (s *service) Expected(ctx context.Context) error                    { return s.does(ctx) }
func (s *service) Lives(ctx context.Context) error                       { return s.does(ctx) }
func (s *service) Beats(ctx context.Context) error                       { return s.does(ctx) }
func (s *service) Waits(ctx context.Context) error                       { return s.does(ctx) }
func (s *service) Hurries(ctx context.Context) error                     { return s.does(ctx) }
func (s *service) Fenced(ctx context.Context) error                      { return s.does(ctx) }
func (s *service) Unfenced(ctx context.Context) error                    { return s.does(ctx) }
func (s *service) TurnedOn(ctx context.Context) error                    { return s.does(ctx) }
func (s *service) TurnedOff(ctx context.Context) error                   { return s.does(ctx) }
func (s *service) Disabled(ctx context.Context) error                    { return s.does(ctx) }
func (s *service) ModeOff(ctx context.Context) error                     { return s.does(ctx) }
func (s *service) Watched(ctx context.Context) error                     { return s.does(ctx) }
func (s *service) Enforced(ctx context.Context) error                    { return s.does(ctx) }

// backend counts what it is asked.
type backend struct {
	lock.Backend
	ttl     time.Duration
	extends int
}

func newBackend() *backend { return &backend{Backend: lock.NewMemory()} }

func (b *backend) Acquire(ctx context.Context, key, owner string, ttl time.Duration) (int64, bool, error) {
	b.ttl = ttl
	return b.Backend.Acquire(ctx, key, owner, ttl)
}

func (b *backend) Extend(ctx context.Context, key, owner string, ttl time.Duration) error {
	b.extends++
	return b.Backend.Extend(ctx, key, owner, ttl)
}

func post(h http.Handler, path string) int {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, nil))
	return w.Code
}

func newHandler(b lock.Backend, does func(ctx context.Context) error, opts ...server.Option) http.Handler {
	return locks.NewHandler(&service{does: does}, append(opts, server.Locks(b), server.OnError(nil))...)
}

// Each operation asks the backend that it names.
func TestBackends(t *testing.T) {
	redis, redlock, postgres := newBackend(), newBackend(), newBackend()
	h := locks.NewHandler(&service{does: func(context.Context) error { return nil }}, server.OnError(nil),
		server.Locks(redis, policy.LockRedis), server.Locks(redlock, policy.LockRedlock), server.Locks(postgres, policy.LockPostgres))
	for path, b := range map[string]*backend{"/onRedis": redis, "/onRedlock": redlock, "/onPostgres": postgres} {
		if code := post(h, path); code != http.StatusNoContent || b.ttl == 0 {
			t.Errorf("%s: %d, held for %v", path, code, b.ttl)
		}
		redis.ttl, redlock.ttl, postgres.ttl = 0, 0, 0
	}
}

// A lock lives as long as it is told, or three minutes for work that takes twenty seconds,
// and is extended while the work goes on.
func TestLives(t *testing.T) {
	for path, want := range map[string]backend{
		"/expected": {ttl: 3 * time.Minute}, "/lives": {ttl: 7 * time.Second}, "/beats": {ttl: 9 * time.Second, extends: 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBackend()
			code := post(newHandler(b, func(context.Context) error { time.Sleep(5 * time.Second); return nil }), path)
			if code != http.StatusNoContent || b.ttl != want.ttl || b.extends != want.extends {
				t.Errorf("%s: %d, held for %v, extended %d times", path, code, b.ttl, b.extends)
			}
		})
	}
}

// second is what a second request is answered that comes while the first works for 4 s.
func second(h http.Handler, first, path string) (code int) {
	go post(h, first)
	synctest.Wait()
	code = post(h, path)
	time.Sleep(time.Minute)
	return code
}

func works(context.Context) error {
	time.Sleep(4 * time.Second)
	return nil
}

// Who comes second waits, is turned away, or is let in where there is no lock or another
// one.
func TestSecond(t *testing.T) {
	for _, tt := range []struct {
		first, path string
		want        int
	}{
		{"/waits", "/waits", http.StatusNoContent},
		{"/hurries", "/hurries", http.StatusConflict},
		{"/keyed?id=1", "/keyed?id=1", http.StatusConflict},
		{"/keyed?id=1", "/keyed?id=2", http.StatusNoContent},
		{"/turnedOn", "/turnedOn", http.StatusConflict},
		{"/turnedOff", "/turnedOff", http.StatusNoContent},
		{"/disabled", "/disabled", http.StatusNoContent},
		{"/modeOff", "/modeOff", http.StatusNoContent},
		{"/watched", "/watched", http.StatusNoContent},
		{"/enforced", "/enforced", http.StatusConflict},
	} {
		synctest.Test(t, func(t *testing.T) {
			if got := second(newHandler(newBackend(), works), tt.first, tt.path); got != tt.want {
				t.Errorf("%s while %s: %d, want %d", tt.path, tt.first, got, tt.want)
			}
		})
	}
}

// In shadow mode it is told that somebody else had the lock.
func TestWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		hooks := &observe.Hooks{Reject: func(_ context.Context, e observe.Reject) {
			if e.Reason == observe.Lock && e.Shadow {
				told++
			}
		}}
		second(newHandler(newBackend(), works, server.Observe(hooks)), "/watched", "/watched")
		if told != 1 {
			t.Errorf("%d told", told)
		}
	})
}

// The handler has a fencing token where it is to have one.
func TestFencing(t *testing.T) {
	for path, want := range map[string]bool{"/fenced": true, "/unfenced": false} {
		var token int64
		post(newHandler(newBackend(), func(ctx context.Context) error {
			token = lock.FencingToken(ctx, "a")
			return nil
		}), path)
		if token > 0 != want {
			t.Errorf("%s: token %d", path, token)
		}
	}
}
