package retries_test

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/internal/wire"
	"github.com/holdfast-go/holdfast/golden/retries"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/observe"
)

// call is an operation of the document.
type call func(*retries.Client, context.Context, ...client.CallOption) error

// world is a client in a time of its own, and what it is connected to.
type world struct {
	*retries.Client
	*wire.Wire
	shadowed int // retries that would have been made
}

// inBubble runs f with a client whose requests are answered so.
func inBubble(t *testing.T, answer wire.Answer, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{Wire: wire.New(answer)}
		var err error
		w.Client, err = retries.New(client.Transport(w.Wire), client.Observe(&observe.Hooks{Reject: func(_ context.Context, e observe.Reject) {
			if e.Reason == observe.Retry && e.Shadow {
				w.shadowed++
			}
		}}))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Core().Close()
		f(t, w)
	})
}

// busy is what all are answered that have no answer of their own.
var busy = wire.Always(http.StatusServiceUnavailable, "")

// The times of the tries of a call that always fails.
func TestSchedule(t *testing.T) {
	const s = time.Second
	for name, tt := range map[string]struct {
		call call
		want []time.Duration
	}{
		"a wait that doubles up to its bound": {(*retries.Client).Growing, []time.Duration{0, 1 * s, 3 * s, 7 * s, 11 * s}},
		"no jitter over some":                 {(*retries.Client).Plain, []time.Duration{0, 1 * s, 3 * s}},
		"a preset with a change":              {(*retries.Client).Preset, []time.Duration{0, 3 * s, 6 * s}},
		"a preset by its name":                {(*retries.Client).Named, []time.Duration{0, 3 * s, 6 * s}},
		"false":                               {(*retries.Client).TurnedOff, []time.Duration{0}},
		"disabled":                            {(*retries.Client).Disabled, []time.Duration{0}},
		"mode off":                            {(*retries.Client).ModeOff, []time.Duration{0}},
		"mode enforce over shadow":            {(*retries.Client).Enforced, []time.Duration{0, 1 * s}},
		"a rule that waits":                   {(*retries.Client).RuleWaits, []time.Duration{0, 5 * s}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, busy, func(t *testing.T, w *world) {
				if err := tt.call(w.Client, t.Context()); err == nil {
					t.Error("a call that always fails has succeeded")
				}
				if got := w.Times(); !slices.Equal(got, tt.want) {
					t.Errorf("tries at %v, want %v", got, tt.want)
				}
			})
		})
	}
}

// What turns retries on again starts from the default preset: two tries, and at most 500ms
// between them. In shadow mode there is one, and it is told that there would be more.
func TestShortForms(t *testing.T) {
	inBubble(t, busy, func(t *testing.T, w *world) {
		_ = w.TurnedOn(t.Context()) // it fails
		if got := w.Times(); len(got) != 2 || got[1] >= 500*time.Millisecond {
			t.Errorf("tries at %v", got)
		}
		w.Reset()
		_ = w.Watched(t.Context())
		if got := w.Times(); len(got) != 1 || w.shadowed != 1 {
			t.Errorf("in shadow mode: tries at %v, %d told", got, w.shadowed)
		}
	})
}

// Waits of 200 calls lie where the kind of jitter puts them, and on both sides of its middle.
func TestJitter(t *testing.T) {
	const s = time.Second
	for name, tt := range map[string]struct {
		call          call
		first, second [2]time.Duration
	}{
		"full":  {(*retries.Client).Full, [2]time.Duration{0, s}, [2]time.Duration{0, 2 * s}},
		"equal": {(*retries.Client).Equal, [2]time.Duration{s / 2, s}, [2]time.Duration{s, 2 * s}},
		// Marc Brooker, Exponential Backoff And Jitter: uniform from the base to three times
		// the wait before, of which there is none but the base at first.
		"decorrelated": {(*retries.Client).Decorrelated, [2]time.Duration{s, 3 * s}, [2]time.Duration{s, 4 * s}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, busy, func(t *testing.T, w *world) {
				var first, second []time.Duration
				for range 200 {
					w.Reset()
					_ = tt.call(w.Client, t.Context()) // it fails
					at := w.Times()
					if len(at) != 3 {
						t.Fatalf("tries at %v", at)
					}
					first, second = append(first, at[1]), append(second, at[2]-at[1])
				}
				within(t, first, tt.first)
				within(t, second, tt.second)
			})
		})
	}
}

