package payments_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/golden/internal/faulty"
	"github.com/holdfast-go/holdfast/golden/payments"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

const keyHeader = "Idempotency-Key"

// All tries of a call have one key on one line.
func TestKeyOfAllTries(t *testing.T) {
	w := overTCP(t, faulty.First(faulty.Answer(503), faulty.Reset))
	var meta client.Meta
	if _, err := w.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey("order-1"), client.Into(&meta)); err != nil {
		t.Fatal(err)
	}
	if got := headers(w.Requests(), keyHeader); !slices.Equal(got, []string{"order-1", "order-1", "order-1"}) || meta.Key != "order-1" {
		t.Errorf("sent %q, meta has %q", got, meta.Key)
	}
}

// The key of a refund is made of what it is to do: the first 32 digits of the hash
// of an array that the policy spells out.
func TestDerivedKey(t *testing.T) {
	key := func(id string, minor int64) string {
		sum := sha256.Sum256(fmt.Appendf(nil, `["holdfast/1","refundPayment",[%q,{"currency":"EUR","minor":%d}]]`, id, minor))
		return hex.EncodeToString(sum[:])[:32]
	}
	w := overTCP(t, faulty.First(faulty.Answer(503)))
	call := func(req payments.RefundPaymentRequest, opts ...client.CallOption) *payments.Refund {
		t.Helper()
		r, err := w.RefundPayment(t.Context(), req, opts...)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := call(refund("pay_1", 500))
	call(refund("pay_1", 501))
	call(refund("pay_2", 500))
	call(refund("pay_1", 500), client.IdempotencyKey("mine"))
	a, b, c := key("pay_1", 500), key("pay_1", 501), key("pay_2", 500)
	if got := headers(w.Requests(), keyHeader); !slices.Equal(got, []string{a, a, b, c, "mine"}) {
		t.Errorf("sent %q, want %q and those of the others", got, a)
	}
	if n := w.bank.effects(); n != 4 {
		t.Errorf("%d refunds", n)
	}

	// The same intent in a call of its own is the same refund.
	var meta client.Meta
	again := call(refund("pay_1", 500), client.Into(&meta))
	if diff := cmp.Diff(first, again); diff != "" || !meta.Replayed || w.bank.effects() != 4 {
		t.Errorf("replayed %v, %d refunds (-first +second):\n%s", meta.Replayed, w.bank.effects(), diff)
	}
}

// The answer to a payment that was made is lost; the repeat gets it all the same,
// and money has moved once.
func TestLostAnswer(t *testing.T) {
	for name, before := range map[string]int{"new connection": 0, "used connection": 1} {
		t.Run(name, func(t *testing.T) {
			w := overTCP(t, func(n int) faulty.Fault {
				if n == before+1 {
					return faulty.Lost
				}
				return nil
			})
			for range before {
				if _, err := w.ListPayments(t.Context(), order); err != nil {
					t.Fatal(err)
				}
			}
			var meta client.Meta
			got, err := w.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey("k"), client.Into(&meta))
			if err != nil {
				t.Fatal(err)
			}
			if got.Body.ID != "pay_1" || got.Location.Or("") != "/payments/pay_1" {
				t.Errorf("%+v", got)
			}
			if !meta.Replayed || meta.Header.Get("Idempotent-Replayed") != "true" || meta.Status != 201 {
				t.Errorf("%+v", meta)
			}
			if w.bank.effects() != 1 || w.bank.called("createPayment") != 1 || len(w.Requests()) != before+2 {
				t.Errorf("%d payments, %d requests", w.bank.effects(), len(w.Requests()))
			}
			// http.Transport itself sends what has a key again when the connection
			// was used before, and then it is the same try.
			if meta.Tries != 2-before {
				t.Errorf("%d tries", meta.Tries)
			}
		})
	}
}

