package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c108"
	"cases/kit"
)

type service struct{ api.Unimplemented }

func (service) AOne(context.Context) (*api.AOnly, error) {
	return &api.AOnly{Deep: &api.Deep{Z: value.Some("z")}}, nil
}

func (service) Both(context.Context) (*api.Shared, error) {
	return &api.Shared{S: value.Some("s")}, nil
}

// Without a filter all is there; what a filter leaves is in gen/cases_gen_088_124_test.go.
func TestWithoutFilter(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "operations", src.Methods("API"), []string{"AOne", "Both", "BOne", "Untagged"})
	kit.Same(t, "models", src.Types(), append(src.Types()[:2:2], "Service", "Unimplemented", "AOnly", "Deep", "Shared", "BOnly", "Orphan"))
}

func TestBothSides(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{}))
	kit.Same(t, "body", kit.Send(t, "GET", url+"/1", "").Body, `{"k":"deep","z":"z"}`)
	c := kit.Client(t, api.New, url, client.Strict())
	a, err := c.AOne(t.Context())
	kit.OK(t, err)
	kit.Same(t, "result", a, &api.AOnly{Deep: &api.Deep{K: "deep", Z: value.Some("z")}})
	s, err := c.Both(t.Context())
	kit.OK(t, err)
	kit.Same(t, "result", s, &api.Shared{S: value.Some("s")})
	_, err = c.BOne(t.Context())
	kit.Fails(t, err, "501")
	kit.Fails(t, c.Untagged(t.Context()), "501")
}
