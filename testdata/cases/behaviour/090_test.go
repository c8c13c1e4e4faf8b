package api_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c090"
	"cases/kit"
)

type service struct {
	receipt *api.Receipt
	err     error
}

func (s service) Pay(context.Context) (*api.Receipt, error) { return s.receipt, s.err }

func TestNames(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "Money", src.Type("Money"), "= string")
	kit.Same(t, "Currency", src.Values("Currency"), []string{"eur", "usd"})
	kit.Same(t, "Receipt", src.FieldTypes("Receipt"), []string{
		"Cents int64", "Currency value.Opt[Currency]", "Label value.Opt[Money]", "Stamp *Stamp",
	})
	kit.Same(t, "Stamp", src.FieldTypes("Stamp"), []string{"At value.Opt[time.Time]"})
	kit.Same(t, "Fault", src.FieldTypes("Fault"), []string{"Code value.Opt[string]"})
}

func TestBothSides(t *testing.T) {
	receipt := &api.Receipt{
		Cents: 5, Currency: value.Some(api.CurrencyEur), Label: value.Some("lunch"),
		Stamp: &api.Stamp{At: value.Some(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))},
	}
	url := kit.Serve(t, api.NewHandler(service{receipt: receipt}))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/pay", "").Body,
		`{"cents":5,"currency":"eur","label":"lunch","stamp":{"at":"2026-01-02T03:04:05Z"}}`)
	got, err := kit.Client(t, api.New, url, client.Strict()).Pay(t.Context())
	kit.OK(t, err)
	kit.Same(t, "receipt", got, receipt)

	wrong := kit.Record(t, kit.JSON(`{"currency":"gbp","stamp":{"at":"noon"}}`))
	_, err = kit.Client(t, api.New, wrong.URL, client.Strict()).Pay(t.Context())
	kit.Fails(t, err, "/cents", "/currency", "/stamp/at")
}

func TestFaultOfTheOtherFile(t *testing.T) {
	want := &api.FaultResponse{StatusCode: 402, Body: api.Fault{Code: value.Some("broke")}}
	url := kit.Serve(t, api.NewHandler(service{err: want}))
	answer := kit.Send(t, "GET", url+"/pay", "")
	kit.Same(t, "status", answer.Status, 402)
	kit.Same(t, "body", answer.Body, `{"code":"broke"}`)
	_, err := kit.Client(t, api.New, url).Pay(t.Context())
	var got *api.FaultResponse
	if !errors.As(err, &got) {
		t.Fatal(err)
	}
	kit.Same(t, "fault", got, want)
}
