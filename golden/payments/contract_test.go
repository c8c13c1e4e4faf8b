package payments_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/golden/internal/faulty"
	"github.com/holdfast-go/holdfast/golden/payments"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// A payment goes through its life.
func TestPayment(t *testing.T) {
	w := overTCP(t, nil)
	ctx := t.Context()
	req := take("o-1", 1250)
	req.Body.Metadata = map[string]string{"cart": "7"}
	req.Body.Note.SetNull()
	made, err := w.CreatePayment(ctx, req, client.IdempotencyKey("k1"))
	if err != nil {
		t.Fatal(err)
	}
	want := payments.Payment{
		ID: "pay_1", Order: "o-1", Amount: payments.Amount{Minor: 1250, Currency: payments.CurrencyEUR}, Method: &req.Body.Method,
		Status: payments.PaymentStatusPending, CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	if diff := cmp.Diff(want, made.Body, same); diff != "" || made.Location.Or("") != "/payments/pay_1" {
		t.Errorf("Location %q (-want +got):\n%s", made.Location.Or(""), diff)
	}
	got, err := w.GetPayment(ctx, pay1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, got, same); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := w.CreatePayment(ctx, take("o-1", 3), client.IdempotencyKey("k2")); err != nil {
		t.Fatal(err)
	}
	list, err := w.ListPayments(ctx, payments.ListPaymentsRequest{Order: "o-1", Status: []payments.PaymentStatus{"pending", "failed"}})
	if err != nil || len(list) != 2 || list[0].ID != "pay_2" || list[1].ID != "pay_1" {
		t.Errorf("%v, %v", list, err)
	}
	if list, err = w.ListPayments(ctx, payments.ListPaymentsRequest{Order: "o-2"}); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	back, err := w.RefundPayment(ctx, refund("pay_1", 50))
	if err != nil || *back != (payments.Refund{ID: "ref_1", Payment: "pay_1", Amount: payments.Amount{Minor: 50, Currency: payments.CurrencyEUR}}) {
		t.Errorf("%v, %v", back, err)
	}
}

// The number of a card goes to the server and never comes back.
func TestCardNumber(t *testing.T) {
	const number = "4111111111111111"
	w := overTCP(t, nil)
	req := take("o-1", 5)
	req.Body.Method = payments.Method{Card: &payments.Card{Kind: "card", Number: number}}
	if _, err := w.CreatePayment(t.Context(), req, client.IdempotencyKey("k")); err != nil {
		t.Fatal(err)
	}
	if body := w.Requests()[0].Body; !strings.Contains(body, `"number":"`+number+`"`) || strings.Contains(body, "last4") {
		t.Errorf("sent %s", body)
	}
	req.Body.Order = ""
	for _, opts := range [][]client.Option{nil, {client.ValidateRequests()}} {
		req.Body.Method.Card.Number = number + "x"
		_, err := clientOf(t, w.Service, "alice", opts...).CreatePayment(t.Context(), req, client.IdempotencyKey("k2"))
		var f *payments.Failure
		if errors.As(err, &f) && strings.Contains(fmt.Sprintf("%+v", f.Body), number) || err == nil || strings.Contains(fmt.Sprintf("%v %+v", err, failure(t, err)), number) {
			t.Errorf("the number is told: %v", err)
		}
	}
}

// What is wrong with a request is told in one answer.
func TestViolations(t *testing.T) {
	w := overTCP(t, nil)
	req := take("", 0)
	req.Body.Method.Transfer.Iban = "short"
	req.Body.Note.Set(strings.Repeat("é", 141))
	_, err := w.CreatePayment(t.Context(), req, client.IdempotencyKey("k"))
	var f *payments.Failure
	if !errors.As(err, &f) || f.StatusCode != http.StatusBadRequest {
		t.Fatal(err)
	}
	for _, pointer := range []string{"/order", "/amount/minor", "/method/iban", "/note"} {
		if !strings.Contains(f.Body.Detail.Or(""), pointer) {
			t.Errorf("%s is not in %q", pointer, f.Body.Detail.Or(""))
		}
	}
	_, err = w.GetPayment(t.Context(), payments.GetPaymentRequest{PaymentID: "PAY"})
	if !errors.As(err, &f) || f.StatusCode != http.StatusBadRequest || !strings.Contains(f.Body.Detail.Or(""), "paymentId") {
		t.Errorf("%v", err)
	}
	if len(w.bank.calls) != 0 {
		t.Errorf("the service was called: %v", w.bank.calls)
	}
}

// Neither a token nor a key is in the text of any error.
func TestErrorsKeepSecrets(t *testing.T) {
	for _, f := range []faulty.Fault{faulty.Answer(500), faulty.Reset, faulty.Answer(401), faulty.Answer(302, "Location", "http://127.0.0.1:1/?t=s3cret")} {
		b := &bank{}
		s := faulty.OverTCP(t, handler(b), faulty.Every(f))
		c := clientOf(t, s, "s3cret")
		_, err := c.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey("s3cret-key"), client.NoRetry())
		if err == nil || strings.Contains(err.Error(), "s3cret") || failure(t, err).Key != "s3cret-key" {
			t.Errorf("%v", err)
		}
	}
	s := faulty.OverTCP(t, handler(&bank{}), nil)
	c, err := payments.New(s.Options()...)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.GetPayment(t.Context(), pay1)
	if e := failure(t, err); e.Kind != fault.Request || !strings.Contains(err.Error(), payments.SchemeBearer) || len(s.Requests()) != 0 {
		t.Errorf("without a token: %v", err)
	}
	res, err := http.Get(s.URL() + "/payments/pay_1")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close() // the header is all that is asked for
	if res.StatusCode != http.StatusUnauthorized || res.Header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("%d, %q", res.StatusCode, res.Header.Get("WWW-Authenticate"))
	}
}

