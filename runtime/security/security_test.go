package security_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/security"
)

var (
	key    = &security.Scheme{Name: "key", Type: security.APIKey, In: security.InHeader, Param: "X-Key"}
	query  = &security.Scheme{Name: "query", Type: security.APIKey, In: security.InQuery, Param: "api_key"}
	cookie = &security.Scheme{Name: "cookie", Type: security.APIKey, In: security.InCookie, Param: "sess"}
	basic  = &security.Scheme{Name: "basic", Type: security.HTTP, HTTP: "basic"}
	bearer = &security.Scheme{Name: "bearer", Type: security.HTTP, HTTP: "bearer"}
	digest = &security.Scheme{Name: "digest", Type: security.HTTP, HTTP: "Digest"}
	oauth  = &security.Scheme{Name: "oauth", Type: security.OAuth2}
	mutual = &security.Scheme{Name: "mutual", Type: security.MutualTLS}
)

func request(t *testing.T, target string, header ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return r
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		scheme *security.Scheme
		r      *http.Request
		want   security.Credential
		ok     bool
	}{
		{key, request(t, "/", "x-key", "K"), security.Credential{Secret: "K"}, true},
		{key, request(t, "/"), security.Credential{}, false},
		{key, request(t, "/", "X-Key", ""), security.Credential{}, false},
		{key, request(t, "/", "X-Key", "a", "X-Key", "b"), security.Credential{}, false},
		{key, request(t, "/", "X-Key", strings.Repeat("k", 100_000)), security.Credential{}, false},
		{query, request(t, "/?a=b&api_key=K%2B"), security.Credential{Secret: "K+"}, true},
		{query, request(t, "/?api_key=a&api_key=b"), security.Credential{}, false},
		{cookie, request(t, "/", "Cookie", "a=b; sess=K"), security.Credential{Secret: "K"}, true},
		{cookie, request(t, "/", "Cookie", "a=b"), security.Credential{}, false},
		{basic, request(t, "/", "Authorization", "basic dTpw"), security.Credential{User: "u", Secret: "p"}, true},
		{basic, request(t, "/", "Authorization", "Basic dTpwOnE="), security.Credential{User: "u", Secret: "p:q"}, true},
		{basic, request(t, "/", "Authorization", "Basic !"), security.Credential{}, false},
		{basic, request(t, "/", "Authorization", "Bearer T"), security.Credential{}, false},
		{bearer, request(t, "/", "Authorization", "bearer T"), security.Credential{Secret: "T"}, true},
		{bearer, request(t, "/", "Authorization", "Bearer"), security.Credential{}, false},
		{bearer, request(t, "/", "Authorization", "Bearer "), security.Credential{}, false},
		{bearer, request(t, "/", "Authorization", "Bearer a", "Authorization", "Bearer b"), security.Credential{}, false},
		{oauth, request(t, "/", "Authorization", "Bearer T"), security.Credential{Secret: "T"}, true},
		{digest, request(t, "/", "Authorization", "Digest username=\"u\""), security.Credential{Secret: "username=\"u\""}, true},
		{mutual, request(t, "/"), security.Credential{}, false},
	} {
		got, ok := test.scheme.Read(test.r)
		if got != test.want || ok != test.ok {
			t.Errorf("%s of %v: %#v, %v", test.scheme.Name, test.r.Header, struct{ u, s string }{got.User, got.Secret}, ok)
		}
	}
	r := request(t, "/")
	r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{}}}
	if _, ok := mutual.Read(r); ok {
		t.Error("a certificate that was not verified counts")
	}
	r.TLS.VerifiedChains = [][]*x509.Certificate{{{}}}
	if _, ok := mutual.Read(r); !ok {
		t.Error("a verified certificate does not count")
	}
}

// What AppendAuthorization writes is what Read reads.
func TestAuthorization(t *testing.T) {
	for _, scheme := range []*security.Scheme{basic, bearer, oauth, digest} {
		want := security.Credential{Secret: "s=e"}
		if scheme.Basic() {
			want.User = "u"
		}
		value, ok := scheme.AppendAuthorization(nil, want)
		if !ok {
			t.Errorf("%s has no value", scheme.Name)
		}
		if got, ok := scheme.Read(request(t, "/", "Authorization", string(value))); !ok || got != want {
			t.Errorf("%s: %s", scheme.Name, value)
		}
	}
	if v, _ := basic.AppendAuthorization(nil, security.Credential{User: "u", Secret: "p"}); string(v) != "Basic dTpw" {
		t.Errorf("%s", v)
	}
	if _, ok := key.AppendAuthorization(nil, security.Credential{}); ok {
		t.Error("an API key stands in Authorization")
	}
}

func TestChoose(t *testing.T) {
	use := func(s ...*security.Scheme) security.Requirement {
		var r security.Requirement
		for _, s := range s {
			r = append(r, security.Use{Scheme: s})
		}
		return r
	}
	have := func(s ...*security.Scheme) func(*security.Scheme) bool {
		return func(x *security.Scheme) bool {
			return slices.Contains(s, x)
		}
	}
	both := []security.Requirement{use(key, query)}
	either := []security.Requirement{use(key), use(oauth, query)}
	for name, test := range map[string]struct {
		alternatives []security.Requirement
		have         func(*security.Scheme) bool
		want         int // number of schemes, -1 for none
		missing      string
	}{
		"public":           {nil, have(), 0, ""},
		"optional":         {[]security.Requirement{{}, use(key)}, have(), 0, ""},
		"both":             {both, have(key, query), 2, ""},
		"one of both":      {both, have(key), -1, "query"},
		"none of both":     {both, have(), -1, "key and query"},
		"first of either":  {either, have(key, oauth, query), 1, ""},
		"second of either": {either, have(oauth, query), 2, ""},
		"none of either":   {either, have(oauth), -1, "key, or query"},
	} {
		got, ok := security.Choose(test.alternatives, test.have)
		if ok != (test.want >= 0) || ok && len(got) != test.want {
			t.Errorf("%s: %v, %v", name, got, ok)
		}
		if missing := security.Missing(test.alternatives, test.have); !ok && missing != test.missing {
			t.Errorf("%s: missing %q", name, missing)
		}
	}
}

func TestCredentialsAreHidden(t *testing.T) {
	c := security.Credential{User: "alice", Secret: "hunter2"}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "c", c)
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{fmt.Sprint(c), fmt.Sprintf("%v %+v %#v %s %q", c, c, c, c, c), log.String(), string(text)} {
		if strings.Contains(s, "hunter2") || strings.Contains(s, "alice") {
			t.Error(s)
		}
	}
}

func TestChallenge(t *testing.T) {
	for want, got := range map[string]string{
		`Basic realm="api", charset="UTF-8"`: basic.Challenge(nil),
		`Bearer`:                             bearer.Challenge([]string{"x"}),
		`Bearer scope="read write"`:          oauth.Challenge([]string{"read", "write"}),
		`Digest`:                             digest.Challenge(nil),
		``:                                   key.Challenge(nil),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := oauth.Challenge([]string{"a\"\r\nX: y"}); got != "Bearer" {
		t.Errorf("%q", got)
	}
}
