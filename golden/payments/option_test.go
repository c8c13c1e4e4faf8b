package payments_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/holdfast-go/holdfast/golden/internal/faulty"
	"github.com/holdfast-go/holdfast/golden/payments"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// What a caller wants for one call takes the place of the policy.
func TestCallOptions(t *testing.T) {
	for name, tt := range map[string]struct {
		fault    faulty.Fault
		opts     []client.CallOption
		tries    int
		from, to time.Duration
	}{
		"policy":         {faulty.Answer(503), nil, 3, 0, 300 * time.Millisecond},
		"NoRetry":        {faulty.Answer(503), []client.CallOption{client.NoRetry()}, 1, 0, 0},
		"one try":        {faulty.Answer(503), []client.CallOption{client.Tries(1)}, 1, 0, 0},
		"two tries":      {faulty.Answer(503), []client.CallOption{client.Tries(2)}, 2, 0, 100 * time.Millisecond},
		"five tries":     {faulty.Answer(503), []client.CallOption{client.Tries(5)}, 5, 0, 1100 * time.Millisecond},
		"NoRetry counts": {faulty.Answer(503), []client.CallOption{client.Tries(5), client.NoRetry()}, 1, 0, 0},
		"PerTry":         {faulty.Hang, []client.CallOption{client.PerTry(400 * time.Millisecond)}, 3, 1200 * time.Millisecond, 1500 * time.Millisecond},
		"Within":         {faulty.Hang, []client.CallOption{client.Within(500 * time.Millisecond)}, 1, 500 * time.Millisecond, 500 * time.Millisecond},
		"Within, PerTry": {faulty.Hang, []client.CallOption{client.Within(1200 * time.Millisecond), client.PerTry(400 * time.Millisecond)}, 3, 1200 * time.Millisecond, 1200 * time.Millisecond},
		"nil":            {faulty.Answer(503), []client.CallOption{nil}, 3, 0, 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, faulty.Every(tt.fault), func(t *testing.T, w *world) {
				start := time.Now()
				var meta client.Meta
				_, err := w.GetPayment(t.Context(), pay1, append(tt.opts, client.Into(&meta))...)
				took := time.Since(start)
				e := failure(t, err)
				if len(w.Requests()) != tt.tries || meta.Tries != tt.tries || e.Attempts != tt.tries {
					t.Errorf("%d requests, %+v", len(w.Requests()), e)
				}
				if took < tt.from || took > tt.to {
					t.Errorf("after %v, want %v to %v", took, tt.from, tt.to)
				}
			})
		})
	}
}

