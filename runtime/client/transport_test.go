package client

import (
	"context"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// The client's own transport speaks HTTP/2 where the server does, over the
// connections that it dials itself.
func TestOwnTransport(t *testing.T) {
	proto := make(chan string, 2)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proto <- r.Proto
		w.WriteHeader(http.StatusNoContent)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	own := newTransport(roots)
	defer own.CloseIdleConnections()
	c, err := New(&API{}, BaseURL(s.URL), Transport(own))
	if err != nil {
		t.Fatal(err)
	}
	op := Operation[None]{Spec: &policy.Spec{ID: "get", Method: http.MethodGet, Path: "/"}}
	for range 2 {
		if err := Exec(t.Context(), c, &op, nil, nil); err != nil {
			t.Fatal(err)
		}
		if got := <-proto; got != "HTTP/2.0" {
			t.Errorf("over %s", got)
		}
	}
}

// Connections have the bound of the operation, and 5 s outside of one.
func TestConnectBound(t *testing.T) {
	left := func(ctx context.Context) time.Duration {
		ctx, cancel := bound(ctx)
		defer cancel()
		at, ok := ctx.Deadline()
		if !ok {
			return 0
		}
		return time.Until(at).Round(time.Second)
	}
	if got := left(t.Context()); got != 5*time.Second {
		t.Errorf("default %v", got)
	}
	for limit, want := range map[time.Duration]time.Duration{2 * time.Second: 2 * time.Second, 0: 0} {
		if got := left(context.WithValue(t.Context(), connectKey{}, limit)); got != want {
			t.Errorf("%v: %v", limit, got)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"http://h/a", "http://H:80/b", true},
		{"https://h", "https://h:443", true},
		{"http://h", "https://h", false},
		{"http://h", "http://h:8080", false},
		{"http://h", "http://sub.h", false},
	} {
		a, _ := http.NewRequest(http.MethodGet, test.a, nil)
		b, _ := http.NewRequest(http.MethodGet, test.b, nil)
		if got := sameOrigin(a.URL, b.URL); got != test.same {
			t.Errorf("%s and %s: %v", test.a, test.b, got)
		}
	}
}

// A response that an http.Client of the caller's has a jar or a timeout for
// goes through that client.
func TestCallersClient(t *testing.T) {
	calls := 0
	jar := jarFunc(func() { calls++ })
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "x") }))
	defer s.Close()
	c, err := New(&API{}, BaseURL(s.URL), HTTP(&http.Client{Jar: jar, Timeout: time.Minute}))
	if err != nil {
		t.Fatal(err)
	}
	op := Operation[None]{Spec: &policy.Spec{ID: "get", Method: http.MethodGet, Path: "/"}}
	if err := Exec(t.Context(), c, &op, nil, nil); err != nil || calls == 0 {
		t.Errorf("%v, %d uses of the jar", err, calls)
	}
}

type jarFunc func()

func (f jarFunc) SetCookies(*url.URL, []*http.Cookie) { f() }

func (f jarFunc) Cookies(*url.URL) []*http.Cookie { f(); return nil }

// Whatever a server sends as its limits, they are few and sensible.
func FuzzLimits(f *testing.F) {
	f.Add("\"a\";r=3;t=5, b;r=0", "5", "1700000000")
	f.Add("\"\\\\\";;=;r=99999999999999999999", "-1", "x")
	f.Fuzz(func(t *testing.T, line, remaining, reset string) {
		for _, h := range []http.Header{
			{"Ratelimit": {line, line}}, {"X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {reset}},
		} {
			limits := limitsOf(h)
			if len(limits) > maxLimits {
				t.Errorf("%d limits", len(limits))
			}
			for _, l := range limits {
				if l.Remaining < 0 || l.Reset < 0 || l.Reset > maxReset*time.Second {
					t.Errorf("%+v", l)
				}
			}
		}
	})
}
