package payments_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/golden/internal/faulty"
	"github.com/holdfast-go/holdfast/golden/payments"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// The bulkhead of the policy: so many calls at once, so many that wait, so long.
const (
	slots, places = 16, 8
	longestWait   = 200 * time.Millisecond
)

// ended is how a call ended and when.
type ended struct {
	err  error
	took time.Duration
}

// atOnce makes n calls at the same moment.
func atOnce(n int, call func() error) []ended {
	all := make([]ended, n)
	var wait sync.WaitGroup
	start := time.Now()
	for i := range n {
		wait.Go(func() { all[i] = ended{call(), time.Since(start)} })
	}
	wait.Wait()
	return all
}

// count counts the calls that ended so.
func count(all []ended, kind fault.Kind, took time.Duration) int {
	n := 0
	for _, e := range all {
		got := fault.Other
		if f, failed := errors.AsType[*fault.Error](e.err); failed {
			got = f.Kind
		}
		if got == kind && e.took == took {
			n++
		}
	}
	return n
}

func TestBulkhead(t *testing.T) {
	for name, tt := range map[string]struct {
		work      time.Duration
		ok, later int // those that did not wait, and that did
		full      int // those that waited in vain
	}{
		"too slow for those who wait": {500 * time.Millisecond, slots, 0, places},
		"fast enough":                 {150 * time.Millisecond, slots, places, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, w *world) {
				var running, most atomic.Int64
				w.seeded().bank.before = func(context.Context, string) error {
					n := running.Add(1)
					for {
						old := most.Load()
						if n <= old || most.CompareAndSwap(old, n) {
							break
						}
					}
					time.Sleep(tt.work)
					running.Add(-1)
					return nil
				}
				const tooMany = 6
				all := atOnce(slots+places+tooMany, func() error {
					_, err := w.GetPayment(t.Context(), pay1)
					return err
				})
				if n := count(all, fault.Other, tt.work); n != tt.ok {
					t.Errorf("%d without a wait", n)
				}
				if n := count(all, fault.Other, 2*tt.work); n != tt.later {
					t.Errorf("%d after a wait", n)
				}
				if n := count(all, fault.BulkheadFull, longestWait); n != tt.full {
					t.Errorf("%d waited in vain", n)
				}
				if n := count(all, fault.BulkheadFull, 0); n != tooMany {
					t.Errorf("%d found no place", n)
				}
				for _, e := range all {
					if f := (*fault.Error)(nil); errors.As(e.err, &f) && (!errors.Is(e.err, fault.ErrBulkheadFull) || f.Attempts != 0 || f.Effect != fault.Safe || f.Waited != e.took) {
						t.Errorf("%+v", f)
					}
				}
				if most.Load() != slots {
					t.Errorf("%d at once", most.Load())
				}
			})
		})
	}
}

// A caller who gives up in the queue leaves at once, and its place is free.
func TestQueueIsLeft(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, w *world) {
		w.seeded().bank.before = func(context.Context, string) error {
			time.Sleep(150 * time.Millisecond)
			return nil
		}
		go atOnce(slots, func() error { _, err := w.GetPayment(t.Context(), pay1); return err })
		time.Sleep(time.Millisecond)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		all := atOnce(places, func() error { _, err := w.GetPayment(ctx, pay1); return err })
		if n := count(all, fault.Canceled, 50*time.Millisecond); n != places {
			t.Errorf("%d left", n)
		}
		all = atOnce(places, func() error { _, err := w.GetPayment(t.Context(), pay1); return err })
		if n := count(all, fault.Other, 99*time.Millisecond+150*time.Millisecond); n != places {
			t.Errorf("%d took their places", n)
		}
	})
}

// A call that waits for its next try holds no slot.
func TestBackoffHoldsNoSlot(t *testing.T) {
	plan := func(n int) faulty.Fault {
		if n <= slots {
			return faulty.Answer(503, "Retry-After", "3")
		}
		return nil
	}
	inBubble(t, plan, func(t *testing.T, w *world) {
		w.seeded()
		done := make(chan []ended)
		go func() {
			// The budget pays for ten of them and a fifth of sixteen.
			done <- atOnce(slots, func() error { _, err := w.ListPayments(t.Context(), order, client.Within(9*time.Second)); return err })
		}()
		time.Sleep(time.Second)
		start := time.Now()
		if _, err := w.GetPayment(t.Context(), pay1); err != nil || time.Since(start) != 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		<-done
	})
}

