package api_test

import (
	"context"
	"errors"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c049"
	"cases/kit"
)

const odd = `[1,{"a":null}]`

type service struct {
	got *value.Raw
	res api.PostAnyResult
	err error
}

func (s service) PostAny(_ context.Context, req api.PostAnyRequest) (api.PostAnyResult, error) {
	*s.got = req.Body
	return s.res, s.err
}

func TestTypes(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "Bare", src.Type("Bare"), "map[string]any")
	kit.Same(t, "Anything", src.Type("Anything"), "= any")
	kit.Same(t, "request", src.FieldTypes("PostAnyRequest"), []string{"Body value.Raw"})
	kit.Same(t, "200", src.FieldTypes("PostAnyOK"), []string{"Body value.Raw"})
	kit.Same(t, "202", len(src.Fields("PostAnyAccepted")), 0)
	kit.Same(t, "400", src.FieldTypes("PostAnyBadRequest"), []string{"Body any"})
	kit.Same(t, "default", src.FieldTypes("PostAnyDefault"), []string{"StatusCode int", "Body Bare"})
}

// The bytes are kept with the order, the doubles and the digits of the text; only white
// space between the tokens goes when they are sent, so that they fit on one line.
func TestRawJSON(t *testing.T) {
	sent := kit.Record(t, kit.JSON(odd))
	for _, body := range []string{odd, `{"b":1.50,"b":"\u0041 "}`, `null`, ``} {
		req := api.PostAnyRequest{}
		if body != "" {
			req.Body = value.Raw(body)
		}
		res, err := kit.Client(t, api.New, sent.URL).PostAny(t.Context(), req)
		kit.OK(t, err)
		kit.Same(t, "result", res, api.PostAnyResult(&api.PostAnyOK{Body: value.Raw(odd)}))
		kit.Same(t, "body", sent.Last(t).Body, body)

		var got value.Raw
		url := kit.Serve(t, api.NewHandler(service{got: &got, res: &api.PostAnyOK{Body: value.Raw(odd)}}))
		answer := kit.Send(t, "POST", url+"/any", body, "Content-Type: application/json")
		kit.Same(t, "status", answer.Status, 200)
		kit.Same(t, "answer", answer.Body, odd)
		kit.Same(t, "what the service sees", string(got), body)
	}
	url := kit.Serve(t, api.NewHandler(service{got: new(value.Raw)}))
	kit.Problem(t, kit.Send(t, "POST", url+"/any", `{"a":`, "Content-Type: application/json"), 400)
}

func TestNoContent(t *testing.T) {
	url := kit.Serve(t, api.NewHandler(service{got: new(value.Raw), res: &api.PostAnyAccepted{}}))
	answer := kit.Send(t, "POST", url+"/any", "")
	kit.Same(t, "status", answer.Status, 202)
	kit.Same(t, "body", answer.Body, "")
	kit.Same(t, "content type", answer.Header.Get("Content-Type"), "")
	res, err := kit.Client(t, api.New, url).PostAny(t.Context(), api.PostAnyRequest{})
	kit.OK(t, err)
	kit.Same(t, "result", res, api.PostAnyResult(&api.PostAnyAccepted{}))
}

func TestAnyAndBare(t *testing.T) {
	anything := []any{value.Number("1"), map[string]any{"a": nil}}
	url := kit.Serve(t, api.NewHandler(service{got: new(value.Raw), err: &api.PostAnyBadRequest{Body: anything}}))
	kit.Same(t, "400", kit.Send(t, "POST", url+"/any", "").Body, odd)
	_, err := kit.Client(t, api.New, url).PostAny(t.Context(), api.PostAnyRequest{})
	if bad, ok := errors.AsType[*api.PostAnyBadRequest](err); !ok {
		t.Errorf("error %v", err)
	} else {
		kit.Same(t, "400", bad.Body, any(anything))
	}

	bare := &api.PostAnyDefault{StatusCode: 418, Body: api.Bare{"a": nil, "b": []any{"c"}}}
	url = kit.Serve(t, api.NewHandler(service{got: new(value.Raw), err: bare}))
	answer := kit.Send(t, "POST", url+"/any", "")
	kit.Same(t, "default", answer.Body, `{"a":null,"b":["c"]}`)
	kit.Same(t, "status", answer.Status, 418)
	_, err = kit.Client(t, api.New, url).PostAny(t.Context(), api.PostAnyRequest{})
	if got, ok := errors.AsType[*api.PostAnyDefault](err); !ok {
		t.Errorf("error %v", err)
	} else {
		kit.Same(t, "default", got, bare)
	}
}
