package payments_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/golden/internal/faulty"
	"github.com/holdfast-go/holdfast/golden/payments"
	"github.com/holdfast-go/holdfast/runtime/client"
)

// alternate fails each odd request with a status and a body of some size, so that
// each call has a response to let go before its second try.
func alternate(size int) faulty.Plan {
	body := []byte(strings.Repeat("x", size))
	return func(n int) faulty.Fault {
		if n%2 == 0 {
			return nil
		}
		return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write(body) // a client that does not want it may close
		}
	}
}

// Calls in a row with retries need one connection, whether their failures have
// bodies or not.
func TestOneConnection(t *testing.T) {
	for name, size := range map[string]int{"no body": 0, "small body": 1000, "body that is drained": 60 << 10} {
		t.Run(name, func(t *testing.T) {
			const calls = 8 // the budget pays for ten
			w := overTCP(t, alternate(size)).seeded()
			for range calls {
				if _, err := w.GetPayment(t.Context(), pay1); err != nil {
					t.Fatal(err)
				}
			}
			if len(w.Requests()) != 2*calls || w.Connections() != 1 {
				t.Errorf("%d requests over %d connections", len(w.Requests()), w.Connections())
			}
		})
		t.Run(name+", often", func(t *testing.T) {
			inBubble(t, alternate(size), func(t *testing.T, w *world) {
				const calls = 200
				w.seeded()
				for range calls {
					if _, err := w.GetPayment(t.Context(), pay1); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Second) // for the budget
				}
				if len(w.Requests()) != 2*calls || w.Connections() != 1 {
					t.Errorf("%d requests over %d connections", len(w.Requests()), w.Connections())
				}
			})
		})
	}
}

// Failures that are results keep the connection as well.
func TestOneConnectionForFailures(t *testing.T) {
	w := overTCP(t, nil)
	w.bank.before = func(_ context.Context, op string) error {
		if op == "createPayment" {
			return &payments.Declined{Body: problem(402, "no money")}
		}
		return nil
	}
	for range 20 {
		var declined *payments.Declined
		if _, err := w.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey("k")); !errors.As(err, &declined) {
			t.Fatal(err)
		}
		var notFound *payments.NotFound
		if _, err := w.GetPayment(t.Context(), pay1); !errors.As(err, &notFound) {
			t.Fatal(err)
		}
		if err := w.WriteAudit(t.Context(), note); err != nil {
			t.Fatal(err)
		}
	}
	if w.Connections() != 1 {
		t.Errorf("%d connections", w.Connections())
	}
}

// Nothing runs on after calls that failed in every way. A bubble ends only when
// all of its goroutines have; over TCP they are counted.
func TestNoGoroutineIsLeft(t *testing.T) {
	faults := []faulty.Fault{faulty.Reset, faulty.Lost, faulty.Answer(503), faulty.Hang, nil}
	plan := func(n int) faulty.Fault { return faults[n%len(faults)] }
	before := runtime.NumGoroutine()
	t.Run("calls", func(t *testing.T) {
		w := overTCP(t, plan).seeded()
		for range 10 {
			// How they end is for other tests.
			_, _ = w.GetPayment(t.Context(), pay1, client.PerTry(30*time.Millisecond), client.Within(100*time.Millisecond))
			_, _ = w.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey("k"), client.Within(50*time.Millisecond))
			_ = w.WriteAudit(t.Context(), note, client.Within(20*time.Millisecond))
		}
	})
	// The server and the idle connections were closed at the end of the run; their
	// goroutines need a moment to notice.
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}
