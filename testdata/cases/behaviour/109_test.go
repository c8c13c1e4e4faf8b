package api_test

import (
	"context"
	"errors"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c109"
	"cases/kit"
)

type service struct {
	got *api.MRequest
	res *api.MResponse
	err error
}

func (s service) M(_ context.Context, req api.MRequest) (*api.MResponse, error) {
	*s.got = req
	return s.res, s.err
}

// The order of the document is that of the code.
func TestOrder(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "members", src.FieldTypes("MBody"), []string{"Z value.Opt[string]", "A value.Opt[string]", "M *MBodyM"})
	kit.Same(t, "members", src.FieldTypes("MBodyM"), []string{"Y value.Opt[string]", "B value.Opt[string]"})
	kit.Same(t, "media types", src.FieldTypes("MRequestBody"), []string{"Text value.Opt[string]", "JSON *MBody"})
	kit.Same(t, "headers", src.FieldTypes("MResponse"), []string{"Z value.Opt[string]", "A value.Opt[string]"})
}

func TestBothSides(t *testing.T) {
	keys := []client.Option{client.APIKey(api.SchemeZ, "1"), client.APIKey(api.SchemeA, "2"), client.APIKey(api.SchemeM, "3")}
	body := &api.MBody{Z: value.Some("z"), A: value.Some("a"), M: &api.MBodyM{Y: value.Some("y"), B: value.Some("b")}}
	sent := kit.Record(t, kit.Reply{Status: 200, Header: map[string]string{"Z": "1", "A": "2"}})
	res, err := kit.Client(t, api.New, sent.URL, keys...).M(t.Context(), api.MRequest{Body: api.MRequestBody{JSON: body}})
	kit.OK(t, err)
	kit.Same(t, "headers", res, &api.MResponse{Z: value.Some("1"), A: value.Some("2")})
	r := sent.Last(t)
	kit.Same(t, "body", r.Body, `{"z":"z","a":"a","m":{"y":"y","b":"b"}}`)
	kit.Same(t, "keys", []string{r.Header.Get("Z"), r.Header.Get("A"), r.Header.Get("M")}, []string{"1", "2", "3"})

	var got api.MRequest
	auth := server.Authenticate(func(context.Context, *server.Credentials) (server.Principal, error) {
		return server.Principal{ID: "me"}, nil
	})
	url := kit.Serve(t, api.NewHandler(service{got: &got, res: res}, auth))
	_, err = kit.Client(t, api.New, url, keys...).M(t.Context(), api.MRequest{Body: api.MRequestBody{Text: value.Some("t")}})
	kit.OK(t, err)
	kit.Same(t, "request", got, api.MRequest{Body: api.MRequestBody{Text: value.Some("t")}})
	for _, want := range []error{&api.MImATeapot{}, &api.MDefault{StatusCode: 422}} {
		url := kit.Serve(t, api.NewHandler(service{got: &got, err: want}, auth))
		_, err := kit.Client(t, api.New, url, keys...).M(t.Context(), api.MRequest{})
		var tea *api.MImATeapot
		var rest *api.MDefault
		if !errors.As(err, &tea) && !(errors.As(err, &rest) && rest.StatusCode == 422) {
			t.Errorf("%v, want %v", err, want)
		}
	}
}
