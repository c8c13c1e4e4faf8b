package gallery_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/golden/gallery"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/security"
	"github.com/holdfast-go/holdfast/runtime/server"
)

// answer is what came back for a request that was made by hand.
type answer struct {
	status int
	header http.Header
	body   string
}

// detail is that of the problem in the answer.
func (a answer) detail(t *testing.T) string {
	t.Helper()
	if a.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%d is answered as %s: %s", a.status, a.header.Get("Content-Type"), a.body)
	}
	var p struct {
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}
	if err := json.Unmarshal([]byte(a.body), &p); err != nil || p.Status != a.status {
		t.Errorf("%d is answered with %s: %v", a.status, a.body, err)
	}
	return p.Detail
}

// by makes a request by hand; lines are headers such as "X-Key: good".
func by(t *testing.T, method, url, body string, lines ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		name, text, _ := strings.Cut(line, ": ")
		r.Header.Add(name, text)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(data)}
}

// A scheme without a credential fails the call before anything is sent, and the
// error names what would do.
func TestCredentialsThatAreAbsent(t *testing.T) {
	for name, tt := range map[string]struct {
		has     []client.Option
		missing string
	}{
		"Header": {nil, "headerKey"}, "Query": {nil, "queryKey"}, "Cookie": {nil, "cookieKey"}, "Basic": {nil, "basic"},
		"Bearer": {nil, "bearer"}, "Oauth": {nil, "oauth"}, "Oidc": {nil, "oidc"},
		"Both":   {[]client.Option{client.APIKey(gallery.SchemeQueryKey, "good")}, "headerKey"},
		"Either": {[]client.Option{client.APIKey(gallery.SchemeQueryKey, "good")}, "headerKey, or bearer"},
	} {
		c, _, w := start(t, tt.has...)
		err := secured(c)[name](t.Context())
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Request || f.Attempts != 0 || f.Effect != fault.Safe || !errors.Is(err, client.ErrNoCredentials) {
			t.Errorf("%s: %v", name, err)
		}
		if w.request != nil || !strings.Contains(err.Error(), ": "+tt.missing+" (") {
			t.Errorf("%s: sent %v, %v", name, w.request != nil, err)
		}
	}
	c, _, w := start(t, client.Bearer(gallery.SchemeBearer, "good"))
	if err := c.SecuredEither(t.Context()); err != nil || w.request.Header.Get("X-Key") != "" || w.request.Header.Get("Authorization") != "Bearer good" {
		t.Errorf("the second of two: %v", err)
	}
	c, svc, w := start(t, client.APIKey(gallery.SchemeHeaderKey, "good"))
	if err := c.SecuredOptional(t.Context()); err != nil || w.request.Header.Get("X-Key") != "good" || svc.got != any(gallery.SchemeHeaderKey) {
		t.Errorf("optional, with a key: %v", err)
	}
	c, svc, w = start(t)
	if err := c.SecuredOptional(t.Context()); err != nil || w.request.Header.Get("X-Key") != "" || svc.got != any("") {
		t.Errorf("optional, without one: %v", err)
	}
}

// What a request lacks is in the answer, and how to ask for it.
func TestRefusals(t *testing.T) {
	h := gallery.NewHandler(&echo{}, server.OnError(nil), server.Authenticate(func(_ context.Context, c *server.Credentials) (server.Principal, error) {
		switch c.Secret {
		case "good":
			return server.Principal{ID: c.Scheme.Name, Scopes: []string{"write"}}, nil
		case "weak":
			return server.Principal{ID: c.Scheme.Name, Scopes: []string{"read"}}, nil
		case "store is down":
			return server.Principal{}, &fault.Problem{Status: http.StatusServiceUnavailable, Title: "down"}
		}
		return server.Principal{}, server.ErrUnauthorized
	}))
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	const bad, no = "the credentials are not accepted", "missing: "
	for _, tt := range []struct {
		path, header string
		status       int
		detail       string
		challenges   []string
	}{
		{"header", "", 401, no + "headerKey", nil},
		{"header", "X-Key: bad", 401, bad, nil},
		{"query", "", 401, no + "queryKey", nil},
		{"query?api_key=bad", "", 401, bad, nil},
		{"cookie", "Cookie: other=good", 401, no + "cookieKey", nil},
		{"cookie", "Cookie: session=bad", 401, bad, nil},
		{"basic", "", 401, no + "basic", []string{"Basic"}},
		{"basic", "Authorization: Basic dTpiYWQ=", 401, bad, []string{"Basic"}}, // u:bad
		{"basic", "Authorization: Bearer good", 401, no + "basic", []string{"Basic"}},
		{"bearer", "", 401, no + "bearer", []string{"Bearer"}},
		{"bearer", "Authorization: Bearer bad", 401, bad, []string{"Bearer"}},
		{"oauth", "Authorization: Bearer weak", 403, "missing scopes: write", nil},
		{"oauth", "", 401, no + "oauth", []string{"Bearer"}},
		{"oidc", "", 401, no + "oidc", []string{"Bearer"}},
		{"mutual", "", 401, no + "mutual", nil},
		{"both", "X-Key: good", 401, no + "queryKey", nil},
		{"both", "", 401, no + "headerKey and queryKey", nil},
		{"both?api_key=bad", "X-Key: good", 401, bad, nil},
		{"either", "", 401, no + "headerKey, or bearer", []string{"Bearer"}},
		{"either", "X-Key: bad", 401, bad, []string{"Bearer"}},
		{"optional", "X-Key: bad", 401, bad, nil},
		{"header", "X-Key: store is down", 503, "", nil},
		{"either", "Authorization: Bearer good", 204, "", nil},
		{"optional", "", 204, "", nil},
	} {
		var lines []string
		if tt.header != "" {
			lines = []string{tt.header}
		}
		a := by(t, http.MethodGet, s.URL+"/security/"+tt.path, "", lines...)
		if a.status != tt.status {
			t.Errorf("%s, %s: %d, want %d", tt.path, tt.header, a.status, tt.status)
			continue
		}
		if tt.detail != "" && a.detail(t) != tt.detail {
			t.Errorf("%s, %s: %q, want %q", tt.path, tt.header, a.detail(t), tt.detail)
		}
		for i, c := range tt.challenges {
			if got := a.header.Values("WWW-Authenticate"); len(got) != len(tt.challenges) || !strings.HasPrefix(got[i], c) {
				t.Errorf("%s, %s: challenges %q", tt.path, tt.header, got)
			}
		}
	}
}

