package shed

import (
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// intervals is how many targets an interval lasts: 100 ms for 5 ms, the proportion of
// CoDel (RFC 8289, section 4.3).
const intervals = 20

// How the pressure moves. It rises faster than it falls, since a server that is let
// out of its trouble too early is soon in it again.
const (
	rise = 0.5
	fall = 0.25
	// highest leaves a tenth of the critical requests, by whose delay it is found out
	// that the trouble is over.
	highest = 2.9
)

// ranks is the number of criticalities.
const ranks = 3

// rank orders criticalities: the lowest is refused first.
func rank(c policy.Criticality) int {
	switch c {
	case policy.Optional:
		return 0
	case policy.Critical:
		return 2
	}
	return 1
}

// pressure tells a queue that stands from one that comes and goes, as CoDel does: by the
// least delay within an interval. From 0 to 1 it is the part of optional requests to
// refuse, from 1 to 2 that of the standard ones as well, and above of the critical ones.
type pressure struct {
	target time.Duration
	end    time.Time              // of the interval
	least  [sources]time.Duration // the least delays in it; negative before the first
	level  float64
	debt   [ranks]float64 // refusals owed
}

// interval is how long delays are looked at before anything is done.
func (p *pressure) interval() time.Duration { return intervals * p.target }

// Sources of delays. Each is a queue of its own, and one that stands is enough.
const (
	ownQueue = iota
	otherQueue
	sources
)

// nothing is the least delay where there was none.
const nothing = -1

// observe takes the delay of a request.
func (p *pressure) observe(source int, delay time.Duration) {
	if p.least[source] < 0 || delay < p.least[source] {
		p.least[source] = delay
	}
}

// due reports whether the interval has ended.
func (p *pressure) due(now time.Time) bool { return !now.Before(p.end) }

// turn begins another interval. The other delay is one that was measured elsewhere.
func (p *pressure) turn(now time.Time, other time.Duration) {
	span := p.interval()
	if max(p.least[ownQueue], p.least[otherQueue], other) > p.target {
		p.level = min(highest, p.level+rise)
	} else {
		passed := 1 + float64(now.Sub(p.end))/float64(span)
		p.level = max(0, p.level-fall*passed)
	}
	p.end, p.least = now.Add(span), [sources]time.Duration{nothing, nothing}
	if p.level == 0 {
		p.debt = [ranks]float64{}
	}
}

// refuses decides about one request. Refusals are spread evenly: a part of 0.25 is each
// fourth.
func (p *pressure) refuses(rank int) bool {
	part := min(1, p.level-float64(rank))
	if part <= 0 {
		return false
	}
	p.debt[rank] += part
	if p.debt[rank] < 1-1e-9 { // sums of fractions fall short of a whole
		return false
	}
	p.debt[rank]--
	return true
}

// patience is how long a request may wait in the queue: through a burst, an interval;
// in a queue that stands, the target, for whoever waits longer makes those behind wait.
func (p *pressure) patience(rank int) time.Duration {
	if p.level > 0 && rank < ranks-1 {
		return p.target
	}
	return p.interval()
}
