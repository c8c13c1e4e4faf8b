package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/observe"
)

// watch prints what the runtime reports of a call while it is made.
type watch struct {
	out io.Writer

	mu      sync.Mutex
	quiet   bool // only breakers are told of
	timeout time.Duration
	states  map[string]observe.BreakerState
	changes int
}

func newWatch(out io.Writer) *watch {
	return &watch{out: out, states: map[string]observe.BreakerState{}}
}

// hooks are what the client is observed with.
func (w *watch) hooks() *observe.Hooks {
	return &observe.Hooks{
		AttemptStart: func(_ context.Context, e observe.AttemptStart) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.timeout = e.Timeout
		},
		AttemptEnd: func(_ context.Context, e observe.AttemptEnd) {
			w.linef("try %-6d %s after %s", e.Number, w.outcome(e), short(e.Duration))
		},
		Wait: func(_ context.Context, e observe.Wait) {
			w.linef("wait       %s, %s", short(e.For), reason(e))
		},
		Reject: func(_ context.Context, e observe.Reject) {
			if !e.Shadow {
				w.linef("refused    by the %s here, nothing was sent", e.Reason)
			}
		},
		BreakerChange: w.breaker,
	}
}

func (w *watch) linef(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.quiet {
		fmt.Fprintf(w.out, "      "+format+"\n", args...)
	}
}

func (w *watch) breaker(e observe.BreakerChange) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.states[e.Name] = e.To
	w.changes++
	text := ""
	switch e.To {
	case observe.Open:
		text = ": calls are refused at once until it tries again"
	case observe.HalfOpen:
		text = ": the next call is a probe"
	case observe.Closed:
		text = ": calls go through"
	}
	fmt.Fprintf(w.out, "      breaker    %s is %s%s\n", e.Name, e.To, text)
}

// hush makes the watch quiet, or loud again.
func (w *watch) hush(quiet bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.quiet = quiet
}

// state is the worst state of a breaker.
func (w *watch) state() observe.BreakerState {
	w.mu.Lock()
	defer w.mu.Unlock()
	worst := observe.Closed
	for _, s := range w.states {
		if s == observe.Open || s == observe.HalfOpen && worst == observe.Closed {
			worst = s
		}
	}
	return worst
}

// outcome is how a try ended.
func (w *watch) outcome(e observe.AttemptEnd) string {
	w.mu.Lock()
	limit := w.timeout
	w.mu.Unlock()
	switch {
	case e.Status != 0:
		return fmt.Sprint("answered ", e.Status)
	case errors.Is(e.Err, context.DeadlineExceeded):
		return "had no answer within its " + short(limit)
	case errors.Is(e.Err, syscall.ECONNRESET):
		return "lost its connection"
	case errors.Is(e.Err, io.EOF), errors.Is(e.Err, io.ErrUnexpectedEOF):
		return "saw its connection close"
	case e.Err != nil:
		return "failed (" + fault.Redact(e.Err.Error()) + ")"
	}
	return "ended"
}

// reason is why a call waits.
func reason(e observe.Wait) string {
	switch e.Reason {
	case observe.Hint:
		return "as the server asks (Retry-After)"
	case observe.InFlight:
		return "for the earlier request with this key"
	case observe.RateLimit:
		return "for a token of the rate limit"
	}
	return fmt.Sprintf("%s before try %d", e.Reason, e.Attempt)
}

// short is a duration without digits that say nothing.
func short(d time.Duration) string {
	if d < time.Millisecond {
		return "under 1ms"
	}
	return d.Round(time.Millisecond).String()
}
