package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c013"
	"cases/kit"
)

type service struct{ got *api.CreateChartInput }

func (s service) CreateChart(_ context.Context, req api.CreateChartInput) (*api.CreateChartResponse, error) {
	*s.got = req
	return &api.CreateChartResponse{URL: value.Some("/charts/1")}, nil
}

func TestSchemasKeepTheirNames(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "CreateChartRequest", src.FieldTypes("CreateChartRequest"), []string{"Title value.Opt[string]"})
	kit.Same(t, "CreateChartResponse", src.FieldTypes("CreateChartResponse"), []string{"URL value.Opt[string]"})
	kit.Same(t, "CreateChartParams", src.Type("CreateChartParams"), "= int64")
	kit.Same(t, "CreateChartInput", src.FieldTypes("CreateChartInput"),
		[]string{"Dpi value.Opt[CreateChartParams]", "Body CreateChartRequest"})
}

func TestBothSides(t *testing.T) {
	request := api.CreateChartInput{
		Dpi:  value.Some[api.CreateChartParams](300),
		Body: api.CreateChartRequest{Title: value.Some("t")},
	}
	sent := kit.Record(t, kit.JSON(`{"url":"u"}`))
	res, err := kit.Client(t, api.New, sent.URL).CreateChart(t.Context(), request)
	kit.OK(t, err)
	kit.Same(t, "result", res, &api.CreateChartResponse{URL: value.Some("u")})
	kit.Same(t, "target", sent.Last(t).Target, "/charts?dpi=300")
	kit.Same(t, "body", sent.Last(t).Body, `{"title":"t"}`)

	var got api.CreateChartInput
	url := kit.Serve(t, api.NewHandler(service{&got}))
	_, err = kit.Client(t, api.New, url).CreateChart(t.Context(), request)
	kit.OK(t, err)
	kit.Same(t, "request", got, request)
	answer := kit.Send(t, "POST", url+"/charts?dpi=300", `{"title":"t"}`, "Content-Type: application/json")
	kit.Same(t, "body", answer.Body, `{"url":"/charts/1"}`)
}
