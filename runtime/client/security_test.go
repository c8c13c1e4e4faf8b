package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/security"
)

func newServer(t *testing.T, f http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

func securityAPI() *client.API {
	key := func(name, in, param string) *security.Scheme {
		return &security.Scheme{Name: name, Type: security.APIKey, In: in, Param: param}
	}
	return &client.API{Title: "secure", Schemes: []*security.Scheme{
		key("q", security.InQuery, "api_key"), key("c", security.InCookie, "sess"), key("h", security.InHeader, "X-Key"),
		{Name: "b", Type: security.HTTP, HTTP: "basic"}, {Name: "t", Type: security.HTTP, HTTP: "bearer"},
		{Name: "o", Type: security.OAuth2}, {Name: "d", Type: security.HTTP, HTTP: "digest"}, {Name: "m", Type: security.MutualTLS},
		key("sign", security.InHeader, "X-Sign"),
	}}
}

func scheme(api *client.API, name string) *security.Scheme {
	for _, s := range api.Schemes {
		if s.Name == name {
			return s
		}
	}
	panic(name)
}

func use(api *client.API, name string) security.Use { return security.Use{Scheme: scheme(api, name)} }

// Each scheme puts its credential where the document says, beside what is
// there already.
func TestSchemes(t *testing.T) {
	api := securityAPI()
	var s sent
	url := newServer(t, s.handle(func(_ int, w http.ResponseWriter) { none(w, nil) }))
	tokens := 0
	source := security.TokenFunc(func(context.Context) (string, error) {
		tokens++
		return fmt.Sprintf("T%d", tokens), nil
	})
	c := coreOf(t, api, client.BaseURL(url), client.APIKey("q", "K&1"), client.APIKey("c", "K"), client.APIKey("h", "K"),
		client.Basic("b", "u", "p"), client.Bearer("t", "T"), client.TokenSource("o", source), client.TokenSource("d", source))
	for name, check := range map[string]func(r record) bool{
		"q": func(r record) bool { return r.uri == "/?a=1&api_key=K%261" },
		"c": func(r record) bool { return strings.Join(r.header["Cookie"], "|") == "theme=dark; sess=K" },
		"h": func(r record) bool { return r.header.Get("X-Key") == "K" },
		"b": func(r record) bool { return r.header.Get("Authorization") == "Basic dTpw" },
		"t": func(r record) bool { return r.header.Get("Authorization") == "Bearer T" },
		"o": func(r record) bool { return strings.HasPrefix(r.header.Get("Authorization"), "Bearer T") },
		"d": func(r record) bool { return strings.HasPrefix(r.header.Get("Authorization"), "digest T") },
	} {
		o := op("GET", "/", noContent)
		o.Security = alternatives([]*security.Scheme{scheme(api, name)})
		_, err := call(t, c, o, func(r *client.Request) {
			r.Path("/")
			r.Query("a", formExplode, param.IntValue(1))
			r.Cookie("theme", param.Form, param.TextValue("dark"))
		})
		if err != nil || !check(s.last(t)) {
			t.Errorf("%s: %v, %+v", name, err, s.last(t))
		}
	}
	if tokens != 2 {
		t.Errorf("%d tokens", tokens)
	}
}

func TestAlternatives(t *testing.T) {
	api := securityAPI()
	var s sent
	url := newServer(t, s.handle(func(_ int, w http.ResponseWriter) { none(w, nil) }))
	key, sign, token := scheme(api, "h"), scheme(api, "sign"), scheme(api, "o")
	public := []security.Requirement(nil)
	optional := alternatives(nil, []*security.Scheme{key})
	both := alternatives([]*security.Scheme{key, sign})
	either := alternatives([]*security.Scheme{key}, []*security.Scheme{token})
	withKey, withSign, withToken := client.APIKey("h", "K"), client.APIKey("sign", "S"), client.Bearer("o", "T")
	for name, test := range map[string]struct {
		need []security.Requirement
		opts []client.Option
		want string // X-Key|X-Sign|Authorization
		err  string
	}{
		"public":           {public, []client.Option{withKey}, "||", ""},
		"optional without": {optional, nil, "||", ""},
		"optional with":    {optional, []client.Option{withKey}, "K||", ""},
		"both":             {both, []client.Option{withKey, withSign}, "K|S|", ""},
		"one of both":      {both, []client.Option{withKey}, "", "credentials are missing: sign"},
		"none of both":     {both, nil, "", "credentials are missing: h and sign"},
		"first of either":  {either, []client.Option{withToken, withKey}, "K||", ""},
		"second of either": {either, []client.Option{withToken}, "||Bearer T", ""},
		"none of either":   {either, []client.Option{withSign}, "", "credentials are missing: h, or o"},
	} {
		before := len(s.all())
		c := coreOf(t, api, append(test.opts, client.BaseURL(url))...)
		o := op("GET", "/", noContent)
		o.Security = test.need
		_, err := call(t, c, o, nil)
		if test.err != "" {
			if !errors.Is(err, client.ErrNoCredentials) || !strings.Contains(err.Error(), test.err) || len(s.all()) != before ||
				faultOf(t, err).Kind != fault.Request {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		h := s.last(t).header
		if got := h.Get("X-Key") + "|" + h.Get("X-Sign") + "|" + h.Get("Authorization"); err != nil || got != test.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// A certificate is the transport's; whoever brings one vouches for it.
func TestMutualTLS(t *testing.T) {
	api := securityAPI()
	o := op("GET", "/", noContent)
	o.Security = alternatives([]*security.Scheme{scheme(api, "m")})
	var got string
	c := coreOf(t, api, client.BaseURL("https://h"), where(&got))
	if _, err := call(t, c, o, nil); err != nil {
		t.Error(err)
	}
	c = coreOf(t, api, client.BaseURL("https://h"))
	if _, err := call(t, c, o, nil); !errors.Is(err, client.ErrNoCredentials) {
		t.Errorf("without a transport: %v", err)
	}
}

func TestCredentialsThatAreRefused(t *testing.T) {
	api := securityAPI()
	for say, o := range map[string]client.Option{
		"no API key":      client.APIKey("b", "hunter2"),
		"no basic":        client.Basic("t", "hunter2", "hunter2"),
		"takes no token":  client.Bearer("h", "hunter2"),
		"colon":           client.Basic("b", "hunter2:", "p"),
		"is nil":          client.TokenSource("o", nil),
		"is nil ":         client.TokenSource("o", security.TokenFunc(nil)),
		"secret is empty": client.APIKey("h", ""),
		"cannot be sent":  client.Bearer("t", "hunter2\r\nX: y"),
		"be sent":         client.APIKey("c", "hunter2;"),
	} {
		_, err := client.New(api, client.BaseURL("http://h"), o)
		if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(say)) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", say, err)
		}
	}
}

// No error shows a secret, in any form of printing it.
func TestSecretsStayOutOfErrors(t *testing.T) {
	api := securityAPI()
	closed := httptest.NewServer(nil)
	closed.Close()
	fail := errors.New("https://id.example/token?client_secret=hunter2 said no")
	opts := []client.Option{
		client.APIKey("q", "hunter2"), client.Bearer("t", "hunter2"),
		client.TokenSource("o", security.TokenFunc(func(context.Context) (string, error) { return "", fail })),
	}
	get := func(name, url string, more ...client.Option) error {
		c := coreOf(t, api, append(append(more, client.BaseURL(url)), opts...)...)
		o := op("GET", "/", okJSON)
		o.Security = alternatives([]*security.Scheme{scheme(api, name)})
		_, err := call(t, c, o, nil, client.NoRetry())
		return err
	}
	away := newServer(t, answer(302, "", "", "Location", "http://127.0.0.1:1/?next=hunter2"))
	echo := newServer(t, answer(500, "text/plain", "the key hunter2 is wrong"))
	for name, err := range map[string]error{
		"dial":      get("q", closed.URL),
		"redirect":  get("q", away),
		"status":    get("q", echo),
		"source":    get("o", echo),
		"base":      get("q", "http://user:hunter2@127.0.0.1:1"),
		"transport": get("q", "http://h", client.Transport(transport(func(r *http.Request) (*http.Response, error) { return nil, errors.New("no") }))),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			if text := fmt.Sprintf("%v %+v", e, e); strings.Contains(text, "hunter2") && !errors.Is(e, fail) {
				t.Errorf("%s: %s", name, text)
			}
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := get("o", echo); !errors.Is(err, fail) {
		t.Errorf("the source's error is lost: %v", err)
	}
}
