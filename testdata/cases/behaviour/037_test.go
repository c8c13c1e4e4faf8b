package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c037"
	"cases/kit"
)

type service struct{ got *api.Config }

func (s service) SaveConfig(_ context.Context, req api.SaveConfigRequest) error {
	*s.got = req.Body
	return nil
}

func TestThreeKeys(t *testing.T) {
	var got api.Config
	url := kit.Serve(t, api.NewHandler(service{&got}))
	sent := kit.Record(t)
	for wire, want := range map[string]api.Config{
		`{"type":"ssh","key":"k"}`:   {SSH: &api.SSH{Type: api.SSHTypeSSH, Key: value.Some("k")}},
		`{"type":"apache"}`:          {Web: &api.Web{Type: api.WebTypeApache}},
		`{"type":"nginx","port":80}`: {Web: &api.Web{Type: api.WebTypeNginx, Port: value.Some[int64](80)}},
	} {
		got = api.Config{}
		kit.Same(t, "status", kit.Send(t, "POST", url+"/configs", wire, "Content-Type: application/json").Status, 204)
		kit.Same(t, wire, got, want)
		kit.OK(t, kit.Client(t, api.New, sent.URL).SaveConfig(t.Context(), api.SaveConfigRequest{Body: got}))
		kit.Same(t, "encoded again", sent.Last(t).Body, wire)
	}
	kit.Problem(t, kit.Send(t, "POST", url+"/configs", `{"type":"iis"}`, "Content-Type: application/json"), 400,
		"/type", "iis", "ssh", "apache", "nginx")
}

func TestKeyNotSet(t *testing.T) {
	sent := kit.Record(t)
	c := kit.Client(t, api.New, sent.URL)
	kit.OK(t, c.SaveConfig(t.Context(), api.SaveConfigRequest{Body: api.Config{SSH: &api.SSH{}}})) // has one key only
	kit.Same(t, "body", sent.Last(t).Body, `{"type":"ssh"}`)
	for _, key := range []api.WebType{"", "ssh", "iis"} {
		err := c.SaveConfig(t.Context(), api.SaveConfigRequest{Body: api.Config{Web: &api.Web{Type: key}}})
		kit.Fails(t, err, "Config", "Web.Type")
	}
	kit.Same(t, "requests", len(sent.Requests()), 1)
}
