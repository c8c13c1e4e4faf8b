package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c034"
	"cases/kit"
)

type service struct{ cfg *api.Cfg }

func (s service) GetCfg(context.Context) (*api.Cfg, error) { return s.cfg, nil }

func TestTypes(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "fields", src.FieldTypes("Cfg"), []string{"Mode value.Opt[Mode]", "Size value.Opt[Size]"})
	kit.Same(t, "Mode", src.Type("Mode"), "string")
	kit.Same(t, "Size", src.Type("Size"), "= int64")
	kit.Same(t, "types", len(src.Types()), len([]string{"Client", "API", "Service", "Unimplemented", "Cfg", "Mode", "Size"}))
}

func TestDefaultAndValues(t *testing.T) {
	for wire, cfg := range map[string]api.Cfg{
		`{}`:                       {Mode: value.Some(api.ModeFast)},
		`{"mode":"slow","size":1}`: {Mode: value.Some(api.ModeSlow), Size: value.Some[api.Size](1)},
		`{"mode":"fast","size":5}`: {Mode: value.Some(api.ModeFast), Size: value.Some[int64](5)},
	} {
		got, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL, client.Strict()).GetCfg(t.Context())
		kit.OK(t, err)
		kit.Same(t, wire, *got, cfg)
	}
	url := kit.Serve(t, api.NewHandler(service{&api.Cfg{Mode: value.Some(api.ModeSlow), Size: value.Some[int64](2)}}))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/cfg", "").Body, `{"mode":"slow","size":2}`)
}

func TestOneToFive(t *testing.T) {
	for _, wire := range []string{`{"size":0}`, `{"size":6}`} {
		_, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL, client.Strict()).GetCfg(t.Context())
		kit.Fails(t, err, "/size")
	}
	_, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(`{"size":1.5}`)).URL).GetCfg(t.Context())
	kit.Fails(t, err, "/size")
}
