package payments_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/golden/internal/faulty"
	"github.com/holdfast-go/holdfast/golden/payments"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// bank is a service in memory that knows how often money has moved.
type bank struct {
	payments.Unimplemented

	// before, if there is one, runs before an operation has any effect; its error
	// is that of the operation.
	before func(ctx context.Context, op string) error

	mu    sync.Mutex
	calls map[string]int
	made  []payments.Payment
	given []payments.Refund
}

func (b *bank) enter(ctx context.Context, op string) error {
	b.mu.Lock()
	if b.calls == nil {
		b.calls = make(map[string]int)
	}
	b.calls[op]++
	b.mu.Unlock()
	if b.before != nil {
		return b.before(ctx, op)
	}
	return nil
}

func (b *bank) called(op string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls[op]
}

// effects is the number of payments and refunds made.
func (b *bank) effects() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.made) + len(b.given)
}

func (b *bank) ListPayments(ctx context.Context, r payments.ListPaymentsRequest) ([]payments.Payment, error) {
	if err := b.enter(ctx, "listPayments"); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var found []payments.Payment
	for _, p := range slices.Backward(b.made) {
		if p.Order == r.Order && (len(r.Status) == 0 || slices.Contains(r.Status, p.Status)) {
			found = append(found, p)
		}
	}
	return found, nil
}

func (b *bank) CreatePayment(ctx context.Context, r payments.CreatePaymentRequest) (*payments.CreatePaymentResponse, error) {
	if err := b.enter(ctx, "createPayment"); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	method := r.Body.Method
	if method.Card != nil {
		method.Card = &payments.Card{Kind: "card", Last4: value.Some(method.Card.Number[len(method.Card.Number)-4:])}
	}
	p := payments.Payment{
		ID: fmt.Sprintf("pay_%d", len(b.made)+1), Order: r.Body.Order, Amount: r.Body.Amount, Status: payments.PaymentStatusPending,
		CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	if method.Transfer != nil {
		p.Method = &method
	}
	b.made = append(b.made, p)
	return &payments.CreatePaymentResponse{Location: value.Some("/payments/" + p.ID), Body: p}, nil
}

func (b *bank) GetPayment(ctx context.Context, r payments.GetPaymentRequest) (*payments.Payment, error) {
	if err := b.enter(ctx, "getPayment"); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.made {
		if b.made[i].ID == r.PaymentID {
			p := b.made[i]
			return &p, nil
		}
	}
	return nil, &payments.NotFound{Body: problem(http.StatusNotFound, "no payment "+r.PaymentID)}
}

func (b *bank) RefundPayment(ctx context.Context, r payments.RefundPaymentRequest) (*payments.Refund, error) {
	if err := b.enter(ctx, "refundPayment"); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.given = append(b.given, payments.Refund{ID: fmt.Sprintf("ref_%d", len(b.given)+1), Payment: r.PaymentID, Amount: r.Body.Amount})
	return &b.given[len(b.given)-1], nil
}

func (b *bank) WriteAudit(ctx context.Context, _ payments.WriteAuditRequest) error {
	return b.enter(ctx, "writeAudit")
}

func (b *bank) Ping(ctx context.Context) error { return b.enter(ctx, "ping") }

func problem(status int32, detail string) payments.Problem {
	return payments.Problem{Title: value.Some(http.StatusText(int(status))), Status: value.Some(status), Detail: value.Some(detail)}
}

// handler is the generated server of a bank. Anybody with a token is let in under
// its name.
func handler(b *bank) http.Handler {
	return payments.NewHandler(b, server.OnError(nil), server.Authenticate(func(_ context.Context, c *server.Credentials) (server.Principal, error) {
		return server.Principal{ID: c.Secret}, nil
	}))
}

// world is a bank, a network that fails by plan, and a client on its other side.
type world struct {
	*faulty.Service
	*payments.Client

	bank *bank
}

// overTCP is a world of real connections, for orders and counts.
func overTCP(t *testing.T, plan faulty.Plan, opts ...client.Option) *world {
	t.Helper()
	b := &bank{}
	return worldOf(t, b, faulty.OverTCP(t, handler(b), plan), opts)
}

// inBubble runs a test in a world of pipes and of a clock that moves only when
// all wait, for exact times.
func inBubble(t *testing.T, plan faulty.Plan, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bank{}
		f(t, worldOf(t, b, faulty.OverPipes(t, handler(b), plan), nil))
	})
}

func worldOf(t *testing.T, b *bank, s *faulty.Service, opts []client.Option) *world {
	t.Helper()
	return &world{s, clientOf(t, s, "alice", opts...), b}
}

// post asks for a payment as a client does that is not ours; an empty key is none.
func (w *world) post(t *testing.T, key, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL()+"/payments", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer alice"}}
	if key != "" {
		r.Header.Set(keyHeader, key)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// clientOf is a client of a service that calls in a name.
func clientOf(t *testing.T, s *faulty.Service, name string, opts ...client.Option) *payments.Client {
	t.Helper()
	all := append(s.Options(), client.Bearer(payments.SchemeBearer, name))
	c, err := payments.New(append(all, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Core().CloseIdle)
	return c
}

// take is a request for a payment of an order.
func take(order string, minor int64) payments.CreatePaymentRequest {
	return payments.CreatePaymentRequest{Body: payments.PaymentRequest{
		Order: order, Amount: payments.Amount{Minor: minor, Currency: payments.CurrencyEUR},
		Method: payments.Method{Transfer: &payments.Transfer{Kind: "transfer", Iban: "DE02120300000000202051"}},
	}}
}

// refund is a request to give back some of a payment.
func refund(id string, minor int64) payments.RefundPaymentRequest {
	return payments.RefundPaymentRequest{PaymentID: id, Body: payments.RefundRequest{
		Amount: payments.Amount{Minor: minor, Currency: payments.CurrencyEUR},
	}}
}

var (
	note  = payments.WriteAuditRequest{Body: payments.WriteAuditBody{Who: "me"}}
	pay1  = payments.GetPaymentRequest{PaymentID: "pay_1"}
	order = payments.ListPaymentsRequest{Order: "o-1"}
)

// seeded is a world whose bank has one payment, pay_1, already.
func (w *world) seeded() *world {
	w.bank.mu.Lock()
	defer w.bank.mu.Unlock()
	w.bank.made = append(w.bank.made, payments.Payment{
		ID: "pay_1", Order: "o-1", Amount: payments.Amount{Minor: 1, Currency: payments.CurrencyEUR}, Status: payments.PaymentStatusSettled,
	})
	return w
}

// failure is the *fault.Error of a call that has to fail.
func failure(t *testing.T, err error) *fault.Error {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatalf("%v (%T) is no *fault.Error", err, err)
	}
	return f
}

// headers are all lines of a header in the requests that arrived, those of one
// request joined by a bar.
func headers(requests []faulty.Request, name string) []string {
	var out []string
	for _, r := range requests {
		out = append(out, strings.Join(r.Header.Values(name), "|"))
	}
	return out
}

// within reports whether d is at least from and less than from and the spread.
func within(d, from, spread time.Duration) bool { return d >= from && d < from+spread }

// same compares values, the private parts of optional ones included.
var same = cmp.Exporter(func(reflect.Type) bool { return true })
