package payments_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/internal/faulty"
	"github.com/holdfast-go/holdfast/golden/payments"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

const deadlineHeader = "X-Request-Deadline-Ms"

// A try that hangs is ended after its time and followed by another.
func TestAttemptTimeoutIsRetried(t *testing.T) {
	inBubble(t, faulty.First(faulty.Hang), func(t *testing.T, w *world) {
		start := time.Now()
		var meta client.Meta
		if _, err := w.seeded().GetPayment(t.Context(), pay1, client.Into(&meta)); err != nil {
			t.Fatal(err)
		}
		if !within(time.Since(start), 2*time.Second, 100*time.Millisecond) || meta.Tries != 2 {
			t.Errorf("after %v, %d tries", time.Since(start), meta.Tries)
		}
	})
}

// The caller's deadline ends the call, whatever tries are left.
func TestCallersDeadlineIsNotRetried(t *testing.T) {
	inBubble(t, faulty.Every(faulty.Hang), func(t *testing.T, w *world) {
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := w.GetPayment(ctx, pay1)
		e := failure(t, err)
		if e.Kind != fault.Timeout || e.Attempts != 1 || !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, fault.ErrTimeout) || !e.Timeout() {
			t.Errorf("%+v", e)
		}
		if time.Since(start) != 1500*time.Millisecond || len(w.Requests()) != 1 {
			t.Errorf("after %v, %d requests", time.Since(start), len(w.Requests()))
		}
		// One that has passed sends nothing.
		_, err = w.GetPayment(ctx, pay1)
		if e := failure(t, err); e.Attempts != 0 || e.Kind != fault.Timeout || e.Effect != fault.Safe || len(w.Requests()) != 1 {
			t.Errorf("%+v", e)
		}
	})
}

// The total bounds the tries and the waits between them.
func TestTotalIsNeverExceeded(t *testing.T) {
	pay := func(ctx context.Context, w *world, opts ...client.CallOption) error {
		_, err := w.CreatePayment(ctx, take("o-1", 5), append(opts, client.IdempotencyKey("k"))...)
		return err
	}
	for name, tt := range map[string]struct {
		fault     faulty.Fault
		call      func(ctx context.Context, w *world) error
		from, to  time.Duration
		tries     int
		kind      fault.Kind
		effect    fault.Effect
		stop      fault.Stop
		exhausted bool // errors.Is finds the deadline
	}{
		// Three tries of 2s and the waits between them fit the 9s of the policy.
		"written": {faulty.Hang, func(ctx context.Context, w *world) error { return pay(ctx, w) },
			6 * time.Second, 6300 * time.Millisecond, 3, fault.Timeout, fault.Unknown, fault.StopAttempts, true},
		// 3 x 1s + 100ms + 200ms.
		"computed": {faulty.Hang, func(ctx context.Context, w *world) error { _, err := w.ListPayments(ctx, order); return err },
			3 * time.Second, 3300 * time.Millisecond, 3, fault.Timeout, fault.Safe, fault.StopAttempts, true},
		"within": {faulty.Hang, func(ctx context.Context, w *world) error { return pay(ctx, w, client.Within(5*time.Second)) },
			5 * time.Second, 5 * time.Second, 3, fault.Timeout, fault.Unknown, fault.StopAttempts, true},
		// A wait of 4s would end past what is left of 9s after two of them.
		"waits": {faulty.Answer(503, "Retry-After", "4"), func(ctx context.Context, w *world) error { return pay(ctx, w, client.Tries(9)) },
			8 * time.Second, 8300 * time.Millisecond, 3, fault.Status, fault.Unknown, fault.StopDeadline, false},
		"one try": {faulty.Hang, func(ctx context.Context, w *world) error { return w.Ping(ctx) },
			time.Second, time.Second, 1, fault.Timeout, fault.Safe, fault.StopOff, true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, faulty.Every(tt.fault), func(t *testing.T, w *world) {
				start := time.Now()
				err := tt.call(t.Context(), w)
				took := time.Since(start)
				if took < tt.from || took > tt.to {
					t.Errorf("after %v, want %v to %v", took, tt.from, tt.to)
				}
				e := failure(t, err)
				if e.Kind != tt.kind || e.Attempts != tt.tries || e.Effect != tt.effect || e.Stop != tt.stop || errors.Is(err, context.DeadlineExceeded) != tt.exhausted {
					t.Errorf("%+v", e)
				}
				if len(w.Requests()) != tt.tries {
					t.Errorf("%d requests", len(w.Requests()))
				}
			})
		})
	}
}

