package server_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/store"
)

func keyed(p policy.Idempotency, timeout time.Duration, f func(context.Context, CreateBookingRequest) (*Booking, error), opts ...server.Option) http.Handler {
	if p.Header == "" {
		p.Header = "Idempotency-Key"
	}
	if p.TTL == 0 {
		p.TTL = time.Hour
	}
	if p.Lease == 0 {
		p.Lease = 30 * time.Second
	}
	if p.MaxBody == 0 {
		p.MaxBody = 1 << 20
	}
	s := createBookingSpec
	s.Server.Idempotency = &p
	if timeout > 0 {
		s.Server.Timeout = &policy.ServerTimeout{Handler: timeout}
	}
	op := createBookingRoute
	op.Spec = &s
	return server.New(nil, []server.Route{server.Handle(&op, f)}, opts...)
}

func book(h http.Handler, key, body string) *httptest.ResponseRecorder {
	headers := []string{"Content-Type: application/json"}
	if key != "" {
		headers = append(headers, "Idempotency-Key: "+key)
	}
	return call(h, "POST", "/trips/1/bookings", body, headers...)
}

func TestIdempotency(t *testing.T) {
	calls := 0
	fail := false
	var key string
	h := keyed(policy.Idempotency{Required: true}, 0, func(ctx context.Context, r CreateBookingRequest) (*Booking, error) {
		calls++
		key = server.IdempotencyKey(ctx)
		if fail {
			return nil, &NotFound{}
		}
		return &Booking{ID: "b" + strconv.Itoa(calls), Seats: r.Body.Seats}, nil
	})
	first := book(h, "k1", `{"seats":1}`)
	if first.Code != 201 || first.Header().Get("Idempotent-Replayed") != "" || key != "k1" {
		t.Error(first.Code, first.Header(), key)
	}
	// The quoted form is the same key.
	for _, k := range []string{"k1", `"k1"`} {
		w := book(h, k, `{"seats":1}`)
		if w.Code != 201 || w.Body.String() != first.Body.String() || w.Header().Get("Idempotent-Replayed") != "true" ||
			w.Header().Get("Content-Type") != "application/json" || calls != 1 {
			t.Error(w.Code, w.Body, w.Header(), calls)
		}
	}
	if w := book(h, "k1", `{"seats":2}`); w.Code != 422 || calls != 1 {
		t.Error(w.Code, calls)
	}
	for _, k := range []string{"", "é"} {
		if w := book(h, k, `{"seats":1}`); w.Code != 400 || calls != 1 {
			t.Error(w.Code, calls)
		}
	}
	if w := call(h, "POST", "/trips/1/bookings", `{"seats":1}`, "Content-Type: application/json", "Idempotency-Key: a", "Idempotency-Key: b"); w.Code != 400 {
		t.Error(w.Code)
	}
	// What is wrong with the request comes first, and takes no key.
	if w := book(h, "k2", `{"seats":0}`); w.Code != 400 || calls != 1 {
		t.Error(w.Code, calls)
	}
	// A failure frees the key.
	fail = true
	if w := book(h, "k2", `{"seats":1}`); w.Code != 404 || calls != 2 {
		t.Error(w.Code, calls)
	}
	fail = false
	if w := book(h, "k2", `{"seats":1}`); w.Code != 201 || calls != 3 {
		t.Error(w.Code, calls)
	}
}

func TestIdempotencyIsOptional(t *testing.T) {
	calls := 0
	h := keyed(policy.Idempotency{}, 0, func(context.Context, CreateBookingRequest) (*Booking, error) { calls++; return &Booking{}, nil })
	for range 2 {
		if w := book(h, "", `{"seats":1}`); w.Code != 201 {
			t.Error(w.Code)
		}
	}
	if calls != 2 {
		t.Error(calls)
	}
}

func TestPanicFreesTheKey(t *testing.T) {
	calls := 0
	h := keyed(policy.Idempotency{}, 0, func(context.Context, CreateBookingRequest) (*Booking, error) {
		if calls++; calls == 1 {
			panic("x")
		}
		return &Booking{}, nil
	}, server.OnPanic(nil))
	if w := book(h, "k", `{"seats":1}`); w.Code != 500 {
		t.Error(w.Code)
	}
	if w := book(h, "k", `{"seats":1}`); w.Code != 201 {
		t.Error(w.Code)
	}
}

// A result that is too large is not kept, and the work is not done again.
func TestResultTooLarge(t *testing.T) {
	calls := 0
	h := keyed(policy.Idempotency{MaxBody: 10}, 0, func(context.Context, CreateBookingRequest) (*Booking, error) {
		calls++
		return &Booking{ID: "long"}, nil
	})
	if w := book(h, "k", `{"seats":1}`); w.Code != 201 {
		t.Error(w.Code)
	}
	if w := book(h, "k", `{"seats":1}`); w.Code != 409 || w.Header().Get("Retry-After") != "" || calls != 1 {
		t.Error(w.Code, w.Header(), calls)
	}
}

