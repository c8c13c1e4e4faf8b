// Package hedge asks a second time when an answer is late, and takes whichever
// answer comes first. It trades a few more requests for a shorter tail of latencies.
//
// A hedge is a repeat: only what reads may be hedged. [Do] is for any function,
// [Race] for one whose result has to be freed, and [Transport] for HTTP.
//
// The first try runs on the goroutine of the caller; nothing but a timer is started
// while it is in time. All tries have ended when a call returns, so a function must
// obey its context: one that does not holds the winner up.
package hedge

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/latency"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// LeastSamples is the number of observed latencies from which on a quantile counts.
// Before that nothing is hedged that waits for one.
const LeastSamples = 100

// refresh is how long a quantile that was read stays in force: reading one takes
// longer than a call's share of the bookkeeping may.
const refresh = 100 * time.Millisecond

// ErrLost is the cause of the context of a try that another one has overtaken.
var ErrLost = errors.New("another try was faster")

// Budget pays for the tries beside the first; a retry budget is one. One that is
// empty ends the hedging of a call, never the call.
type Budget interface{ Take(now time.Time) bool }

// Options are what a policy does not say. The zero value is fine.
type Options struct {
	// Name is told with the events.
	Name string
	// Budget is asked before each try beside the first; nil has no bound.
	Budget Budget
	// Admit is asked after the Budget, and must not wait: a rate limit for instance.
	// Nil admits all.
	Admit func(ctx context.Context) bool
	// Latency is the histogram that a Quantile is read from; nil makes one.
	Latency *latency.Histogram
	// OnEvent is told what becomes of tries, outside any lock. It may be called from
	// several goroutines at a time.
	OnEvent func(ctx context.Context, e Event)
}

// Event is something that a hedge did.
type Event struct {
	Name string
	What What
	// Number is that of the try, from 1 on; 1 is the first.
	Number int
	// After is the time since the call began.
	After time.Duration
}

// What is the kind of an event.
type What uint8

// Kinds of events.
const (
	// Started: a try beside the first is made.
	Started What = iota
	// Refused: the budget or the limit did not pay for one.
	Refused
	// Shadowed: one would have been made.
	Shadowed
	// Won: a try beside the first gave the answer.
	Won
	// Lost: a try was overtaken and has been cancelled.
	Lost
)

// String is a short name for logs and metrics.
func (w What) String() string {
	names := [...]string{Started: "started", Refused: "refused", Shadowed: "shadowed", Won: "won", Lost: "lost"}
	if int(w) < len(names) {
		return names[w]
	}
	return "unknown"
}

// Hedger hedges the calls of one operation. It is safe for concurrent use. A nil
// Hedger hedges nothing.
type Hedger struct {
	policy   policy.Hedge
	options  Options
	observed *latency.Histogram

	mu    sync.Mutex
	known time.Duration
	until time.Time // when known has to be read again
}

// New makes a hedger. A policy with neither a delay nor a quantile starts all tries at
// once.
func New(p policy.Hedge, o Options) *Hedger {
	h := &Hedger{policy: p, options: o, observed: o.Latency}
	if h.policy.Max == 0 {
		h.policy.Max = 1
	}
	if h.observed == nil && p.Quantile > 0 {
		h.observed = new(latency.Histogram)
	}
	return h
}

// Delay is how long a try now has before the next one is made; false when there is
// none, be it because too little has been observed.
func (h *Hedger) Delay(now time.Time) (time.Duration, bool) {
	switch {
	case h == nil || h.policy.Max < 0:
		return 0, false
	case h.policy.Quantile <= 0:
		return max(0, h.policy.Delay), true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if now.Before(h.until) {
		return h.known, true
	}
	d, ok := h.observed.Quantile(now, h.policy.Quantile, LeastSamples)
	if ok {
		h.known, h.until = d, now.Add(refresh)
	}
	return d, ok
}

// Observe records how long the first try of a call took. [Do] and [Race] do so
// themselves. For a try that was overtaken it is the time until then: leaving the slow
// ones out would pull the quantile down, and with it the delay, further and further.
func (h *Hedger) Observe(now time.Time, took time.Duration) {
	if h != nil && h.observed != nil {
		h.observed.Record(now, took)
	}
}

func (h *Hedger) tell(ctx context.Context, what What, number int, begin time.Time) {
	if f := h.options.OnEvent; f != nil {
		f(ctx, Event{Name: h.options.Name, What: what, Number: number, After: time.Since(begin)})
	}
}

// pays reports whether a try beside the first is paid for.
func (h *Hedger) pays(ctx context.Context) bool {
	if b := h.options.Budget; b != nil && !b.Take(time.Now()) {
		return false
	}
	return h.options.Admit == nil || h.options.Admit(ctx)
}

// Do calls f, and again while it has not answered in time; the first answer without
// an error is returned, and the other tries are cancelled. When all fail, the error is
// that of the try which failed last. The number that f gets counts from 1; f runs on
// several goroutines at a time, and a panic of f is the caller's.
func Do[T any](ctx context.Context, h *Hedger, f func(ctx context.Context, number int) (T, error)) (T, error) {
	r := Race(ctx, h, Tries[T]{Try: f})
	r.Cancel()
	return r.Value, r.Err
}
