package sides_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/internal/wire"
	"github.com/holdfast-go/holdfast/golden/sides"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/store"
)

func newClient(t *testing.T, answer wire.Answer) (*sides.Client, *wire.Wire) {
	t.Helper()
	w := wire.New(answer)
	c, err := sides.New(client.Transport(w))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Core().Close)
	return c, w
}

// status is an answer without a body.
func status(code int) wire.Answer { return wire.Always(code, "") }

// service does what the operation under test is to do.
type service struct {
	sides.Unimplemented
	does func(ctx context.Context) error
}

func (s service) Timeouts(ctx context.Context) error           { return s.does(ctx) }
func (s service) Deadlines(ctx context.Context) error          { return s.does(ctx) }
func (s service) ClientKey(ctx context.Context) error          { return s.does(ctx) }
func (s service) ServerKey(ctx context.Context) error          { return s.does(ctx) }
func (s service) Caches(ctx context.Context) ([]string, error) { return []string{"a"}, s.does(ctx) }
func (s service) ClientVersion(ctx context.Context) error      { return s.does(ctx) }
func (s service) ServerVersion(ctx context.Context) error      { return s.does(ctx) }
func (s service) Bulkheads(ctx context.Context) error          { return s.does(ctx) }
func (s service) Limits(ctx context.Context) error             { return s.does(ctx) }
func (s service) Locks(ctx context.Context) error              { return s.does(ctx) }
func (s service) Health(ctx context.Context) error             { return s.does(ctx) }

func newHandler(does func(ctx context.Context) error) http.Handler {
	return sides.NewHandler(service{does: does}, server.OnError(nil), server.Locks(lock.NewMemory()),
		server.IdempotencyStore(store.NewMemoryIdempotency(store.MemoryOptions{})))
}

