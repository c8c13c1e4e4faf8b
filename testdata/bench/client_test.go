package bench_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"
	"github.com/holdfast-go/holdfast/testdata/bench/generated/holdfast"
	"github.com/holdfast-go/holdfast/testdata/bench/generated/oapi"
	"github.com/holdfast-go/holdfast/testdata/bench/generated/ogen"
	"github.com/holdfast-go/holdfast/testdata/bench/generated/ogenotel"
)

// caller makes one call.
type caller struct {
	name string
	call func(context.Context) error
}

const base = "http://orders.example"

// clients have the policy of a document that asks for none: timeouts, retry with its
// budget, breaker and bulkhead in ours; the peers have nothing of that kind.
func clients(tb testing.TB, w *wire) (ours *holdfast.Client, plain *ogen.Client, traced *ogenotel.Client, std *oapi.ClientWithResponses) {
	tb.Helper()
	doer := &http.Client{Transport: w}
	ours, err := holdfast.New(client.BaseURL(base), client.Transport(w))
	must(tb, err)
	plain, err = ogen.NewClient(base, ogen.WithClient(doer))
	must(tb, err)
	traced, err = ogenotel.NewClient(base, ogenotel.WithClient(doer))
	must(tb, err)
	std, err = oapi.NewClientWithResponses(base, oapi.WithHTTPClient(doer))
	must(tb, err)
	return ours, plain, traced, std
}

func BenchmarkClientPOST(b *testing.B) {
	ours, plain, traced, std := clients(b, &wire{http.StatusCreated, orderText})
	req, reqPlain, reqTraced, reqStd := holdfast.CreateOrderRequest{Body: oursOrder(b)}, ogenOrder(b), ogenOtelOrder(b), oapiOrder(b)
	measure(b, []caller{
		{"holdfast", func(ctx context.Context) error {
			_, err := ours.CreateOrder(ctx, req)
			return err
		}},
		{"ogen", func(ctx context.Context) error {
			_, err := plain.CreateOrder(ctx, &reqPlain)
			return err
		}},
		{"ogen-otel", func(ctx context.Context) error {
			_, err := traced.CreateOrder(ctx, &reqTraced)
			return err
		}},
		{"oapi-codegen", func(ctx context.Context) error {
			_, err := std.CreateOrderWithResponse(ctx, reqStd)
			return err
		}},
	})
}

func BenchmarkClientGET(b *testing.B) {
	ours, plain, traced, std := clients(b, &wire{http.StatusOK, summaryText})
	currency, lines, history, fields := "EUR", int32(20), true, "number,status,total"
	req := holdfast.GetOrderRequest{
		Shop: "colmar", Number: 90210473, Currency: value.Some(currency), Lines: value.Some(lines),
		History: value.Some(history), Fields: value.Some(fields),
	}
	reqPlain := ogen.GetOrderParams{
		Shop: "colmar", Number: 90210473, Currency: ogen.NewOptString(currency), Lines: ogen.NewOptInt32(lines),
		History: ogen.NewOptBool(history), Fields: ogen.NewOptString(fields),
	}
	reqTraced := ogenotel.GetOrderParams{
		Shop: "colmar", Number: 90210473, Currency: ogenotel.NewOptString(currency), Lines: ogenotel.NewOptInt32(lines),
		History: ogenotel.NewOptBool(history), Fields: ogenotel.NewOptString(fields),
	}
	reqStd := &oapi.GetOrderParams{Currency: &currency, Lines: &lines, History: &history, Fields: &fields}
	measure(b, []caller{
		{"holdfast", func(ctx context.Context) error {
			_, err := ours.GetOrder(ctx, req)
			return err
		}},
		{"ogen", func(ctx context.Context) error {
			_, err := plain.GetOrder(ctx, reqPlain)
			return err
		}},
		{"ogen-otel", func(ctx context.Context) error {
			_, err := traced.GetOrder(ctx, reqTraced)
			return err
		}},
		{"oapi-codegen", func(ctx context.Context) error {
			_, err := std.GetOrderWithResponse(ctx, "colmar", 90210473, reqStd)
			return err
		}},
	})
}

func measure(b *testing.B, callers []caller) {
	b.Helper()
	for _, c := range callers {
		b.Run(c.name, func(b *testing.B) {
			ctx := b.Context()
			loop(b, func() {
				must(b, c.call(ctx))
			})
		})
	}
}
