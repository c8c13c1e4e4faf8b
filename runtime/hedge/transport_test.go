package hedge_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/runtime/hedge"
	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// counted counts the bodies that are open.
type counted struct {
	io.Reader

	open *atomic.Int32
}

func (c counted) Close() error { c.open.Add(-1); return nil }

func answer(status int, text string, open *atomic.Int32) *http.Response {
	open.Add(1)
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: counted{strings.NewReader(text), open}}
}

func TestTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open, made atomic.Int32
		tr := &hedge.Transport{
			Hedger: hedge.New(policy.Hedge{Delay: 10 * time.Millisecond, Max: 1}, hedge.Options{}),
			Base: roundTripper(func(r *http.Request) (*http.Response, error) {
				sent, _ := io.ReadAll(r.Body)
				if string(sent) != "question" {
					t.Errorf("sent %q", sent)
				}
				if made.Add(1) == 1 {
					// It comes too late, but it comes.
					time.Sleep(time.Second)
					return answer(200, "first", &open), nil
				}
				if err := sleep.For(r.Context(), 20*time.Millisecond); err != nil {
					return nil, err
				}
				h := answer(200, "second", &open)
				return h, nil
			}),
		}
		r, _ := http.NewRequestWithContext(t.Context(), "QUERY", "http://x.test/", strings.NewReader("question"))
		h, err := tr.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(h.Body)
		if string(text) != "second" || err != nil || h.Request != r {
			t.Errorf("got %q, %v", text, err)
		}
		_ = h.Body.Close()
		if open.Load() != 0 {
			t.Errorf("%d bodies are open", open.Load())
		}
	})
}

// The winner's context lives until its body has been read.
func TestTransportContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Int32
		var used *http.Request
		tr := &hedge.Transport{
			Hedger: hedge.New(policy.Hedge{Max: 1, Delay: time.Hour}, hedge.Options{}),
			Base: roundTripper(func(r *http.Request) (*http.Response, error) {
				used = r
				return answer(200, "text", &open), nil
			}),
		}
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://x.test/", nil)
		h, err := tr.RoundTrip(r)
		if err != nil || used.Context().Err() != nil {
			t.Fatal(err, used.Context().Err())
		}
		_ = h.Body.Close()
		if used.Context().Err() == nil || open.Load() != 0 {
			t.Error("the context outlives the body")
		}
	})
}

// A status that would be retried does not win, but is the answer when nothing better
// comes.
func TestTransportFailure(t *testing.T) {
	for _, tc := range []struct{ first, second, want int }{{503, 200, 200}, {503, 429, 429}, {404, 200, 404}} {
		synctest.Test(t, func(t *testing.T) {
			var open, made atomic.Int32
			tr := &hedge.Transport{
				Hedger: hedge.New(policy.Hedge{Delay: 10 * time.Millisecond, Max: 1}, hedge.Options{}),
				Base: roundTripper(func(*http.Request) (*http.Response, error) {
					if made.Add(1) == 1 {
						time.Sleep(20 * time.Millisecond)
						return answer(tc.first, "", &open), nil
					}
					time.Sleep(20 * time.Millisecond)
					return answer(tc.second, "", &open), nil
				}),
			}
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://x.test/", nil)
			h, err := tr.RoundTrip(r)
			if err != nil || h.StatusCode != tc.want {
				t.Fatalf("%v, %v; want %d", h, err, tc.want)
			}
			_ = h.Body.Close()
			if open.Load() != 0 {
				t.Errorf("%d bodies are open", open.Load())
			}
		})
	}
}

// Writes are never hedged, nor is what carries a key or cannot be sent again.
func TestAdmits(t *testing.T) {
	request := func(method, key string, body io.Reader) *http.Request {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://x.test/", body)
		if err != nil {
			t.Fatal(err)
		}
		if key != "" {
			r.Header.Set(key, "1")
		}
		return r
	}
	for _, tc := range []struct {
		r    *http.Request
		want bool
	}{
		{request("GET", "", nil), true},
		{request("HEAD", "", nil), true},
		{request("QUERY", "", strings.NewReader("x")), true},
		{request("QUERY", "", io.LimitReader(strings.NewReader("x"), 1)), false},
		{request("GET", "Idempotency-Key", nil), false},
		{request("GET", "Upgrade", nil), false},
		{request("POST", "", nil), false},
		{request("PUT", "", nil), false},
		{request("DELETE", "", nil), false},
		{request("PATCH", "", nil), false},
	} {
		if got := hedge.Admits(tc.r); got != tc.want {
			t.Errorf("%s %v: %v", tc.r.Method, tc.r.Header, got)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		made := 0
		tr := &hedge.Transport{
			Hedger: hedge.New(policy.Hedge{Max: 1}, hedge.Options{}),
			Base: roundTripper(func(*http.Request) (*http.Response, error) {
				made++
				time.Sleep(time.Second)
				return nil, errors.New("broken")
			}),
		}
		if _, err := tr.RoundTrip(request("POST", "", nil)); err == nil || made != 1 { //nolint:bodyclose // There is none.
			t.Errorf("%d tries, %v", made, err)
		}
	})
}
