package limits_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/holdfast-go/holdfast/golden/limits"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
)

const tooLong = `{"error":{"type":"invalid_request_error","code":"context_length_exceeded"}}`

// A history that is too long goes without its oldest quarter, but with its first line. There
// is nothing to wait for.
func TestHistoryIsCut(t *testing.T) {
	answer := func(n int, _ *http.Request) *http.Response {
		if n < 3 {
			return reply(400, tooLong)
		}
		return reply(200, `{"text":"yes"}`)
	}
	inBubble(t, answer, func(t *testing.T, c *limits.Client, w *wire) {
		var meta client.Meta
		got, err := c.CreateAnswer(t.Context(), limits.CreateAnswerRequest{Body: limits.Question{
			Model: "m", Messages: []string{"system", "1", "2", "3", "4", "5", "6", "7"},
		}}, client.Into(&meta))
		if err != nil || got.Text != "yes" || meta.Tries != 3 {
			t.Fatalf("%+v after %d tries, %v", got, meta.Tries, err)
		}
		// Of 8 messages 6 are left, of those 4.
		want := []string{
			`{"model":"m","messages":["system","1","2","3","4","5","6","7"]}`,
			`{"model":"m","messages":["system","3","4","5","6","7"]}`,
			`{"model":"m","messages":["system","5","6","7"]}`,
		}
		if !slices.Equal(w.bodies, want) || w.at[2] != 0 {
			t.Errorf("%q at %v", w.bodies, w.at)
		}
	})
}

// The last message stays, and so does the first: then the failure is the call's outcome.
func TestHistoryThatCannotBeCut(t *testing.T) {
	answer := func(int, *http.Request) *http.Response { return reply(400, tooLong) }
	inBubble(t, answer, func(t *testing.T, c *limits.Client, w *wire) {
		_, err := c.CreateAnswer(t.Context(), limits.CreateAnswerRequest{Body: limits.Question{Messages: []string{"system", "1"}}})
		f := (*fault.Error)(nil)
		if !errors.As(err, &f) || f.Status != 400 || f.Stop != fault.StopFinal || len(w.at) != 1 {
			t.Errorf("%v after %d tries", err, len(w.at))
		}
	})
}

// A letter with fewer pages is another letter: its key is derived from the one before and
// what is sent, for what the policy derives keys from does not tell the two apart.
func TestShorterLetterHasItsOwnKey(t *testing.T) {
	keys := map[string]int{}
	for range 2 {
		answer := func(n int, r *http.Request) *http.Response {
			if n == 1 {
				return reply(413, "")
			}
			if n == 2 {
				return reply(503, "")
			}
			return reply(204, "")
		}
		inBubble(t, answer, func(t *testing.T, c *limits.Client, w *wire) {
			var meta client.Meta
			err := c.SendLetter(t.Context(), limits.SendLetterRequest{ID: "7", Body: limits.Letter{Pages: []string{"a", "b", "c", "d", "e"}}}, client.Into(&meta))
			if err != nil {
				t.Fatal(err)
			}
			// Half of five is two.
			want := []string{`{"pages":["a","b","c","d","e"]}`, `{"pages":["d","e"]}`, `{"pages":["d","e"]}`}
			if !slices.Equal(w.bodies, want) {
				t.Errorf("%q", w.bodies)
			}
			key := func(i int) string { return w.header[i].Get("Idempotency-Key") }
			if key(0) == key(1) || key(1) != key(2) || len(key(1)) != 32 || meta.Key != key(1) {
				t.Errorf("keys %q, %q and %q, told %q", key(0), key(1), key(2), meta.Key)
			}
			// The second of the three waits as any retry does.
			if w.at[1] != 0 || w.at[2] != time.Second {
				t.Errorf("tries at %v", w.at)
			}
			keys[key(1)]++
		})
	}
	if len(keys) != 1 {
		t.Errorf("the same letter has the keys %v", keys)
	}
}

// Rules decide about answers of 200, too.
func TestRulesSeeSuccesses(t *testing.T) {
	state := func(s string) *http.Response { return reply(200, fmt.Sprintf(`{"state":%q}`, s)) }
	for name, tt := range map[string]struct {
		answers []*http.Response
		want    string
		rung    string
		stop    fault.Stop
		err     bool
		tries   int
	}{
		"plain":    {[]*http.Response{state("rain")}, "rain", "", fault.StopNone, false, 1},
		"retry":    {[]*http.Response{state("pending"), state("sun")}, "sun", "", fault.StopNone, false, 2},
		"stop":     {[]*http.Response{state("closed")}, "", "", fault.StopFinal, true, 1},
		"fallback": {[]*http.Response{state("moved")}, "calm", "static", fault.StopNone, false, 1},
		"used up":  {[]*http.Response{state("pending"), state("pending"), state("pending")}, "", "", fault.StopAttempts, true, 3},
	} {
		t.Run(name, func(t *testing.T) {
			answer := func(n int, _ *http.Request) *http.Response { return tt.answers[n-1] }
			inBubble(t, answer, func(t *testing.T, c *limits.Client, _ *wire) {
				var meta client.Meta
				got, err := c.GetForecast(t.Context(), client.Into(&meta))
				if (err != nil) != tt.err || !tt.err && got.State != tt.want || meta.Rung != tt.rung || meta.Tries != tt.tries {
					t.Fatalf("%+v, %v, %+v", got, err, meta)
				}
				if f, ok := errors.AsType[*fault.Error](err); ok && f.Stop != tt.stop {
					t.Errorf("stop %q", f.Stop)
				}
			})
		})
	}
}

// A failure that a rule takes for a success is none where there is no result to miss, and
// keeps its type where there is.
func TestRuleMakesSuccess(t *testing.T) {
	answer := func(int, *http.Request) *http.Response { return reply(404, "") }
	inBubble(t, answer, func(t *testing.T, c *limits.Client, w *wire) {
		if err := c.DropLetter(t.Context(), limits.DropLetterRequest{ID: "7"}); err != nil {
			t.Error(err)
		}
		got, err := c.GetForecast(t.Context())
		if _, ok := errors.AsType[*limits.GetForecastNotFound](err); !ok || got != nil || kindOf(err) != fault.Status || len(w.at) != 2 {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
