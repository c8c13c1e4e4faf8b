package ratelimit

import "math"

// window is what one key has used of a limit without a burst. All moments are those of
// the limiter; a moment in the future is that of tokens which somebody waits for.
type window interface {
	// when is the first moment, not before now, at which n more are within the limit.
	// n is not above the limit.
	when(l *limit, now, n int64) int64
	// add takes n at a moment that when has given.
	add(l *limit, at, n int64)
	// remove gives n back that were taken at a moment, as far as they still count.
	remove(l *limit, now, at, n int64)
	// used is what counts at the moment now, with all that was taken ahead.
	used(l *limit, now int64) int64
	// empty is the moment from which on nothing counts any more.
	empty(l *limit) int64
	// last is the latest moment at which something was taken.
	last() int64
}

// entry is n tokens that were taken at one moment.
type entry struct{ at, n int64 }

// maxLog is the number of entries of a key past which those become one that stand in one
// of so many parts of the time, at the latest of their moments: then a token may come back
// late by a part, and never early.
const (
	maxLog   = 4096
	logParts = maxLog / 2
)

// history is the exact window: all that was taken within the time of the limit, in the order of
// the moments. At most the limit's tokens are taken within any such time, its beginning
// not included.
type history struct {
	entries []entry
	sum     int64
	room    int // the number of entries past which they are merged; zero is maxLog
}

func (h *history) when(l *limit, now, n int64) int64 {
	h.forget(now - l.per)
	at, sum := max(now, h.last()), h.sum
	for _, e := range h.entries {
		if e.at > at-l.per {
			if sum+n <= l.most {
				break
			}
			at = e.at + l.per
		}
		sum -= e.n
	}
	return at
}

// forget drops what was taken until a moment.
func (h *history) forget(until int64) {
	n := 0
	for n < len(h.entries) && h.entries[n].at <= until {
		h.sum -= h.entries[n].n
		n++
	}
	if n > 0 {
		h.entries = h.entries[n:] // append makes room anew, for what is left
	}
}

func (h *history) add(l *limit, at, n int64) {
	h.sum += n
	if i := len(h.entries) - 1; i >= 0 && h.entries[i].at == at {
		h.entries[i].n += n
		return
	}
	if len(h.entries) >= max(maxLog, h.room) {
		h.merge(max(1, l.per/logParts))
	}
	h.entries = append(h.entries, entry{at, n})
}

// merge makes one entry of those in one part. The parts are always the same, so that what
// was merged before is not moved on.
func (h *history) merge(part int64) {
	out := h.entries[:1]
	for _, e := range h.entries[1:] {
		if last := &out[len(out)-1]; floor(last.at, part) == floor(e.at, part) {
			*last = entry{e.at, last.n + e.n}
		} else {
			out = append(out, e)
		}
	}
	h.entries = out
	h.room = 2 * len(out) // tokens that are waited for may stand in any number of parts
}

func (h *history) remove(l *limit, now, at, n int64) {
	if at <= now-l.per {
		return
	}
	// After a merge they stand at a later moment, and a debt at one of its own.
	for i := 0; i < len(h.entries) && n > 0; {
		e := &h.entries[i]
		if e.at < at {
			i++
			continue
		}
		back := min(n, e.n)
		e.n, h.sum, n = e.n-back, h.sum-back, n-back
		if e.n == 0 {
			h.entries = append(h.entries[:i], h.entries[i+1:]...)
		} else {
			i++
		}
	}
}

func (h *history) used(l *limit, now int64) int64 {
	h.forget(now - l.per)
	return h.sum
}

func (h *history) empty(l *limit) int64 {
	if len(h.entries) == 0 {
		return math.MinInt64
	}
	return h.last() + l.per
}

func (h *history) last() int64 {
	if len(h.entries) == 0 {
		return math.MinInt64
	}
	return h.entries[len(h.entries)-1].at
}
