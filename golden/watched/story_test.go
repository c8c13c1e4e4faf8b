package watched_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-go/holdfast/golden/payments"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/observe/logging"
	"github.com/holdfast-go/holdfast/runtime/observe/vars"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// idempotencyKey is a caller's; it names a customer's thing.
const idempotencyKey = "cart-of-alice"

// CreatePayment takes any payment.
func (b *bank) CreatePayment(ctx context.Context, _ payments.CreatePaymentRequest) (*payments.CreatePaymentResponse, error) {
	p, err := b.GetPayment(ctx, pay1)
	if err != nil {
		return nil, err
	}
	return &payments.CreatePaymentResponse{Body: *p}, nil
}

// story has a client and a server go through what they are made for: a call that
// succeeds, three that fail in three tries each, one that the open breaker refuses, a
// payment whose repeat is answered with its stored result, its key with another payment,
// and a rate limit.
func story(ctx context.Context, t *testing.T, b *bank, c *payments.Client) {
	t.Helper()
	if _, err := c.GetPayment(ctx, pay1); err != nil {
		t.Fatal(err)
	}
	b.down.Store(true)
	var f *fault.Error
	for i := range 4 {
		_, err := c.GetPayment(ctx, pay1)
		if want := [...]fault.Kind{fault.Status, fault.Status, fault.Status, fault.BreakerOpen}[i]; !errors.As(err, &f) || f.Kind != want {
			t.Fatal(err)
		}
	}
	b.down.Store(false)
	take := payments.CreatePaymentRequest{Body: payments.PaymentRequest{
		Order: "o-1", Amount: payments.Amount{Minor: 1, Currency: payments.CurrencyEUR},
		Method: payments.Method{Transfer: &payments.Transfer{Kind: "transfer", Iban: "DE02120300000000202051"}},
	}}
	for range 2 {
		if _, err := c.CreatePayment(ctx, take, client.IdempotencyKey(idempotencyKey)); err != nil {
			t.Fatal(err)
		}
	}
	take.Body.Amount.Minor = 2
	if _, err := c.CreatePayment(ctx, take, client.IdempotencyKey(idempotencyKey)); !errors.As(err, &f) || f.Status != 422 {
		t.Fatal(err)
	}
	for range 200 {
		if _, err := c.ListPayments(ctx, payments.ListPaymentsRequest{Order: "o-1"}, client.NoRetry()); errors.As(err, &f) && f.Status == 429 {
			return
		}
	}
	t.Fatal("the limit was not reached")
}

// locked is a buffer for several goroutines.
type locked struct {
	mu sync.Mutex
	bytes.Buffer
}

// Write appends.
func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

// text is what was written, and lines those with all of the parts.
func (l *locked) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.String()
}

func (l *locked) lines(parts ...string) int {
	n := 0
next:
	for line := range strings.Lines(l.text()) {
		for _, part := range parts {
			if !strings.Contains(line, part) {
				continue next
			}
		}
		n++
	}
	return n
}

func TestLogsAndCounts(t *testing.T) {
	var out, atServer locked
	counts, served := vars.New(), vars.New()
	hooks := func(to *locked, v *vars.Vars) *observe.Hooks {
		return observe.Join(logging.Hooks(slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelDebug}))), v.Hooks())
	}
	b := &bank{}
	url, _ := serve(t, b, server.Observe(hooks(&atServer, served)))
	c := dial(t, url, client.Observe(hooks(&out, counts)))
	counts.Show("client", c.Core())
	story(t.Context(), t, b, c)

	for _, want := range []struct {
		v    *vars.Vars
		name string
		n    int64
	}{
		{counts, "waits.backoff", 6}, {counts, "attempts.again", 6}, {counts, "attempts.failed", 9}, {counts, "breakers.open", 1},
		{counts, "rejects.breaker", 1}, {counts, "replays", 1}, {served, "replays", 1}, {served, "rejects.idempotency", 1},
		{served, "rejects.rate-limit", 1}, {served, "calls.failed", 10},
	} {
		if got := want.v.Count(want.name); got != want.n {
			t.Errorf("%s: %d, want %d", want.name, got, want.n)
		}
	}
	for _, want := range []struct {
		in    *locked
		parts []string
		n     int
	}{
		{&out, []string{"msg=attempt", "op=getPayment", "status=500"}, 9},
		{&out, []string{"level=INFO", "msg=wait", "op=getPayment", "reason=backoff", "attempt=3"}, 3},
		{&out, []string{"level=WARN", "msg=call", "op=getPayment", `gave_up="all tries are used"`}, 3},
		{&out, []string{"level=WARN", "msg=breaker", "name=payments/getPayment", "to=open"}, 1},
		{&out, []string{"level=WARN", "msg=reject", "reason=breaker"}, 1},
		{&out, []string{"level=INFO", "msg=replay", "op=createPayment"}, 1},
		{&atServer, []string{"level=INFO", "msg=replay", "op=createPayment", "status=201"}, 1},
		{&atServer, []string{"level=WARN", "msg=reject", "reason=idempotency"}, 1},
		{&atServer, []string{"level=WARN", "msg=reject", "reason=rate-limit", "op=listPayments"}, 1},
	} {
		if got := want.in.lines(want.parts...); got != want.n {
			t.Errorf("%d lines with %q, want %d in:\n%s", got, want.parts, want.n, want.in.text())
		}
	}
	for name, text := range map[string]string{"client": out.text(), "server": atServer.text(), "states": counts.Map().String()} {
		for _, hidden := range []string{secret, idempotencyKey, "DE0212"} {
			if strings.Contains(text, hidden) {
				t.Errorf("the %s tells %q", name, hidden)
			}
		}
	}
}
