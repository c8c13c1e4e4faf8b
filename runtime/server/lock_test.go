package server_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/lock"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// locked is the policy of an operation that locks what its query names.
func locked(wait time.Duration) policy.Server {
	return policy.Server{Lock: &policy.Lock{
		Keys: []policy.Template{{Parts: []policy.TemplatePart{{Text: "k/"}, {Expr: policy.Expr{Source: policy.FromQuery, Name: "of"}}}}},
		TTL:  10 * time.Second, Wait: wait, Fencing: true,
	}}
}

// unreachable is a backend that cannot be asked.
type unreachable struct{}

func (unreachable) Acquire(context.Context, string, string, time.Duration) (int64, bool, error) {
	return 0, false, errors.New("connection refused")
}
func (unreachable) Extend(context.Context, string, string, time.Duration) error {
	return errors.New("refused")
}
func (unreachable) Release(context.Context, string, string) error { return errors.New("refused") }

func TestLockRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := lock.NewMemory()
		if _, _, err := b.Acquire(t.Context(), "k/busy", "somebody", time.Hour); err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			backend lock.Backend
			query   string
			bound   time.Duration
			status  int
			text    string
			after   time.Duration
		}{
			"busy":                {b, "?of=busy", 0, 409, "lock-busy", 5 * time.Second},
			"busy past the bound": {b, "?of=busy", time.Second, 503, "did not finish in time", time.Second},
			"without the value":   {b, "", 0, 400, "lacks a value", 0},
			"a broken backend":    {unreachable{}, "?of=free", 0, 503, "at the moment", 0},
			"free":                {b, "?of=free", 0, 204, "", 0},
		} {
			p := locked(5 * time.Second)
			p.Timeout = &policy.ServerTimeout{Handler: c.bound}
			h := server.New(nil, []server.Route{bare(under(p), nothing)}, server.Locks(c.backend), server.OnError(nil))
			w, begin := httptest.NewRecorder(), time.Now()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/"+c.query, nil))
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.text) || time.Since(begin) != c.after {
				t.Errorf("%s: %d %s after %s", name, w.Code, w.Body, time.Since(begin))
			}
			if (c.status == 409 || c.status == 503) != (w.Header().Get("Retry-After") != "") {
				t.Errorf("%s: Retry-After is %q", name, w.Header().Get("Retry-After"))
			}
		}
	})
}

// The lock belongs to a method that nobody waits for any more, until it has returned; the
// next one gets it then, and the hooks hear of its wait.
func TestLockOfLateMethods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := locked(5 * time.Second)
		p.Timeout = &policy.ServerTimeout{Handler: 4 * time.Second}
		var waits []observe.Queued
		var tokens []int64
		work := 6 * time.Second
		h := server.New(nil, []server.Route{bare(under(p), func(ctx context.Context) error {
			tokens = append(tokens, lock.FencingToken(ctx, "k/x"))
			time.Sleep(work)
			work = 0
			return nil
		})}, server.Locks(lock.NewMemory()), server.OnError(nil), server.Observe(&observe.Hooks{
			Queued: func(_ context.Context, e observe.Queued) { waits = append(waits, e) },
		}))
		get := func() int {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/?of=x", nil))
			return w.Code
		}
		if s := get(); s != 503 {
			t.Error(s)
		}
		if s := get(); s != 204 {
			t.Error(s)
		}
		if len(waits) != 1 || waits[0].Name != "lock" || waits[0].For < 2*time.Second || waits[0].For > 3*time.Second {
			t.Errorf("%+v", waits)
		}
		if len(tokens) != 2 || tokens[0] <= 0 || tokens[1] <= tokens[0] {
			t.Error(tokens)
		}
	})
}

// A request that gets no lock leaves its idempotency key free.
func TestLockFreesTheKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := lock.NewMemory()
		if _, _, err := b.Acquire(t.Context(), "k/x", "somebody", time.Second); err != nil {
			t.Fatal(err)
		}
		p := locked(0)
		p.Idempotency = &policy.Idempotency{Header: "Idempotency-Key", Required: true, TTL: time.Hour, Lease: time.Minute, MaxBody: 1 << 20}
		h := server.New(nil, []server.Route{bare(under(p), nothing)}, server.Locks(b))
		get := func() int {
			r := httptest.NewRequest(http.MethodGet, "/?of=x", nil)
			r.Header.Set("Idempotency-Key", "one")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w.Code
		}
		if s := get(); s != 409 {
			t.Error(s)
		}
		time.Sleep(time.Second)
		if s := get(); s != 204 {
			t.Errorf("the second try got %d", s)
		}
	})
}