// ask sends one request. Fields are names and values in turn.
func ask(h http.Handler, method, path string, fields ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(fields); i += 2 {
		r.Header.Set(fields[i], fields[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// waits is a handler that obeys its context.
func waits(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func done(context.Context) error { return nil }

// The client sends the time of its own attempt, in the header that it is told; the server
// stops at its own, and does not read what a client says where it is not to be trusted.
func TestTimes(t *testing.T) {
	c, w := newClient(t, status(http.StatusNoContent))
	if err := c.Timeouts(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := w.Sent()[0].Header.Get("X-Request-Deadline-Ms"); got != "6980" { // 7s less 20ms
		t.Errorf("sent %q", got)
	}
	if err := c.Deadlines(t.Context()); err != nil {
		t.Fatal(err)
	}
	if h := w.Sent()[1].Header; h.Get("X-Server-Timeout") == "" || h.Get("X-Request-Deadline-Ms") != "" {
		t.Errorf("sent %v", h)
	}
	for path, want := range map[string]time.Duration{"/timeout": time.Second, "/deadline": 30 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			ask(newHandler(waits), http.MethodGet, path, "X-Request-Deadline-Ms", "1000")
			if got := time.Since(begin); got != want {
				t.Errorf("%s: the caller's second gives %v, want %v", path, got, want)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		if r := ask(newHandler(waits), http.MethodGet, "/timeout"); r.Code != http.StatusServiceUnavailable || time.Since(begin) != 3*time.Second {
			t.Errorf("%d after %v", r.Code, time.Since(begin))
		}
	})
}

// A client that makes keys for a server that keeps none, and the other way round.
func TestKeys(t *testing.T) {
	c, w := newClient(t, status(http.StatusServiceUnavailable))
	if err := c.ClientKey(t.Context()); err == nil || len(w.Sent()) != 2 || w.Sent()[0].Header.Get("Idempotency-Key") == "" {
		t.Errorf("%v after %d tries", err, len(w.Sent()))
	}
	if err := c.ServerKey(t.Context()); err == nil || len(w.Sent()) != 3 || w.Sent()[2].Header.Get("Idempotency-Key") != "" {
		t.Errorf("%v after %d tries", err, len(w.Sent())-2)
	}
	effects := 0
	h := newHandler(func(context.Context) error { effects++; return nil })
	for range 2 {
		ask(h, http.MethodPost, "/idempotency/client", "Idempotency-Key", "k")
	}
	if effects != 2 {
		t.Errorf("%d effects of a server that keeps no keys", effects)
	}
	for range 2 {
		ask(h, http.MethodPost, "/idempotency/server", "Idempotency-Key", "k")
	}
	if effects != 3 {
		t.Errorf("%d effects of one key", effects-2)
	}
}

// The client keeps an answer for its own 7s, the server tells others to keep it for 3s.
func TestCaches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, w := newClient(t, wire.Always(http.StatusOK, `["a"]`))
		for i, want := range []int{1, 1, 2} {
			_, err := c.Caches(t.Context())
			synctest.Wait() // a stale answer is brought up to date behind the call
			if err != nil || len(w.Sent()) != want {
				t.Errorf("call %d: %v, %d sent, want %d", i+1, err, len(w.Sent()), want)
			}
			time.Sleep(6 * time.Second)
		}
		c.Core().Close()
	})
	if got := ask(newHandler(done), http.MethodGet, "/cache").Header().Get("Cache-Control"); !strings.HasPrefix(got, "public, max-age=3") {
		t.Errorf("Cache-Control: %s", got)
	}
}

// An answer that is larger than all that may be kept is not kept.
func TestMaxBytes(t *testing.T) {
	c, w := newClient(t, wire.Always(http.StatusOK, `["`+strings.Repeat("a", 100<<10)+`"]`))
	for range 2 {
		if _, err := c.Caches(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.Sent()) != 2 {
		t.Errorf("%d sent", len(w.Sent()))
	}
}

// A client that names the version which it read, and a server that wants one named.
func TestVersions(t *testing.T) {
	c, w := newClient(t, status(http.StatusNoContent))
	if err := c.ClientVersion(t.Context(), client.IfMatch("7")); err != nil || w.Sent()[0].Header.Get("If-Match") != `"7"` {
		t.Errorf("%v, sent %q", err, w.Sent()[0].Header.Get("If-Match"))
	}
	h := newHandler(done)
	if r := ask(h, http.MethodPut, "/concurrency/client"); r.Code != http.StatusNoContent {
		t.Errorf("a server that has no versions: %d", r.Code)
	}
	if r := ask(h, http.MethodPut, "/concurrency/server"); r.Code != http.StatusPreconditionRequired {
		t.Errorf("a server that has versions: %d", r.Code)
	}
}

// Effects and criticality of the client alone.
func TestEffects(t *testing.T) {
	for name, tt := range map[string]struct {
		call        func(*sides.Client, context.Context, ...client.CallOption) error
		tries       int
		criticality string
	}{
		"a POST that reads":         {(*sides.Client).EffectRead, 2, "critical"},
		"a PUT that writes":         {(*sides.Client).EffectWrite, 1, "optional"},
		"a PATCH that is harmless":  {(*sides.Client).EffectIdempotent, 2, ""},
		"a GET that is asked for 4": {(*sides.Client).Retries, 4, ""},
	} {
		c, w := newClient(t, status(http.StatusServiceUnavailable))
		if err := tt.call(c, t.Context()); err == nil || len(w.Sent()) != tt.tries || w.Sent()[0].Header.Get("X-Request-Criticality") != tt.criticality {
			t.Errorf("%s: %v after %d tries with %q", name, err, len(w.Sent()), w.Sent()[0].Header.Get("X-Request-Criticality"))
		}
	}
}

// What only a client does: ask twice, stop asking, answer otherwise.
func TestClientAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		c, w := newClient(t, func(n int, r *http.Request) (*http.Response, error) {
			if n == 1 {
				return wire.Late(5*time.Second, status(http.StatusNoContent))(n, r)
			}
			return wire.Reply(http.StatusNoContent, ""), nil
		})
		if err := c.Hedges(t.Context()); err != nil || len(w.Sent()) != 2 || time.Since(begin) != time.Second {
			t.Errorf("%v after %v and %d requests", err, time.Since(begin), len(w.Sent()))
		}
		time.Sleep(time.Minute)
		c.Core().Close()
	})
	c, w := newClient(t, status(http.StatusServiceUnavailable))
	_ = c.Breaks(t.Context()) // it fails and opens the breaker
	if err := c.Breaks(t.Context()); !errors.Is(err, fault.ErrBreakerOpen) || len(w.Sent()) != 1 {
		t.Errorf("%v after %d requests", err, len(w.Sent()))
	}
	c, _ = newClient(t, status(http.StatusServiceUnavailable))
	if v, err := c.Falls(t.Context()); err != nil || len(v) != 1 || v[0] != "spare" {
		t.Errorf("%v, %v", v, err)
	}
}

// Both sides have a bulkhead and a limit of their own size.
func TestLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		c, _ := newClient(t, func(int, *http.Request) (*http.Response, error) {
			<-release
			return wire.Reply(http.StatusNoContent, ""), nil
		})
		full := 0
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				if err := c.Bulkheads(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if err := c.Bulkheads(t.Context()); errors.Is(err, fault.ErrBulkheadFull) {
			full++
		}
		close(release)
		group.Wait()
		if full != 1 {
			t.Error("a third call at once is not refused")
		}
		c.Core().Close()
	})
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		h := newHandler(func(context.Context) error { <-release; return nil })
		first := make(chan int, 1)
		go func() { first <- ask(h, http.MethodGet, "/bulkhead").Code }()
		synctest.Wait()
		second := ask(h, http.MethodGet, "/bulkhead").Code
		close(release)
		if got := <-first; got != http.StatusNoContent || second != http.StatusServiceUnavailable {
			t.Errorf("%d and at once %d", got, second)
		}
	})
	c, w := newClient(t, status(http.StatusNoContent))
	h := newHandler(done)
	for i, want := range []struct {
		sent   int
		status int
	}{{1, http.StatusNoContent}, {2, http.StatusTooManyRequests}, {2, http.StatusTooManyRequests}} {
		_ = c.Limits(t.Context()) // the third is refused
		if got := ask(h, http.MethodGet, "/rateLimit").Code; got != want.status || len(w.Sent()) != want.sent {
			t.Errorf("request %d: the client has sent %d, the server answers %d", i+1, len(w.Sent()), got)
		}
	}
}

// What only a server does: one handler at a time, and none turned away from what tells its
// health.
func TestServerAlone(t *testing.T) {
	var h http.Handler
	inner := 0
	h = newHandler(func(ctx context.Context) error {
		if inner == 0 {
			inner = -1
			inner = ask(h, http.MethodPost, "/lock").Code
		}
		return nil
	})
	if r := ask(h, http.MethodPost, "/lock"); r.Code != http.StatusNoContent || inner != http.StatusConflict {
		t.Errorf("%d, and the second at once %d", r.Code, inner)
	}
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		begun := 0
		h := newHandler(func(context.Context) error {
			if begun++; begun <= 2 {
				<-release
			}
			return nil
		})
		for range 2 { // as many as may be in flight
			go ask(h, http.MethodGet, "/timeout")
			synctest.Wait()
		}
		if got := ask(h, http.MethodGet, "/deadline").Code; got != http.StatusServiceUnavailable {
			t.Errorf("a full server answers %d", got)
		}
		if got := ask(h, http.MethodGet, "/health").Code; got != http.StatusNoContent {
			t.Errorf("its health: %d", got)
		}
		close(release)
		synctest.Wait()
	})
}