// Options that make no sense fail the call before anything is sent.
func TestSenselessOptions(t *testing.T) {
	w := overTCP(t, nil)
	for name, o := range map[string]client.CallOption{
		"no time": client.Within(0), "less than none": client.PerTry(-time.Second), "no try": client.Tries(0), "too many": client.Tries(11),
		"a line break": client.CallHeader("X-A", "a\r\nX-B: b"), "no address": client.At(""),
	} {
		_, err := w.GetPayment(t.Context(), pay1, o)
		if e := failure(t, err); e.Kind != fault.Request || e.Attempts != 0 || e.Effect != fault.Safe || !errors.Is(err, fault.ErrRequest) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if len(w.Requests()) != 0 {
		t.Error("something was sent")
	}
}

// Meta tells of the last response, whatever came of the call.
func TestMeta(t *testing.T) {
	w := overTCP(t, faulty.First(nil, faulty.Answer(503), nil, faulty.Answer(400, "X-Request-Id", "r-1", "Cache-Status", "edge; hit"))).seeded()
	var meta client.Meta
	if _, err := w.GetPayment(t.Context(), pay1, client.Into(&meta), client.CallHeader("X-Request-Id", "mine")); err != nil {
		t.Fatal(err)
	}
	if meta.Status != 200 || meta.Tries != 1 || meta.RequestID != "mine" || meta.Waited != 0 || meta.Key != "" || meta.Rung != "" {
		t.Errorf("%+v", meta)
	}
	if _, err := w.GetPayment(t.Context(), pay1, client.Into(&meta)); err != nil || meta.Tries != 2 || meta.Waited < 0 || meta.RequestID == "mine" {
		t.Errorf("%v, %+v", err, meta)
	}
	if _, err := w.GetPayment(t.Context(), pay1, client.Into(&meta)); err == nil || meta.Status != 400 || meta.RequestID != "r-1" || meta.Cache != "edge; hit" {
		t.Errorf("%v, %+v", err, meta)
	}
	// A call that sends nothing leaves nothing of the one before.
	if _, err := w.GetPayment(t.Context(), payments.GetPaymentRequest{}, client.Into(&meta)); err == nil || meta.Status != 0 || meta.Header != nil {
		t.Errorf("%v, %+v", err, meta)
	}
}

// The fields of the error say all that a caller decides by.
func TestFaultFields(t *testing.T) {
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // when a bubble begins
	pay := func(ctx context.Context, w *world) error {
		_, err := w.CreatePayment(ctx, take("o-1", 5), client.IdempotencyKey("k"), client.NoRetry())
		return err
	}
	get := func(ctx context.Context, w *world) error {
		_, err := w.GetPayment(ctx, pay1, client.NoRetry())
		return err
	}
	for name, tt := range map[string]struct {
		fault    faulty.Fault
		call     func(context.Context, *world) error
		want     fault.Error
		sentinel error
	}{
		"status of a write": {
			faulty.Answer(500), pay,
			fault.Error{Op: "createPayment", Kind: fault.Status, Attempts: 1, Status: 500, Effect: fault.Unknown, Key: "k", Stop: fault.StopOff}, fault.ErrStatus,
		},
		"status of a read": {
			faulty.Answer(500), get,
			fault.Error{Op: "getPayment", Kind: fault.Status, Attempts: 1, Status: 500, Effect: fault.Safe, Stop: fault.StopOff}, fault.ErrStatus,
		},
		"refusal": {
			faulty.Answer(429, "Retry-After", "7"), pay,
			fault.Error{Op: "createPayment", Kind: fault.Status, Attempts: 1, Status: 429, Effect: fault.Safe, Key: "k", Stop: fault.StopOff, RetryAt: start.Add(7 * time.Second)}, fault.ErrStatus,
		},
		"bad request": {
			faulty.Answer(400), pay,
			fault.Error{Op: "createPayment", Kind: fault.Status, Attempts: 1, Status: 400, Effect: fault.Safe, Key: "k", Stop: fault.StopOff}, fault.ErrStatus,
		},
		"connection": {
			faulty.Reset, pay,
			fault.Error{Op: "createPayment", Kind: fault.Transport, Attempts: 1, Effect: fault.Unknown, Key: "k", Stop: fault.StopOff}, fault.ErrTransport,
		},
		"time": {
			faulty.Hang, pay,
			fault.Error{Op: "createPayment", Kind: fault.Timeout, Attempts: 1, Effect: fault.Unknown, Key: "k", Stop: fault.StopOff}, fault.ErrTimeout,
		},
		"success that is unreadable": {
			func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusCreated)
				_, _ = w.Write([]byte(`{"id":`)) // the client is what is tested
			}, pay,
			fault.Error{Op: "createPayment", Kind: fault.Response, Attempts: 1, Status: 201, Effect: fault.Unsafe, Key: "k", Stop: fault.StopOff}, fault.ErrResponse,
		},
		"request that cannot be made": {nil, func(ctx context.Context, w *world) error {
			_, err := w.GetPayment(ctx, payments.GetPaymentRequest{})
			return err
		}, fault.Error{Op: "getPayment", Kind: fault.Request, Effect: fault.Safe}, fault.ErrRequest},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, faulty.Every(tt.fault), func(t *testing.T, w *world) {
				err := tt.call(t.Context(), w)
				e := failure(t, err)
				if diff := cmp.Diff(tt.want, *e, cmpopts.IgnoreFields(fault.Error{}, "Err")); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if !errors.Is(err, tt.sentinel) || e.Err == nil {
					t.Errorf("%v is not %v", err, tt.sentinel)
				}
			})
		})
	}
}
