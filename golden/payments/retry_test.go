package payments_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/golden/internal/faulty"
	"github.com/holdfast-go/holdfast/golden/payments"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// What may be repeated is, until it works or its three tries are used.
func TestReadsAreRepeated(t *testing.T) {
	for name, f := range map[string]faulty.Fault{"503": faulty.Answer(503), "reset": faulty.Reset, "lost": faulty.Lost} {
		t.Run(name, func(t *testing.T) {
			w := overTCP(t, faulty.First(f, f)).seeded()
			var meta client.Meta
			p, err := w.GetPayment(t.Context(), pay1, client.Into(&meta))
			if err != nil || p.ID != "pay_1" {
				t.Fatalf("%v, %v", p, err)
			}
			got := w.Requests()
			if len(got) != 3 || meta.Tries != 3 || meta.Status != 200 {
				t.Errorf("%d requests, meta %+v", len(got), meta)
			}
			if n := headers(got, "X-Request-Attempt"); !slices.Equal(n, []string{"1", "2", "3"}) {
				t.Errorf("tries are numbered %q", n)
			}
		})
		t.Run(name+" for ever", func(t *testing.T) {
			w := overTCP(t, faulty.Every(f))
			_, err := w.GetPayment(t.Context(), pay1)
			if e := failure(t, err); len(w.Requests()) != 3 || e.Attempts != 3 || e.Stop != fault.StopAttempts || e.Effect != fault.Safe {
				t.Errorf("%d requests, %+v", len(w.Requests()), e)
			}
		})
	}
}

// A write without a key is sent once: nobody knows what came of it.
func TestWriteWithoutKeyIsNotRepeated(t *testing.T) {
	for name, tt := range map[string]struct {
		fault  faulty.Fault
		kind   fault.Kind
		called int
	}{
		"503":   {faulty.Answer(503), fault.Status, 0},
		"reset": {faulty.Reset, fault.Transport, 0},
		"lost":  {faulty.Lost, fault.Transport, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := overTCP(t, faulty.First(tt.fault))
			e := failure(t, w.WriteAudit(t.Context(), note))
			if len(w.Requests()) != 1 || w.bank.called("writeAudit") != tt.called {
				t.Errorf("%d requests, called %d times", len(w.Requests()), w.bank.called("writeAudit"))
			}
			if e.Kind != tt.kind || e.Attempts != 1 || e.Stop != fault.StopEffect || e.Effect != fault.Unknown {
				t.Errorf("%+v", e)
			}
		})
	}
	// A connection that was used before may be dead before anything is written,
	// but nothing proves it.
	w := overTCP(t, func(n int) faulty.Fault {
		if n == 2 {
			return faulty.Reset
		}
		return nil
	})
	if err := w.WriteAudit(t.Context(), note); err != nil {
		t.Fatal(err)
	}
	if e := failure(t, w.WriteAudit(t.Context(), note)); len(w.Requests()) != 2 || e.Attempts != 1 {
		t.Errorf("%d requests, %+v", len(w.Requests()), e)
	}
}

// What provably was not sent, or was refused before any work, is sent again.
func TestWriteThatWasNotSentIsRepeated(t *testing.T) {
	b := &bank{}
	s := faulty.OverTCP(t, handler(b), nil)
	c := clientOf(t, s, "alice", s.Refusing(t, 2))
	var meta client.Meta
	if err := c.WriteAudit(t.Context(), note, client.Into(&meta)); err != nil {
		t.Fatal(err)
	}
	if len(s.Requests()) != 1 || meta.Tries != 3 || b.called("writeAudit") != 1 {
		t.Errorf("%d requests, %+v", len(s.Requests()), meta)
	}
	c = clientOf(t, s, "alice", s.Refusing(t, 3))
	if e := failure(t, c.WriteAudit(t.Context(), note)); e.Kind != fault.Transport || e.Effect != fault.Safe || e.Attempts != 3 {
		t.Errorf("%+v", e)
	}

	w := overTCP(t, faulty.First(faulty.Answer(429)))
	if err := w.WriteAudit(t.Context(), note); err != nil || len(w.Requests()) != 2 {
		t.Errorf("429: %v, %d requests", err, len(w.Requests()))
	}
}

