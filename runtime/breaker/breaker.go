// Package breaker stops calling what fails, and finds out by a few probes when
// it works again.
//
// The core takes the time as an argument: [Breaker.Allow] before a call and
// [Breaker.Done] with its result after it. [Breaker.Do] wraps both around a
// function, [Transport] around HTTP requests.
package breaker

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/runtime/observe"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// Result is what a call was to the breaker.
type Result uint8

// Results of a call. The zero value changes nothing but gives the permit back.
const (
	// Ignored says nothing about the dependency: the caller gave up, the call
	// was refused locally, the server asked to slow down.
	Ignored Result = iota
	Success
	Failure
)

// Options are what a policy does not say. The zero value is fine.
type Options struct {
	// Name is reported with the changes of state.
	Name string
	// Group is reported with them in place of the name where it tells the value of a key;
	// empty is the name.
	Group string
	// OnChange is called after each change of state, in their order, outside
	// any lock; it may use the breaker.
	OnChange func(observe.BreakerChange)
	// Random gives numbers from [0, 1) for the jitter of the recovery; nil is
	// math/rand/v2.
	Random func() float64
}

// Permit is the right to make one call. The zero Permit counts for nothing.
type Permit struct {
	generation uint64
	probe      uint64 // zero for a call of the closed breaker
}

// Probe reports whether the call tries out a dependency that has failed; such a
// call makes one try only.
func (p Permit) Probe() bool { return p.probe != 0 }

// Breaker is one breaker. It is safe for concurrent use.
type Breaker struct {
	options Options

	// word is the generation and, in the two lowest bits, the state: what the
	// closed path needs, without the lock.
	word atomic.Uint64

	mu        sync.Mutex
	policy    policy.Breaker
	probes    int
	until     time.Time     // open: when probes may begin
	openFor   time.Duration // the current recovery, without its jitter
	window    window
	running   []probe // half-open: the probes under way
	nextProbe uint64
	succeeded int
	shared    bool // the change under way is what others have told
	events    observe.Queue[observe.BreakerChange]
}

// probe is one probe under way.
type probe struct {
	id       uint64
	deadline time.Time
}

// New makes a closed breaker.
func New(p policy.Breaker, o Options) *Breaker {
	if o.Random == nil {
		o.Random = rand.Float64
	}
	b := &Breaker{policy: p, probes: max(1, p.Probes), options: o}
	b.window.init(p)
	// Generation zero is that of the zero Permit.
	b.word.Store(1<<2 | uint64(observe.Closed))
	return b
}

// Policy is what the breaker goes by: what it was made from, or the last SetPolicy.
func (b *Breaker) Policy() policy.Breaker {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.policy
}

// SetPolicy changes the settings and keeps the state: an open breaker opens no sooner
// or later than it was going to, and the probes under way count. What the window has
// seen counts on where its size (Window and MinTime) is the same; a window of another
// size begins anew. A lower threshold acts on the next result.
func (b *Breaker) SetPolicy(p policy.Breaker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.Window != b.policy.Window || p.MinTime != b.policy.MinTime {
		b.window = window{}
		b.window.init(p)
	}
	b.policy, b.probes = p, max(1, p.Probes)
}

// State is the state after the last call. An open breaker whose recovery is over
// stays open until a call comes.
func (b *Breaker) State() observe.BreakerState { return observe.BreakerState(b.word.Load() & 3) }

func (b *Breaker) generation() uint64 { return b.word.Load() >> 2 }

// Ready reports whether Allow would let a call through now. It takes nothing, so
// that a call need not queue elsewhere only to be refused.
func (b *Breaker) Ready(now time.Time) bool {
	if b.State() == observe.Closed {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch b.State() {
	case observe.Open:
		return !now.Before(b.until)
	case observe.HalfOpen:
		b.dropOverdue(now)
		return len(b.running) < b.probes
	}
	return true
}

// Name is that of the options.
func (b *Breaker) Name() string { return b.options.Name }

// RetryAt is when a refused call may come again: the end of the recovery, or the
// earliest deadline of a probe; zero when the breaker lets calls through.
func (b *Breaker) RetryAt() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.retryAt()
}

// retryAt is RetryAt. The lock is held.
func (b *Breaker) retryAt() time.Time {
	switch b.State() {
	case observe.Open:
		return b.until
	case observe.HalfOpen:
		var first time.Time
		for _, p := range b.running {
			if first.IsZero() || p.deadline.Before(first) {
				first = p.deadline
			}
		}
		return first
	}
	return time.Time{}
}