// within says that waits lie in a span and fill the quarters at both of its ends.
func within(t *testing.T, waits []time.Duration, span [2]time.Duration) {
	t.Helper()
	low, high := slices.Min(waits), slices.Max(waits)
	quarter := (span[1] - span[0]) / 4
	if low < span[0] || high > span[1] || low > span[0]+quarter || high < span[1]-quarter {
		t.Errorf("waits from %v to %v, want all of %v", low, high, span)
	}
}

// Which answers are tried again.
func TestAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		call   call
		answer wire.Answer
		tries  int
	}{
		"a status of the list":         {(*retries.Client).Statuses, wire.Always(418, ""), 2},
		"one that it leaves out":       {(*retries.Client).Statuses, busy, 1},
		"one that is never":            {(*retries.Client).Never, wire.Always(502, ""), 1},
		"another of the range":         {(*retries.Client).Never, busy, 2},
		"a rule by a header":           {(*retries.Client).ByHeader, wire.Always(403, "", "X-Left", "0"), 2},
		"a status that says otherwise": {(*retries.Client).ByHeader, wire.Always(404, "", "X-Left", "0"), 1},
		"a header that says otherwise": {(*retries.Client).ByHeader, wire.Always(403, "", "X-Left", "1"), 1},
		"a rule by the body":           {(*retries.Client).ByBody, wire.Always(400, `{"code":"full"}`), 2},
		"a body that says otherwise":   {(*retries.Client).ByBody, wire.Always(400, `{"code":"wrong"}`), 1},
		"a write that was refused":     {(*retries.Client).Refused, busy, 2},
		"a write that may be done":     {(*retries.Client).Unsure, busy, 1},
		"a write at any price":         {(*retries.Client).Always, busy, 2},
		"a write by its effect":        {(*retries.Client).Safe, busy, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, tt.answer, func(t *testing.T, w *world) {
				_ = tt.call(w.Client, t.Context()) // it fails
				if got := len(w.Sent()); got != tt.tries {
					t.Errorf("%d tries, want %d", got, tt.tries)
				}
			})
		})
	}
}

// Each fault is tried again where the list has it, and not where a rule stops it.
func TestFaults(t *testing.T) {
	only := map[string]call{
		"connect": (*retries.Client).OnConnect, "reset": (*retries.Client).OnReset, "timeout": (*retries.Client).OnTimeout,
		"eof": (*retries.Client).OnEof, "dns": (*retries.Client).OnDNS, "tls": (*retries.Client).OnTLS,
	}
	stops := map[string]call{
		"connect": (*retries.Client).StopConnect, "reset": (*retries.Client).StopReset, "timeout": (*retries.Client).StopTimeout,
		"eof": (*retries.Client).StopEof, "dns": (*retries.Client).StopDNS, "tls": (*retries.Client).StopTLS,
	}
	for fault, answer := range wire.Faults {
		for word := range only {
			inBubble(t, answer, func(t *testing.T, w *world) {
				_ = only[word](w.Client, t.Context()) // it fails
				if got, want := len(w.Sent()), 1+count(word == fault); got != want {
					t.Errorf("%s where errors has %s: %d tries, want %d", fault, word, got, want)
				}
				w.Reset()
				_ = stops[word](w.Client, t.Context())
				if got, want := len(w.Sent()), 1+count(word != fault); got != want {
					t.Errorf("%s where a rule stops %s: %d tries, want %d", fault, word, got, want)
				}
			})
		}
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// A server says when to come back in each of the forms that a document can name.
func TestHints(t *testing.T) {
	in := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	for name, tt := range map[string]struct {
		call   call
		answer func() *http.Response
		want   time.Duration
	}{
		"seconds":  {(*retries.Client).HintSeconds, func() *http.Response { return wire.Reply(503, "", "X-Wait", "7") }, 7 * time.Second},
		"ms":       {(*retries.Client).HintMs, func() *http.Response { return wire.Reply(503, "", "X-Wait", "2500") }, 2500 * time.Millisecond},
		"epoch":    {(*retries.Client).HintEpoch, func() *http.Response { return wire.Reply(503, "", "X-Wait", strconv.FormatInt(in(8*time.Second), 10)) }, 8 * time.Second},
		"duration": {(*retries.Client).HintDuration, func() *http.Response { return wire.Reply(503, "", "X-Wait", "6.5s") }, 6500 * time.Millisecond},
		"date": {(*retries.Client).HintDate, func() *http.Response {
			return wire.Reply(503, "", "X-Wait", time.Now().Add(9*time.Second).UTC().Format(http.TimeFormat))
		}, 9 * time.Second},
		"the body":                {(*retries.Client).HintBody, func() *http.Response { return wire.Reply(503, `{"wait":6}`) }, 6 * time.Second},
		"when it holds":           {(*retries.Client).HintWhen, func() *http.Response { return wire.Reply(503, "", "X-Wait", "7", "X-Left", "0") }, 7 * time.Second},
		"when it does not":        {(*retries.Client).HintWhen, func() *http.Response { return wire.Reply(503, "", "X-Wait", "7", "X-Left", "1") }, time.Second},
		"as long as it may be":    {(*retries.Client).TooLong, func() *http.Response { return wire.Reply(503, "", "Retry-After", "10") }, 10 * time.Second},
		"longer than it may be":   {(*retries.Client).TooLong, func() *http.Response { return wire.Reply(503, "", "Retry-After", "11") }, 0},
		"one that is planned":     {(*retries.Client).Planned, func() *http.Response { return wire.Reply(503, "", "Retry-After", "8") }, 8 * time.Second},
		"one that nobody planned": {(*retries.Client).Unplanned, func() *http.Response { return wire.Reply(503, "", "Retry-After", "8") }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(int, *http.Request) (*http.Response, error) { return tt.answer(), nil }, func(t *testing.T, w *world) {
				_ = tt.call(w.Client, t.Context()) // it fails
				got := w.Times()
				if tt.want == 0 && len(got) != 1 || tt.want > 0 && (len(got) != 2 || got[1] < tt.want || got[1] > tt.want+tt.want/10) {
					t.Errorf("tries at %v, want the second at %v", got, tt.want)
				}
			})
		})
	}
}