// A call without a policy is one try.
func TestPingIsOneTry(t *testing.T) {
	w := overTCP(t, faulty.First(faulty.Answer(503)))
	e := failure(t, w.Ping(t.Context()))
	if len(w.Requests()) != 1 || e.Attempts != 1 || e.Stop != fault.StopOff || w.Requests()[0].Header.Get("Authorization") != "" {
		t.Errorf("%+v", e)
	}
	if err := w.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

// A failure that a repeat cannot mend is not repeated, typed as the document has it.
func TestFinalFailures(t *testing.T) {
	w := overTCP(t, nil)
	_, err := w.GetPayment(t.Context(), payments.GetPaymentRequest{PaymentID: "pay_none"})
	var notFound *payments.NotFound
	if e := failure(t, err); !errors.As(err, &notFound) || e.Stop != fault.StopFinal || e.Status != 404 || notFound.Body.Detail.Or("") != "no payment pay_none" {
		t.Errorf("404: %v", err)
	}
	w.bank.before = func(context.Context, string) error {
		return &payments.Declined{Body: problem(402, "no money")}
	}
	_, err = w.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey("k"))
	var declined *payments.Declined
	if e := failure(t, err); !errors.As(err, &declined) || e.Effect != fault.Safe || declined.Body.Detail.Or("") != "no money" {
		t.Errorf("402: %v", err)
	}
	if len(w.Requests()) != 2 {
		t.Errorf("%d requests", len(w.Requests()))
	}
}

// The wait before the next try is what the server asks for, and only more of it.
func TestRetryAfter(t *testing.T) {
	const wait = 3 * time.Second
	later := func(form string) func() string {
		return func() string { return time.Now().Add(wait).UTC().Format(form) }
	}
	for name, hint := range map[string]func() string{
		"seconds": func() string { return "3" },
		// The forms of RFC 9110, 5.6.7.
		"IMF-fixdate": later("Mon, 02 Jan 2006 15:04:05 GMT"),
		"RFC 850":     later("Monday, 02-Jan-06 15:04:05 GMT"),
		"asctime":     later("Mon Jan _2 15:04:05 2006"),
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, w *world) {
				w.bank.before = func(context.Context, string) error {
					if w.bank.called("createPayment") > 1 {
						return nil
					}
					return &payments.TooMany{RetryAfter: value.Some(hint()), Body: problem(429, "slow down")}
				}
				start := time.Now()
				var meta client.Meta
				_, err := w.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey("k"), client.Into(&meta))
				got := w.Requests()
				// The jitter on top is below the first backoff of 100ms.
				if err != nil || len(got) != 2 || !within(got[1].At.Sub(start), wait, 100*time.Millisecond) {
					t.Fatalf("%v, %d requests, %v", err, len(got), time.Since(start))
				}
				if meta.Waited != got[1].At.Sub(start) {
					t.Errorf("waited %v, meta says %v", got[1].At.Sub(start), meta.Waited)
				}
			})
		})
	}
}

func TestHintsOfOthers(t *testing.T) {
	for name, tt := range map[string]struct {
		fault faulty.Fault
		wait  time.Duration
	}{
		"retry-after-ms":            {faulty.Answer(503, "Retry-After-Ms", "250"), 250 * time.Millisecond},
		"retry-after-ms is exacter": {faulty.Answer(503, "Retry-After-Ms", "1500", "Retry-After", "2"), 1500 * time.Millisecond},
		"RateLimit":                 {faulty.Answer(429, "RateLimit", `"a";r=0;t=2, "b";r=9;t=50`), 2 * time.Second},
		"none":                      {faulty.Answer(503), 0},
		"malformed":                 {faulty.Answer(503, "Retry-After", "soon"), 0},
		"negative":                  {faulty.Answer(503, "Retry-After", "-5"), 0},
		"past":                      {faulty.Answer(503, "Retry-After", "Thu, 01 Jan 1970 00:00:00 GMT"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, faulty.First(tt.fault), func(t *testing.T, w *world) {
				start := time.Now()
				_, err := w.seeded().GetPayment(t.Context(), pay1)
				got := w.Requests()
				if err != nil || len(got) != 2 || !within(got[1].At.Sub(start), tt.wait, 100*time.Millisecond) {
					t.Errorf("%v, %d requests, %v, want a wait of %v", err, len(got), time.Since(start), tt.wait)
				}
			})
		})
	}
}

