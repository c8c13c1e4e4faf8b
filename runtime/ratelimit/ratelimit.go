// Package ratelimit holds rate limits, one for each key: token buckets, exact sliding
// windows, and sliding windows that two counters approximate.
//
// A bucket is one number, so a limiter of a million keys takes some 60 bytes for
// each; a pair of counters takes some 120, and a window 16 more for each call
// in it. A bucket that is full again is the same as one that was never used, and
// is forgotten: idle keys cost nothing and eviction changes no decision. Keys
// are kept whole; two of them never share a bucket.
//
// A client's limiter can follow the numbers that a server sends as well, see [Sync].
//
// The core takes the time as an argument. Limiters measure with the monotonic
// clock that time.Time carries; if the time of a test or of a broken machine
// steps back nevertheless, a key is at worst treated as empty once.
package ratelimit

import (
	"context"
	"hash/maphash"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/runtime/fault"
	"github.com/holdfast-go/holdfast/runtime/internal/sleep"
	"github.com/holdfast-go/holdfast/runtime/policy"
)

// DefaultMaxKeys bounds the keys of a limiter where nothing else is said.
const DefaultMaxKeys = 1 << 20

// ids orders limiters, so that several are always locked in one order.
var ids atomic.Uint64

// Limiter holds the buckets, or windows, of one limit. It is safe for concurrent use.
type Limiter struct {
	policy atomic.Pointer[policy.Bucket]
	id     uint64
	base   time.Time
	seed   maphash.Seed
	shards []shard
	// ahead is the longest wait ever granted: no bucket is legally further in
	// debt than its depth and this.
	ahead atomic.Int64
}

// New makes a limiter with room for maxKeys buckets that are not full; zero is
// [DefaultMaxKeys]. Past that the bucket nearest to being full of a handful is
// forgotten, which favours the key that has used least.
func New(b policy.Bucket, maxKeys int) *Limiter {
	if maxKeys <= 0 {
		maxKeys = DefaultMaxKeys
	}
	n := 1
	for n < 64 && n*1024 < maxKeys {
		n *= 2
	}
	l := &Limiter{
		id: ids.Add(1), base: time.Now(), seed: maphash.MakeSeed(), shards: make([]shard, n),
	}
	l.policy.Store(&b)
	for i := range l.shards {
		l.shards[i].bound, l.shards[i].limit = (maxKeys+n-1)/n, newLimit(b)
	}
	return l
}

// Policy is what the limiter goes by: what it was made from, or the last SetPolicy.
func (l *Limiter) Policy() policy.Bucket { return *l.policy.Load() }

// SetPolicy changes the limit at the moment now. Keys keep the tokens that they have used: they come
// back at the new rate, and a key that has used more than a smaller burst has to wait
// until it owes less. With another algorithm, what a key has used at all counts as used
// now. It takes a time in proportion to the keys that are held, a part
// of which cannot be used meanwhile.
func (l *Limiter) SetPolicy(b policy.Bucket, now time.Time) {
	l.policy.Store(&b)
	next := newLimit(b)
	for i := range l.shards {
		l.shards[i].change(next, l.moment(now))
	}
}

func (l *Limiter) shard(key string) int {
	if len(l.shards) == 1 || key == "" {
		return 0
	}
	return int(maphash.String(l.seed, key) & uint64(len(l.shards)-1))
}

// moment is a time on the limiter's scale.
func (l *Limiter) moment(now time.Time) int64 { return int64(now.Sub(l.base)) }

// Allow takes n tokens of the key if they are there now.
func (l *Limiter) Allow(key string, n int) bool { return l.AllowAt(time.Now(), key, n) }

// AllowAt is Allow at the moment now.
func (l *Limiter) AllowAt(now time.Time, key string, n int) bool {
	c := [1]Charge{{Limiter: l, Key: key, N: n}}
	_, ok := Take(now, c[:])
	return ok
}

// Reserve takes n tokens of the key if they will be there within maxWait; the
// caller has to wait as long as the reservation says, or cancel it.
func (l *Limiter) Reserve(now time.Time, key string, n int, maxWait time.Duration) (Reservation, bool) {
	r := Reservation{charge: [1]Charge{{Limiter: l, Key: key, N: n, MaxWait: maxWait}}}
	var ok bool
	r.Wait, ok = Take(now, r.charge[:])
	return r, ok
}

// Reservation is tokens taken ahead of time.
type Reservation struct {
	// Wait is how long to wait, counted from the moment of Reserve.
	Wait   time.Duration
	charge [1]Charge
}

// Cancel gives the tokens back as far as time has not brought them back already.
func (r *Reservation) Cancel(now time.Time) { Refund(now, r.charge[:]) }

// Wait takes n tokens of the key and waits for them, no longer than maxWait
// ([policy.None] is no bound of its own) and not past the context's deadline. It
// is [fault.ErrRateLimited] at once when they will not be there in time, and the
// context's error, with the tokens given back, when that ends the wait.
func (l *Limiter) Wait(ctx context.Context, key string, n int, maxWait time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	now := time.Now()
	if maxWait < 0 {
		maxWait = Never
	}
	if deadline, ok := ctx.Deadline(); ok {
		maxWait = min(maxWait, max(0, deadline.Sub(now)))
	}
	r, ok := l.Reserve(now, key, n, maxWait)
	if !ok {
		return fault.ErrRateLimited
	}
	if err := sleep.For(ctx, r.Wait); err != nil {
		r.Cancel(time.Now())
		return err
	}
	return nil
}

// Keys is the number of buckets that are held at present.
func (l *Limiter) Keys() int {
	n := 0
	for i := range l.shards {
		s := &l.shards[i]
		s.mu.Lock()
		n += len(s.full)
		s.mu.Unlock()
	}
	return n
}
