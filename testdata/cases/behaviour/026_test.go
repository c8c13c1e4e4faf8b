package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c026"
	"cases/kit"
)

type service struct{ scores *api.Scores }

func (s service) GetScores(context.Context) (*api.Scores, error) { return s.scores, nil }

func TestTypes(t *testing.T) {
	kit.Same(t, "fields", kit.Parse(t).FieldTypes("Scores"), []string{
		"Scores []value.Null[int32]", "Labels map[string]value.Null[string]", "Free map[string]any",
	})
}

func TestRoundTrip(t *testing.T) {
	const wire = `{"scores":[1,null,3],"labels":{"a":null,"b":"x"},"free":{"a":null,"b":[null],"c":1.50}}`
	got, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(wire)).URL).GetScores(t.Context())
	kit.OK(t, err)
	kit.Same(t, "scores", got, &api.Scores{
		Scores: []value.Null[int32]{value.NotNull[int32](1), {}, value.NotNull[int32](3)},
		Labels: map[string]value.Null[string]{"a": {}, "b": value.NotNull("x")},
		Free:   map[string]any{"a": nil, "b": []any{nil}, "c": value.Number("1.50")},
	})
	url := kit.Serve(t, api.NewHandler(service{got}))
	kit.Same(t, "encoded again", kit.Send(t, "GET", url+"/scores", "").Body, wire)
}

// The containers themselves are not nullable.
func TestContainers(t *testing.T) {
	_, err := kit.Client(t, api.New, kit.Record(t, kit.JSON(`{"scores":null,"labels":null}`)).URL).GetScores(t.Context())
	kit.Fails(t, err, "/scores", "/labels", "/free")
	_, err = kit.Client(t, api.New, kit.Record(t, kit.JSON(`{"scores":[2147483648],"labels":{"a":1},"free":{}}`)).URL).GetScores(t.Context())
	kit.Fails(t, err, "/scores/0", "/labels/a")
	url := kit.Serve(t, api.NewHandler(service{&api.Scores{}}))
	kit.Same(t, "nothing set", kit.Send(t, "GET", url+"/scores", "").Body, `{"scores":[],"labels":{},"free":{}}`)
}