// A caller who gives up gets its answer at that moment, wherever the call is.
func TestCancellation(t *testing.T) {
	for name, tt := range map[string]struct {
		fault  faulty.Fault
		tries  int
		effect fault.Effect
	}{
		"in a try":                   {faulty.Hang, 1, fault.Unknown},
		"in a backoff":               {faulty.Answer(503, "Retry-After", "5"), 1, fault.Unknown},
		"waiting for one in flight":  {faulty.Answer(409, "Retry-After", "5"), 1, fault.Unknown},
		"waiting for what was spent": {faulty.Answer(429, "Retry-After", "5"), 1, fault.Safe},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, faulty.Every(tt.fault), func(t *testing.T, w *world) {
				ctx, cancel := context.WithCancel(t.Context())
				const after = 1234567890 * time.Nanosecond
				time.AfterFunc(after, cancel)
				start := time.Now()
				_, err := w.CreatePayment(ctx, take("o-1", 5), client.IdempotencyKey("k"))
				e := failure(t, err)
				if time.Since(start) != after || !errors.Is(err, context.Canceled) || e.Kind != fault.Canceled || e.Attempts != tt.tries || e.Effect != tt.effect {
					t.Errorf("after %v: %+v", time.Since(start), e)
				}
				_, err = w.CreatePayment(ctx, take("o-1", 5), client.IdempotencyKey("k"))
				if e := failure(t, err); e.Kind != fault.Canceled || e.Attempts != 0 || e.Effect != fault.Safe {
					t.Errorf("before the first try: %+v", e)
				}
			})
		})
	}
}

// The service hears of it when its time is up, and when its caller has gone.
func TestServiceIsTold(t *testing.T) {
	for name, tt := range map[string]struct {
		bound func(context.Context) (context.Context, context.CancelFunc)
		after time.Duration
		want  error // of the service's context
		kind  fault.Kind
	}{
		// The reserve leaves the server time to say so itself.
		"deadline": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 100*time.Millisecond)
		}, 90 * time.Millisecond, context.DeadlineExceeded, fault.Status},
		"cancelled": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(50*time.Millisecond, cancel)
			return ctx, cancel
		}, 50 * time.Millisecond, context.Canceled, fault.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, w *world) {
				start := time.Now()
				told := make(chan error, 1)
				w.bank.before = func(ctx context.Context, _ string) error {
					<-ctx.Done()
					if d := time.Since(start); d != tt.after {
						t.Errorf("told after %v", d)
					}
					told <- ctx.Err()
					return ctx.Err()
				}
				ctx, cancel := tt.bound(t.Context())
				defer cancel()
				_, err := w.GetPayment(ctx, pay1)
				if e := failure(t, err); e.Kind != tt.kind || time.Since(start) != tt.after {
					t.Errorf("after %v: %+v", time.Since(start), e)
				}
				if err := <-told; !errors.Is(err, tt.want) {
					t.Errorf("the service was told %v", err)
				}
			})
		})
	}
}

// Each try sends the time that it has, less the reserve of 10ms.
func TestDeadlineIsSent(t *testing.T) {
	inBubble(t, faulty.First(faulty.Hang, faulty.Answer(503)), func(t *testing.T, w *world) {
		const total = 3 * time.Second
		start := time.Now()
		if _, err := w.seeded().GetPayment(t.Context(), pay1, client.Within(total)); err != nil {
			t.Fatal(err)
		}
		got := w.Requests()
		if len(got) != 3 {
			t.Fatalf("%d requests", len(got))
		}
		for i, r := range got {
			has := min(2*time.Second, total-r.At.Sub(start)) - 10*time.Millisecond
			if ms := strconv.FormatInt(has.Milliseconds(), 10); r.Header.Get(deadlineHeader) != ms {
				t.Errorf("try %d sends %q, has %v", i+1, r.Header.Get(deadlineHeader), has)
			}
		}
	})
}

