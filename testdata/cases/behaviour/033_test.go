package api_test

import (
	"context"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c033"
	"cases/kit"
)

type service struct{ got *api.Patch }

func (s service) PatchTask(_ context.Context, req api.PatchTaskRequest) error {
	*s.got = req.Body
	return nil
}

func TestFields(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "Patch", src.FieldTypes("Patch"), []string{"Due value.OptNull[value.Date]", "Size value.Opt[int64]"})
	if doc := src.Fields("Patch")[0].Doc; !strings.Contains(doc, "null clears the date") {
		t.Errorf("the comment of due is %q", doc)
	}
}

func TestBothSides(t *testing.T) {
	var got api.Patch
	url := kit.Serve(t, api.NewHandler(service{&got}))
	sent := kit.Record(t)
	for wire, patch := range map[string]api.Patch{
		`{"due":null,"size":1}`:         {Due: value.NullOf[value.Date](), Size: value.Some[int64](1)},
		`{"due":"2024-02-29","size":9}`: {Due: value.Present(value.Date{Year: 2024, Month: 2, Day: 29}), Size: value.Some[int64](9)},
		`{}`:                            {},
	} {
		kit.OK(t, kit.Client(t, api.New, sent.URL).PatchTask(t.Context(), api.PatchTaskRequest{Body: patch}))
		kit.Same(t, "body", sent.Last(t).Body, wire)
		got = api.Patch{}
		kit.OK(t, kit.Client(t, api.New, url).PatchTask(t.Context(), api.PatchTaskRequest{Body: patch}))
		kit.Same(t, wire, got, patch)
	}
}

func TestBothBounds(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{new(api.Patch)}))
	for body, words := range map[string][]string{
		`{"size":0}`:                     {"/size", "1"},
		`{"size":10}`:                    {"/size", "9"},
		`{"size":null}`:                  {"/size"},
		`{"due":"2024-02-29T00:00:00Z"}`: {"/due"},
	} {
		kit.Problem(t, kit.Send(t, "PATCH", url+"/tasks", body, "Content-Type: application/json"), 400, words...)
	}
	sent := kit.Record(t)
	c := kit.Client(t, api.New, sent.URL, client.ValidateRequests())
	for _, size := range []int64{0, 10} {
		err := c.PatchTask(t.Context(), api.PatchTaskRequest{Body: api.Patch{Size: value.Some(size)}})
		kit.Fails(t, err, "/size")
	}
	kit.Same(t, "requests", len(sent.Requests()), 0)
}
