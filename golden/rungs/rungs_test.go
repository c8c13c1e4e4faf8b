package rungs_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/internal/wire"
	"github.com/holdfast-go/holdfast/golden/rungs"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
)

// call is an operation of the document.
type call func(*rungs.Client, context.Context, ...client.CallOption) ([]string, error)

// world is a client in a time of its own, and what it is connected to.
type world struct {
	*rungs.Client
	*wire.Wire
	told int // fallbacks
}

func inBubble(t *testing.T, answer wire.Answer, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{Wire: wire.New(answer)}
		var err error
		w.Client, err = rungs.New(client.Transport(w.Wire), client.Observe(&observe.Hooks{
			Fallback: func(context.Context, observe.Fallback) { w.told++ },
		}))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Core().Close()
		f(t, w)
	})
}

var busy = wire.Always(http.StatusServiceUnavailable, "")

// got is what a call gives, as one text; "failed" for an error.
func got(texts []string, err error) string {
	if err != nil {
		return "failed"
	}
	return strings.Join(texts, ",")
}

// What answers for a dependency that is busy.
func TestAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		call call
		want string
	}{
		"a list of rungs":             {(*rungs.Client).Lists, "spare"},
		"what is empty":               {(*rungs.Client).IsEmpty, ""},
		"an answer that is a failure": {(*rungs.Client).Fails, "failed"},
		"a preset by its name":        {(*rungs.Client).Named, "preset"},
		"a preset for other failures": {(*rungs.Client).Preset, "failed"},
		"true, which changes nothing": {(*rungs.Client).TurnedOn, "spare"},
		"false":                       {(*rungs.Client).TurnedOff, "failed"},
		"disabled":                    {(*rungs.Client).Disabled, "failed"},
		"mode off":                    {(*rungs.Client).ModeOff, "failed"},
		"mode shadow":                 {(*rungs.Client).Watched, "failed"},
		"mode enforce over shadow":    {(*rungs.Client).Enforced, "spare"},
		"a status of a range":         {(*rungs.Client).AfterStatus, "spare"},
		"a status that is not listed": {(*rungs.Client).AfterConnect, "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, busy, func(t *testing.T, w *world) {
				texts, err := tt.call(w.Client, t.Context())
				if got := got(texts, err); got != tt.want {
					t.Errorf("%q, %v, want %q", got, err, tt.want)
				}
			})
		})
	}
	// A preset's rungs for what the operation lists.
	inBubble(t, wire.Faults["connect"], func(t *testing.T, w *world) {
		if got := got(w.Preset(t.Context())); got != "preset" {
			t.Errorf("%q", got)
		}
	})
	// A fixed answer that is a failure is found in the call's own.
	inBubble(t, busy, func(t *testing.T, w *world) {
		var meta client.Meta
		_, err := w.Fails(t.Context(), client.Into(&meta))
		fixed, is := errors.AsType[*rungs.FailsImATeapot](err)
		if f, own := errors.AsType[*fault.Error](err); !is || !slices.Equal(fixed.Body, []string{"none"}) || meta.Rung != "static" || !own || f.Status != http.StatusServiceUnavailable {
			t.Errorf("%v, %+v", err, meta)
		}
		const want = "status 503 Service Unavailable, which the document does not declare; answered with 418 I'm a teapot: none (1 try"
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	})
}

// Each cause has an answer where it is listed, and only there.
func TestCauses(t *testing.T) {
	listed := map[string]call{
		"timeout": (*rungs.Client).AfterTimeout, "connect": (*rungs.Client).AfterConnect, "breaker-open": (*rungs.Client).AfterBreakerOpen,
		"bulkhead-full": (*rungs.Client).AfterBulkheadFull, "rate-limited": (*rungs.Client).AfterRateLimited,
	}
	// second is what the second call gives whose first has prepared the cause.
	for cause, op := range listed {
		var answer wire.Answer
		var twice string
		var w *world
		switch cause {
		case "timeout", "connect":
			answer = wire.Faults[cause]
		case "breaker-open":
			answer = busy
		case "rate-limited":
			answer = wire.Always(http.StatusOK, `["first"]`)
		case "bulkhead-full":
			answer = func(n int, r *http.Request) (*http.Response, error) {
				twice = got(op(w.Client, r.Context()))
				return wire.Reply(http.StatusOK, `["first"]`), nil
			}
		}
		inBubble(t, answer, func(t *testing.T, world *world) {
			w = world
			first := got(op(w.Client, t.Context()))
			switch cause {
			case "timeout", "connect":
				twice = first
			case "breaker-open", "rate-limited":
				twice = got(op(w.Client, t.Context()))
			}
			if twice != "spare" {
				t.Errorf("%s: %q", cause, twice)
			}
		})
		inBubble(t, busy, func(t *testing.T, w *world) {
			if first := got(op(w.Client, t.Context())); first != "failed" {
				t.Errorf("a status where only %s is listed: %q", cause, first)
			}
		})
	}
}

// A call leaves what a remote rung is to have: the reserve, or the rung's own time.
func TestReserve(t *testing.T) {
	for name, tt := range map[string]struct {
		call call
		want time.Duration
	}{
		"the reserve":    {(*rungs.Client).Reserves, 7 * time.Second},
		"the rung's own": {(*rungs.Client).Bounds, 8 * time.Second},
	} {
		inBubble(t, wire.Faults["timeout"], func(t *testing.T, w *world) {
			_, _ = tt.call(w.Client, t.Context()) // it fails
			if got, want := w.Times(), []time.Duration{0, tt.want}; !slices.Equal(got, want) || !strings.HasPrefix(w.Sent()[1].URL, "http://spare.") {
				t.Errorf("%s: sent at %v, want %v", name, got, want)
			}
		})
	}
}

// What is kept answers until it is too old.
func TestStale(t *testing.T) {
	for after, want := range map[time.Duration]string{10 * time.Second: "kept", 12 * time.Second: "failed"} {
		inBubble(t, func(n int, r *http.Request) (*http.Response, error) {
			if n == 1 {
				return wire.Reply(http.StatusOK, `["kept"]`), nil
			}
			return busy(n, r)
		}, func(t *testing.T, w *world) {
			if _, err := w.Stale(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(after)
			if got := got(w.Stale(t.Context())); got != want {
				t.Errorf("after %v: %q, want %q", after, got, want)
			}
		})
	}
}

// A write of which nobody knows whether it is done is not sent elsewhere, unless that is
// meant.
func TestUnknownEffects(t *testing.T) {
	answer := func(n int, r *http.Request) (*http.Response, error) {
		if n == 1 {
			return wire.Faults["reset"](n, r)
		}
		return wire.Reply(http.StatusOK, `["elsewhere"]`), nil
	}
	for want, op := range map[string]call{"elsewhere": (*rungs.Client).Unknown, "failed": (*rungs.Client).Known} {
		inBubble(t, answer, func(t *testing.T, w *world) {
			if got := got(op(w.Client, t.Context())); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