// A dependency that fails gets a tenth of a second's worth of retries and a fifth
// of its calls, not three times the load.
func TestRetryBudget(t *testing.T) {
	var mu sync.Mutex
	var all chan struct{} // closed when all first tries are there
	plan := func(n int) faulty.Fault {
		if n > slots {
			return nil
		}
		return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			mu.Lock()
			wait := all
			mu.Unlock()
			if n == slots {
				close(wait)
			}
			<-wait
			faulty.Answer(503)(w, r, next)
		}
	}
	inBubble(t, plan, func(t *testing.T, w *world) {
		mu.Lock()
		all = make(chan struct{})
		mu.Unlock()
		const paid = 10 + slots/5
		ends := atOnce(slots, func() error { _, err := w.seeded().ListPayments(t.Context(), order); return err })
		ok := 0
		for _, e := range ends {
			if e.err == nil {
				ok++
				continue
			}
			// The last real failure is what the caller gets.
			f := failure(t, e.err)
			var status *payments.Failure
			if f.Stop != fault.StopBudget || f.Kind != fault.Status || f.Attempts != 1 || e.took != 0 || !errors.As(e.err, &status) || status.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("after %v: %+v", e.took, f)
			}
		}
		if ok != paid || len(w.Requests()) != slots+paid {
			t.Errorf("%d calls were repeated, want %d; %d requests", ok, paid, len(w.Requests()))
		}
	})
}

// The server's limit of 50 a second lets 20 through at once, for each caller.
func TestRateLimit(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, w *world) {
		list := func(c *payments.Client, opts ...client.CallOption) (client.Meta, error) {
			var meta client.Meta
			_, err := c.ListPayments(t.Context(), order, append(opts, client.Into(&meta))...)
			return meta, err
		}
		for i := range 20 {
			meta, err := list(w.Client)
			if err != nil {
				t.Fatalf("call %d: %v", i+1, err)
			}
			// A token comes each 20ms; all are there again within a second.
			want := []client.Limit{{Name: "listPayments", Remaining: int64(19 - i), Reset: time.Second}}
			if diff := cmp.Diff(want, meta.Limits); diff != "" || meta.Header.Get("RateLimit-Policy") != `"listPayments";q=50;w=1` {
				t.Errorf("call %d: %q (-want +got):\n%s", i+1, meta.Header.Get("RateLimit-Policy"), diff)
			}
		}
		start := time.Now()
		meta, err := list(w.Client, client.NoRetry())
		var many *payments.TooMany
		if !errors.As(err, &many) || many.RetryAfter.Or("") != "1" || many.Body.Status.Or(0) != 429 || many.Body.Title.Or("") != "Too Many Requests" {
			t.Errorf("%v", err)
		}
		if meta.Header.Get("Content-Type") != "application/problem+json" || meta.Header.Get("RateLimit") != `"listPayments";r=0;t=1` {
			t.Errorf("%v", meta.Header)
		}
		if e := failure(t, err); e.Effect != fault.Safe || e.RetryAt.Sub(start) != time.Second || w.bank.called("listPayments") != 20 {
			t.Errorf("%+v", e)
		}
		if _, err := list(clientOf(t, w.Service, "bob"), client.NoRetry()); err != nil {
			t.Errorf("another caller: %v", err)
		}
		// With retries the caller only waits.
		if meta, err := list(w.Client); err != nil || meta.Tries != 2 || !within(time.Since(start), time.Second, 100*time.Millisecond) {
			t.Errorf("%v after %v, %d tries", err, time.Since(start), meta.Tries)
		}
	})
}

// Other operations have no limit.
func TestNoRateLimit(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, w *world) {
		for range 100 {
			var meta client.Meta
			if _, err := w.seeded().GetPayment(t.Context(), pay1, client.Into(&meta)); err != nil || meta.Limits != nil {
				t.Fatalf("%v, %v", err, meta.Limits)
			}
		}
	})
}
