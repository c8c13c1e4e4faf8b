package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c032"
	"cases/kit"
)

type service struct{ merged *api.Merged }

func (s service) GetMerged(context.Context) (*api.Merged, error) { return s.merged, nil }

func TestOneMap(t *testing.T) {
	kit.Same(t, "fields", kit.Parse(t).FieldTypes("Merged"),
		[]string{"A value.Opt[int64]", "B value.Opt[any]", "Extra map[string]int64"})
}

func TestRoundTrip(t *testing.T) {
	const wire = `{"a":1,"b":"x","z":5}`
	merged := &api.Merged{A: value.Some[int64](1), B: value.Some[any]("x"), Extra: map[string]int64{"z": 5}}
	got, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL).GetMerged(t.Context())
	kit.OK(t, err)
	kit.Same(t, "merged", got, merged)
	url := kit.Serve(t, api.NewHandler(service{got}))
	kit.Same(t, "encoded again", kit.Send(t, "GET", url+"/merged", "").Body, wire)
}

func TestExtrasAreIntegers(t *testing.T) {
	_, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(`{"a":1,"b":"x","z":"no"}`)).URL).GetMerged(t.Context())
	kit.Fails(t, err, "/z", "integer")

	// An extra cannot take the place of a property.
	url := kit.Serve(t, api.NewHandler(service{&api.Merged{Extra: map[string]int64{"a": 5}}}))
	kit.Problem(t, kit.Send(t, "GET", url+"/merged", ""), 500)
}
