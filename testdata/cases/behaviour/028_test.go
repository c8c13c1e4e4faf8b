package api_test

import (
	"context"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c028"
	"cases/kit"
)

type service struct{ got *api.RunRequest }

func (s service) Run(_ context.Context, req api.RunRequest) error { *s.got = req; return nil }

// The parameters are passed by value, so there is no nil to pass.
func TestZeroIsNotAbsent(t *testing.T) {
	zero := api.RunRequest{Dry: value.Some(false), N: value.Some[int64](0), Q: value.Some("")}
	var got api.RunRequest
	url := kit.Serve(t, api.NewHandler(service{&got}))
	sent := kit.Record(t)
	for target, req := range map[string]api.RunRequest{
		"/run":                  {},
		"/run?dry=false&n=0&q=": zero,
		"/run?dry=false":        {Dry: value.Some(false)},
	} {
		kit.OK(t, kit.Client(t, api.New, sent.URL).Run(t.Context(), req))
		kit.Same(t, "target", sent.Last(t).Target, target)
		kit.Same(t, "method", sent.Last(t).Method, "POST")
		kit.OK(t, kit.Client(t, api.New, url).Run(t.Context(), req))
		kit.Same(t, "from the client", got, req)
		got = api.RunRequest{}
		kit.Same(t, "status", kit.Send(t, "POST", url+target, "").Status, 204)
		kit.Same(t, target, got, req)
	}
	kit.Same(t, "absent and false differ", zero.Dry == value.Opt[bool]{}, false)
}
