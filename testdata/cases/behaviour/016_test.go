package api_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c016"
	"cases/kit"
)

var keys = []string{"-", "a,omitempty", `say "hi"`, `back\slash`, "tick`tick", "two words", "$ref_like", "@type", "3d", ""}

type service struct{ odd *api.Odd }

func (s service) GetOdd(context.Context) (*api.Odd, error) { return s.odd, nil }

// field is where each key belongs.
func field(o *api.Odd) map[string]*value.Opt[string] {
	return map[string]*value.Opt[string]{
		"-": &o.Dash, "a,omitempty": &o.AOmitempty, `say "hi"`: &o.SayHi, `back\slash`: &o.BackSlash, "tick`tick": &o.TickTick,
		"two words": &o.TwoWords, "$ref_like": &o.RefLike, "@type": &o.Type, "3d": &o.X3d, "": &o.Empty,
	}
}

func TestTenFields(t *testing.T) {
	fields := kit.Parse(t).Fields("Odd")
	kit.Same(t, "number of fields", len(fields), len(keys))
	// A tag of a dash would mean: skip. The type's own methods write the key.
	kit.Same(t, "tag of the dash", fields[0].JSON, "")
	members := map[string]string{}
	want := &api.Odd{}
	for _, key := range keys {
		members[key] = "value of " + key
		field(want)[key].Set(members[key])
	}
	text, err := json.Marshal(members)
	kit.OK(t, err)
	got, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(string(text))).URL).GetOdd(t.Context())
	kit.OK(t, err)
	kit.Same(t, "decoded", got, want)

	url := kit.Serve(t, api.NewHandler(service{want}))
	var back map[string]string
	kit.OK(t, json.Unmarshal([]byte(kit.Send(t, "GET", url+"/odd", "").Body), &back))
	kit.Same(t, "members", back, members)
}

// No field depends on another: each alone gives its own key alone.
func TestEachAlone(t *testing.T) {
	for _, key := range keys {
		var odd api.Odd
		field(&odd)[key].Set("x")
		got, err := json.Marshal(odd)
		kit.OK(t, err)
		want, err := json.Marshal(map[string]string{key: "x"})
		kit.OK(t, err)
		kit.Same(t, "encoded", string(got), string(want))
	}
}
