package breaker

import (
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// parts is the number of parts of a time window; it forgets one at a time.
const parts = 10

// window counts the failures of a closed breaker: those among the last calls,
// those of the last time, or both.
type window struct {
	last   ring
	recent timed
}

func (w *window) init(p policy.Breaker) {
	if p.Window.Count > 0 {
		w.last.bits = make([]uint64, (p.Window.Count+63)/64)
		w.last.size = p.Window.Count
		w.recent.init(p.MinTime)
		return
	}
	w.recent.init(p.Window.Time)
}

func (w *window) record(now time.Time, failed bool) {
	if w.last.size > 0 {
		w.last.record(failed)
	}
	if w.recent.part > 0 {
		w.recent.record(now, failed)
	}
}

func (w *window) reset() {
	w.last.reset()
	w.recent.past = nil
}

// tripped reports whether the breaker has to open, right after a record.
func (w *window) tripped(p policy.Breaker) bool {
	var calls, failures int
	if w.last.size > 0 {
		calls, failures = w.last.calls, w.last.failures
	} else {
		calls, failures = w.recent.total()
	}
	if p.FailureRate > 0 {
		return calls >= max(1, p.MinCalls) && float64(failures) >= p.FailureRate*float64(calls)
	}
	if failures < p.FailureThreshold || failures == 0 {
		return false
	}
	if w.last.size == 0 || w.recent.part == 0 {
		return true
	}
	// In a busy service the last calls are the last instant: a handful of
	// failures there must be that part of a longer time as well. A time window
	// has no count to make a part of, and needs none, for it is a time already.
	calls, failures = w.recent.total()
	return failures*w.last.size >= p.FailureThreshold*calls
}

// ring keeps one bit for each of the last calls.
type ring struct {
	bits     []uint64
	size     int
	next     int
	calls    int
	failures int
}

func (r *ring) record(failed bool) {
	word, bit := &r.bits[r.next>>6], uint64(1)<<(r.next&63)
	if r.calls == r.size {
		if *word&bit != 0 {
			r.failures--
		}
	} else {
		r.calls++
	}
	*word &^= bit
	if failed {
		*word |= bit
		r.failures++
	}
	if r.next++; r.next == r.size {
		r.next = 0
	}
}

func (r *ring) reset() {
	clear(r.bits)
	r.next, r.calls, r.failures = 0, 0, 0
}

// timed counts calls in parts of a time.
type timed struct {
	part time.Duration
	past *past // nil before the first record: breakers that nobody uses stay small
}

// past is what was counted.
type past struct {
	begin time.Time
	epoch int64 // of the last record
	cells [parts]cell
}

// cell counts the calls of one part.
type cell struct {
	epoch           int64
	calls, failures int
}

func (t *timed) init(d time.Duration) {
	if d > 0 {
		t.part = max(1, d/parts)
	}
}

func (t *timed) record(now time.Time, failed bool) {
	if t.past == nil {
		t.past = &past{begin: now}
	}
	p := t.past
	// The parts are numbered from 1 on, so that an empty cell is of none of
	// them; a clock that steps back goes on in the current part.
	p.epoch = max(p.epoch, int64(now.Sub(p.begin)/t.part)+1, 1)
	c := &p.cells[p.epoch%parts]
	if c.epoch != p.epoch {
		*c = cell{epoch: p.epoch}
	}
	c.calls++
	if failed {
		c.failures++
	}
}

// total sums up the window that ends with the last record.
func (t *timed) total() (calls, failures int) {
	if t.past == nil {
		return 0, 0
	}
	for _, c := range t.past.cells {
		if c.epoch > 0 && c.epoch > t.past.epoch-parts {
			calls += c.calls
			failures += c.failures
		}
	}
	return calls, failures
}
