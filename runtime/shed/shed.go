// Package shed refuses work that a server cannot do in time, the least critical first.
//
// A server that takes on more than it can do answers all of it too late. A shedder lets
// as much run at once as it is allowed, has the rest wait in a queue, the most critical
// first, and looks at how long the queue delays: bursts may wait, but when even the
// luckiest request of an interval has waited longer than the target, the queue stands,
// and a growing part of the requests is refused at once until it does not. Optional ones
// are refused first, then standard ones, and critical ones last.
//
// The interval is twenty targets: 100 ms for a target of 5 ms.
package shed

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/holdfast-go/holdfast/runtime/internal/gradient"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// ErrShed is the error of work that is refused.
var ErrShed = errors.New("shed: the server is overloaded")

// Where nothing else is said.
const (
	// DefaultTarget is the delay that is still fine.
	DefaultTarget = 5 * time.Millisecond
	// AdaptiveMax is the most that an adaptive shedder without a MaxInflight lets run
	// at once.
	AdaptiveMax = 1000
)

// leastQueue is the least number of requests that may wait; otherwise it is as many as
// may run.
const leastQueue = 16

// Shedder decides for all requests of a server. It is safe for concurrent use.
type Shedder struct {
	mu       sync.Mutex
	policy   policy.Shed
	other    func() time.Duration
	limit    gradient.Limit
	pressure pressure
	running  int
	waiting  int
	queue    [ranks]list
}

// New is a shedder that goes by a policy. Delay, if it is not nil, is the delay of
// another queue in front of the work, such as [SchedulerDelay]; it is called about once
// an interval, and by one goroutine at a time.
func New(p policy.Shed, delay func() time.Duration) *Shedder {
	s := &Shedder{other: delay}
	s.pressure.least = [sources]time.Duration{nothing, nothing}
	s.limit = gradient.New(most(&p))
	s.set(p)
	return s
}

// most is the largest number of requests at once, where there is one.
func most(p *policy.Shed) int {
	if p.MaxInflight <= 0 {
		return AdaptiveMax
	}
	return p.MaxInflight
}

// Policy is what the shedder goes by.
func (s *Shedder) Policy() policy.Shed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.policy
}

// SetPolicy changes the settings. What runs goes on, and what waits may run at once.
func (s *Shedder) SetPolicy(p policy.Shed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(p)
	s.handOver(time.Now())
}

func (s *Shedder) set(p policy.Shed) {
	if p.Target <= 0 {
		p.Target = DefaultTarget
	}
	s.policy, s.pressure.target = p, p.Target
	s.limit.SetMost(most(&p))
}

// bound is how many may run at once; zero is no bound. The lock is held.
func (s *Shedder) bound() int {
	if s.policy.Adaptive {
		return s.limit.Now()
	}
	return max(0, s.policy.MaxInflight)
}

// Load is what a shedder holds at one moment.
type Load struct {
	Running, Waiting int
	// Limit is how many may run at once; zero is no bound.
	Limit int
	// Refusing are the parts of the requests, from 0 to 1, that are refused at
	// present.
	Refusing [3]struct {
		Criticality policy.Criticality
		Part        float64
	}
}

// Load is the present load.
func (s *Shedder) Load() Load {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := Load{Running: s.running, Waiting: s.waiting, Limit: s.bound()}
	for i, c := range []policy.Criticality{policy.Optional, policy.Standard, policy.Critical} {
		l.Refusing[i].Criticality = c
		l.Refusing[i].Part = min(1, max(0, s.pressure.level-float64(i)))
	}
	return l
}

// Interval is how long an overload lasts before it is acted on, and a sensible time
// after which refused work may come again.
func (s *Shedder) Interval() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pressure.interval()
}

// Ticket is the right to run. The zero Ticket is none. It is given back by Release,
// once.
type Ticket struct {
	shedder *Shedder
	at      time.Time
}

// Began is when the work was let run: when it came, unless it has waited.
func (t Ticket) Began() time.Time { return t.at }

// Release ends the work. That of the zero Ticket does nothing.
func (t Ticket) Release() {
	if t.shedder != nil {
		t.shedder.release(t.at, time.Now())
	}
}

// Observe takes the delay of another queue in front of a request's work, such as that of
// a bulkhead.
func (s *Shedder) Observe(now time.Time, delay time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn(now)
	s.pressure.observe(otherQueue, delay)
}

