package client_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/codec/field"
	"github.com/holdfast-go/holdfast/runtime/codec/param"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// where records the address of a request without sending it.
func where(got *string) client.Option {
	return client.Transport(transport(func(r *http.Request) (*http.Response, error) {
		*got = r.URL.Scheme + "://" + r.URL.Host + r.URL.RequestURI()
		return &http.Response{StatusCode: http.StatusNoContent, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
	}))
}

func TestBasePaths(t *testing.T) {
	for base, want := range map[string]string{
		"http://h/p/v1":       "http://h/p/v1/things",
		"http://h/p/v1/":      "http://h/p/v1/things",
		"http://h/p/v1//":     "http://h/p/v1/things",
		"http://h":            "http://h/things",
		"http://h/":           "http://h/things",
		"http://h/a%2Fb":      "http://h/a%2Fb/things",
		"http://h/a%2Fb/?v=1": "http://h/a%2Fb/things?v=1",
		"HTTPS://h:8443/(x)":  "https://h:8443/(x)/things",
	} {
		var got string
		c := coreOf(t, &client.API{Servers: []client.Server{{URL: "http://other/"}}}, client.BaseURL(base), where(&got))
		if _, err := call(t, c, op("GET", "/things", noContent), nil); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", base, got, err, want)
		}
	}
	var got string
	c := coreOf(t, &client.API{}, client.BaseURL("http://h/a%2Fb?v=1"), where(&got))
	_, err := call(t, c, op("GET", "/", noContent), func(r *client.Request) {
		r.Path("/x/")
		r.PathParam("y", param.Simple, param.TextValue("p/q"))
		r.Query("z", formExplode, param.IntValue(2))
	})
	if err != nil || got != "http://h/a%2Fb/x/p%2Fq?v=1&z=2" {
		t.Errorf("%s, %v", got, err)
	}
}

var twoServers = client.API{Servers: []client.Server{
	{URL: "https://{region}.example/{version}/", Name: "main", Variables: []client.Variable{
		{Name: "region", Default: "eu", Enum: []string{"eu", "us"}}, {Name: "version", Default: "v1"},
	}},
	{URL: "https://test.example", Description: "for tests"},
}}

