// Package bulkhead bounds how much runs at once, with a bounded queue in front
// that is served in order. [Bulkhead.Do] is for any function, [Transport] for HTTP.
package bulkhead

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/gradient"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Bulkhead is a number of slots. It is safe for concurrent use.
type Bulkhead struct {
	mu      sync.Mutex
	policy  policy.Bulkhead
	limit   gradient.Limit // of the slots, where the policy is adaptive
	base    time.Time
	running int
	outside int
	waiting int
	first   *waiter
	last    *waiter
}

// waiter is one entry of the queue.
type waiter struct {
	ready      chan struct{} // closed when the slot is handed over
	until      time.Time     // zero: as long as the context lasts
	granted    bool
	adaptive   bool
	prev, next *waiter
}

// New makes a bulkhead with the policy's slots and queue; below 1 slot counts as
// 1, for a bulkhead that admits nothing is no bulkhead.
func New(p policy.Bulkhead) *Bulkhead {
	p.MaxConcurrent = max(1, p.MaxConcurrent)
	return &Bulkhead{policy: p, limit: gradient.New(p.MaxConcurrent), base: time.Now()}
}

// Slots is the number of slots at present: that of the policy, or less of them where
// that is adaptive and the work takes longer than it used to.
func (b *Bulkhead) Slots() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.slots()
}

// slots is Slots. The lock is held.
func (b *Bulkhead) slots() int {
	if b.policy.Adaptive {
		return b.limit.Now()
	}
	return b.policy.MaxConcurrent
}

// Policy is what the bulkhead goes by: what it was made from, or the last SetPolicy.
func (b *Bulkhead) Policy() policy.Bulkhead {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.policy
}

// SetPolicy changes the settings. Whoever has a slot keeps it, and whoever waits goes on
// waiting in the same order: new slots go to the first of them at once, and where there
// are fewer slots, those that are given back are taken away until the number is right.
func (b *Bulkhead) SetPolicy(p policy.Bulkhead) {
	p.MaxConcurrent = max(1, p.MaxConcurrent)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limit.SetMost(p.MaxConcurrent)
	b.policy = p
	b.fill()
}

// fill hands free slots to those who wait. The lock is held.
func (b *Bulkhead) fill() {
	for b.running < b.slots() && b.first != nil {
		b.running++
		b.handOver()
	}
}

// Slot is the right to run. The zero Slot is none. It is given back by Release,
// once.
type Slot struct {
	bulkhead *Bulkhead
	outside  bool
	caller   *atomic.Bool
	at       time.Duration // since the base, where the bulkhead is adaptive
}

// slot is one that was taken now. The lock need not be held.
func (b *Bulkhead) slot(adaptive bool) Slot {
	s := Slot{bulkhead: b}
	if adaptive {
		s.at = 1 + time.Since(b.base) // zero is none
	}
	return s
}

// Held reports whether it is a slot at all.
func (s Slot) Held() bool { return s.bulkhead != nil }

// Outside reports whether the call runs outside the slots, by caller-runs.
func (s Slot) Outside() bool { return s.outside }

// Release gives the slot back, to the first in the queue that can still use it.
// That of the zero Slot does nothing.
func (s Slot) Release() {
	switch {
	case s.bulkhead == nil:
	case s.outside:
		s.bulkhead.releaseOutside(s.caller)
	default:
		s.bulkhead.end(s.at)
	}
}

// Load is what a bulkhead holds at one moment.
type Load struct {
	Running int // in the slots
	Waiting int // in the queue
	Outside int // outside the slots, by caller-runs
}

// Load is the present load.
func (b *Bulkhead) Load() Load {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Load{Running: b.running, Waiting: b.waiting, Outside: b.outside}
}

// Try takes a slot if one is free at once.
func (b *Bulkhead) Try() (Slot, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running >= b.slots() {
		return Slot{}, false
	}
	b.running++
	return b.slot(b.policy.Adaptive), true
}

// Acquire takes a slot and waits for it as long as the policy's timeout and the
// context allow.
func (b *Bulkhead) Acquire(ctx context.Context) (Slot, error) {
	if s, ok := b.Try(); ok {
		return s, nil
	}
	now := time.Now()
	until, _ := ctx.Deadline()
	if wait := b.Policy().Timeout; wait >= 0 {
		if end := now.Add(wait); until.IsZero() || end.Before(until) {
			until = end
		}
	}
	return b.AcquireUntil(ctx, now, until)
}

// AcquireUntil is Acquire with the end of the wait given; a zero until waits as
// long as the context lasts. The error is [fault.ErrBulkheadFull],
// [fault.ErrDiscarded] where the policy lets calls go, or the context's.
func (b *Bulkhead) AcquireUntil(ctx context.Context, now, until time.Time) (Slot, error) {
	if err := ctx.Err(); err != nil {
		return Slot{}, err
	}
	w, s, err := b.enter(ctx, now, until)
	if w == nil {
		return s, err
	}
	var over <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(until.Sub(now))
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-w.ready:
		if w.granted {
			return b.slot(w.adaptive), nil
		}
		return Slot{}, b.refusal() // dropped: its time had come
	case <-over:
		if b.leave(w) {
			return Slot{}, b.refusal()
		}
		// The slot was handed over in the same moment, and its user is still
		// here.
		return b.slot(w.adaptive), nil
	case <-ctx.Done():
		if !b.leave(w) {
			b.release()
		}
		return Slot{}, ctx.Err()
	}
}

