package api_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c105"
	"cases/kit"
)

type service struct{ calls *int }

func (s service) V(context.Context, api.VRequest) error { *s.calls++; return nil }

// All that is wrong is told in one answer, parameters and body together.
func TestAllAtOnce(t *testing.T) {
	var calls int
	url := kit.Serve(t, api.NewHandler(service{&calls}))
	answer := kit.Send(t, "POST", url+"/v?n=0&ids=1,1", `{"list":[{"k":""}],"m":{"x":99}}`, "Content-Type: application/json")
	kit.Problem(t, answer, 400)
	var problem struct {
		Violations []struct{ In, Name, Pointer, Detail string }
	}
	kit.OK(t, json.Unmarshal([]byte(answer.Body), &problem))
	var got []string
	for _, v := range problem.Violations {
		got = append(got, v.In+" "+v.Name+v.Pointer)
		if v.Name == "n" && !strings.Contains(v.Detail, "1") || v.Pointer == "/m/x" && !strings.Contains(v.Detail, "9") {
			t.Errorf("%+v does not name the bound", v)
		}
	}
	kit.Same(t, "violations", got, []string{"query n", "query ids", "body /list/0/k", "body /m/x"})
	kit.Same(t, "calls", calls, 0)
}

func TestAbsentIsNotChecked(t *testing.T) {
	var calls int
	url := kit.Serve(t, api.NewHandler(service{&calls}))
	for _, body := range []string{`{}`, `{"list":[]}`, `{"list":[{}],"m":{}}`, `{"list":[{"k":"a"}],"m":{"x":9}}`} {
		for _, query := range []string{"", "?n=1&ids=1,2"} {
			kit.Same(t, body, kit.Send(t, "POST", url+"/v"+query, body, "Content-Type: application/json").Status, 204)
		}
	}
	kit.Same(t, "calls", calls, 8)
}

func TestClient(t *testing.T) {
	sent := kit.Record(t)
	c := kit.Client(t, api.New, sent.URL, client.ValidateRequests())
	wrong := api.VRequest{
		N: value.Some[int64](0), IDs: []int64{1, 1},
		Body: api.VBody{List: []api.K{{K: value.Some("")}}, M: map[string]int64{"x": 99}},
	}
	kit.Fails(t, c.V(t.Context(), wrong), "n", "ids", "/list/0/k", "/m/x")
	kit.Same(t, "requests", len(sent.Requests()), 0)
	kit.OK(t, c.V(t.Context(), api.VRequest{N: value.Some[int64](1), IDs: []int64{1, 2}}))
	kit.Same(t, "request", sent.Last(t).Target+" "+sent.Last(t).Body, "/v?n=1&ids=1,2 {}")
}