// A replay is the first answer to the byte, with the mark on it, for a day.
func TestReplay(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, w *world) {
		pay := func() (*payments.CreatePaymentResponse, client.Meta) {
			t.Helper()
			var meta client.Meta
			res, err := w.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey("k"), client.Into(&meta))
			if err != nil {
				t.Fatal(err)
			}
			return res, meta
		}
		first, meta := pay()
		if meta.Replayed || meta.Header.Get("Idempotent-Replayed") != "" {
			t.Error("the first answer is a replay")
		}
		time.Sleep(24*time.Hour - 1)
		second, again := pay()
		if diff := cmp.Diff(first, second, same); diff != "" || !again.Replayed {
			t.Errorf("replayed %v (-first +second):\n%s", again.Replayed, diff)
		}
		for _, name := range []string{"Location", "Content-Type", "Content-Length"} {
			if meta.Header.Get(name) != again.Header.Get(name) {
				t.Errorf("%s: %q, then %q", name, meta.Header.Get(name), again.Header.Get(name))
			}
		}
		if meta.RequestID == again.RequestID || meta.RequestID == "" {
			t.Errorf("ids %q and %q", meta.RequestID, again.RequestID)
		}
		time.Sleep(time.Nanosecond)
		if third, meta := pay(); meta.Replayed || third.Body.ID != "pay_2" {
			t.Errorf("after a day: %+v", third)
		}
	})
}

// Callers who come at once with one key get one payment.
func TestDuplicatesAtOnce(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, w *world) {
		const callers, work = 8, 800 * time.Millisecond
		w.bank.before = func(context.Context, string) error { time.Sleep(work); return nil }
		var wait sync.WaitGroup
		var metas [callers]client.Meta
		var took [callers]time.Duration
		start := time.Now()
		for i := range callers {
			wait.Go(func() {
				res, err := w.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey("k"), client.Into(&metas[i]))
				took[i] = time.Since(start)
				if err != nil || res.Body.ID != "pay_1" {
					t.Errorf("%v, %v", res, err)
				}
			})
		}
		wait.Wait()
		if w.bank.effects() != 1 || w.bank.called("createPayment") != 1 {
			t.Errorf("%d payments", w.bank.effects())
		}
		replays := 0
		for i, m := range metas {
			if m.Tries != 1 { // to wait for the one in flight is no try
				t.Errorf("%d tries", m.Tries)
			}
			if !m.Replayed {
				if took[i] != work {
					t.Errorf("the first took %v", took[i])
				}
				continue
			}
			replays++
			if !within(took[i], time.Second, 100*time.Millisecond) {
				t.Errorf("a repeat took %v", took[i])
			}
		}
		requests := w.Requests()
		if replays != callers-1 || len(requests) != 2*callers-1 {
			t.Errorf("%d replays, %d requests", replays, len(requests))
		}
		for _, r := range requests {
			if r.Header.Get(keyHeader) != "k" || r.Header.Get("X-Request-Attempt") != "1" {
				t.Errorf("key %q, try %s", r.Header.Get(keyHeader), r.Header.Get("X-Request-Attempt"))
			}
		}
	})
}

// The answer to a request whose key is in use says when to come again.
func TestInFlight(t *testing.T) {
	inBubble(t, nil, func(t *testing.T, w *world) {
		release := make(chan struct{})
		w.bank.before = func(context.Context, string) error { <-release; return nil }
		first := make(chan error)
		go func() {
			_, err := w.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey("k"))
			first <- err
		}()
		time.Sleep(time.Millisecond)
		var meta client.Meta
		_, err := w.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey("k"), client.NoRetry(), client.Into(&meta))
		var f *payments.Failure
		if !errors.As(err, &f) || f.StatusCode != http.StatusConflict || meta.Header.Get("Retry-After") != "1" {
			t.Errorf("%v, Retry-After %q", err, meta.Header.Get("Retry-After"))
		}
		if e := failure(t, err); e.Effect != fault.Unknown || time.Until(e.RetryAt) != time.Second {
			t.Errorf("%+v", e)
		}
		close(release)
		if err := <-first; err != nil {
			t.Error(err)
		}
	})
}

