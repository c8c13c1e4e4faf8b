package breakers_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/breakers"
	"github.com/holdfast-go/holdfast/golden/internal/wire"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/value"
)

// call is an operation of the document.
type call func(*breakers.Client, context.Context, ...client.CallOption) error

// keyed is the operation whose breaker is that of a model.
func keyed(model string) call {
	return func(c *breakers.Client, ctx context.Context, opts ...client.CallOption) error {
		return c.Keyed(ctx, breakers.KeyedRequest{Model: value.Some(model)}, opts...)
	}
}

// world is a client in a time of its own.
type world struct {
	*breakers.Client
	failing bool
	takes   time.Duration
	watched int // breakers that have opened in shadow mode
}

func (w *world) answer(n int, r *http.Request) (*http.Response, error) {
	status := http.StatusNoContent
	if w.failing {
		status = http.StatusServiceUnavailable
	}
	return wire.Late(w.takes, wire.Always(status, ""))(n, r)
}

func inBubble(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{}
		var err error
		w.Client, err = breakers.New(client.Transport(wire.New(w.answer)), client.Observe(&observe.Hooks{BreakerChange: func(e observe.BreakerChange) {
			if e.Shadow && e.To == observe.Open {
				w.watched++
			}
		}}))
		if err != nil {
			t.Fatal(err)
		}
		defer w.Core().Close()
		f(t, w)
	})
}

// do makes a call for each letter, which fails where it is F, waits for 5s at a point, and
// says whether the breaker is then open.
func (w *world) do(ctx context.Context, c call, script string) (open bool) {
	for _, letter := range script {
		if letter == '.' {
			time.Sleep(5 * time.Second)
			continue
		}
		w.failing = letter == 'F'
		_ = c(w.Client, ctx) // its breaker is what is looked at
	}
	w.failing = false
	return errors.Is(c(w.Client, ctx), fault.ErrBreakerOpen)
}

// What opens a breaker, and what is one call less.
func TestOpens(t *testing.T) {
	for name, tt := range map[string]struct {
		call         call
		closed, open string
	}{
		"failures":                     {(*breakers.Client).Plain, "FF", "FFF"},
		"failures by default":          {(*breakers.Client).Recovers, "FFF", "FFFF"},
		"failures of the last few":     {(*breakers.Client).Counted, "FOOF", "FOF"},
		"failures among all of a time": {(*breakers.Client).Patient, "O.FF", "FF"},
		"a rate of enough calls":       {(*breakers.Client).Rated, "FFF", "FFFF"},
		"a rate":                       {(*breakers.Client).Rated, "OOOFF", "OOOFFF"},
		"a preset with a change":       {(*breakers.Client).Preset, "FF", "FFF"},
		"a preset by its name":         {(*breakers.Client).Named, "FF", "FFF"},
		"true, the default preset":     {(*breakers.Client).TurnedOn, "FFFF", "FFFFF"},
		"mode enforce over shadow":     {(*breakers.Client).Enforced, "FFF", "FFFF"},
		"one model":                    {keyed("a"), "FFF", "FFFF"},
	} {
		t.Run(name, func(t *testing.T) {
			for script, want := range map[string]bool{tt.closed: false, tt.open: true} {
				inBubble(t, func(t *testing.T, w *world) {
					if got := w.do(t.Context(), tt.call, script); got != want {
						t.Errorf("after %s: open %v, want %v", script, got, want)
					}
				})
			}
		})
	}
}

// A breaker that is off stays closed, and one that watches tells when it would not.
func TestOff(t *testing.T) {
	for name, tt := range map[string]struct {
		call    call
		watched int
	}{
		"false":    {(*breakers.Client).TurnedOff, 0},
		"disabled": {(*breakers.Client).Disabled, 0},
		"mode off": {(*breakers.Client).ModeOff, 0},
		"shadow":   {(*breakers.Client).Watched, 1},
	} {
		inBubble(t, func(t *testing.T, w *world) {
			if w.do(t.Context(), tt.call, "FFFFFFFFFFFF") || w.watched != tt.watched {
				t.Errorf("%s: refused, or %d are told to be open", name, w.watched)
			}
		})
	}
}

// Failures that are older than the window do not count.
func TestWindowOfTime(t *testing.T) {
	for pause, want := range map[time.Duration]bool{4 * time.Second: true, 7 * time.Second: false} {
		inBubble(t, func(t *testing.T, w *world) {
			w.failing = true
			_ = w.Timed(t.Context()) // it fails
			time.Sleep(pause)
			if got := w.do(t.Context(), (*breakers.Client).Timed, "F"); got != want {
				t.Errorf("two failures in %v: open %v", pause, got)
			}
		})
	}
}

// A call that is slow has failed, whatever it was answered.
func TestSlowCalls(t *testing.T) {
	for takes, want := range map[time.Duration]bool{1900 * time.Millisecond: false, 2100 * time.Millisecond: true} {
		inBubble(t, func(t *testing.T, w *world) {
			w.takes = takes
			if got := w.do(t.Context(), (*breakers.Client).Slow, "OOOO"); got != want {
				t.Errorf("four calls of %v: open %v", takes, got)
			}
		})
	}
}

// A breaker is open for its time and up to a tenth more, longer each time up to a bound.
func TestRecovery(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		if !w.do(t.Context(), (*breakers.Client).Recovers, "FFFF") {
			t.Fatal("it is closed")
		}
		for _, want := range []time.Duration{10 * time.Second, 20 * time.Second, 30 * time.Second, 30 * time.Second} {
			open := time.Until(w.Core().Breakers()[0].RetryAt)
			if open < want || open > want+want/10 {
				t.Errorf("open for %v, want %v", open, want)
			}
			time.Sleep(open)
			w.failing = true
			if err := w.Recovers(t.Context()); errors.Is(err, fault.ErrBreakerOpen) {
				t.Errorf("after %v no probe is let through", open)
			}
		}
	})
}

// As many probes as it asks for close it, and not one less.
func TestProbes(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		if !w.do(t.Context(), (*breakers.Client).Probed, "FFFF") {
			t.Fatal("it is closed")
		}
		time.Sleep(11 * time.Second)
		for n, want := range []observe.BreakerState{observe.HalfOpen, observe.HalfOpen, observe.Closed} {
			if err := w.Probed(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := w.Core().Breakers()[0].State; got != want {
				t.Errorf("after %d probes: %v, want %v", n+1, got, want)
			}
		}
	})
}

// Who shares a breaker with the one that has opened.
func TestScopes(t *testing.T) {
	for name, tt := range map[string]struct {
		fails, then call
		open        bool
	}{
		"a dependency":                      {(*breakers.Client).Shared, (*breakers.Client).Sharing, true},
		"an operation":                      {(*breakers.Client).Own, (*breakers.Client).Other, false},
		"a host":                            {(*breakers.Client).Eastern, (*breakers.Client).Eastmost, true},
		"another host":                      {(*breakers.Client).Eastern, (*breakers.Client).Western, false},
		"what an expression gives":          {keyed("a"), keyed("a"), true},
		"something else that it might give": {keyed("a"), keyed("b"), false},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				if !w.do(t.Context(), tt.fails, "FFFF") {
					t.Fatal("it is closed")
				}
				if got := w.do(t.Context(), tt.then, ""); got != tt.open {
					t.Errorf("open %v, want %v", got, tt.open)
				}
			})
		})
	}
}
