package loads_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdfast-go/holdfast/golden/internal/wire"
	"github.com/holdfast-go/holdfast/golden/loads"
	"github.com/holdfast-go/holdfast/runtime/client"
	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
)

// call is an operation of the document.
type call func(*loads.Client, context.Context, ...client.CallOption) error

// world is a client in a time of its own, whose requests take as long as they are to.
type world struct {
	*loads.Client
	*wire.Wire
	takes    time.Duration
	shadowed int // calls that would have been refused
}

func inBubble(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{takes: time.Minute}
		w.Wire = wire.New(func(n int, r *http.Request) (*http.Response, error) {
			return wire.Late(w.takes, wire.Always(http.StatusNoContent, ""))(n, r)
		})
		var mu sync.Mutex
		var err error
		w.Client, err = loads.New(client.Transport(w.Wire), client.Observe(&observe.Hooks{Reject: func(_ context.Context, e observe.Reject) {
			mu.Lock()
			defer mu.Unlock()
			if e.Reason == observe.Bulkhead && e.Shadow {
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

// crowd are calls that were made at once.
type crowd struct {
	mu    sync.Mutex
	begin time.Time
	ends  map[error][]time.Duration // when they ended, by what
}

// ended are the times at which calls ended so.
func (c *crowd) ended(with error) []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ends[with]
}

var errOther = errors.New("another error")

// gather makes n calls at once, and returns when all of them run, wait or have ended.
func (w *world) gather(ctx context.Context, n int, op call) *crowd {
	c := &crowd{begin: time.Now(), ends: map[error][]time.Duration{}}
	for range n {
		go func() {
			err := op(w.Client, ctx)
			c.mu.Lock()
			defer c.mu.Unlock()
			key := err
			if err != nil {
				key = errOther
			}
			for _, known := range []error{fault.ErrBulkheadFull, fault.ErrDiscarded} {
				if errors.Is(err, known) {
					key = known
				}
			}
			c.ends[key] = append(c.ends[key], time.Since(c.begin))
		}()
	}
	synctest.Wait()
	return c
}

// How many of thirty calls at once run, wait and are turned away.
func TestSizes(t *testing.T) {
	for name, tt := range map[string]struct {
		call              call
		running, admitted int
		refusal           error
	}{
		"a queue":                   {(*loads.Client).Queues, 2, 3, fault.ErrBulkheadFull},
		"no queue":                  {(*loads.Client).Aborts, 1, 1, fault.ErrBulkheadFull},
		"discarded":                 {(*loads.Client).Discards, 1, 3, fault.ErrDiscarded},
		"in the caller's own":       {(*loads.Client).CallerRuns, 2, 2, fault.ErrBulkheadFull},
		"a tier with a change":      {(*loads.Client).Tier, 4, 7, fault.ErrDiscarded},
		"a preset with a change":    {(*loads.Client).Preset, 4, 7, fault.ErrDiscarded},
		"a tier by its name":        {(*loads.Client).ByName, 4, 10, fault.ErrDiscarded},
		"true, the built-in":        {(*loads.Client).TurnedOn, 30, 30, nil},
		"false":                     {(*loads.Client).TurnedOff, 30, 30, nil},
		"disabled":                  {(*loads.Client).Disabled, 30, 30, nil},
		"mode off":                  {(*loads.Client).ModeOff, 30, 30, nil},
		"mode enforce over shadow":  {(*loads.Client).Enforced, 2, 2, fault.ErrBulkheadFull},
		"mode shadow":               {(*loads.Client).Watched, 30, 30, nil},
		"the defaults of the whole": {(*loads.Client).Holds, 4, 6, fault.ErrBulkheadFull},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				c := w.gather(t.Context(), 30, tt.call)
				if got := len(w.Sent()); got != tt.running {
					t.Errorf("%d run, want %d", got, tt.running)
				}
				if got := len(c.ended(tt.refusal)); got != 30-tt.admitted {
					t.Errorf("%d are turned away, want %d: %v", got, 30-tt.admitted, c.ends)
				}
				time.Sleep(3 * time.Hour)
			})
		})
	}
}

// What is turned on again has the built-in size of 128, and a queue of as many; what is
// only watched lets all run and tells of those that it would not.
func TestBuiltIn(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		c := w.gather(t.Context(), 300, (*loads.Client).TurnedOn)
		if running, refused := len(w.Sent()), len(c.ended(fault.ErrBulkheadFull)); running != 128 || refused != 300-256 {
			t.Errorf("%d run, %d are turned away", running, refused)
		}
		time.Sleep(time.Hour)
		w.gather(t.Context(), 30, (*loads.Client).Watched)
		if w.shadowed != 29 {
			t.Errorf("%d would be turned away, want 29", w.shadowed)
		}
		time.Sleep(time.Hour)
	})
}

// Who waits for a slot gives up after the time of the queue, and who has one after that of
// the work, if it has any.
func TestTimes(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		c := w.gather(t.Context(), 3, (*loads.Client).Queues)
		time.Sleep(time.Hour)
		if got := c.ended(fault.ErrBulkheadFull); len(got) != 1 || got[0] != 5*time.Second {
			t.Errorf("gave up waiting after %v", got)
		}
		c = w.gather(t.Context(), 1, (*loads.Client).Holds)
		time.Sleep(time.Hour)
		if got := c.ended(errOther); len(got) != 1 || got[0] != 3*time.Second {
			t.Errorf("the work was ended after %v", c.ends)
		}
		c = w.gather(t.Context(), 1, (*loads.Client).HoldsOn)
		time.Sleep(time.Hour)
		if got := c.ended(nil); len(got) != 1 || got[0] != time.Minute {
			t.Errorf("work without a bound ended after %v", c.ends)
		}
	})
}

// Operations of one name share their slots.
func TestNames(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.gather(t.Context(), 1, (*loads.Client).Named)
		if c := w.gather(t.Context(), 1, (*loads.Client).Sharing); len(c.ended(fault.ErrBulkheadFull)) != 1 {
			t.Errorf("one of the same name: %v", c.ends)
		}
		w.gather(t.Context(), 1, (*loads.Client).Alone)
		if got := len(w.Sent()); got != 2 {
			t.Errorf("%d run", got)
		}
		time.Sleep(time.Hour)
	})
}

// When answers take ten times as long, a limit that is learnt falls, and one that is fixed
// stays.
func TestAdaptive(t *testing.T) {
	for name, tt := range map[string]struct {
		call      call
		low, high int
	}{
		"learnt": {(*loads.Client).Learns, 1, 35},
		"fixed":  {(*loads.Client).Fixed, 50, 50},
	} {
		inBubble(t, func(t *testing.T, w *world) {
			wave := func(takes time.Duration) int {
				w.takes = takes
				w.Reset()
				w.gather(t.Context(), 50, tt.call)
				n := len(w.Sent())
				time.Sleep(time.Minute)
				return n
			}
			for range 5 {
				if n := wave(30 * time.Millisecond); n != 50 {
					t.Fatalf("%s: %d of 50 at first", name, n)
				}
			}
			n := 50
			for range 8 {
				n = wave(300 * time.Millisecond)
			}
			if n < tt.low || n > tt.high {
				t.Errorf("%s: %d of 50 run when answers are slow, want %d to %d", name, n, tt.low, tt.high)
			}
		})
	}
}
