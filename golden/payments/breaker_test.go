package payments_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/golden/internal/faulty"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
)

// recovery is how long a breaker of the policy "careful" is open, with up to a
// tenth on top.
const recovery, recoverySpread = 5 * time.Second, 500*time.Millisecond + 1

// getting calls getPayment once and says what kind of failure it was; Other stands
// for none.
func (w *world) getting(t *testing.T, opts ...client.CallOption) fault.Kind {
	t.Helper()
	_, err := w.GetPayment(t.Context(), pay1, opts...)
	if err == nil {
		return fault.Other
	}
	return failure(t, err).Kind
}

// open makes the breaker of getPayment open.
func (w *world) open(t *testing.T) {
	t.Helper()
	for range 3 {
		if kind := w.getting(t, client.NoRetry()); kind != fault.Status {
			t.Fatalf("%v", kind)
		}
	}
}

// Three failures of six calls open the breaker of an operation, for it alone.
func TestBreakerOpens(t *testing.T) {
	inBubble(t, faulty.First(faulty.Answer(500), faulty.Answer(500), faulty.Answer(500)), func(t *testing.T, w *world) {
		w.open(t)
		start, sent := time.Now(), len(w.Requests())
		var meta client.Meta
		_, err := w.GetPayment(t.Context(), pay1, client.Into(&meta))
		e := failure(t, err)
		if !errors.Is(err, fault.ErrBreakerOpen) || e.Kind != fault.BreakerOpen || e.Op != "getPayment" || e.Attempts != 0 || e.Effect != fault.Safe {
			t.Errorf("%+v", e)
		}
		if time.Since(start) != 0 || len(w.Requests()) != sent || meta.Tries != 0 || meta.Status != 0 {
			t.Errorf("after %v, %d requests, %+v", time.Since(start), len(w.Requests())-sent, meta)
		}
		if !within(e.RetryAt.Sub(start), recovery, recoverySpread) {
			t.Errorf("retry after %v", e.RetryAt.Sub(start))
		}
		list := w.Core().Breakers()
		if len(list) != 1 || list[0].Name != "payments/getPayment" || list[0].State != observe.Open || !list[0].RetryAt.Equal(e.RetryAt) {
			t.Errorf("%+v", list)
		}
		if _, err := w.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey("k")); err != nil {
			t.Errorf("another operation: %v", err)
		}
		// It is closed again after one success, which may come once it is due.
		time.Sleep(time.Until(e.RetryAt) - 1)
		if kind := w.getting(t); kind != fault.BreakerOpen {
			t.Errorf("before its time: %v", kind)
		}
		time.Sleep(time.Nanosecond)
		for range 3 {
			if kind := w.seeded().getting(t); kind != fault.Other {
				t.Errorf("afterwards: %v", kind)
			}
		}
	})
}

// A half-open breaker lets one call through at a time, which makes one try; its
// failure opens it again.
func TestBreakerProbes(t *testing.T) {
	plan := func(n int) faulty.Fault {
		switch {
		case n <= 4:
			return faulty.Answer(500)
		case n == 5:
			return faulty.Late(time.Second)
		}
		return nil
	}
	inBubble(t, plan, func(t *testing.T, w *world) {
		w.seeded().open(t)
		time.Sleep(recovery + recoverySpread)
		_, err := w.GetPayment(t.Context(), pay1) // with retries
		if e := failure(t, err); e.Kind != fault.Status || e.Attempts != 1 || e.Stop != fault.StopProbe {
			t.Errorf("the failing probe: %+v", e)
		}
		if kind := w.getting(t); kind != fault.BreakerOpen {
			t.Errorf("after it: %v", kind)
		}
		time.Sleep(recovery + recoverySpread)
		probe := make(chan error)
		go func() {
			_, err := w.GetPayment(t.Context(), pay1)
			probe <- err
		}()
		time.Sleep(500 * time.Millisecond)
		if list := w.Core().Breakers(); list[0].State != observe.HalfOpen {
			t.Errorf("%+v", list)
		}
		if kind := w.getting(t); kind != fault.BreakerOpen {
			t.Errorf("beside the probe: %v", kind)
		}
		if err := <-probe; err != nil {
			t.Errorf("the probe: %v", err)
		}
		if kind := w.getting(t); kind != fault.Other {
			t.Errorf("after the probe: %v", kind)
		}
		if list := w.Core().Breakers(); list[0].State != observe.Closed {
			t.Errorf("%+v", list)
		}
	})
}

