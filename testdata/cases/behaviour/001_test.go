package api_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"

	api "cases/c001"
	"cases/kit"
)

type service struct {
	api.Unimplemented
	reading *api.Reading
}

func (s service) GetReading(context.Context) (*api.Reading, error) { return s.reading, nil }

func TestConstants(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "values of Level", src.Values("Level"), []string{"1", "-1", "+1", "10"})
	kit.Same(t, "values of Offset", src.Values("Offset"), []string{"-1", "0", "1"})
	kit.Same(t, "base of Level", src.Type("Level"), "string")
	kit.Same(t, "base of Offset", src.Type("Offset"), "int32")
	names := map[string]bool{}
	for _, c := range append(src.Consts("Level"), src.Consts("Offset")...) {
		names[c.Name] = true
	}
	if len(names) != 7 {
		t.Errorf("%d names for 7 constants", len(names))
	}
}

func TestRoundTrip(t *testing.T) {
	reading := &api.Reading{Level: api.LevelMinus1, Offset: api.OffsetMinus1}
	const wire = `{"level":"-1","offset":-1}`
	text, err := json.Marshal(*reading)
	kit.OK(t, err)
	kit.Same(t, "json.Marshal", string(text), wire)

	url := kit.Serve(t, api.NewHandler(service{reading: reading}))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/readings", "").Body, wire)
	got, err := kit.Client(t, api.New, url, client.Strict()).GetReading(t.Context())
	kit.OK(t, err)
	kit.Same(t, "reading", got, reading)
}

func TestUnknownValue(t *testing.T) {
	url := kit.Record(t, kit.JSON(`{"level":"-2","offset":0}`)).URL
	got, err := kit.Client(t, api.New, url).GetReading(t.Context())
	kit.OK(t, err)
	kit.Same(t, "reading", got, &api.Reading{Level: "-2"})
	if got.Level.Known() {
		t.Error("-2 counts as known")
	}
	_, err = kit.Client(t, api.New, url, client.Strict()).GetReading(t.Context())
	kit.Fails(t, err, "/level", `"-2"`)
}
