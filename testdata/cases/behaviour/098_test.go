package api_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/server"

	api "cases/c098"
	"cases/kit"
)

func key() client.Option  { return client.APIKey(api.SchemeKey, "K") }
func sign() client.Option { return client.APIKey(api.SchemeSign, "S") }
func token() client.Option {
	return client.Bearer(api.SchemeO, "T")
}

// header are the credentials of a request: key, sign, token.
func header(r kit.Request) [3]string {
	return [3]string{r.Header.Get("X-Key"), r.Header.Get("X-Sign"), r.Header.Get("Authorization")}
}

func TestClient(t *testing.T) {
	for name, test := range map[string]struct {
		call func(*api.Client, context.Context) error
		opts []client.Option
		want [3]string
	}{
		"pub":               {func(c *api.Client, ctx context.Context) error { return c.Pub(ctx) }, []client.Option{key(), sign(), token()}, [3]string{}},
		"opt with none":     {func(c *api.Client, ctx context.Context) error { return c.Opt(ctx) }, nil, [3]string{}},
		"opt with a key":    {func(c *api.Client, ctx context.Context) error { return c.Opt(ctx) }, []client.Option{key()}, [3]string{"K"}},
		"both":              {func(c *api.Client, ctx context.Context) error { return c.Both(ctx) }, []client.Option{key(), sign(), token()}, [3]string{"K", "S"}},
		"either with key":   {func(c *api.Client, ctx context.Context) error { return c.Either(ctx) }, []client.Option{key()}, [3]string{"K"}},
		"either with token": {func(c *api.Client, ctx context.Context) error { return c.Either(ctx) }, []client.Option{token()}, [3]string{"", "", "Bearer T"}},
		"either with two":   {func(c *api.Client, ctx context.Context) error { return c.Either(ctx) }, []client.Option{key(), token()}, [3]string{"K"}},
		"inherit":           {func(c *api.Client, ctx context.Context) error { return c.Inherit(ctx) }, []client.Option{key(), sign()}, [3]string{"K"}},
	} {
		sent := kit.Record(t)
		kit.OK(t, test.call(kit.Client(t, api.New, sent.URL, test.opts...), t.Context()))
		kit.Same(t, name, header(sent.Last(t)), test.want)
	}
}

// What cannot be put together is told before anything is sent.
func TestClientIsShort(t *testing.T) {
	for _, test := range []struct {
		call  func(*api.Client, context.Context) error
		opts  []client.Option
		names []string
	}{
		{func(c *api.Client, ctx context.Context) error { return c.Both(ctx) }, []client.Option{key()}, []string{"sign"}},
		{func(c *api.Client, ctx context.Context) error { return c.Both(ctx) }, []client.Option{sign()}, []string{"key"}},
		{func(c *api.Client, ctx context.Context) error { return c.Either(ctx) }, nil, []string{"key", "o"}},
		{func(c *api.Client, ctx context.Context) error { return c.Inherit(ctx) }, []client.Option{token()}, []string{"key"}},
	} {
		sent := kit.Record(t)
		err := test.call(kit.Client(t, api.New, sent.URL, test.opts...), t.Context())
		kit.Fails(t, err, test.names...)
		if !errors.Is(err, client.ErrNoCredentials) {
			t.Error(err)
		}
		kit.Same(t, "requests", len(sent.Requests()), 0)
	}
}

type service struct{ api.Unimplemented }

func (service) Pub(context.Context) error     { return nil }
func (service) Opt(context.Context) error     { return nil }
func (service) Both(context.Context) error    { return nil }
func (service) Either(context.Context) error  { return nil }
func (service) Inherit(context.Context) error { return nil }

// asked is one question to Authenticate.
type asked struct {
	scheme, secret string
	scopes         []string
}

func serve(t *testing.T, scopes ...string) (url string, questions *[]asked) {
	t.Helper()
	questions = new([]asked)
	return kit.Serve(t, api.NewHandler(service{}, server.Authenticate(
		func(_ context.Context, c *server.Credentials) (server.Principal, error) {
			*questions = append(*questions, asked{c.Scheme.Name, c.Secret, c.Scopes})
			if c.Secret == "bad" {
				return server.Principal{}, server.ErrUnauthorized
			}
			return server.Principal{ID: "me", Scopes: scopes}, nil
		}))), questions
}

func TestServer(t *testing.T) {
	const k, s, o, bad = "X-Key: K", "X-Sign: S", "Authorization: Bearer T", "X-Key: bad"
	for _, test := range []struct {
		path   string
		lines  []string
		status int
		asked  []asked
	}{
		{"/pub", []string{k, o}, 204, nil},
		{"/opt", nil, 204, nil},
		{"/opt", []string{k}, 204, []asked{{scheme: "key", secret: "K"}}},
		{"/both", []string{k, s}, 204, []asked{{scheme: "key", secret: "K"}, {scheme: "sign", secret: "S"}}},
		{"/both", []string{k}, 401, nil},
		{"/either", []string{k, o}, 204, []asked{{scheme: "key", secret: "K"}}},
		{"/either", []string{o}, 204, []asked{{"o", "T", []string{"write"}}}},
		{"/either", []string{bad, o}, 204, []asked{{scheme: "key", secret: "bad"}, {"o", "T", []string{"write"}}}},
		{"/either", []string{bad}, 401, []asked{{scheme: "key", secret: "bad"}}},
		{"/inherit", nil, 401, nil},
		{"/inherit", []string{k}, 204, []asked{{scheme: "key", secret: "K"}}},
	} {
		url, questions := serve(t, "write")
		answer := kit.Send(t, "GET", url+test.path, "", test.lines...)
		kit.Same(t, test.path, answer.Status, test.status)
		kit.Same(t, test.path, *questions, []asked(test.asked))
	}
}

func TestServerSaysWhatIsMissing(t *testing.T) {
	url, _ := serve(t, "read")
	kit.Problem(t, kit.Send(t, "GET", url+"/either", ""), http.StatusUnauthorized, "key", "o")
	kit.Problem(t, kit.Send(t, "GET", url+"/both", "", "X-Key: K"), http.StatusUnauthorized, "sign")
	kit.Problem(t, kit.Send(t, "GET", url+"/inherit", ""), http.StatusUnauthorized, "key")
	// The token is good, but has another scope than [write].
	kit.Problem(t, kit.Send(t, "GET", url+"/either", "", "Authorization: Bearer T"), http.StatusForbidden, "write")
}