// A key stands for one request of one caller.
func TestKeyOfAnotherRequest(t *testing.T) {
	w := overTCP(t, nil)
	call := func(c *payments.Client, req payments.CreatePaymentRequest) (client.Meta, error) {
		t.Helper()
		var meta client.Meta
		_, err := c.CreatePayment(t.Context(), req, client.IdempotencyKey("k"), client.Into(&meta))
		return meta, err
	}
	if _, err := call(w.Client, take("o-1", 5)); err != nil {
		t.Fatal(err)
	}
	for name, req := range map[string]payments.CreatePaymentRequest{"amount": take("o-1", 6), "order": take("o-2", 5)} {
		meta, err := call(w.Client, req)
		var f *payments.Failure
		if !errors.As(err, &f) || f.StatusCode != http.StatusUnprocessableEntity || f.Body.Status.Or(0) != 422 {
			t.Errorf("another %s: %v", name, err)
		}
		if e := failure(t, err); e.Stop != fault.StopFinal || e.Attempts != 1 || meta.Replayed {
			t.Errorf("another %s: %+v", name, e)
		}
	}
	// What the policy does not name may differ.
	req := take("o-1", 5)
	req.Body.Note.Set("with love")
	if meta, err := call(w.Client, req); err != nil || !meta.Replayed {
		t.Errorf("another note: %v, replayed %v", err, meta.Replayed)
	}
	if w.bank.effects() != 1 {
		t.Errorf("%d payments", w.bank.effects())
	}
	if meta, err := call(clientOf(t, w.Service, "bob"), take("o-1", 5)); err != nil || meta.Replayed || w.bank.effects() != 2 {
		t.Errorf("another caller: %v, replayed %v", err, meta.Replayed)
	}
}

// An operation that requires the caller's key says so before anything is sent, and a
// server tells a client that is not ours.
func TestMissingKey(t *testing.T) {
	w := overTCP(t, nil)
	_, err := w.CreatePayment(t.Context(), take("o-1", 5))
	if e := failure(t, err); e.Kind != fault.Request || e.Attempts != 0 || e.Effect != fault.Safe || !strings.Contains(err.Error(), "client.IdempotencyKey") {
		t.Errorf("%+v: %v", e, err)
	}
	if len(w.Requests()) != 0 {
		t.Error("something was sent")
	}
	res := w.post(t, "", `{"order":"o-1","amount":{"minor":5,"currency":"EUR"},"method":{"kind":"transfer","iban":"DE02120300000000202051"}}`)
	var p struct {
		Detail string `json:"detail"`
	}
	if err := json.NewDecoder(res.Body).Decode(&p); err != nil || res.StatusCode != http.StatusBadRequest || !strings.Contains(p.Detail, keyHeader) || w.bank.effects() != 0 {
		t.Errorf("%d, %q, %v, %d payments", res.StatusCode, p.Detail, err, w.bank.effects())
	}
	// A key that is none fails before anything is sent, as does one without use.
	sent := len(w.Requests())
	for _, key := range []string{"", "a\nb", strings.Repeat("k", 256)} {
		_, err := w.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey(key))
		if e := failure(t, err); e.Kind != fault.Request || e.Attempts != 0 {
			t.Errorf("%q: %+v", key, e)
		}
	}
	if e := failure(t, w.WriteAudit(t.Context(), note, client.IdempotencyKey("k"))); e.Kind != fault.Request {
		t.Errorf("%+v", e)
	}
	if len(w.Requests()) != sent {
		t.Error("something was sent")
	}
}

// A failure frees the key: the same intent may succeed later.
func TestFailureFreesTheKey(t *testing.T) {
	w := overTCP(t, nil)
	w.bank.before = func(context.Context, string) error {
		if w.bank.called("createPayment") == 1 {
			return &payments.Declined{Body: problem(402, "no money")}
		}
		return nil
	}
	var declined *payments.Declined
	if _, err := w.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey("k")); !errors.As(err, &declined) {
		t.Fatal(err)
	}
	var meta client.Meta
	if _, err := w.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey("k"), client.Into(&meta)); err != nil || meta.Replayed || w.bank.effects() != 1 {
		t.Errorf("%v, replayed %v", err, meta.Replayed)
	}
}

// An amount that is written with other spaces and another order of members is the
// same amount.
func TestFingerprintIsOfValues(t *testing.T) {
	w := overTCP(t, nil)
	const method = `"method":{"kind":"transfer","iban":"DE02120300000000202051"}`
	first := w.post(t, "k", `{"order":"o-1","amount":{"minor":5,"currency":"EUR"},`+method+`}`)
	second := w.post(t, "k", `{ `+method+`, "amount" : {"currency":"EUR", "minor": 5 }, "order":"o-1", "metadata":{"a":"b"} }`)
	if first.StatusCode != http.StatusCreated || second.StatusCode != http.StatusCreated || second.Header.Get("Idempotent-Replayed") != "true" || w.bank.effects() != 1 {
		t.Errorf("%d, then %d, %d payments", first.StatusCode, second.StatusCode, w.bank.effects())
	}
}
