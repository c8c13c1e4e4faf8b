package api_test

import (
	"context"
	"testing"

	api "cases/c110"
	"cases/kit"
)

type service struct{ calls *int }

func (s service) Only(context.Context) error { *s.calls++; return nil }

func TestBothSides(t *testing.T) {
	var calls int
	url := kit.Serve(t, api.NewHandler(service{&calls}))
	answer := kit.Send(t, "DELETE", url+"/only", "")
	kit.Same(t, "answer", answer.Body, "")
	kit.Same(t, "status", answer.Status, 204)
	kit.OK(t, kit.Client(t, api.New, url).Only(t.Context()))
	kit.Same(t, "calls", calls, 2)
	sent := kit.Record(t)
	kit.OK(t, kit.Client(t, api.New, sent.URL).Only(t.Context()))
	r := sent.Last(t)
	kit.Same(t, "request", r.Method+" "+r.Target+" "+r.Body, "DELETE /only ")
}