// Many at once give one effect; the others are told to come back, and then get the
// same answer.
func TestConcurrentDuplicates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		h := keyed(policy.Idempotency{}, 0, func(context.Context, CreateBookingRequest) (*Booking, error) {
			time.Sleep(time.Second)
			return &Booking{ID: strconv.FormatInt(calls.Add(1), 10)}, nil
		})
		var group sync.WaitGroup
		var inFlight atomic.Int64
		for range 50 {
			group.Go(func() {
				w := book(h, "k", `{"seats":1}`)
				if w.Code == 409 && w.Header().Get("Retry-After") == "1" {
					inFlight.Add(1)
					time.Sleep(time.Second + 1)
					w = book(h, "k", `{"seats":1}`)
				}
				if w.Code != 201 || w.Body.String() != `{"id":"1","seats":0}` {
					t.Error(w.Code, w.Body)
				}
			})
		}
		group.Wait()
		if calls.Load() != 1 || inFlight.Load() != 49 {
			t.Error(calls.Load(), inFlight.Load())
		}
	})
}

// A method that was answered for keeps its key, also past the lease, until it has
// returned; its result then is there for the next try.
func TestLateResultIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		h := keyed(policy.Idempotency{Lease: 5 * time.Second}, 2*time.Second, func(context.Context, CreateBookingRequest) (*Booking, error) {
			calls.Add(1)
			time.Sleep(20 * time.Second)
			return &Booking{ID: "late"}, nil
		}, server.OnError(nil))
		if w := book(h, "k", `{"seats":1}`); w.Code != 503 {
			t.Error(w.Code)
		}
		time.Sleep(10 * time.Second)
		if w := book(h, "k", `{"seats":1}`); w.Code != 409 || w.Header().Get("Retry-After") != "1" {
			t.Error(w.Code, w.Header())
		}
		time.Sleep(10 * time.Second)
		w := book(h, "k", `{"seats":1}`)
		if w.Code != 201 || w.Body.String() != `{"id":"late","seats":0}` || calls.Load() != 1 {
			t.Error(w.Code, w.Body, calls.Load())
		}
	})
}

func TestLateFailureFreesTheKey(t *testing.T) {
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("x") },
		"panic": func() error { panic("x") },
	} {
		synctest.Test(t, func(t *testing.T) {
			var calls atomic.Int64
			h := keyed(policy.Idempotency{}, 2*time.Second, func(context.Context, CreateBookingRequest) (*Booking, error) {
				if calls.Add(1) == 1 {
					time.Sleep(10 * time.Second)
					return nil, fail()
				}
				return &Booking{}, nil
			}, server.OnError(nil), server.OnPanic(nil))
			if w := book(h, "k", `{"seats":1}`); w.Code != 503 {
				t.Error(name, w.Code)
			}
			time.Sleep(9 * time.Second)
			synctest.Wait()
			if w := book(h, "k", `{"seats":1}`); w.Code != 201 || calls.Load() != 2 {
				t.Error(name, w.Code, calls.Load())
			}
		})
	}
}

// broken is a store that cannot be asked.
type broken struct{ store.Idempotency }

func (broken) Claim(context.Context, store.RecordID, [32]byte, string, time.Duration) (store.Record, bool, error) {
	return store.Record{}, false, errors.New("down")
}

func (broken) Release(context.Context, store.RecordID, string) error { return nil }

func TestStoreIsDown(t *testing.T) {
	f := func(context.Context, CreateBookingRequest) (*Booking, error) { return &Booking{}, nil }
	opts := []server.Option{server.IdempotencyStore(broken{}), server.OnError(nil)}
	if w := book(keyed(policy.Idempotency{}, 0, f, opts...), "k", `{"seats":1}`); w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Error(w.Code, w.Header())
	}
	if w := book(keyed(policy.Idempotency{OnStoreError: policy.AllowOnStoreError}, 0, f, opts...), "k", `{"seats":1}`); w.Code != 201 {
		t.Error(w.Code)
	}
}

// The fingerprint may be what the document names; the scope keeps callers apart.
func TestFingerprintAndScope(t *testing.T) {
	calls := 0
	h := keyed(policy.Idempotency{
		Fingerprint: policy.FingerprintFrom, From: []policy.Expr{{Source: policy.FromBody, Name: "/id"}},
		Scope: policy.Expr{Source: policy.FromHeader, Name: "X-Tenant"},
	}, 0, func(context.Context, CreateBookingRequest) (*Booking, error) { calls++; return &Booking{}, nil })
	send := func(tenant, body string) int {
		return call(h, "POST", "/trips/1/bookings", body, "Content-Type: application/json", "Idempotency-Key: k", "X-Tenant: "+tenant).Code
	}
	if code := send("a", `{"id":"1","seats":1}`); code != 201 || calls != 1 {
		t.Error(code, calls)
	}
	if code := send("a", `{"id":"1","seats":2}`); code != 201 || calls != 1 {
		t.Error(code, calls)
	}
	if code := send("a", `{"id":"2","seats":1}`); code != 422 {
		t.Error(code)
	}
	if code := send("b", `{"id":"2","seats":1}`); code != 201 || calls != 2 {
		t.Error(code, calls)
	}
	if code := send("a", `{"seats":1}`); code != 400 {
		t.Error(code)
	}
}