// Allow asks to make a call. A half-open breaker takes a slot for it, which is
// freed by Done, or by the deadline if the call hangs; a zero deadline counts as
// one recovery from now. Each Permit goes to Done once.
func (b *Breaker) Allow(now, deadline time.Time) (Permit, bool) {
	if word := b.word.Load(); observe.BreakerState(word&3) == observe.Closed {
		return Permit{generation: word >> 2}, true
	}
	p, ok := b.allowProbe(now, deadline)
	b.report()
	return p, ok
}

func (b *Breaker) allowProbe(now, deadline time.Time) (Permit, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch b.State() {
	case observe.Closed:
		return Permit{generation: b.generation()}, true
	case observe.Open:
		if now.Before(b.until) {
			return Permit{}, false
		}
		b.become(observe.HalfOpen, now)
	}
	b.dropOverdue(now)
	if len(b.running) >= b.probes {
		return Permit{}, false
	}
	if deadline.IsZero() {
		deadline = now.Add(b.policy.Recovery)
	}
	b.nextProbe++
	b.running = append(b.running, probe{b.nextProbe, deadline})
	return Permit{generation: b.generation(), probe: b.nextProbe}, true
}

// dropOverdue frees the slots of probes that hang. The lock is held.
func (b *Breaker) dropOverdue(now time.Time) {
	kept := b.running[:0]
	for _, p := range b.running {
		if now.Before(p.deadline) {
			kept = append(kept, p)
		}
	}
	b.running = kept
}

// Done gives the result of a call. That of an earlier state of the breaker, and
// that of a probe past its deadline, changes nothing.
func (b *Breaker) Done(p Permit, r Result, now time.Time) {
	if p.generation != b.generation() || r == Ignored && p.probe == 0 {
		return
	}
	b.done(p, r, now)
	b.report()
}

func (b *Breaker) done(p Permit, r Result, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.generation != b.generation() {
		return
	}
	if b.State() == observe.HalfOpen {
		b.probeDone(p, r, now)
		return
	}
	b.window.record(now, r == Failure)
	if b.window.tripped(b.policy) {
		b.openFor = b.policy.Recovery
		b.open(now)
	}
}

func (b *Breaker) probeDone(p Permit, r Result, now time.Time) {
	found := false
	for i := range b.running {
		if b.running[i].id == p.probe {
			b.running = append(b.running[:i], b.running[i+1:]...)
			found = true
			break
		}
	}
	if !found {
		return
	}
	switch r {
	case Success:
		b.succeeded++
		if b.succeeded >= b.probes {
			b.become(observe.Closed, now)
		}
	case Failure:
		limit := max(b.policy.Recovery, b.policy.MaxRecovery)
		if next := float64(b.openFor) * max(1, b.policy.Backoff); next < float64(limit) {
			b.openFor = time.Duration(next)
		} else {
			b.openFor = limit
		}
		b.open(now)
	}
}

// open opens the breaker for the current recovery. The jitter keeps the callers
// of many processes from probing together. The lock is held.
func (b *Breaker) open(now time.Time) {
	b.until = now.Add(b.openFor + time.Duration(float64(b.openFor)*0.1*b.options.Random()))
	b.become(observe.Open, now)
}

// become changes the state and starts a new generation. The lock is held.
func (b *Breaker) become(to observe.BreakerState, now time.Time) {
	from := b.State()
	b.running = b.running[:0]
	b.succeeded = 0
	b.window.reset()
	if to != observe.Open {
		b.until = time.Time{}
	}
	b.word.Store((b.generation()+1)<<2 | uint64(to))
	if b.options.OnChange != nil {
		b.events.Add(observe.BreakerChange{
			Name: b.options.Name, Group: cmp.Or(b.options.Group, b.options.Name), From: from, To: to, At: now, Until: b.until,
			Shadow: b.policy.Mode == policy.Shadow, Shared: b.shared,
		})
	}
}

// report delivers the changes. No lock is held.
func (b *Breaker) report() {
	if b.options.OnChange != nil {
		b.events.Drain(b.options.OnChange)
	}
}

// Do calls f under the breaker. An open one gives a fault.Error of the kind
// BreakerOpen. An error of f is a failure, unless the context was cancelled by
// the caller; so is a call slower than SlowCall, and a panic.
func (b *Breaker) Do(ctx context.Context, f func(context.Context) error) error {
	begin := time.Now()
	deadline, _ := ctx.Deadline()
	settings := b.Policy()
	p, ok := b.Allow(begin, deadline)
	if !ok && settings.Mode == policy.Enforce {
		return b.refusal(begin)
	}
	result := Failure
	defer func() { b.Done(p, result, time.Now()) }()
	err := f(ctx)
	switch {
	case err == nil && (settings.SlowCall <= 0 || time.Since(begin) <= settings.SlowCall):
		result = Success
	case err != nil && errors.Is(ctx.Err(), context.Canceled):
		result = Ignored
	}
	return err
}
