package breaker

import (
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe"
)

// Stats are what a breaker holds at one moment.
type Stats struct {
	State observe.BreakerState
	// RetryAt is that of [Breaker.RetryAt].
	RetryAt time.Time
	// Calls and Failures are those in the window as of its last call; a breaker that is
	// not closed has an empty one.
	Calls, Failures int
	// Probes are those under way, and Succeeded those that have ended well.
	Probes, Succeeded int
}

// Stats are the present ones.
func (b *Breaker) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Stats{State: b.State(), RetryAt: b.retryAt()}
	s.Calls, s.Failures = b.window.counts()
	s.Probes, s.Succeeded = len(b.running), b.succeeded
	return s
}

// counts are the calls and the failures that the window goes by.
func (w *window) counts() (calls, failures int) {
	if w.last.size > 0 {
		return w.last.calls, w.last.failures
	}
	return w.recent.total()
}