// The criticality of an operation travels where the policy gives it one.
func TestCriticality(t *testing.T) {
	w := overTCP(t, nil).seeded()
	if _, err := w.CreatePayment(t.Context(), take("o-1", 5), client.IdempotencyKey("k")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.GetPayment(t.Context(), pay1); err != nil {
		t.Fatal(err)
	}
	if got := headers(w.Requests(), "X-Request-Criticality"); got[0] != "critical" || got[1] != "" {
		t.Errorf("%q", got)
	}
}

// receiver takes webhooks and fails the first of them.
type receiver struct{ got []payments.Payment }

func (r *receiver) PaymentSettled(_ context.Context, req payments.PaymentSettledRequest) error {
	r.got = append(r.got, req.Body)
	if len(r.got) == 1 {
		return errors.New("not now")
	}
	return nil
}

func TestWebhook(t *testing.T) {
	r := &receiver{}
	s := httptest.NewServer(payments.NewWebhookHandler(r, server.RoutePath("paymentSettled", "/in/settled"), server.OnError(nil)))
	t.Cleanup(s.Close)
	sender, err := payments.NewWebhookClient()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sender.Core().CloseIdle)
	p := payments.Payment{
		ID: "pay_1", Order: "o-1", Amount: payments.Amount{Minor: 5, Currency: payments.CurrencyGBP}, Status: payments.PaymentStatusSettled,
		Fee: value.Some(value.Number("0.10")), CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	p.SettledOn.Set(value.Date{Year: 2026, Month: 1, Day: 5})
	// It has no key and may have been taken, so the sender decides about a repeat.
	err = sender.PaymentSettled(t.Context(), s.URL+"/in/settled", payments.PaymentSettledRequest{Body: p})
	if e := failure(t, err); e.Status != 500 || e.Stop != fault.StopEffect || len(r.got) != 1 {
		t.Errorf("%+v", e)
	}
	if err := sender.PaymentSettled(t.Context(), s.URL+"/in/settled", payments.PaymentSettledRequest{Body: p}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]payments.Payment{p, p}, r.got, same); diff != "" {
		t.Errorf("(-sent +got):\n%s", diff)
	}
}

// fake stands in for the client in the tests of those who use it.
type fake struct{ payments.API }

func (fake) GetPayment(_ context.Context, r payments.GetPaymentRequest, _ ...client.CallOption) (*payments.Payment, error) {
	return &payments.Payment{ID: r.PaymentID}, nil
}

func TestFake(t *testing.T) {
	for _, api := range []payments.API{fake{}, overTCP(t, nil).seeded().Client} {
		if p, err := api.GetPayment(t.Context(), pay1); err != nil || p.ID != "pay_1" {
			t.Errorf("%T: %v, %v", api, p, err)
		}
	}
}

func TestUnimplemented(t *testing.T) {
	allow := server.Authenticate(func(context.Context, *server.Credentials) (server.Principal, error) {
		return server.Principal{ID: "x"}, nil
	})
	s := faulty.OverTCP(t, payments.NewHandler(payments.Unimplemented{}, allow, server.OnError(nil)), nil)
	c := clientOf(t, s, "alice")
	ctx := t.Context()
	calls := map[string]func() error{
		"listPayments":  func() error { _, err := c.ListPayments(ctx, order); return err },
		"createPayment": func() error { _, err := c.CreatePayment(ctx, take("o-1", 5), client.IdempotencyKey("k")); return err },
		"getPayment":    func() error { _, err := c.GetPayment(ctx, pay1); return err },
		"refundPayment": func() error { _, err := c.RefundPayment(ctx, refund("pay_1", 5)); return err },
		"writeAudit":    func() error { return c.WriteAudit(ctx, note) },
		"ping":          func() error { return c.Ping(ctx) },
	}
	for op, call := range calls {
		if e := failure(t, call()); e.Op != op || e.Status != http.StatusNotImplemented || e.Attempts != 1 {
			t.Errorf("%s: %+v", op, e)
		}
	}
	if len(s.Requests()) != len(calls) {
		t.Errorf("%d requests", len(s.Requests()))
	}
}
