package ratelimit

import (
	"math"
	"time"
)

// Charge is what one limiter is asked for as a part of a decision.
type Charge struct {
	Limiter *Limiter
	Key     string
	// N is the number of tokens; below 1 takes none and always passes.
	N int
	// MaxWait is how long the caller would wait for them.
	MaxWait time.Duration
	// Server names the numbers of the server that hold for the charge beside the limit,
	// see [Sync]; empty is none. After a Take that passed with one, the charge has to be
	// given to Sync, [Refund] or [Forget].
	Server string
	// State is set by Take.
	State State

	shard         *shard
	index         int // of the shard
	before, after int64
	interval      int64 // of the limit that it was taken by
	taken         bool

	onWay   int64 // tokens that are counted as on the way to the server,
	pending bool  // as long as this is set
	counted bool  // they were taken from what the server has left
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
		if c.shard.limit.windowed() {
			c.ask(now, same(charges[:i], c))
		} else {
			c.apply(now)
		}
		c.askServer(now)
		if c.State.OK {
			passed = max(passed, c.State.Wait)
		} else {
			ok = false
			refused = max(refused, c.State.Wait)
		}
	}
	if ok {
		for i := range charges {
			charges[i].commit(now)
		}
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

// same is the number of tokens that charges before one ask of the same window.
func same(before []Charge, c *Charge) (n int64) {
	for i := range before {
		if b := &before[i]; b.shard == c.shard && b.Key == c.Key && b.N > 0 {
			n += int64(b.N)
		}
	}
	return n
}

// ask finds out when a window has the tokens, and those of the charges before that are for
// it as well; commit takes them. Its shard is locked.
func (c *Charge) ask(now time.Time, before int64) {
	l, limit := c.Limiter, &c.shard.limit
	moment := l.moment(now)
	c.taken, c.after = false, moment
	n := int64(max(0, c.N))
	w := c.window(moment)
	if w != nil && n > 0 && n+before <= limit.most {
		c.after = w.when(limit, moment, n+before)
	}
	c.State.Wait = time.Duration(c.after - moment)
	if n+before > limit.most || c.after-moment > math.MaxInt64/4 {
		c.State.Wait = Never
	}
	c.State.OK = n == 0 || c.State.Wait != Never && c.State.Wait <= max(0, c.MaxWait)
	if n == 0 {
		c.State.Wait = 0
	}
	c.describeWindow(w, moment)
}

// window is that of the key; nil for one that has not used anything. Its shard is locked.
func (c *Charge) window(moment int64) window {
	w := c.shard.windows[c.Key]
	if w == nil {
		return nil
	}
	if w.last() > moment+c.Limiter.ahead.Load() {
		// Only a clock that has stepped back can do that.
		used := min(w.used(&c.shard.limit, moment), c.shard.limit.most)
		c.shard.put(c.Key, c.shard.use(c.Key, moment, used), moment)
		w = c.shard.windows[c.Key]
	}
	return w
}

func (c *Charge) describeWindow(w window, moment int64) {
	c.State.Remaining, c.State.Reset = int(c.shard.limit.most), 0
	if w != nil {
		c.State.Remaining = int(max(0, c.shard.limit.most-w.used(&c.shard.limit, moment)))
		c.State.Reset = time.Duration(max(0, w.empty(&c.shard.limit)-moment))
	}
}

// commit takes the tokens of a window, and counts those of the server. Its shard is locked.
func (c *Charge) commit(now time.Time) {
	c.takeServer(now)
	if !c.shard.limit.windowed() || c.N < 1 {
		return
	}
	l, limit := c.Limiter, &c.shard.limit
	moment := l.moment(now)
	w := c.shard.windows[c.Key]
	if w == nil {
		w = limit.window()
	}
	w.add(limit, c.after, int64(c.N))
	c.taken = true
	c.shard.put(c.Key, w.empty(limit), moment)
	c.shard.setWindow(c.Key, w)
	l.allowAhead(time.Duration(c.after - moment))
	c.describeWindow(w, moment)
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
