package ratelimit

import "time"

// Charge is what one limiter is asked for as a part of a decision.
type Charge struct {
	Limiter *Limiter
	Key     string
	// N is the number of tokens; below 1 takes none and always passes.
	N int
	// MaxWait is how long the caller would wait for them.
	MaxWait time.Duration
	// State is set by Take.
	State State

	shard         *shard
	index         int // of the shard
	before, after int64
	interval      int64 // of the limit that it was taken by
	taken         bool
}

// State is a bucket after a decision.
type State struct {
	// OK says that this bucket would have let the call pass.
	OK bool
	// Wait is how long the tokens take to come: after a refusal, when to try
	// again ([Never] for more than the bucket holds).
	Wait time.Duration
	// Remaining is the number of tokens left, Reset the time until the bucket
	// is full.
	Remaining int
	Reset     time.Duration
}

// Take decides about all charges at once: either each bucket has its tokens
// taken, and the caller waits for the longest of the waits, or none is touched
// and the result is the longest wait of those that refused. The charges' states
// are set in either case.
func Take(now time.Time, charges []Charge) (wait time.Duration, ok bool) {
	for i := range charges {
		c := &charges[i]
		c.index = c.Limiter.shard(c.Key)
		c.shard = &c.Limiter.shards[c.index]
	}
	var room [8]int
	order := lockOrder(charges, room[:0])
	lockAll(charges, order)
	defer unlockAll(charges, order)
	ok = true
	var passed, refused time.Duration
	for i := range charges {
		c := &charges[i]
		if c.apply(now); c.State.OK {
			passed = max(passed, c.State.Wait)
		} else {
			ok = false
			refused = max(refused, c.State.Wait)
		}
	}
	if ok {
		return passed, true
	}
	for i := len(charges) - 1; i >= 0; i-- {
		charges[i].undo(now)
	}
	return refused, false
}

// apply takes the tokens of one bucket if it has them. Its shard is locked.
func (c *Charge) apply(now time.Time) {
	l, limit := c.Limiter, c.shard.limit
	moment := l.moment(now)
	c.interval = limit.interval
	c.before = moment // a bucket that is not held is full
	if full, held := c.shard.full[c.Key]; held {
		if c.before = l.within(full, moment, limit.depth); c.before != full {
			c.shard.full[c.Key] = c.before
		}
	}
	c.after, c.taken = c.before, false
	n := int64(max(0, c.N))
	after, wait, possible := limit.take(c.before, moment, n)
	c.State.Wait = wait
	c.State.OK = n == 0 || possible && wait <= max(0, c.MaxWait)
	if c.State.OK && n > 0 {
		c.after, c.taken = after, true
		c.shard.put(c.Key, after, moment)
		l.allowAhead(wait)
	}
	if n == 0 {
		c.State.Wait = 0
	}
	c.describe(moment)
}

func (c *Charge) describe(moment int64) {
	c.State.Remaining = int(c.shard.limit.remaining(c.after, moment))
	c.State.Reset = time.Duration(max(0, c.after-moment))
}

// undo puts the bucket back as it was before apply. Its shard is locked.
func (c *Charge) undo(now time.Time) {
	if !c.taken {
		return
	}
	moment := c.Limiter.moment(now)
	c.taken = false
	c.after = c.before
	if c.before <= moment {
		delete(c.shard.full, c.Key)
	} else {
		c.shard.put(c.Key, c.before, moment)
	}
	c.describe(moment)
}

// within bounds what a bucket owes. More than its depth and the longest wait
// granted can only come from a clock that has stepped back.
func (l *Limiter) within(full, moment, depth int64) int64 {
	if full > moment+depth+l.ahead.Load() {
		return moment + depth
	}
	return full
}

func (l *Limiter) allowAhead(wait time.Duration) {
	for {
		old := l.ahead.Load()
		if int64(wait) <= old || l.ahead.CompareAndSwap(old, int64(wait)) {
			return
		}
	}
}

// Refund gives the tokens of a Take that passed back, once: as far as time has
// not brought them back already, for a bucket must not be given the same token
// twice.
func Refund(now time.Time, charges []Charge) {
	for i := range charges {
		charges[i].refund(now)
	}
}

func (c *Charge) refund(now time.Time) {
	if !c.taken {
		return
	}
	c.taken = false
	c.shard.mu.Lock()
	defer c.shard.mu.Unlock()
	moment := c.Limiter.moment(now)
	left, interval := c.after-moment, c.shard.limit.interval
	if left > 0 && interval != c.interval {
		left = rescale(left, c.interval, interval) // the limit has changed since
	}
	back := min(times(int64(c.N), interval), left)
	full, held := c.shard.full[c.Key]
	if back <= 0 || !held {
		return
	}
	if full -= back; full <= moment {
		delete(c.shard.full, c.Key)
	} else {
		c.shard.full[c.Key] = full
	}
}

// lockOrder is the charges' indices by limiter and shard, for locks that are
// always taken in one order cannot wait for each other in a ring.
func lockOrder(charges []Charge, order []int) []int {
	for i := range charges {
		order = append(order, i)
		for j := len(order) - 1; j > 0 && before(&charges[order[j]], &charges[order[j-1]]); j-- {
			order[j], order[j-1] = order[j-1], order[j]
		}
	}
	return order
}

func before(a, b *Charge) bool {
	if a.Limiter != b.Limiter {
		return a.Limiter.id < b.Limiter.id
	}
	return a.index < b.index
}

// lockAll locks each shard once.
func lockAll(charges []Charge, order []int) {
	for i, at := range order {
		if i == 0 || charges[at].shard != charges[order[i-1]].shard {
			charges[at].shard.mu.Lock()
		}
	}
}

func unlockAll(charges []Charge, order []int) {
	for i, at := range order {
		if i == 0 || charges[at].shard != charges[order[i-1]].shard {
			charges[at].shard.mu.Unlock()
		}
	}
}
