package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c021"
	"cases/kit"
)

type service struct {
	listed  *api.ListJobsRequest
	dropped *api.DropJobsRequest
}

func (s service) ListJobs(_ context.Context, req api.ListJobsRequest) error {
	*s.listed = req
	return nil
}
func (s service) DropJobs(_ context.Context, req api.DropJobsRequest) error {
	*s.dropped = req
	return nil
}

func TestOneField(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "get", src.FieldTypes("ListJobsRequest"), []string{"Limit string"})
	kit.Same(t, "delete", src.FieldTypes("DropJobsRequest"), []string{"Limit value.Opt[int64]"})
}

func TestBothSides(t *testing.T) {
	s := service{new(api.ListJobsRequest), new(api.DropJobsRequest)}
	url := kit.Serve(t, api.NewHandler(s))
	sent := kit.Record(t)
	for _, url := range []string{url, sent.URL} {
		c := kit.Client(t, api.New, url)
		kit.OK(t, c.ListJobs(t.Context(), api.ListJobsRequest{Limit: "all"}))
		kit.OK(t, c.DropJobs(t.Context(), api.DropJobsRequest{Limit: value.Some[int64](5)}))
	}
	kit.Same(t, "listed", *s.listed, api.ListJobsRequest{Limit: "all"})
	kit.Same(t, "dropped", *s.dropped, api.DropJobsRequest{Limit: value.Some[int64](5)})
	kit.Same(t, "get", sent.Requests()[0].Method+" "+sent.Requests()[0].Target, "GET /jobs?limit=all")
	kit.Same(t, "delete", sent.Requests()[1].Method+" "+sent.Requests()[1].Target, "DELETE /jobs?limit=5")

	kit.Problem(t, kit.Send(t, "GET", url+"/jobs", ""), 400, "limit")
	kit.Same(t, "delete without", kit.Send(t, "DELETE", url+"/jobs", "").Status, 204)
	kit.Problem(t, kit.Send(t, "DELETE", url+"/jobs?limit=all", ""), 400, "limit")
}
