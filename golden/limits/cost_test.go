package limits_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-go/holdfast/golden/limits"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

// text asks for a text that costs ten for each of its letters, as far as one can tell.
func text(model, letter string, n int) limits.WriteTextRequest {
	return limits.WriteTextRequest{Model: model, Body: limits.Answer{Text: strings.Repeat(letter, n)}}
}

// used answers what the texts have cost; below zero it does not tell.
func used(list ...int) func(int, *http.Request) *http.Response {
	return func(n int, _ *http.Request) *http.Response {
		if u := list[min(n, len(list))-1]; u >= 0 {
			return reply(200, fmt.Sprintf(`{"used":%d}`, u))
		}
		return reply(200, `{}`)
	}
}

// A text is paid as it is estimated, and then as it has turned out to cost. The bucket
// holds 1000 and gets 100 a second.
func TestCostIsCorrected(t *testing.T) {
	inBubble(t, used(900, 100, 0), func(t *testing.T, c *limits.Client, w *wire) {
		for range 3 {
			if _, err := c.WriteText(t.Context(), text("m", "a", 50)); err != nil {
				t.Fatal(err)
			}
		}
		// 900 were used of 1000, so 500 more are there after 4 s. Of those only 100 were
		// used: 500 again after another second.
		if want := []time.Duration{0, 4 * time.Second, 5 * time.Second}; !slices.Equal(w.at, want) {
			t.Errorf("at %v, want %v", w.at, want)
		}
		if _, err := c.WriteText(t.Context(), text("other", "a", 50)); err != nil || w.at[3] != 5*time.Second {
			t.Errorf("another model at %v, %v", w.at[3], err)
		}
	})
}

// A text that costs more than the bucket ever holds goes when it is full, and leaves a debt.
func TestCostAboveTheBurst(t *testing.T) {
	inBubble(t, used(-1), func(t *testing.T, c *limits.Client, w *wire) {
		for _, n := range []int{200, 1} {
			if _, err := c.WriteText(t.Context(), text("m", "a", n)); err != nil {
				t.Fatal(err)
			}
		}
		// 2000 of 1000: ten more are there when 1010 have come.
		if want := []time.Duration{0, 10100 * time.Millisecond}; !slices.Equal(w.at, want) {
			t.Errorf("at %v, want %v", w.at, want)
		}
	})
}

// Whose calls they are is what the function says.
func TestKeyFromFunction(t *testing.T) {
	inBubble(t, used(0), func(t *testing.T, c *limits.Client, _ *wire) {
		call := func(letter string) fault.Kind {
			_, err := c.WriteText(t.Context(), text("m", letter, 1))
			return kindOf(err)
		}
		for i := range 10 {
			if k := call("a"); k != fault.Other {
				t.Fatalf("call %d: %v", i+1, k)
			}
		}
		if a, b := call("a"), call("b"); a != fault.RateLimited || b != fault.Other {
			t.Errorf("the eleventh of a: %v, the first of b: %v", a, b)
		}
	})
}

// Functions have to be given, for the requests of their operations.
func TestFunctionsAreNeeded(t *testing.T) {
	_, err := limits.New()
	if err == nil || !strings.Contains(err.Error(), `no function "who"`) || !strings.Contains(err.Error(), `no function "estimate"`) {
		t.Errorf("%v", err)
	}
	c, err := limits.New(
		client.KeyFunc("who", func(*limits.WriteTextRequest) string { return "" }),
		client.CostFunc("estimate", func(*limits.CreateAnswerRequest) int { return 1 }),
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.WriteText(t.Context(), text("m", "a", 1)); kindOf(err) != fault.Request || !strings.Contains(err.Error(), "estimate") {
		t.Errorf("%v, want an error about the type", err)
	}
}

// A function for *any is for the requests of all operations.
func TestFunctionForAll(t *testing.T) {
	var seen any
	c, err := limits.New(
		client.KeyFunc("who", func(*any) string { return "" }),
		client.CostFunc("estimate", func(r *any) int { seen = *r; return 1 }),
		client.Transport(&wire{answer: used(1), begin: time.Now()}),
	)
	if err != nil {
		t.Fatal(err)
	}
	want := text("m", "a", 1)
	if _, err := c.WriteText(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if got, ok := seen.(*limits.WriteTextRequest); !ok || *got != want {
		t.Errorf("it was given %#v", seen)
	}
}

// What the server says about its own limit holds beside the bucket, in the form of its headers.
func TestServersNumbersHold(t *testing.T) {
	answer := func(n int, _ *http.Request) *http.Response {
		r := reply(200, `{"used":10}`)
		if n == 1 {
			r.Header.Set("X-Left-Tokens", "5")
			r.Header.Set("X-Reset-Tokens", "1m30s")
		}
		return r
	}
	inBubble(t, answer, func(t *testing.T, c *limits.Client, w *wire) {
		var meta client.Meta
		for range 3 {
			if _, err := c.WriteText(t.Context(), text("m", "a", 1), client.Into(&meta)); err != nil {
				t.Fatal(err)
			}
			if len(w.at) == 1 {
				want := []client.Limit{{Name: "tokens", Remaining: 5, Reset: 90 * time.Second}}
				if diff := cmp.Diff(want, meta.Limits); diff != "" {
					t.Error(diff)
				}
			}
		}
		if want := []time.Duration{0, 90 * time.Second, 90 * time.Second}; !slices.Equal(w.at, want) {
			t.Errorf("at %v, want %v", w.at, want)
		}
	})
}

// A server with several limits says which one its numbers are about; a call waits for the
// one that the operation was last counted by.
func TestServersBuckets(t *testing.T) {
	var begin time.Time
	answer := func(n int, _ *http.Request) *http.Response {
		told := func(left int, reset time.Duration, resource string) *http.Response {
			epoch := strconv.FormatInt(begin.Add(reset).Unix(), 10)
			return reply(204, "", "X-Left", strconv.Itoa(left), "X-Reset", epoch, "X-Resource", resource)
		}
		switch n {
		case 1:
			return told(0, 20*time.Second, "core")
		case 2:
			return told(0, 60*time.Second, "search")
		}
		return told(100, time.Hour, "search")
	}
	inBubble(t, answer, func(t *testing.T, c *limits.Client, w *wire) {
		begin = w.begin
		for i := range 4 {
			var meta client.Meta
			if _, err := c.GetPages(t.Context(), client.Into(&meta)); err != nil {
				t.Fatalf("call %d: %v", i+1, err)
			}
			if i == 0 {
				want := []client.Limit{{Name: "core", Reset: 20 * time.Second}}
				if diff := cmp.Diff(want, meta.Limits); diff != "" {
					t.Error(diff)
				}
			}
		}
		if want := []time.Duration{0, 20 * time.Second, time.Minute, time.Minute}; !slices.Equal(w.at, want) {
			t.Errorf("at %v, want %v", w.at, want)
		}
	})
}

// What did not change costs nothing.
func TestRefund(t *testing.T) {
	answer := func(n int, _ *http.Request) *http.Response {
		if n <= 10 {
			return reply(304, "")
		}
		return reply(204, "")
	}
	inBubble(t, answer, func(t *testing.T, c *limits.Client, w *wire) {
		for range 14 {
			_, _ = c.GetPages(t.Context())
		}
		// Three are there at once when all ten came back; one comes each second.
		if w.at[9] != 0 || w.at[12] != 0 || w.at[13] != time.Second {
			t.Errorf("at %v", w.at)
		}
	})
}
