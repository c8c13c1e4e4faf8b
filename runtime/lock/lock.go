// Package lock lets one piece of work at a time go on with the same things.
//
// A lock here is a lease: it ends by itself, so that the work of a process that has died
// does not stop that of all others. So no holder can be certain that it still is one when
// it acts: a lock saves work that would be done twice, and for correctness each holder has
// a fencing token, a number that strictly increases for each key. What is written takes
// the token as a condition (UPDATE … WHERE fence < $token), so that the write of one who
// has lost the lock is refused.
//
// A [Backend] holds the locks; [NewMemory] is one for a single instance.
package lock

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
	"github.com/holdfast-go/holdfast/runtime/internal/uuid"
)

// Errors of locks.
var (
	// ErrBusy: somebody else holds one of the keys, and did so for as long as it could
	// be waited.
	ErrBusy = errors.New("lock: busy")
	// ErrNotOwner is what a backend says to one who does not hold what it wants to
	// extend or release.
	ErrNotOwner = errors.New("lock: not the owner")
	// ErrLost is the cause of the end of a lease's context.
	ErrLost = errors.New("lock: the lease is lost")
)

// Backend holds locks. Each method is one atomic step by the backend's own clock.
// Implementations are safe for concurrent use; package locktest has the suite that each
// one passes.
type Backend interface {
	// Acquire takes a key for an owner where it is free, its life has ended or the
	// owner has it already; it is false where somebody else has it. The fence is above
	// zero and above all that earlier owners of the key were given.
	Acquire(ctx context.Context, key, owner string, ttl time.Duration) (fence int64, ok bool, err error)
	// Extend makes the owner's lock end that long from now. It is ErrNotOwner where
	// the owner does not hold it, or no longer.
	Extend(ctx context.Context, key, owner string, ttl time.Duration) error
	// Release frees the owner's lock; ErrNotOwner as above.
	Release(ctx context.Context, key, owner string) error
}

// Options are those of one [Acquire].
type Options struct {
	// Keys are what is locked, at least one. They are taken in sorted order, so that no
	// two can wait for each other.
	Keys []string
	// TTL is the life of the lock, above zero; Heartbeat is how often it is extended,
	// zero for not at all.
	TTL, Heartbeat time.Duration
	// Wait is how long to wait for others; zero or less is not at all.
	Wait time.Duration
	// Fencing gives tokens to FencingToken.
	Fencing bool
}

// The waits for a lock that is busy: full jitter over 100 ms x 2^n, up to a second.
const (
	firstPoll = 100 * time.Millisecond
	lastPoll  = time.Second
)

// Acquire takes all keys, or none: [ErrBusy], the context's error, or what the backend
// says. The lease has to be released.
func Acquire(ctx context.Context, b Backend, o Options) (*Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	keys := slices.Compact(slices.Sorted(slices.Values(o.Keys)))
	switch {
	case len(keys) == 0:
		return nil, errors.New("lock: no key")
	case o.TTL <= 0:
		return nil, fmt.Errorf("lock: a life of %s", o.TTL)
	}
	l := &Lease{backend: b, owner: uuid.New(), options: o, keys: keys, fences: make([]int64, len(keys))}
	end := time.Now().Add(o.Wait)
	for i, key := range keys {
		if err := l.take(ctx, i, end); err != nil {
			// What could not be taken for certain may have been: the answer can be
			// lost on its way.
			l.free(ctx, keys[:i], err, key)
			return nil, err
		}
	}
	if err := l.freshen(ctx); err != nil {
		l.free(ctx, keys, err, "")
		return nil, err
	}
	l.begin(ctx)
	return l, nil
}

// take takes one key, and waits for it.
func (l *Lease) take(ctx context.Context, i int, end time.Time) error {
	for n := 0; ; n++ {
		before := time.Now()
		fence, ok, err := l.backend.Acquire(ctx, l.keys[i], l.owner, l.options.TTL)
		switch {
		case err != nil:
			return err
		case ok:
			l.fences[i] = fence
			l.hold(before)
			return nil
		}
		pause := time.Duration(rand.Int64N(int64(min(lastPoll, firstPoll<<min(n, 10))))) //nolint:gosec // It spreads, and protects nothing.
		left := time.Until(end)
		if left <= 0 {
			return ErrBusy
		}
		if err := sleep.For(ctx, min(pause, left)); err != nil {
			return err
		}
	}
}

// hold notes until when a lock that was asked for at a moment is valid. The backend counts
// from when it was asked at the earliest, and by another clock.
func (l *Lease) hold(asked time.Time) {
	until := asked.Add(l.options.TTL - l.options.TTL/driftPart)
	if l.until.IsZero() || until.Before(l.until) {
		l.until = until
	}
}

// driftPart of a life is what two clocks may differ by.
const driftPart = 100

// freshen gives the keys that were taken first their whole life, where the later ones
// had to be waited for.
func (l *Lease) freshen(ctx context.Context) error {
	full := l.options.TTL - l.options.TTL/driftPart
	if time.Until(l.until) >= full-full/10 {
		return nil
	}
	return l.extend(ctx)
}

// extend extends all keys.
func (l *Lease) extend(ctx context.Context) error {
	asked := time.Now()
	for _, key := range l.keys {
		if err := l.backend.Extend(ctx, key, l.owner, l.options.TTL); err != nil {
			return err
		}
	}
	l.mu.Lock()
	l.until = asked.Add(l.options.TTL - l.options.TTL/driftPart)
	l.mu.Unlock()
	return nil
}

// storeTime bounds what is said to a backend after the work is over.
const storeTime = 5 * time.Second

// free releases keys, also those of which it is not known that they were taken.
func (l *Lease) free(ctx context.Context, keys []string, cause error, unsure string) {
	if unsure != "" && !errors.Is(cause, ErrBusy) {
		keys = append(slices.Clone(keys), unsure)
	}
	if len(keys) == 0 {
		return
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	for _, key := range keys {
		_ = l.backend.Release(bounded, key, l.owner) // otherwise it ends by itself
	}
}
