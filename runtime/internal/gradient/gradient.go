// Package gradient moves a limit of concurrency by the gradient of the latency: what
// takes longer than it used to is queueing somewhere, and fewer of it at once take less
// time for each.
package gradient

import (
	"math"
	"time"
)

// The numbers of the rule.
const (
	tolerance = 1.5 // how much longer than usual is still fine
	steepest  = 0.5 // the limit is never cut by more at once
	smoothing = 0.2
	window    = 600 // samples of the usual latency
	warmup    = 10  // samples of which the usual latency is the mean at first
	recovery  = 0.95
)

// Limit is a limit between 1 and a most. The zero Limit is not usable; see [New]. It has
// no lock.
type Limit struct {
	most    float64
	limit   float64
	long    float64 // the usual latency, in nanoseconds
	samples int
}

// New is a limit that begins at its most; below 1 counts as 1.
func New(most int) Limit {
	m := float64(max(1, most))
	return Limit{most: m, limit: m}
}

// Now is the present limit.
func (l *Limit) Now() int { return int(l.limit) }

// SetMost moves the upper bound. A limit that was at the old one goes on to the new one.
func (l *Limit) SetMost(most int) {
	m := float64(max(1, most))
	if l.limit >= l.most || l.limit > m {
		l.limit = m
	}
	l.most = m
}

// Observe takes the latency of one piece of work, and how many ran when it ended, itself
// among them. While less than half of the limit is used, the latency says nothing about
// the limit.
func (l *Limit) Observe(took time.Duration, inflight int) {
	short := float64(max(1, took))
	l.learn(short)
	if 2*float64(inflight) < l.limit {
		return
	}
	g := min(1, max(steepest, tolerance*l.long/short))
	next := g*l.limit + math.Sqrt(l.limit)
	l.limit = min(l.most, max(1, (1-smoothing)*l.limit+smoothing*next))
}

// learn makes a latency part of what is usual.
func (l *Limit) learn(short float64) {
	if l.samples < warmup {
		l.samples++
		l.long += (short - l.long) / float64(l.samples)
		return
	}
	l.long += (short - l.long) * 2 / (window + 1)
	if l.long > 2*short {
		l.long *= recovery // after an overload, the usual must not stay what that was
	}
}
