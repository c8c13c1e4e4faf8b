// Package watched_test looks at generated clients and servers as operators do: through
// their events, in logs, metrics and traces, and through their snapshots.
package watched_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/golden/payments"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe/debug"
	"github.com/holdfast-go/holdfast/runtime/observe/snapshot"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// secret is the credential of all calls here; nothing that operators see may hold it.
const secret = "s3cr3t-token"

// bank answers what the tests ask for.
type bank struct {
	payments.Unimplemented
	down  atomic.Bool // GetPayment fails
	audit atomic.Int64
}

func (b *bank) GetPayment(_ context.Context, r payments.GetPaymentRequest) (*payments.Payment, error) {
	if b.down.Load() {
		return nil, errors.New("the ledger is gone")
	}
	return &payments.Payment{
		ID: r.PaymentID, Order: "o-1", Amount: payments.Amount{Minor: 1, Currency: payments.CurrencyEUR},
		Status: payments.PaymentStatusSettled, CreatedAt: time.Unix(0, 0).UTC(),
	}, nil
}

func (b *bank) ListPayments(context.Context, payments.ListPaymentsRequest) ([]payments.Payment, error) {
	return nil, nil
}

func (b *bank) WriteAudit(context.Context, payments.WriteAuditRequest) error {
	b.audit.Add(1)
	return nil
}

// serve runs the generated server of a bank, until the test ends.
func serve(tb testing.TB, b *bank, opts ...server.Option) (url string, h http.Handler) {
	tb.Helper()
	h = payments.NewHandler(b, append([]server.Option{server.OnError(nil), server.Authenticate(
		func(_ context.Context, c *server.Credentials) (server.Principal, error) {
			return server.Principal{ID: "user " + c.Secret}, nil
		})}, opts...)...)
	s := httptest.NewServer(h)
	tb.Cleanup(s.Close)
	return s.URL, h
}

// dial is a generated client of a server.
func dial(tb testing.TB, url string, opts ...client.Option) *payments.Client {
	tb.Helper()
	c, err := payments.New(append([]client.Option{client.BaseURL(url), client.Bearer(payments.SchemeBearer, secret)}, opts...)...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.Core().CloseIdle)
	return c
}

var pay1 = payments.GetPaymentRequest{PaymentID: "pay_1"}

// fetch is the answer to a request without credentials.
func fetch(t *testing.T, method, url string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// The debug page of a server tells of it and of the clients that it is given, without
// what callers keep to themselves.
func TestDebugPage(t *testing.T) {
	b := &bank{}
	other, _ := serve(t, b)
	c := dial(t, other)
	url, h := serve(t, b, server.Debug(c.Core()))
	mine := dial(t, url)
	for range 3 {
		if _, err := c.GetPayment(t.Context(), pay1); err != nil {
			t.Fatal(err)
		}
		if _, err := mine.ListPayments(t.Context(), payments.ListPaymentsRequest{Order: "o-1"}); err != nil {
			t.Fatal(err)
		}
	}
	b.down.Store(true)
	for range 4 {
		_, _ = c.GetPayment(t.Context(), pay1)
	}
	status, body := fetch(t, http.MethodGet, url+debug.Path)
	var page struct {
		Snapshots []snapshotOf `json:"snapshots"`
	}
	if err := json.Unmarshal([]byte(body), &page); err != nil || status != http.StatusOK {
		t.Fatal(status, err, body)
	}
	if len(page.Snapshots) != 2 {
		t.Fatal(body)
	}
	of, from := page.Snapshots[0], page.Snapshots[1]
	if of.Name != "Payments" || of.Side != snapshot.ServerSide || of.latency("listPayments") != 3 || len(of.Limits) != 1 || of.Limits[0].Keys != 1 {
		t.Errorf("the server: %+v", of)
	}
	if from.Side != snapshot.ClientSide || from.latency("getPayment") != 3 || len(from.Budgets) != 1 || len(from.Bulkheads) != 1 {
		t.Errorf("the client: %+v", from)
	}
	open := false
	for _, s := range from.Breakers {
		open = open || s.State == "open"
	}
	if !open {
		t.Errorf("no open breaker in %+v", from.Breakers)
	}
	if strings.Contains(body, secret) || strings.Contains(body, "pay_1") {
		t.Error("a secret, or a caller's value: " + body)
	}
	if status, _ := fetch(t, http.MethodPost, url+debug.Path); status != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", status)
	}
	if s := server.Source(h).Snapshot(); s.Name != "Payments" || len(s.Latencies) != 1 {
		t.Errorf("%v", s)
	}
	if s := server.Snapshot(http.NotFoundHandler()); s.Name != "" || s.Side != snapshot.ServerSide {
		t.Errorf("of another handler: %v", s)
	}
}

// snapshotOf is a snapshot as a program reads it.
type snapshotOf struct {
	Name     string `json:"name"`
	Side     string `json:"side"`
	Breakers []struct {
		State string `json:"state"`
	} `json:"breakers"`
	Limits []struct {
		Keys int `json:"keys"`
	} `json:"limits"`
	Budgets   []any `json:"budgets"`
	Bulkheads []any `json:"bulkheads"`
	Latencies []struct {
		Op        string `json:"op"`
		Histogram struct {
			Recorded int `json:"recorded"`
		} `json:"histogram"`
	} `json:"latencies"`
}

func (s snapshotOf) latency(op string) int {
	for _, l := range s.Latencies {
		if l.Op == op {
			return l.Histogram.Recorded
		}
	}
	return 0
}

// Both pages are opt-in, and the health page answers 200 while all else is refused.
func TestPagesAreOptIn(t *testing.T) {
	plain, _ := serve(t, &bank{})
	health, _ := serve(t, &bank{}, server.Health())
	below, _ := serve(t, &bank{}, server.Health(), server.Debug(), server.BasePath("/api"))
	// A path of the document, here of one that needs no credentials and is not written, is
	// its own.
	taken, _ := serve(t, &bank{}, server.Health(), server.RoutePath("ping", debug.HealthPath))
	for _, c := range []struct {
		url  string
		want int
	}{
		{taken + debug.HealthPath, 501},
		{plain + debug.Path, 404}, {plain + debug.HealthPath, 404}, {health + debug.Path, 404}, {health + debug.HealthPath, 200},
		{below + debug.Path, 200}, {below + debug.HealthPath, 200}, {below + "/api" + debug.HealthPath, 404},
	} {
		if got, body := fetch(t, http.MethodGet, c.url); got != c.want {
			t.Errorf("%s: %d, want %d: %s", c.url, got, c.want, body)
		}
	}
}

// A health check is no call: it passes while the breaker of a dependency is open and the
// rate limit of the server is used up.
func TestHealthWhileNothingPasses(t *testing.T) {
	b := &bank{}
	url, _ := serve(t, b, server.Health())
	c := dial(t, url)
	b.down.Store(true)
	var f *fault.Error
	for f == nil || f.Kind != fault.BreakerOpen {
		if _, err := c.GetPayment(t.Context(), pay1); !errors.As(err, &f) {
			t.Fatal(err)
		}
	}
	limited := false
	for range 100 {
		_, err := c.ListPayments(t.Context(), payments.ListPaymentsRequest{Order: "o-1"}, client.NoRetry())
		limited = limited || errors.As(err, &f) && f.Status == http.StatusTooManyRequests
	}
	if !limited {
		t.Error("the limit was not reached")
	}
	for range 100 {
		if status, _ := fetch(t, http.MethodGet, url+debug.HealthPath); status != http.StatusOK {
			t.Fatalf("%d", status)
		}
	}
}