// Who pays for the retries of 100 calls that fail at once.
func TestBudget(t *testing.T) {
	for name, tt := range map[string]struct {
		call    call
		retries int
	}{
		"nobody has to":                {(*retries.Client).Unbounded, 100},
		"the default budget":           {(*retries.Client).Bounded, 20 + 10},
		"half of the calls":            {(*retries.Client).Ratio, 50},
		"seven a second":               {(*retries.Client).Least, 7},
		"half of those of two seconds": {(*retries.Client).Window, 50},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, busy, func(t *testing.T, w *world) {
				for range 100 {
					_ = tt.call(w.Client, t.Context()) // it fails
				}
				if got := len(w.Sent()) - 100; got != tt.retries {
					t.Errorf("%d retries, want %d", got, tt.retries)
				}
			})
		})
	}
}

// What first tries have paid in is there for the window.
func TestBudgetWindow(t *testing.T) {
	for name, tt := range map[string]struct {
		call  call
		tries int
	}{
		"ten seconds by default": {(*retries.Client).Ratio, 2},
		"two":                    {(*retries.Client).Window, 1},
	} {
		inBubble(t, func(n int, _ *http.Request) (*http.Response, error) {
			return wire.Reply(map[bool]int{true: 204, false: 503}[n <= 10], ""), nil
		}, func(t *testing.T, w *world) {
			for range 10 {
				if err := tt.call(w.Client, t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(5 * time.Second)
			_ = tt.call(w.Client, t.Context()) // it fails
			if got := len(w.Sent()) - 10; got != tt.tries {
				t.Errorf("%s: %d tries, want %d", name, got, tt.tries)
			}
		})
	}
}

// What is too big is sent again with half of its list, the first two of it kept, unless nothing
// says how.
func TestShrink(t *testing.T) {
	inBubble(t, wire.Always(http.StatusRequestEntityTooLarge, ""), func(t *testing.T, w *world) {
		list := retries.List{Items: []int64{1, 2, 3, 4, 5, 6, 7, 8}}
		_ = w.Shrinks(t.Context(), retries.ShrinksRequest{Body: list}) // it fails
		if got := w.Sent(); len(got) != 2 || got[1].Body != `{"items":[1,2,7,8]}` {
			t.Errorf("sent %+v", got)
		}
		w.Reset()
		_ = w.Keeps(t.Context(), retries.KeepsRequest{Body: list})
		if got := w.Sent(); len(got) != 1 {
			t.Errorf("without a way to shrink: %d tries", len(got))
		}
	})
}
