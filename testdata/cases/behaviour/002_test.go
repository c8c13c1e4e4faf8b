package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c002"
	"cases/kit"
)

var values = []string{"=", "!=", "<", "<=", ">", ">=", "*", ""}

type service struct {
	api.Unimplemented
	got *[]api.Rule
}

func (s service) AddRule(_ context.Context, req api.AddRuleRequest) error {
	*s.got = append(*s.got, req.Body)
	return nil
}

func TestConstants(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "values of Op", src.Values("Op"), values)
	names := map[string]bool{"Op": true}
	for _, c := range src.Consts("Op") {
		if names[c.Name] {
			t.Errorf("%s stands twice or is the type", c.Name)
		}
		names[c.Name] = true
	}
}

func TestEachValue(t *testing.T) {
	var got []api.Rule
	c := kit.Client(t, api.New, kit.Serve(t, api.NewHandler(service{got: &got})))
	sent := kit.Record(t)
	raw := kit.Client(t, api.New, sent.URL)
	for i, text := range values {
		rule := api.Rule{Op: value.Some(api.Op(text))}
		kit.OK(t, c.AddRule(t.Context(), api.AddRuleRequest{Body: rule}))
		kit.Same(t, "rule", got[i], rule)
		kit.OK(t, raw.AddRule(t.Context(), api.AddRuleRequest{Body: rule}))
		kit.Same(t, "body", sent.Last(t).Body, `{"op":"`+text+`"}`)
	}
}

func TestEmptyIsNotAbsent(t *testing.T) {
	var got []api.Rule
	url := kit.Serve(t, api.NewHandler(service{got: &got}))
	for _, body := range []string{`{"op":""}`, `{}`} {
		kit.Same(t, "status of "+body, kit.Send(t, "POST", url+"/rules", body, "Content-Type: application/json").Status, 204)
	}
	kit.Same(t, "rules", got, []api.Rule{{Op: value.Some(api.OpEmpty)}, {}})
	kit.Problem(t, kit.Send(t, "POST", url+"/rules", `{"op":"=="}`, "Content-Type: application/json"), 400, "/op")

	sent := kit.Record(t)
	kit.OK(t, kit.Client(t, api.New, sent.URL).AddRule(t.Context(), api.AddRuleRequest{}))
	kit.Same(t, "body", sent.Last(t).Body, `{}`)
}