// enter takes a slot, joins the queue (then there is a waiter), or refuses.
func (b *Bulkhead) enter(ctx context.Context, now, until time.Time) (*waiter, Slot, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running < b.slots() {
		b.running++
		return nil, b.slot(b.policy.Adaptive), nil
	}
	if b.policy.OnFull == policy.OnFullAbort {
		return nil, Slot{}, fault.ErrBulkheadFull
	}
	if b.waiting >= b.policy.Queue {
		s, err := b.overflow(ctx)
		return nil, s, err
	}
	if !until.IsZero() && !now.Before(until) {
		return nil, Slot{}, b.full()
	}
	w := &waiter{ready: make(chan struct{}), until: until, adaptive: b.policy.Adaptive, prev: b.last}
	if b.last == nil {
		b.first = w
	} else {
		b.last.next = w
	}
	b.last = w
	b.waiting++
	return w, Slot{}, nil
}

// overflow is what a full queue does. The lock is held.
func (b *Bulkhead) overflow(ctx context.Context) (Slot, error) {
	if b.policy.OnFull != policy.OnFullCallerRuns || b.outside >= b.policy.MaxConcurrent {
		return Slot{}, b.full()
	}
	caller, _ := ctx.Value(inboundKey{}).(*atomic.Bool)
	if caller != nil && !caller.CompareAndSwap(false, true) {
		return Slot{}, b.full()
	}
	b.outside++
	return Slot{bulkhead: b, outside: true, caller: caller}, nil
}

// refusal is full for those who do not hold the lock.
func (b *Bulkhead) refusal() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.full()
}

// full is the error of a call that gets no slot. The lock is held.
func (b *Bulkhead) full() error {
	if b.policy.OnFull == policy.OnFullDiscard {
		return fault.ErrDiscarded
	}
	return fault.ErrBulkheadFull
}

// leave takes a waiter out of the queue; false when it is not there any more. If
// it was granted a slot it then holds one.
func (b *Bulkhead) leave(w *waiter) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-w.ready:
		return !w.granted
	default:
	}
	b.remove(w)
	return true
}

// remove unlinks a waiter. The lock is held.
func (b *Bulkhead) remove(w *waiter) {
	if w.prev == nil {
		b.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		b.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	b.waiting--
}

// end gives back the slot of work that has ended, and learns from how long it took.
func (b *Bulkhead) end(began time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.policy.Adaptive && began > 0 { // not of a slot from before it was adaptive
		b.limit.Observe(1+time.Since(b.base)-began, b.running)
	}
	b.giveBack()
	b.fill() // the limit may have grown
}

// release gives a slot back that nobody has worked in.
func (b *Bulkhead) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.giveBack()
}

// giveBack gives a slot back: to the queue, unless there are more of them in use than
// there are any more. The lock is held.
func (b *Bulkhead) giveBack() {
	if b.running > b.slots() {
		b.running--
		return
	}
	b.handOver()
}

// handOver hands one slot, which counts as in use, to the first waiter whose time is
// not over, so that the order of the queue holds and nobody who comes later can jump
// it. Without such a waiter the slot is free. The lock is held.
func (b *Bulkhead) handOver() {
	var now time.Time
	for b.first != nil {
		w := b.first
		b.remove(w)
		if !w.until.IsZero() && now.IsZero() {
			now = time.Now()
		}
		w.granted = w.until.IsZero() || now.Before(w.until)
		close(w.ready)
		if w.granted {
			return
		}
	}
	b.running--
}

func (b *Bulkhead) releaseOutside(caller *atomic.Bool) {
	b.mu.Lock()
	b.outside--
	b.mu.Unlock()
	if caller != nil {
		caller.Store(false)
	}
}

type inboundKey struct{}

// Inbound marks a context as that of one inbound request. Of the calls made
// under it, one at a time may run outside the slots of a bulkhead with
// caller-runs; without the mark each call counts as a request of its own.
func Inbound(ctx context.Context) context.Context {
	return context.WithValue(ctx, inboundKey{}, new(atomic.Bool))
}

// Do calls f in a slot. The policy's hold bounds the context that f gets. In shadow mode
// f is called at once, in a slot that is free or outside of them, and nothing bounds it.
func (b *Bulkhead) Do(ctx context.Context, f func(context.Context) error) error {
	p := b.Policy()
	s, err := b.enterAs(ctx, p.Mode)
	if err != nil {
		return err
	}
	defer s.Release()
	if hold := p.Hold; hold > 0 && p.Mode == policy.Enforce {
		bounded, cancel := context.WithTimeout(ctx, hold)
		defer cancel()
		ctx = bounded
	}
	return f(ctx)
}
