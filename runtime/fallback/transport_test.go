package fallback_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/fallback"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type body struct {
	io.Reader

	closed bool
}

func (b *body) Close() error { b.closed = true; return nil }

func TestTransport(t *testing.T) {
	var failed *body
	var sent []string
	replica := fallback.Rung[*http.Response]{Name: "replica", Repeats: true, Run: func(ctx context.Context, _ error) (*http.Response, error) {
		r := fallback.RequestOf(ctx)
		text, err := io.ReadAll(r.Body)
		sent = append(sent, "replica "+string(text))
		return &http.Response{StatusCode: http.StatusOK, Body: &body{Reader: strings.NewReader("from the replica")}}, err
	}}
	static := fallback.Rung[*http.Response]{Name: "static", Local: true, Run: func(context.Context, error) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusNonAuthoritativeInfo, Body: http.NoBody}, nil
	}}
	tr := &fallback.Transport{
		Rungs: []fallback.Rung[*http.Response]{replica, static},
		Base: roundTripper(func(r *http.Request) (*http.Response, error) {
			text, _ := io.ReadAll(r.Body)
			sent = append(sent, r.Method+" "+string(text))
			switch r.URL.Path {
			case "/broken":
				return nil, errors.New("broken")
			case "/missing":
				return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody}, nil
			}
			failed = &body{Reader: strings.NewReader("sorry")}
			return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: failed}, nil
		}),
	}
	for _, tc := range []struct {
		method, path string
		status       int
		rung, text   string
	}{
		{"PUT", "/busy", 200, "replica", "from the replica"},
		{"PUT", "/broken", 200, "replica", "from the replica"},
		{"POST", "/busy", 203, "static", ""}, // it may have taken effect
		{"GET", "/missing", 404, "", ""},
	} {
		r, _ := http.NewRequestWithContext(t.Context(), tc.method, "http://x.test"+tc.path, strings.NewReader("sent"))
		h, err := tr.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(h.Body)
		if h.StatusCode != tc.status || h.Header.Get(fallback.Header) != tc.rung || string(text) != tc.text || err != nil || h.Request != r {
			t.Errorf("%s %s: %d from %q, %q, %v", tc.method, tc.path, h.StatusCode, h.Header.Get(fallback.Header), text, err)
		}
		_ = h.Body.Close()
		if tc.path == "/busy" && !failed.closed {
			t.Error("the body of the failure is open")
		}
	}
	if sent[1] != "replica sent" {
		t.Errorf("sent %q", sent)
	}
}

// The response is the call's own when no rung has a better one.
func TestTransportAllFail(t *testing.T) {
	bad := fallback.Rung[*http.Response]{Name: "bad", Run: func(context.Context, error) (*http.Response, error) { return nil, errors.New("no") }}
	for _, rungs := range [][]fallback.Rung[*http.Response]{nil, {bad}} {
		tr := &fallback.Transport{Rungs: rungs, Base: roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: io.NopCloser(strings.NewReader("sorry"))}, nil
		})}
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://x.test/", nil)
		h, err := tr.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(h.Body); string(text) != "sorry" || err != nil || h.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%d %q, %v", h.StatusCode, text, err)
		}
		_ = h.Body.Close()
	}
	if fallback.RequestOf(t.Context()) != nil {
		t.Error("a request outside a rung")
	}
}
