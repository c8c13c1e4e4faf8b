package limits_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/limits"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// The client sends five a second, and waits for the sixth as long as two counters say.
func TestClientCounts(t *testing.T) {
	answer := func(int, *http.Request) *http.Response { return reply(204, "") }
	inBubble(t, answer, func(t *testing.T, c *limits.Client, w *wire) {
		for range 15 {
			if err := c.GetNumbers(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		const ms = time.Millisecond
		// Of the five in the first second one counts less after each fifth of the next one,
		// which has four of its own; of those one counts less after each fourth, and so on.
		want := []time.Duration{
			0, 0, 0, 0, 0, 1200 * ms, 1400 * ms, 1600 * ms, 1800 * ms,
			2000 * ms, 2250 * ms, 2500 * ms, 2750 * ms, 3000 * ms, 3250 * ms,
		}
		if !slices.Equal(w.at, want) {
			t.Errorf("requests at %v, want %v", w.at, want)
		}
		if err := c.GetNumbers(t.Context(), client.Within(100*ms)); kindOf(err) != fault.RateLimited {
			t.Errorf("%v, want no wait that is longer than the call", err)
		}
	})
}

// counting answers numbers.
type counting struct{ limits.Unimplemented }

func (counting) GetNumbers(context.Context) error { return nil }

// The server answers three in any second, and tells when the first of them is over.
func TestServerHasAWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := limits.NewHandler(counting{})
		ask := func() *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/numbers", http.NoBody))
			return w
		}
		for i, wait := range []time.Duration{0, 600 * time.Millisecond, 300 * time.Millisecond} {
			time.Sleep(wait)
			if w := ask(); w.Code != 204 {
				t.Fatalf("request %d got %d", i+1, w.Code)
			}
		}
		w := ask()
		if w.Code != 429 || w.Header().Get("Retry-After") != "1" || w.Header().Get("RateLimit-Policy") != `"getNumbers";q=3;w=1` {
			t.Errorf("%d, %v", w.Code, w.Header())
		}
		time.Sleep(100 * time.Millisecond)
		if first, second := ask().Code, ask().Code; first != 204 || second != 429 {
			t.Errorf("after a second %d, then %d", first, second)
		}
	})
}
