package api_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c100"
	"cases/kit"
)

// Two callbacks of one key have their own names and types.
func TestNames(t *testing.T) {
	src := kit.Parse(t)
	kit.Same(t, "CallbackAPI", src.Methods("CallbackAPI"), []string{"SubscribeDone", "Subscribe2Done"})
	kit.Same(t, "CallbackService", src.Methods("CallbackService"), []string{"SubscribeDone", "Subscribe2Done"})
	kit.Same(t, "API", src.Methods("API"), []string{"Subscribe", "Subscribe2"})
	kit.Same(t, "body", src.FieldTypes("SubscribeDoneBody"), []string{"Msg value.Opt[string]"})
	kit.Same(t, "body", src.FieldTypes("Subscribe2DoneBody"), []string{"N value.Opt[int64]"})
}

type service struct{ callbacks *api.CallbackClient }

// Subscribe calls back at once, at the address that the request gives.
func (s service) Subscribe(ctx context.Context, req api.SubscribeRequest) error {
	url, err := api.SubscribeDoneURL(&req)
	if err != nil {
		return err
	}
	return s.callbacks.SubscribeDone(ctx, url, api.SubscribeDoneRequest{Body: &api.SubscribeDoneBody{Msg: value.Some("hi")}})
}

func (service) Subscribe2(context.Context) error { return nil }

func TestExpressionOfTheBody(t *testing.T) {
	hook := kit.Record(t, kit.Reply{Status: http.StatusOK})
	callbacks, err := api.NewCallbackClient()
	kit.OK(t, err)
	url := kit.Serve(t, api.NewHandler(service{callbacks}))
	kit.OK(t, kit.Client(t, api.New, url).Subscribe(t.Context(), api.SubscribeRequest{
		Body: api.SubscribeBody{HookURL: hook.URL + "/a%2Fb?x=1"},
	}))
	r := hook.Last(t)
	kit.Same(t, "callback", []string{r.Method, r.Target, r.Header.Get("Content-Type"), r.Body},
		[]string{"POST", "/a%2Fb?x=1", "application/json", `{"msg":"hi"}`})
}

// The operation declares no query u, so that the sender takes the address.
func TestAddressIsGiven(t *testing.T) {
	hook := kit.Record(t, kit.Reply{Status: http.StatusOK})
	callbacks, err := api.NewCallbackClient()
	kit.OK(t, err)
	kit.OK(t, callbacks.Subscribe2Done(t.Context(), hook.URL+"/n", api.Subscribe2DoneRequest{
		Body: &api.Subscribe2DoneBody{N: value.Some[int64](3)},
	}))
	kit.Same(t, "body", hook.Last(t).Target+" "+hook.Last(t).Body, `/n {"n":3}`)
	kit.OK(t, callbacks.Subscribe2Done(t.Context(), hook.URL, api.Subscribe2DoneRequest{}))
	kit.Same(t, "without a body", hook.Last(t).Body, "")
}

type receiver struct {
	api.UnimplementedCallbacks
	msg *string
}

func (r receiver) SubscribeDone(_ context.Context, req api.SubscribeDoneRequest) error {
	*r.msg = req.Body.Msg.Or("")
	return nil
}

func TestReceiver(t *testing.T) {
	var msg string
	url := kit.Serve(t, api.NewCallbackHandler(receiver{msg: &msg}, server.RoutePath("SubscribeDone", "/hook")))
	callbacks, err := api.NewCallbackClient(client.Strict())
	kit.OK(t, err)
	kit.OK(t, callbacks.SubscribeDone(t.Context(), url+"/hook", api.SubscribeDoneRequest{
		Body: &api.SubscribeDoneBody{Msg: value.Some("hi")},
	}))
	kit.Same(t, "message", msg, "hi")
}

// Links say nothing to a client or server: the operation is as without them.
func TestLinks(t *testing.T) {
	kit.Same(t, "methods", kit.Parse(t).Methods("Service"), []string{"Subscribe", "Subscribe2"})
	url := kit.Serve(t, api.NewHandler(service{}))
	kit.OK(t, kit.Client(t, api.New, url).Subscribe2(t.Context()))
	kit.Same(t, "status", kit.Send(t, "POST", url+"/subs2", "").Status, 201)
}