func TestServers(t *testing.T) {
	for want, opts := range map[string][]client.Option{
		"https://eu.example/v1/things": nil,
		"https://us.example/v2/things": {client.ServerVariable("region", "us"), client.ServerVariable("version", "v2")},
		"https://test.example/things":  {client.ServerIndex(1)},
		"https://own.example/things":   {client.ServerIndex(1), client.BaseURL("https://own.example")},
	} {
		var got string
		c := coreOf(t, &twoServers, append(opts, where(&got), nil)...)
		if _, err := call(t, c, op("GET", "/things", noContent), nil); err != nil || got != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	var got string
	c := coreOf(t, &twoServers, client.ServerName("for tests"), where(&got))
	o := op("GET", "/alt", noContent)
	o.Servers = []client.Server{{URL: "https://alt.example/things2"}}
	if _, err := call(t, c, o, nil); err != nil || got != "https://alt.example/things2/alt" {
		t.Errorf("the operation's own: %s, %v", got, err)
	}
	c = coreOf(t, &twoServers, client.BaseURL("http://h"), where(&got))
	if _, err := call(t, c, o, nil); err != nil || got != "http://h/alt" {
		t.Errorf("overridden: %s, %v", got, err)
	}
}

func TestCallAddress(t *testing.T) {
	var got string
	c := coreOf(t, &client.API{NoBase: true}, where(&got))
	if _, err := call(t, c, op("POST", "/", noContent), nil); err == nil || !strings.Contains(err.Error(), "BaseURL") {
		t.Errorf("without an address: %v", err)
	}
	_, err := call(t, c, op("POST", "/", noContent), func(r *client.Request) { r.Query("a", formExplode, param.IntValue(1)) },
		client.At("https://hook.example/in/%2F/?k=v"))
	if err != nil || got != "https://hook.example/in/%2F/?k=v&a=1" {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{"", "/in", "ftp://h/", "http://", "http://h:x/?secret=1", "javascript:alert(1)"} {
		if _, err := call(t, c, op("POST", "/", noContent), nil, client.At(bad)); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// What does not fit the document fails the constructor, all of it at once.
func TestOptionsThatAreRefused(t *testing.T) {
	for say, opts := range map[string][]client.Option{
		"no server 2":               {client.ServerIndex(2)},
		`no server "x"`:             {client.ServerName("x")},
		`no server ""`:              {client.ServerName("")},
		"one of eu, us":             {client.ServerVariable("region", "mars")},
		`variable "x"`:              {client.ServerVariable("x", "y")},
		"relative":                  {client.BaseURL("/v1")},
		"neither http nor https":    {client.BaseURL("ftp://h")},
		"no host":                   {client.BaseURL("http:///x")},
		"no URL":                    {client.BaseURL("http://h:port")},
		"BaseURL is empty":          {client.BaseURL("")},
		"not the name of a header":  {client.Header("a b", "c")},
		"line break":                {client.Header("a", "b\nc")},
		"User-Agent holds":          {client.UserAgent("a\r\nb")},
		"above zero":                {client.BodyLimit(0)},
		`security scheme "x"`:       {client.APIKey("x", "y")},
		"no server 9\nno server of": {client.ServerIndex(9), client.ServerVariable("q", "")},
	} {
		c, err := client.New(&twoServers, opts...)
		if c != nil || err == nil {
			t.Errorf("%s: no error", say)
			continue
		}
		for part := range strings.SplitSeq(say, "\n") {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v", part, err)
			}
		}
	}
	if _, err := client.New(nil); err == nil {
		t.Error("a nil API is taken")
	}
	if _, err := client.New(&client.API{}); err == nil || !strings.Contains(err.Error(), "BaseURL") {
		t.Errorf("no server at all: %v", err)
	}
	if _, err := client.New(&client.API{Servers: []client.Server{{URL: "/v1"}}}); err == nil || !strings.Contains(err.Error(), "relative") {
		t.Errorf("a relative server: %v", err)
	}
}

// Redirects are followed as net/http does, and no credential goes elsewhere.
func TestRedirects(t *testing.T) {
	var away, home sent
	other := newServer(t, away.handle(func(_ int, w http.ResponseWriter) { none(w, nil) }))
	url := newServer(t, home.handle(func(n int, w http.ResponseWriter) {
		switch n {
		case 1:
			w.Header().Set("Location", "/again")
			w.WriteHeader(http.StatusFound)
		case 2:
			w.Header().Set("Location", other+"/there")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	}))
	api := securityAPI()
	c := coreOf(t, api, client.BaseURL(url), client.APIKey("h", "K"), client.APIKey("q", "Q"), client.APIKey("c", "C"), client.Bearer("t", "T"),
		client.Header("X-Tenant", "secret"))
	o := op("GET", "/start", noContent)
	o.Security = alternatives(api.Schemes[:3], nil)
	o.Security[0] = append(o.Security[0], use(api, "t"))
	o.Accept = "application/json"
	if _, err := call(t, c, o, nil); err != nil {
		t.Fatal(err)
	}
	if again := home.last(t); again.uri != "/again" || again.header.Get("X-Key") != "K" || again.header.Get("Authorization") != "Bearer T" {
		t.Errorf("on the same origin: %+v", again)
	}
	there := away.last(t)
	for name := range there.header {
		switch name {
		case "Accept", "Accept-Encoding", "User-Agent":
		default:
			t.Errorf("%s goes to another origin", name)
		}
	}
	if there.uri != "/there" {
		t.Error(there.uri)
	}
}

func TestDeclaredRedirect(t *testing.T) {
	c := core(t, answer(302, "", "", "Location", "/elsewhere"))
	o := op("GET", "/", func(r *client.Response) (string, error) {
		var to string
		if !r.Is(302, "") {
			return "", r.Undeclared()
		}
		field.Get(r.Header("Location", param.Simple), param.String, &to)
		return to, nil
	})
	o.Redirects = true
	if to, err := call(t, c, o, nil); err != nil || to != "/elsewhere" {
		t.Errorf("%q, %v", to, err)
	}
	// Undeclared, they are followed, but not for ever.
	if _, err := call(t, c, op("GET", "/", noContent), nil); err == nil || !strings.Contains(err.Error(), "10 redirects") {
		t.Errorf("%v", err)
	}
	rule := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return io.ErrUnexpectedEOF }}
	c = core(t, answer(302, "", "", "Location", "/elsewhere"), client.HTTP(rule))
	if _, err := call(t, c, op("GET", "/", noContent), nil, client.NoRetry()); err == nil || !strings.Contains(err.Error(), "unexpected EOF") {
		t.Errorf("the caller's rule: %v", err)
	}
}

// The request that is redirected is sent once; a 307 takes its body along, a
// 303 does not.
func TestRedirectedBodies(t *testing.T) {
	for status, want := range map[int]string{http.StatusTemporaryRedirect: "POST hello", http.StatusSeeOther: "GET "} {
		var s sent
		c := core(t, s.handle(func(n int, w http.ResponseWriter) {
			if n == 1 {
				w.Header().Set("Location", "/there")
				w.WriteHeader(status)
				return
			}
			none(w, nil)
		}))
		_, err := call(t, c, op("POST", "/", noContent), func(r *client.Request) { r.Path("/"); r.Text("text/plain", "hello") })
		all := s.all()
		if err != nil || len(all) != 2 || all[1].method+" "+all[1].body != want || all[1].uri != "/there" {
			t.Errorf("%d: %+v, %v", status, all, err)
		}
	}
	// A body that can be read once stays where it is.
	c := core(t, answer(http.StatusTemporaryRedirect, "", "", "Location", "/there"))
	_, err := call(t, c, op("POST", "/", noContent), func(r *client.Request) {
		r.Path("/")
		r.Binary("image/png", onlyReader{strings.NewReader("hello")})
	})
	if status, ok := errors.AsType[*client.StatusError](err); !ok || status.StatusCode != http.StatusTemporaryRedirect {
		t.Errorf("%v", err)
	}
}

func TestCriticality(t *testing.T) {
	var s sent
	c := core(t, s.handle(func(_ int, w http.ResponseWriter) { none(w, nil) }))
	o := op("GET", "/", noContent, func(s *policy.Spec) { s.Client.Criticality = policy.Critical })
	if _, err := call(t, c, o, nil); err != nil || s.last(t).header.Get("X-Request-Criticality") != "critical" {
		t.Errorf("%v, %v", err, s.last(t).header)
	}
}
