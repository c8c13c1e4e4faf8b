package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c012"
	"cases/kit"
)

type service struct{ got *api.SendParcelRequest }

func (s service) SendParcel(_ context.Context, req api.SendParcelRequest) (*api.ParcelResponse, error) {
	*s.got = req
	return &api.ParcelResponse{Parcel: value.Some("h"), Body: api.Parcel{Kg: value.Some(2.5)}}, nil
}

func TestSchemaKeepsItsName(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "fields of Parcel", src.FieldTypes("Parcel"), []string{"Kg value.Opt[float64]"})
}

func TestBothSides(t *testing.T) {
	request := api.SendParcelRequest{Parcel: value.Some("p"), Body: api.Parcel{Kg: value.Some(1.5)}}
	sent := kit.Record(t, kit.Reply{
		Status: 200, Type: "application/json", Header: map[string]string{"Parcel": "x"}, Body: `{"kg":3}`,
	})
	res, err := kit.Client(t, api.New, sent.URL).SendParcel(t.Context(), request)
	kit.OK(t, err)
	kit.Same(t, "result", res, &api.ParcelResponse{Parcel: value.Some("x"), Body: api.Parcel{Kg: value.Some(3.0)}})
	kit.Same(t, "method", sent.Last(t).Method, "POST")
	kit.Same(t, "target", sent.Last(t).Target, "/parcels?parcel=p")
	kit.Same(t, "body", sent.Last(t).Body, `{"kg":1.5}`)

	var got api.SendParcelRequest
	url := kit.Serve(t, api.NewHandler(service{&got}))
	res, err = kit.Client(t, api.New, url).SendParcel(t.Context(), request)
	kit.OK(t, err)
	kit.Same(t, "request", got, request)
	kit.Same(t, "result", res, &api.ParcelResponse{Parcel: value.Some("h"), Body: api.Parcel{Kg: value.Some(2.5)}})
	answer := kit.Send(t, "POST", url+"/parcels?parcel=p", `{"kg":1.5}`, "Content-Type: application/json")
	kit.Same(t, "header", answer.Header.Get("Parcel"), "h")
	kit.Same(t, "body", answer.Body, `{"kg":2.5}`)
}