// A handler that nobody has told how to check credentials lets nobody in.
func TestHandlerWithoutAuthenticate(t *testing.T) {
	svc := &echo{}
	s := httptest.NewServer(gallery.NewHandler(svc, server.OnError(nil)))
	t.Cleanup(s.Close)
	if a := by(t, http.MethodGet, s.URL+"/security/header", "", "X-Key: good"); a.status != http.StatusInternalServerError || svc.got != nil {
		t.Errorf("%d", a.status)
	}
}

// The certificate of the connection is the credential.
func TestMutualTLS(t *testing.T) {
	svc := &echo{}
	h := gallery.NewHandler(svc, server.OnError(nil), server.Authenticate(func(_ context.Context, c *server.Credentials) (server.Principal, error) {
		return server.Principal{ID: c.Request.TLS.VerifiedChains[0][0].Subject.CommonName}, nil
	}))
	a := newAuthority(t)
	url, transport := overTLS(t, a, h, a.certificate(t, "carol"))
	c, err := gallery.New(client.BaseURL(url), client.Transport(transport))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SecuredMutual(t.Context()); err != nil || svc.got != any("carol") {
		t.Errorf("%v, the server knows %v", err, svc.got)
	}
	url, transport = overTLS(t, a, h)
	if c, err = gallery.New(client.BaseURL(url), client.Transport(transport)); err != nil {
		t.Fatal(err)
	}
	var f *fault.Error
	if err := c.SecuredMutual(t.Context()); !errors.As(err, &f) || f.Status != http.StatusUnauthorized {
		t.Errorf("without a certificate: %v", err)
	}
	// A client with a transport of its own cannot have one.
	if c, err = gallery.New(client.BaseURL(url)); err != nil {
		t.Fatal(err)
	}
	if err := c.SecuredMutual(t.Context()); !errors.Is(err, client.ErrNoCredentials) {
		t.Errorf("without a transport: %v", err)
	}
}

// Whatever goes wrong, and however the error is printed, it holds no credential.
func TestErrorsHoldNoSecrets(t *testing.T) {
	const secret = "s3cret"
	refused := httptest.NewServer(http.NotFoundHandler())
	refused.Close()
	cut := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(cut.Close)
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, refused.URL+"/?api_key="+secret, http.StatusFound)
	}))
	t.Cleanup(away.Close)
	lost := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "no "+r.URL.RawQuery, http.StatusNotFound)
	}))
	t.Cleanup(lost.Close)
	for what, url := range map[string]string{"refused": refused.URL, "cut": cut.URL, "redirected": away.URL, "undeclared": lost.URL} {
		c, err := gallery.New(append(everyKey(secret), client.BaseURL(url))...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Core().CloseIdle)
		for name, call := range secured(c) {
			if name == "Mutual" {
				continue // its credential is no text
			}
			err := call(t.Context(), client.NoRetry())
			if err == nil {
				t.Errorf("%s, %s: no error", what, name)
				continue
			}
			for text := range slices.Values([]string{err.Error(), fmt.Sprintf("%v %s %q", err, err, err)}) {
				if strings.Contains(text, secret) || strings.Contains(text, "dTpz") { // u:s in base64
					t.Errorf("%s, %s: %s", what, name, text)
				}
			}
		}
	}
	// Nor do the errors of constructors and sources.
	if _, err := gallery.New(client.APIKey("no such scheme", secret), client.APIKey(gallery.SchemeHeaderKey, secret+"\n")); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("%v", err)
	}
	broken := errors.New("token endpoint: " + secret)
	c, _, w := start(t, client.TokenSource(gallery.SchemeBearer, security.TokenFunc(func(context.Context) (string, error) { return "", broken })))
	if err := c.SecuredBearer(t.Context()); !errors.Is(err, broken) || strings.Contains(err.Error(), secret) || w.request != nil {
		t.Errorf("%v", err)
	}
}

// A token source is asked for each try.
func TestTokenSource(t *testing.T) {
	n := 0
	c, _, w := start(t, client.TokenSource(gallery.SchemeBearer, security.TokenFunc(func(context.Context) (string, error) {
		n++
		return "good", nil
	})))
	for range 2 {
		if err := c.SecuredBearer(t.Context()); err != nil || w.request.Header.Get("Authorization") != "Bearer good" {
			t.Errorf("%v", err)
		}
	}
	if n != 2 {
		t.Errorf("asked %d times", n)
	}
}
