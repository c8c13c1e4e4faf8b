package idempotency_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/idempotency"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// watched is a request body that knows whether it was closed.
type watched struct {
	io.Reader

	closed bool
}

func (w *watched) Close() error { w.closed = true; return nil }

// TestTransport: which requests get a key, and which.
func TestTransport(t *testing.T) {
	fixed := func(*http.Request) (string, error) { return "order-7", nil }
	for name, tc := range map[string]struct {
		method string
		has    string
		tr     idempotency.Transport
		field  string
		want   string // "*" is any, of 20 characters or more
	}{
		"POST":             {method: "POST", field: "Idempotency-Key", want: "*"},
		"PATCH":            {method: "PATCH", field: "Idempotency-Key", want: "*"},
		"GET":              {method: "GET", field: "Idempotency-Key"},
		"no method is GET": {field: "Idempotency-Key"},
		"PUT":              {method: "PUT", field: "Idempotency-Key"},
		"own key":          {method: "POST", has: "mine", field: "Idempotency-Key", want: "mine"},
		"made":             {method: "POST", tr: idempotency.Transport{Key: fixed}, field: "Idempotency-Key", want: "order-7"},
		"quoted": {
			method: "POST", tr: idempotency.Transport{Key: fixed, Quoted: true}, field: "Idempotency-Key", want: `"order-7"`,
		},
		"other field": {
			method: "POST", tr: idempotency.Transport{Key: fixed, Header: "x-request-key"}, field: "X-Request-Key", want: "order-7",
		},
	} {
		got := ""
		tc.tr.Base = roundTripper(func(r *http.Request) (*http.Response, error) {
			got = r.Header.Get(tc.field)
			return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
		})
		r := httptest.NewRequest(http.MethodPost, "http://x.test/", nil)
		if r.Method = tc.method; tc.has != "" {
			r.Header.Set(tc.field, tc.has)
		}
		h, err := tc.tr.RoundTrip(r) //nolint:bodyclose // It is empty.
		if err != nil || h.Request != nil && h.Request != r {
			t.Errorf("%s: %v", name, err)
		}
		if tc.want == "*" && len(got) < 20 || tc.want != "*" && got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
		if r.Header.Get(tc.field) != tc.has {
			t.Errorf("%s: the caller's request was changed", name)
		}
	}
}

// TestTransportRefuses: without a key that a header can carry nothing is sent.
func TestTransportRefuses(t *testing.T) {
	broken := errors.New("no order number")
	for key, want := range map[string]error{"": nil, "a\nb": idempotency.ErrKey, "broken": broken} {
		tr := &idempotency.Transport{
			Key: func(*http.Request) (string, error) {
				if key == "broken" {
					return "", broken
				}
				return key, nil
			},
			Base: roundTripper(func(*http.Request) (*http.Response, error) {
				t.Errorf("%q: it was sent", key)
				return nil, broken
			}),
		}
		body := &watched{Reader: strings.NewReader("order")}
		_, err := tr.RoundTrip(httptest.NewRequest(http.MethodPost, "http://x.test/", body)) //nolint:bodyclose // There is none.
		f, _ := errors.AsType[*fault.Error](err)
		if f == nil || f.Kind != fault.Request || f.Effect != fault.Safe || !body.closed || want != nil && !errors.Is(err, want) {
			t.Errorf("%q: %v, body closed: %v", key, err, body.closed)
		}
	}
}

func ExampleTransport() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("Idempotency-Key"))
	}))
	defer server.Close()
	client := http.Client{Transport: &idempotency.Transport{
		Key: func(r *http.Request) (string, error) { return idempotency.Key("order-123", "create", r.URL.Path) },
	}}
	for range 2 {
		h, err := client.Post(server.URL+"/orders", "text/plain", strings.NewReader("a book"))
		if err != nil {
			fmt.Println(err)
			return
		}
		key, _ := io.ReadAll(h.Body)
		_ = h.Body.Close()
		fmt.Println(len(key))
	}
	// Output:
	// 32
	// 32
}
