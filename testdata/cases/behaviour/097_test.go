package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/security"
	"github.com/holdfast-go/holdfast/runtime/server"
	"github.com/holdfast-go/holdfast/runtime/value"

	api "cases/c097"
	"cases/kit"
)

func all() []client.Option {
	return []client.Option{
		client.APIKey(api.SchemeQ, "K&1"),
		client.APIKey(api.SchemeC, "K2"),
		client.APIKey(api.SchemeH, "K3"),
		client.Basic(api.SchemeB, "u", "p"),
		client.Bearer(api.SchemeT, "T1"),
		client.TokenSource(api.SchemeO, security.TokenFunc(func(context.Context) (string, error) { return "T2", nil })),
	}
}

// calls are the operations by their paths.
func calls(c *api.Client, theme value.Opt[string]) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"/q": func(ctx context.Context) error { return c.Q(ctx) },
		"/c": func(ctx context.Context) error { return c.C(ctx, api.CRequest{Theme: theme}) },
		"/h": func(ctx context.Context) error { return c.H(ctx) },
		"/b": func(ctx context.Context) error { return c.B(ctx) },
		"/t": func(ctx context.Context) error { return c.T(ctx) },
		"/o": func(ctx context.Context) error { return c.O(ctx) },
	}
}

func TestConstants(t *testing.T) {
	kit.Same(t, "names", []string{api.SchemeQ, api.SchemeC, api.SchemeH, api.SchemeB, api.SchemeT, api.SchemeO},
		[]string{"q", "c", "h", "b", "t", "o"})
}

// Each credential goes where its scheme says, and no other one along.
func TestSent(t *testing.T) {
	sent := kit.Record(t)
	c := kit.Client(t, api.New, sent.URL, all()...)
	for path, call := range calls(c, value.Some("dark")) {
		kit.OK(t, call(t.Context()))
		r := sent.Last(t)
		want := map[string][4]string{ // target, Authorization, X-Key, Cookie
			"/q": {"/q?api_key=K%261"},
			"/c": {"/c", "", "", "theme=dark; sess=K2"},
			"/h": {"/h", "", "K3"},
			"/b": {"/b", "Basic dTpw"},
			"/t": {"/t", "Bearer T1"},
			"/o": {"/o", "Bearer T2"},
		}[path]
		kit.Same(t, path, [4]string{r.Target, r.Header.Get("Authorization"), r.Header.Get("X-Key"), r.Header.Get("Cookie")}, want)
	}
	kit.OK(t, c.C(t.Context(), api.CRequest{}))
	kit.Same(t, "cookie alone", sent.Last(t).Header.Get("Cookie"), "sess=K2")
}

// No text of an error has a secret, nor a query at all, whatever goes wrong.
func TestErrorsAreSilent(t *testing.T) {
	refused := kit.Record(t, kit.Reply{Status: 401, Type: "text/plain", Body: "no"})
	for _, base := range []string{refused.URL, "http://127.0.0.1:1"} {
		c := kit.Client(t, api.New, base, all()...)
		for path, call := range calls(c, value.Opt[string]{}) {
			err := call(t.Context())
			kit.Fails(t, err)
			for _, secret := range []string{"K&1", "K%261", "K2", "K3", "dTpw", "T1", "T2", "api_key"} {
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("%s: the error holds %q: %v", path, secret, err)
				}
			}
		}
	}
}

// Without a credential nothing is sent, and the error names the scheme.
func TestMissing(t *testing.T) {
	sent := kit.Record(t)
	c := kit.Client(t, api.New, sent.URL)
	for path, call := range calls(c, value.Opt[string]{}) {
		kit.Fails(t, call(t.Context()), strings.TrimPrefix(path, "/"))
	}
	kit.Same(t, "requests", len(sent.Requests()), 0)
}

type service struct{ api.Unimplemented }

func (service) Q(context.Context) error               { return nil }
func (service) C(context.Context, api.CRequest) error { return nil }
func (service) H(context.Context) error               { return nil }
func (service) B(context.Context) error               { return nil }
func (service) T(context.Context) error               { return nil }
func (service) O(context.Context) error               { return nil }

// The server reads each where the client puts it, and asks for it.
func TestServer(t *testing.T) {
	seen := map[string]string{}
	url := kit.Serve(t, api.NewHandler(service{}, server.Authenticate(
		func(_ context.Context, c *server.Credentials) (server.Principal, error) {
			seen[c.Scheme.Name] = c.User + ":" + c.Secret
			return server.Principal{ID: "me", Scopes: []string{"read"}}, nil
		})))
	for path, call := range calls(kit.Client(t, api.New, url, all()...), value.Some("dark")) {
		kit.OK(t, call(t.Context()))
		answer := kit.Send(t, "GET", url+path, "")
		kit.Problem(t, answer, http.StatusUnauthorized)
	}
	kit.Same(t, "credentials", seen, map[string]string{
		"q": ":K&1", "c": ":K2", "h": ":K3", "b": "u:p", "t": ":T1", "o": ":T2",
	})
	kit.Same(t, "challenge", kit.Send(t, "GET", url+"/b", "").Header.Get("WWW-Authenticate")[:5], "Basic")
	kit.Same(t, "challenge", kit.Send(t, "GET", url+"/t", "").Header.Get("WWW-Authenticate")[:6], "Bearer")
}