// The second wait may be twice the first; without a hint it is anything below.
func TestBackoff(t *testing.T) {
	inBubble(t, faulty.Every(faulty.Answer(503)), func(t *testing.T, w *world) {
		_, err := w.GetPayment(t.Context(), pay1)
		got := w.Requests()
		e := failure(t, err)
		if len(got) != 3 || !within(got[1].At.Sub(got[0].At), 0, 100*time.Millisecond) || !within(got[2].At.Sub(got[1].At), 0, 200*time.Millisecond) {
			t.Errorf("%d tries", len(got))
		}
		if e.Waited != got[2].At.Sub(got[0].At) {
			t.Errorf("waited %v, the error says %v", got[2].At.Sub(got[0].At), e.Waited)
		}
	})
}

// A hint that does not fit ends the call at once, with the answer that carried it.
func TestHintThatIsTooLong(t *testing.T) {
	for name, tt := range map[string]struct {
		seconds  string
		deadline time.Duration // the caller's
		stop     fault.Stop
		retryAt  time.Duration
	}{
		"past the total":      {"10", 0, fault.StopDeadline, 10 * time.Second},
		"past maxRetryAfter":  {"61", 0, fault.StopHint, 61 * time.Second},
		"past the deadline":   {"2", 2 * time.Second, fault.StopDeadline, 2 * time.Second},
		"one hour, in detail": {"3600", 0, fault.StopHint, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, faulty.First(nil, faulty.Answer(503, "Retry-After", tt.seconds)), func(t *testing.T, w *world) {
				w.bank.before = func(context.Context, string) error {
					return &payments.TooMany{RetryAfter: value.Some(tt.seconds), Body: problem(429, "slow down")}
				}
				ctx := t.Context()
				if tt.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.deadline)
					defer cancel()
				}
				start := time.Now()
				_, err := w.CreatePayment(ctx, take("o-1", 5), client.IdempotencyKey("k"))
				var many *payments.TooMany
				if !errors.As(err, &many) || many.Body.Detail.Or("") != "slow down" || many.RetryAfter.Or("") != tt.seconds {
					t.Errorf("429: %v", err)
				}
				e := failure(t, err)
				if e.Kind != fault.Status || e.Status != 429 || e.Attempts != 1 || e.Stop != tt.stop || e.Effect != fault.Safe {
					t.Errorf("429: %+v", e)
				}
				if time.Since(start) != 0 || e.RetryAt.Sub(start) != tt.retryAt {
					t.Errorf("429: after %v, retry after %v", time.Since(start), e.RetryAt.Sub(start))
				}

				_, err = w.GetPayment(ctx, pay1)
				var other *payments.Failure
				if !errors.As(err, &other) || other.StatusCode != http.StatusServiceUnavailable || other.Body.Detail.Or("") != "in between" {
					t.Errorf("503: %v", err)
				}
				if e := failure(t, err); time.Since(start) != 0 || e.Stop != tt.stop || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("503: after %v, %+v", time.Since(start), e)
				}
			})
		})
	}
}

// A server that is out of budget itself asks for no more.
func TestServerThatDoesNotWantMore(t *testing.T) {
	w := overTCP(t, faulty.First(faulty.Answer(503, "X-Should-Retry", "false")))
	_, err := w.GetPayment(t.Context(), pay1)
	if e := failure(t, err); len(w.Requests()) != 1 || e.Stop != fault.StopServer {
		t.Errorf("%d requests, %+v", len(w.Requests()), e)
	}
}
