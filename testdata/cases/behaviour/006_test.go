package api_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c006"
	"cases/kit"
)

type service struct{ price *api.Price }

func (s service) GetPrice(context.Context) (*api.Price, error) { return s.price, nil }

func TestConstants(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "values", src.Values("PriceCurrency"), []string{"eur", "usd"})
	kit.Same(t, "fields", src.FieldTypes("Price"), []string{"Currency value.Null[PriceCurrency]"})
}

func TestNullAndValue(t *testing.T) {
	for wire, price := range map[string]*api.Price{
		`{"currency":null}`:  {},
		`{"currency":"usd"}`: {Currency: value.NotNull(api.PriceCurrencyUsd)},
	} {
		url := kit.Serve(t, api.NewHandler(service{price}))
		kit.Same(t, "body", kit.Send(t, "GET", url+"/price", "").Body, wire)
		got, err := kit.Client(t, api.New, url, client.Strict()).GetPrice(t.Context())
		kit.OK(t, err)
		kit.Same(t, "price", got, price)
		text, err := json.Marshal(got)
		kit.OK(t, err)
		kit.Same(t, "encoded again", string(text), wire)
	}
}

func TestWordNullIsNoMember(t *testing.T) {
	url := kit.Record(t, kit.JSON(`{"currency":"null"}`)).URL
	_, err := kit.Client(t, api.New, url, client.Strict()).GetPrice(t.Context())
	kit.Fails(t, err, "/currency", `"eur"`, `"usd"`)
	got, err := kit.Client(t, api.New, url).GetPrice(t.Context())
	kit.OK(t, err)
	kit.Same(t, "price", got.Currency, value.NotNull(api.PriceCurrency("null")))

	absent := kit.Record(t, kit.JSON(`{}`)).URL
	_, err = kit.Client(t, api.New, absent).GetPrice(t.Context())
	kit.Fails(t, err, "/currency")
}