// The server bounds the service by what it was sent, and by its own 900ms.
func TestDeadlineIsHonoured(t *testing.T) {
	for name, tt := range map[string]struct {
		opts   []client.CallOption
		after  time.Duration
		status int
		detail string
	}{
		"the caller's": {[]client.CallOption{client.PerTry(500 * time.Millisecond)}, 490 * time.Millisecond, 504, "the caller's deadline has passed"},
		"the server's": {nil, 900 * time.Millisecond, 503, "the operation did not finish in time"},
	} {
		for _, obeys := range []bool{true, false} {
			t.Run(name+", obeyed "+strconv.FormatBool(obeys), func(t *testing.T) {
				inBubble(t, nil, func(t *testing.T, w *world) {
					start := time.Now()
					ends := make(chan time.Time, 1)
					w.bank.before = func(ctx context.Context, _ string) error {
						end, _ := ctx.Deadline()
						ends <- end
						if obeys {
							<-ctx.Done()
							return ctx.Err()
						}
						time.Sleep(time.Minute)
						return nil
					}
					var meta client.Meta
					_, err := w.GetPayment(t.Context(), pay1, append(tt.opts, client.NoRetry(), client.Into(&meta))...)
					var f *payments.Failure
					if !errors.As(err, &f) || f.StatusCode != tt.status || f.Body.Detail.Or("") != tt.detail {
						t.Errorf("%v", err)
					}
					if end := <-ends; time.Since(start) != tt.after || end.Sub(start) != tt.after {
						t.Errorf("after %v, the service had %v", time.Since(start), end.Sub(start))
					}
					if got := meta.Header.Get("Retry-After"); (got == "1") != (tt.status == 503) {
						t.Errorf("Retry-After %q", got)
					}
					time.Sleep(time.Hour)
				})
			})
		}
	}
}

// A request that has no time left does not reach the service.
func TestNothingIsLeft(t *testing.T) {
	none := client.BeforeAttempt(func(r *http.Request) error {
		r.Header.Set(deadlineHeader, "0")
		return nil
	})
	w := overTCP(t, nil, none)
	_, err := w.GetPayment(t.Context(), pay1, client.NoRetry())
	var f *payments.Failure
	if !errors.As(err, &f) || f.StatusCode != http.StatusGatewayTimeout || w.bank.called("getPayment") != 0 || len(w.Requests()) != 1 {
		t.Errorf("%v, called %d times", err, w.bank.called("getPayment"))
	}
	// A call that has less than a try needs is not begun.
	_, err = w.GetPayment(t.Context(), pay1, client.Within(14*time.Millisecond))
	if e := failure(t, err); e.Kind != fault.Timeout || e.Attempts != 0 || len(w.Requests()) != 1 {
		t.Errorf("%+v", e)
	}
}

// A service whose time is up while it works on a payment does not lose the key:
// the repeat waits for its end.
func TestTimeoutOfAPayment(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, w *world) {
		w.bank.before = func(context.Context, string) error { // it ignores its context
			time.Sleep(1500 * time.Millisecond)
			return nil
		}
		start := time.Now()
		var meta client.Meta
		res, err := w.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey("k"), client.Into(&meta))
		if err != nil || res.Body.ID != "pay_1" || w.bank.effects() != 1 || w.bank.called("createPayment") != 1 {
			t.Fatalf("%v, %v, %d payments", res, err, w.bank.effects())
		}
		// 503 at 0.9s with a hint of 1s; by then it is done.
		if !meta.Replayed || meta.Tries != 2 || !within(time.Since(start), 1900*time.Millisecond, 100*time.Millisecond) {
			t.Errorf("after %v: %+v", time.Since(start), meta)
		}
		synctest.Wait()
	})
}
