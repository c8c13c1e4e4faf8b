package retry

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdfast-go/holdfast/runtime/policy"
)

// slices is the number of parts of a budget's window.
const slices = 10

// Budget bounds the retries of a dependency. A retry is paid from the part of
// the first tries of the window that the ratio allows, less what other retries
// of the window were so paid; where that is used up, from a bucket of
// MinPerSecond that refills at that rate and is full in the beginning.
//
// The window is cut in ten slices and forgets one at a time. A Budget is safe
// for concurrent use; counting a first try takes no lock.
type Budget struct {
	slice atomic.Int64 // in nanoseconds
	begin time.Time

	// firsts counts the first tries of each slice: the slice's number in the
	// upper half, so that an old count cannot be mistaken for a new one.
	firsts [slices]atomic.Uint64

	mu     sync.Mutex
	policy policy.Budget
	size   float64        // of the bucket
	paid   [slices]uint32 // retries paid by the ratio
	epochs [slices]int64
	tokens float64
	filled time.Time
}

// NewBudget makes a budget; now is any moment before its first use.
func NewBudget(p policy.Budget, now time.Time) *Budget {
	b := &Budget{policy: p, size: bucketSize(p), begin: now, filled: now}
	b.tokens = b.size
	b.slice.Store(sliceOf(p))
	return b
}

// bucketSize is the number of tokens that the bucket holds: a smaller one than 1 could
// never hold one token.
func bucketSize(p policy.Budget) float64 {
	if p.MinPerSecond > 0 {
		return max(p.MinPerSecond, 1)
	}
	return 0
}

func sliceOf(p policy.Budget) int64 { return max(1, int64(p.Window/slices)) }

// Policy is what the budget goes by: what it was made from, or the last SetPolicy.
func (b *Budget) Policy() policy.Budget {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.policy
}

// SetPolicy changes the settings at the moment now. The first tries and the retries of
// the window count on unless it has another length, and then are forgotten; the bucket
// keeps its tokens as far as they fit.
func (b *Budget) SetPolicy(p policy.Budget, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fill(now)
	if slice := sliceOf(p); slice != b.slice.Load() {
		b.slice.Store(slice)
		for i := range b.firsts {
			b.firsts[i].Store(0)
		}
		b.paid, b.epochs = [slices]uint32{}, [slices]int64{}
	}
	b.policy, b.size = p, bucketSize(p)
	b.tokens = min(b.tokens, b.size)
}

// fill adds the tokens that have come since the last time. The lock is held.
func (b *Budget) fill(now time.Time) {
	if passed := now.Sub(b.filled); passed > 0 {
		b.tokens = min(b.size, b.tokens+b.policy.MinPerSecond*passed.Seconds())
		b.filled = now
	}
}

// epoch numbers the slices from 1 on; a clock that steps back behind the begin
// stays in the first.
func (b *Budget) epoch(now time.Time) int64 {
	return max(0, int64(now.Sub(b.begin))/b.slice.Load()) + 1
}

// First counts the first try of a call.
func (b *Budget) First(now time.Time) {
	e := b.epoch(now)
	cell := &b.firsts[e%slices]
	for {
		old := cell.Load()
		next := uint64(uint32(e))<<32 | 1
		if uint32(old>>32) == uint32(e) {
			if count := uint32(old); count == math.MaxUint32 {
				return
			}
			next = old + 1
		}
		if cell.CompareAndSwap(old, next) {
			return
		}
	}
}

// Take pays for one retry, or is false when nothing is left.
func (b *Budget) Take(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.epoch(now)
	// The allowance is for sums such as 0.1*30, which fall just short in binary.
	if b.policy.Ratio*b.count(e)-b.spent(e)+1e-9 >= 1 {
		i := e % slices
		if b.epochs[i] != e {
			b.epochs[i], b.paid[i] = e, 0
		}
		b.paid[i]++
		return true
	}
	b.fill(now)
	if b.tokens+1e-9 < 1 {
		return false
	}
	b.tokens--
	return true
}

// count is the number of first tries in the window that ends with slice e.
func (b *Budget) count(e int64) float64 {
	sum := uint64(0)
	for i := range b.firsts {
		v := b.firsts[i].Load()
		if age := uint32(e) - uint32(v>>32); v != 0 && age < slices {
			sum += uint64(uint32(v))
		}
	}
	return float64(sum)
}

// spent is the number of retries in that window that the ratio has paid. The
// lock is held.
func (b *Budget) spent(e int64) float64 {
	sum := uint64(0)
	for i, at := range b.epochs {
		if at > e-slices && at <= e {
			sum += uint64(b.paid[i])
		}
	}
	return float64(sum)
}

// Signal tells a server that a call which it made for a request has been retried enough:
// its tries or its budget are used up, or the server that it called said the same. It
// answers a failure with X-Should-Retry: false then, so that the layers above do not
// multiply the retries. The zero value is ready for use, and safe for concurrent use.
type Signal struct{ exhausted atomic.Bool }

// Set notes it. A nil Signal notes nothing.
func (s *Signal) Set() {
	if s != nil {
		s.exhausted.Store(true)
	}
}

// Exhausted reports whether Set was called.
func (s *Signal) Exhausted() bool { return s != nil && s.exhausted.Load() }

// SignalKey is the key under which a context has its *Signal, for types that are contexts
// themselves.
type SignalKey struct{}

// WithSignal gives the calls made under the context a place to note it.
func WithSignal(ctx context.Context, s *Signal) context.Context {
	return context.WithValue(ctx, SignalKey{}, s)
}

// SignalOf is the context's Signal, nil without one.
func SignalOf(ctx context.Context) *Signal {
	s, _ := ctx.Value(SignalKey{}).(*Signal)
	return s
}
