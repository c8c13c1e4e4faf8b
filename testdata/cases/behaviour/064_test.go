package api_test

import (
	"context"
	"reflect"
	"testing"

	api "cases/c064"
	"cases/kit"

	"github.com/holdfast-go/holdfast/runtime/client"
)

// service keeps the requests that arrive; an operation without one is its name.
type service struct{ calls []any }

func (s *service) GetJob(_ context.Context, req api.GetJobRequest) error       { return s.add(req) }
func (s *service) ApplyJob(_ context.Context, req api.ApplyJobRequest) error   { return s.add(req) }
func (s *service) PurgeJobs(context.Context) error                             { return s.add("purge") }
func (s *service) GetReport(_ context.Context, req api.GetReportRequest) error { return s.add(req) }
func (s *service) Ping(_ context.Context, req api.PingRequest) error           { return s.add(req) }

func (s *service) add(req any) error {
	s.calls = append(s.calls, req)
	return nil
}

func newClient(t *testing.T, url string) *api.Client {
	t.Helper()
	c, err := api.New(client.BaseURL(url))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRoutes(t *testing.T) {
	for _, test := range []struct {
		method, path string
		status       int
		want         any // nil: no method is called
	}{
		{"POST", "/jobs/42:apply", 204, api.ApplyJobRequest{ID: "42"}},
		{"POST", "/jobs/a%3Ab:apply", 204, api.ApplyJobRequest{ID: "a:b"}},
		{"GET", "/jobs/42", 204, api.GetJobRequest{ID: "42"}},
		{"GET", "/jobs/a%3Ab", 204, api.GetJobRequest{ID: "a:b"}},
		{"GET", "/jobs/42%3Aapply", 204, api.GetJobRequest{ID: "42:apply"}},
		{"POST", "/jobs:purge", 204, "purge"},
		{"GET", "/reports/v1.2.json", 204, api.GetReportRequest{Name: "v1.2", Ext: api.GetReportExtJSON}},
		{"GET", "/reports/q.csv", 204, api.GetReportRequest{Name: "q", Ext: api.GetReportExtCSV}},
		{"GET", "/v2/ping", 204, api.PingRequest{Major: 2}},
		{"GET", "/jobs/42:nope", 404, nil},
		{"GET", "/jobs:nope", 404, nil},
		{"GET", "/reports/json", 404, nil},
		{"GET", "/w2/ping", 404, nil},
		{"GET", "/jobs/42:apply", 405, nil},
		{"POST", "/jobs/42", 405, nil},
		{"GET", "/vx/ping", 400, nil},
		{"GET", "/reports/a.xml", 400, nil},
	} {
		svc := &service{}
		url := kit.Serve(t, api.NewHandler(svc))
		got := kit.Send(t, test.method, url+test.path, "")
		var want []any
		if test.want != nil {
			want = []any{test.want}
		}
		if got.Status != test.status || !reflect.DeepEqual(svc.calls, want) {
			t.Errorf("%s %s: %d %s, the methods got %+v, want %d and %+v", test.method, test.path, got.Status, got.Body, svc.calls, test.status, want)
		}
	}
}

func TestRequestsOnTheWire(t *testing.T) {
	wire := kit.Record(t)
	c := newClient(t, wire.URL)
	for _, test := range []struct {
		call func() error
		want string
	}{
		{func() error { return c.GetJob(t.Context(), api.GetJobRequest{ID: "42"}) }, "GET /jobs/42"},
		{func() error { return c.GetJob(t.Context(), api.GetJobRequest{ID: "42:apply"}) }, "GET /jobs/42%3Aapply"},
		{func() error { return c.ApplyJob(t.Context(), api.ApplyJobRequest{ID: "a:b"}) }, "POST /jobs/a%3Ab:apply"},
		{func() error { return c.PurgeJobs(t.Context()) }, "POST /jobs:purge"},
		{func() error {
			return c.GetReport(t.Context(), api.GetReportRequest{Name: "v1.2", Ext: api.GetReportExtJSON})
		}, "GET /reports/v1.2.json"},
		{func() error { return c.Ping(t.Context(), api.PingRequest{Major: 2}) }, "GET /v2/ping"},
	} {
		if err := test.call(); err != nil {
			t.Errorf("%s: %v", test.want, err)
			continue
		}
		if last := wire.Last(t); last.Method+" "+last.Target != test.want {
			t.Errorf("%s %s was sent, want %s", last.Method, last.Target, test.want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	svc := &service{}
	c := newClient(t, kit.Serve(t, api.NewHandler(svc)))
	ids := []string{"a:b", "42:apply", ":apply", "a/b", "%2F", "..", "a b", "ü"}
	var want []any
	for _, id := range ids {
		if err := c.ApplyJob(t.Context(), api.ApplyJobRequest{ID: id}); err != nil {
			t.Errorf("%q: %v", id, err)
		}
		want = append(want, api.ApplyJobRequest{ID: id})
	}
	if !reflect.DeepEqual(svc.calls, want) {
		t.Errorf("the methods got %+v, want %+v", svc.calls, want)
	}
}