// A call is one result, however many tries it has made; failures of the caller are
// none; a 404 is a success.
func TestWhatTheBreakerCounts(t *testing.T) {
	for name, tt := range map[string]struct {
		plan  faulty.Plan
		call  func(t *testing.T, w *world)
		calls int
		open  bool
	}{
		"two calls of three tries": {faulty.Every(faulty.Answer(503)), func(t *testing.T, w *world) {
			w.getting(t)
			time.Sleep(time.Minute) // for the budget
		}, 2, false},
		"three calls of three tries": {faulty.Every(faulty.Answer(503)), func(t *testing.T, w *world) {
			w.getting(t)
			time.Sleep(time.Minute)
		}, 3, true},
		"resets":         {faulty.Every(faulty.Reset), func(t *testing.T, w *world) { w.getting(t, client.NoRetry()) }, 3, true},
		"tries too long": {faulty.Every(faulty.Hang), func(t *testing.T, w *world) { w.getting(t, client.NoRetry()) }, 3, true},
		"cancelled calls": {faulty.Every(faulty.Hang), func(t *testing.T, w *world) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, err := w.GetPayment(ctx, pay1)
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}, 5, false},
		// Less time than a second proves nothing about the service.
		"short deadlines": {faulty.Every(faulty.Hang), func(t *testing.T, w *world) {
			w.getting(t, client.Within(900*time.Millisecond))
		}, 5, false},
		"429": {faulty.Every(faulty.Answer(429)), func(t *testing.T, w *world) { w.getting(t, client.NoRetry()) }, 5, false},
		"404": {nil, func(t *testing.T, w *world) { w.getting(t) }, 5, false},
		"400": {faulty.Every(faulty.Answer(400)), func(t *testing.T, w *world) { w.getting(t) }, 5, false},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, tt.plan, func(t *testing.T, w *world) {
				for range tt.calls {
					tt.call(t, w)
				}
				if list := w.Core().Breakers(); (list[0].State == observe.Open) != tt.open {
					t.Errorf("%+v", list)
				}
			})
		})
	}
}

// The breaker of a dependency is that of all its operations which have no own, and
// its tries stop when it opens.
func TestSharedBreaker(t *testing.T) {
	inBubble(t, faulty.Every(faulty.Answer(503)), func(t *testing.T, w *world) {
		for i := range 5 {
			if i%2 == 0 {
				_ = w.WriteAudit(t.Context(), note)
			} else {
				_, _ = w.ListPayments(t.Context(), order, client.NoRetry())
			}
		}
		sent := len(w.Requests())
		_, err := w.ListPayments(t.Context(), order)
		if e := failure(t, err); e.Kind != fault.BreakerOpen || !within(time.Until(e.RetryAt), 30*time.Second, 3*time.Second+1) || sent != 5 {
			t.Errorf("%+v after %d requests", e, sent)
		}
		_, err = w.RefundPayment(t.Context(), refund("pay_1", 5))
		if e := failure(t, err); e.Kind != fault.BreakerOpen {
			t.Errorf("%+v", e)
		}
		if kind := w.getting(t, client.NoRetry()); kind != fault.Status {
			t.Errorf("an operation with its own: %v", kind)
		}
	})
}

// A call that waits for its next try ends when others open the breaker.
func TestTriesEndWithTheBreaker(t *testing.T) {
	inBubble(t, faulty.Every(faulty.Answer(503, "Retry-After", "2")), func(t *testing.T, w *world) {
		start := time.Now()
		done := make(chan error)
		go func() {
			_, err := w.GetPayment(t.Context(), pay1)
			done <- err
		}()
		time.Sleep(time.Second)
		w.open(t)
		err := <-done
		e := failure(t, err)
		// The last answer is not hidden by the breaker.
		if e.Stop != fault.StopBreaker || e.Kind != fault.Status || e.Status != 503 || e.Attempts != 1 || e.RetryAt.Sub(start) < time.Second+recovery {
			t.Errorf("%+v", e)
		}
		if len(w.Requests()) != 4 || !within(time.Since(start), 2*time.Second, 100*time.Millisecond) {
			t.Errorf("%d requests, after %v", len(w.Requests()), time.Since(start))
		}
	})
}
