package api_test

import (
	"context"
	"net"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"

	api "cases/c118"
	"cases/kit"
)

// Every failure is (nil, error): there is nothing half made to trip over.
func TestFailures(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	kit.OK(t, err)
	closed := "http://" + listener.Addr().String()
	kit.OK(t, listener.Close())
	urls := map[string]string{"nobody listens": closed}
	for name, reply := range map[string]kit.Reply{
		"status 500":         {Status: 500, Body: "boom"},
		"wrong content type": {Status: 200, Type: "text/html", Body: "<html>"},
		"empty body":         {Status: 200, Type: "application/json"},
		"no content type":    {Status: 200, Body: "?"},
		"null":               {Status: 200, Type: "application/json", Body: "null"},
	} {
		urls[name] = kit.Record(t, reply).URL
	}
	for name, url := range urls {
		t.Run(name, func(t *testing.T) {
			res, err := kit.Client(t, api.New, url).Deep(t.Context(), api.DeepRequest{}, client.NoRetry())
			if res != nil || err == nil {
				t.Errorf("%v, %v", res, err)
			}
		})
	}
}

func TestAbsentMembers(t *testing.T) {
	sent := kit.Record(t, kit.Reply{Status: 200, Type: "application/json", Body: `{"a":{"b":{}}}`})
	res, err := kit.Client(t, api.New, sent.URL).Deep(t.Context(), api.DeepRequest{})
	kit.OK(t, err)
	kit.Same(t, "c", res.A.B.C.IsSet(), false)
	kit.Same(t, "query", sent.Last(t).Target, "/deep")
}

// Nil is a mistake to be told of, or nothing at all; it never is a panic.
func TestNil(t *testing.T) {
	for name, opt := range map[string]client.Option{
		"no option": nil, "http.Client": client.HTTP(nil), "Transport": client.Transport(nil),
	} {
		c, err := api.New(client.BaseURL("http://127.0.0.1:1"), opt)
		if err == nil && c == nil {
			t.Errorf("%s: neither a client nor an error", name)
		}
		if err == nil {
			if res, err := c.Deep(t.Context(), api.DeepRequest{}, client.NoRetry()); res != nil || err == nil {
				t.Errorf("%s: %v, %v", name, res, err)
			}
		}
	}
	var none *api.Client
	if core := none.Core(); core != nil || core.Breakers() != nil {
		t.Errorf("the core of a client that is nil: %v", core)
	}
	none.Core().CloseIdle()
	c := kit.Client(t, api.New, "http://127.0.0.1:1")
	for name, call := range map[string]func() (*api.DeepOKBody, error){
		"nil client":      func() (*api.DeepOKBody, error) { return none.Deep(context.Background(), api.DeepRequest{}) },
		"zero client":     func() (*api.DeepOKBody, error) { return new(api.Client).Deep(context.Background(), api.DeepRequest{}) },
		"nil context":     func() (*api.DeepOKBody, error) { return c.Deep(nil, api.DeepRequest{}) }, //nolint:staticcheck // what a careless caller does
		"nil call option": func() (*api.DeepOKBody, error) { return c.Deep(context.Background(), api.DeepRequest{}, nil) },
		"nil meta": func() (*api.DeepOKBody, error) {
			return c.Deep(context.Background(), api.DeepRequest{}, client.Into(nil))
		},
	} {
		t.Run(name, func(t *testing.T) {
			if res, err := call(); res != nil || err == nil {
				t.Errorf("%v, %v", res, err)
			}
		})
	}
}
