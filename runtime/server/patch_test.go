package server_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/codec/json"
	"github.com/holdfast-go/holdfast/runtime/policy"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// state is a body with a default.
type state struct{ Mode value.Opt[string] }

func (v *state) DecodeJSON(d *json.Decoder) {
	for d.Object(); d.NextKey(); {
		if d.Key() == "mode" {
			json.DecodeOpt(d, &v.Mode, json.String)
		}
	}
	if d.Defaults() {
		v.Mode.Default("soft")
	}
}

// A patch changes what it names. The default of a member that it leaves out would
// overwrite what is there.
func TestPatchGetsNoDefaults(t *testing.T) {
	const merge = "application/merge-patch+json"
	for _, tt := range []struct{ method, media, body, want string }{
		{http.MethodPut, "application/json", `{}`, "soft"},
		{http.MethodPost, "application/json", `{"mode":"hard"}`, "hard"},
		{http.MethodPatch, "application/json", `{}`, ""},
		{http.MethodPatch, merge, `{}`, ""},
		{http.MethodPatch, merge, `{"mode":"hard"}`, "hard"},
		{http.MethodPost, "Application/Merge-Patch+JSON; charset=utf-8", `{}`, ""},
	} {
		var got state
		route := server.HandleExec(&server.Operation[server.None]{
			Spec:     &policy.Spec{ID: "set", Method: tt.method, Path: "/"},
			Consumes: []string{"application/json", merge},
			Decode:   func(v any, s *server.Request) { s.JSON(v.(*state), true) },
		}, func(_ context.Context, v state) error { got = v; return nil })
		w := call(server.New(nil, []server.Route{route}), tt.method, "/", tt.body, "Content-Type: "+tt.media)
		if w.Code != http.StatusNoContent || got.Mode.Or("") != tt.want {
			t.Errorf("%s of %s %s: %d, %q", tt.method, tt.media, tt.body, w.Code, got.Mode.Or(""))
		}
	}
}
