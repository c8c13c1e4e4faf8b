package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c030"
	"cases/kit"
)

type service struct{ truck *api.Truck }

func (s service) GetTruck(context.Context) (*api.Truck, error) { return s.truck, nil }

func TestOwnType(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "Truck", src.FieldTypes("Truck"), []string{"Wheels int64", "Plate string", "Cargo value.Opt[string]"})
	kit.Same(t, "Vehicle", src.FieldTypes("Vehicle"), []string{"Wheels int64"})
}

func TestRoundTrip(t *testing.T) {
	for wire, truck := range map[string]*api.Truck{
		`{"wheels":6,"plate":"B 1"}`:              {Wheels: 6, Plate: "B 1"},
		`{"wheels":0,"plate":"","cargo":"wheat"}`: {Cargo: value.Some("wheat")},
	} {
		url := kit.Serve(t, api.NewHandler(service{truck}))
		kit.Same(t, "body", kit.Send(t, "GET", url+"/trucks", "").Body, wire)
		got, err := kit.Client(t, api.New, url).GetTruck(t.Context())
		kit.OK(t, err)
		kit.Same(t, wire, got, truck)
	}
}

func TestRequiredOfBothPlaces(t *testing.T) {
	for wire, pointer := range map[string]string{`{"wheels":6}`: "/plate", `{"plate":"B 1"}`: "/wheels"} {
		_, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL).GetTruck(t.Context())
		kit.Fails(t, err, pointer, "missing")
	}
}