// Try lets a request run if it neither has to wait nor to be refused at the moment now.
func (s *Shedder) Try(now time.Time, c policy.Criticality) (Ticket, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok, _ := s.enter(now, rank(c))
	return t, ok
}

// Admit lets a request run, or waits until it may: not past until, where that is not
// zero. The error is [ErrShed], or the context's.
func (s *Shedder) Admit(ctx context.Context, c policy.Criticality, now, until time.Time) (Ticket, error) {
	if err := ctx.Err(); err != nil {
		return Ticket{}, err
	}
	w, t, err := s.arrive(now, until, rank(c))
	if w == nil {
		return t, err
	}
	timer := time.NewTimer(w.until.Sub(now))
	defer timer.Stop()
	select {
	case <-w.ready:
	case <-timer.C:
		s.leave(w)
	case <-ctx.Done():
		if s.leave(w); w.granted {
			s.release(w.at, time.Now())
		}
		return Ticket{}, ctx.Err()
	}
	if !w.granted {
		return Ticket{}, ErrShed
	}
	return Ticket{shedder: s, at: w.at}, nil
}

// arrive enters or joins the queue.
func (s *Shedder) arrive(now, until time.Time, rank int) (*waiter, Ticket, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok, refused := s.enter(now, rank)
	if ok {
		return nil, t, nil
	}
	patience := now.Add(s.pressure.patience(rank))
	if until.IsZero() || patience.Before(until) {
		until = patience
	}
	if refused || !now.Before(until) || !s.makeRoom(rank) {
		return nil, Ticket{}, ErrShed
	}
	w := &waiter{ready: make(chan struct{}), came: now, until: until, rank: rank}
	s.queue[rank].add(w)
	s.waiting++
	return w, Ticket{}, nil
}

// enter decides about a request that has not waited. The lock is held.
func (s *Shedder) enter(now time.Time, rank int) (t Ticket, ok, refused bool) {
	s.turn(now)
	if s.pressure.refuses(rank) {
		return Ticket{}, false, true
	}
	if n := s.bound(); n > 0 && (s.running >= n || s.waitingFrom(rank) > 0) {
		return Ticket{}, false, false
	}
	s.running++
	if s.bound() > 0 {
		s.pressure.observe(ownQueue, 0)
	}
	return Ticket{shedder: s, at: now}, true, false
}

// waitingFrom is how many wait that are at least as critical. The lock is held.
func (s *Shedder) waitingFrom(rank int) int {
	n := 0
	for r := rank; r < ranks; r++ {
		n += s.queue[r].n
	}
	return n
}

// makeRoom sees to it that one more may wait, in the place of a less critical one where
// the queue is full. The lock is held.
func (s *Shedder) makeRoom(rank int) bool {
	if s.waiting < max(leastQueue, s.bound()) {
		return true
	}
	for r := range rank {
		if w := s.queue[r].last; w != nil {
			s.remove(w)
			close(w.ready)
			return true
		}
	}
	return false
}

// turn ends an interval that is over. The lock is held.
func (s *Shedder) turn(now time.Time) {
	if !s.pressure.due(now) {
		return
	}
	var other time.Duration
	if s.other != nil {
		other = s.other()
	}
	s.pressure.turn(now, other)
}

// release ends work that began at a moment.
func (s *Shedder) release(began, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.policy.Adaptive {
		s.limit.Observe(now.Sub(began), s.running)
	}
	s.running--
	s.handOver(now)
}

// handOver lets those run that waited, the most critical first. The lock is held.
func (s *Shedder) handOver(now time.Time) {
	n := s.bound()
	for r := ranks - 1; r >= 0; r-- {
		for w := s.queue[r].first; w != nil && (n == 0 || s.running < n); w = s.queue[r].first {
			s.remove(w)
			s.turn(now)
			s.pressure.observe(ownQueue, now.Sub(w.came))
			if now.Before(w.until) {
				w.granted, w.at = true, now
				s.running++
			}
			close(w.ready)
		}
	}
}

// leave ends a wait, unless that has ended otherwise.
func (s *Shedder) leave(w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-w.ready:
	default:
		s.remove(w)
		now := time.Now()
		s.turn(now)
		s.pressure.observe(ownQueue, now.Sub(w.came))
	}
}

// remove takes a waiter out of the queue. The lock is held.
func (s *Shedder) remove(w *waiter) {
	s.queue[w.rank].remove(w)
	s.waiting--
}
