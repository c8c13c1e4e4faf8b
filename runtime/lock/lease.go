package lock

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Lease is the right to work on some keys. It is extended by its heartbeat until it is
// released, and is safe for concurrent use.
type Lease struct {
	backend Backend
	owner   string
	options Options
	keys    []string // sorted
	fences  []int64
	ctx     *leaseContext
	outer   *Lease // that of the context, for work that takes further locks
	cancel  context.CancelCauseFunc

	mu    sync.Mutex
	until time.Time // valid until then
	beats *time.Timer
	ends  *time.Timer
	// over says that its time has ended, in one way or another.
	over, released bool
}

// leaseContext is the context of the work.
type leaseContext struct {
	context.Context //nolint:containedctx // It is one.

	lease *Lease
}

type leaseKey struct{}

// Value finds the lease, and otherwise what the parent has.
func (c *leaseContext) Value(key any) any {
	if key == (leaseKey{}) {
		return c.lease
	}
	return c.Context.Value(key)
}

// begin starts the time of a lease that was taken.
func (l *Lease) begin(parent context.Context) {
	ctx, cancel := context.WithCancelCause(parent)
	l.ctx, l.cancel, l.outer = &leaseContext{Context: ctx, lease: l}, cancel, leaseOf(parent)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ends = time.AfterFunc(time.Until(l.until), l.expire)
	if l.options.Heartbeat > 0 {
		l.beats = time.AfterFunc(l.options.Heartbeat, l.beat)
	}
}

// Context is that of the work. It ends with the parent, with the lease, and when the
// lease is lost, with the cause [ErrLost].
func (l *Lease) Context() context.Context { return l.ctx }

// Lost reports whether the lease has ended before it was released.
func (l *Lease) Lost() bool { return errors.Is(context.Cause(l.ctx), ErrLost) }

// Token is the fencing token of a key; zero for one that is not of this lease, or
// without fencing.
func (l *Lease) Token(key string) int64 {
	i, ok := slices.BinarySearch(l.keys, key)
	if !ok || !l.options.Fencing {
		return 0
	}
	return l.fences[i]
}

// FencingToken is the token of a key that the work of ctx holds the lock of: for each key
// it is above that of all who held it before, and above zero. It is zero where the key
// is not held, and where the policy has fencing off.
func FencingToken(ctx context.Context, key string) int64 {
	l := leaseOf(ctx)
	for l != nil {
		if t := l.Token(key); t != 0 {
			return t
		}
		l = l.outer
	}
	return 0
}

func leaseOf(ctx context.Context) *Lease {
	l, _ := ctx.Value(leaseKey{}).(*Lease)
	return l
}

// expire ends the lease if its time is over: a heartbeat may have moved it.
func (l *Lease) expire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	if left := time.Until(l.until); left > 0 {
		l.ends.Reset(left)
		return
	}
	l.lose()
}

// lose ends the context. The lock is held.
func (l *Lease) lose() {
	l.stop()
	l.cancel(ErrLost)
}

// stop ends the timers. The lock is held.
func (l *Lease) stop() {
	l.over = true
	l.ends.Stop()
	if l.beats != nil {
		l.beats.Stop()
	}
}

// beat extends the lease. A backend that cannot be asked is asked again soon, as long as
// the lease is valid; one that says that the lease is another's ends it.
func (l *Lease) beat() {
	l.mu.Lock()
	until, over := l.until, l.over
	l.mu.Unlock()
	if over {
		return
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(l.ctx), until)
	err := l.extend(ctx)
	cancel()
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over:
	case errors.Is(err, ErrNotOwner):
		l.lose()
	case err != nil:
		l.beats.Reset(min(l.options.Heartbeat, max(time.Millisecond, time.Until(l.until)/4)))
	default:
		l.ends.Reset(time.Until(l.until))
		l.beats.Reset(l.options.Heartbeat)
	}
}

// Release frees the keys and ends the context. Only the first call does anything.
func (l *Lease) Release() {
	l.mu.Lock()
	released := l.released
	l.released = true
	if !l.over {
		l.stop()
	}
	l.mu.Unlock()
	if released {
		return
	}
	l.cancel(context.Canceled) // of a lease that was lost, the first cause stays
	// Also one that was lost: some of its keys may still be its own, and others' are
	// safe, for the backend knows who has them.
	l.free(l.ctx, l.keys, nil, "")
}
